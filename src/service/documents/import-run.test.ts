import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SourceLine } from '../../json/json-source.ts';
import { TurnQueue } from '../../scheduling/turn-queue.ts';
import type { WritableRecords } from '../ports/store.ts';
import {
  type ImportOptions,
  type ImportReport,
  type ImportRules,
  type ImportSteps,
  runImport,
} from './import-run.ts';

async function* source(texts: readonly string[]): AsyncGenerator<SourceLine> {
  for (const [at, text] of texts.entries()) yield { line: at + 1, text };
}

/**
 * Import steps that report every item as created; `prepared` is called for each line, `written` for
 * each batch.
 */
function importer(
  documentBytes: number,
  prepared: (text: string) => void = () => {},
  written: (batch: readonly string[]) => void = () => {},
) {
  const steps: ImportSteps<string> = {
    prepare(text) {
      prepared(text.toString());
      return text.toString();
    },
    bytes: (item) => item.length,
    async write(_records, batch) {
      written(batch);
      return batch.map(() => 'created');
    },
  };
  const rules = {
    batch: { documents: 10, bytes: 8 * 1024 * 1024 },
    documentBytes,
    turns: new TurnQueue(),
    store: { write: (work) => work({ lastSequence: async () => 1 } as WritableRecords) },
  } satisfies ImportRules;
  return (texts: readonly string[], options: ImportOptions = {}): Promise<ImportReport> =>
    runImport(source(texts), options, rules, steps, {
      confirm: async () => {},
      audit: async () => {},
    });
}

describe('an import', () => {
  test('rejects a line over the limit, naming the setting, and accepts the others', async () => {
    const seen: string[] = [];
    const report = await importer(10, (text) => seen.push(text))([
      '1234567890',
      '12345678901',
      '1',
    ]);
    assert.equal(report.created, 2);
    assert.deepEqual(report.faults, [
      {
        line: 2,
        reason:
          'longer than 10 bytes, found 11; the setting CARDEA_DOCUMENT_LIMIT raises the limit',
      },
    ]);
    assert.deepEqual(seen, ['1234567890', '1'], 'the long line is not parsed');
  });

  test('counts the lines that it holds back, and writes them at once where there is no room', async () => {
    const counted: number[] = [];
    const batches: (readonly string[])[] = [];
    const hold = (bytes: number) => {
      counted.push(bytes);
      return bytes <= 5;
    };
    const run = importer(10, undefined, (batch) => batches.push(batch));
    const report = await run(['12', '34', '56', '7'], { hold });
    assert.equal(report.created, 4);
    assert.deepEqual(batches, [['12', '34', '56'], ['7']]);
    assert.deepEqual(counted, [2, 4, 6, 0, 1, 0, 0]);
  });

  test('holds back nothing after its end, even if a transaction fails', async () => {
    const counted: number[] = [];
    const hold = (bytes: number) => counted.push(bytes) > 0;
    const run = importer(10, undefined, () => {
      throw new Error('the store fails');
    });
    await assert.rejects(run(['12'], { hold }), /the store fails/);
    assert.deepEqual(counted, [2, 0]);
  });

  test('prepares a large line in a turn of its own, however many imports run', async () => {
    let turn = 0;
    const count = () => {
      turn++;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    const turns: number[] = [];
    const run = importer(1024 ** 2, () => turns.push(turn));
    const large = 'x'.repeat(600 * 1024);
    await Promise.all([1, 2, 3].map(() => run([large, large])));
    clearImmediate(timer);
    assert.equal(turns.length, 6);
    assert.equal(new Set(turns).size, 6, String(turns));
  });
});
