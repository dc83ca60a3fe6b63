import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { FileTarget } from './file-target.ts';

const root = mkdtempSync(join(tmpdir(), 'cardea-export-'));
after(() => rmSync(root, { recursive: true, force: true }));

let directories = 0;
/** A path in a directory that does not exist yet. */
const freshPath = () => join(root, String(directories++), 'audit.jsonl');
const read = (path: string) => readFileSync(path, 'utf8');
const LARGE = { maxBytes: 1_000_000, files: 3 };

test('appends lines to a file that only the owner can read', async () => {
  const path = freshPath();
  const target = new FileTarget(path, LARGE);
  await target.deliver(['{"n":1}', '{"n":2}']);
  await target.deliver(['{"n":3}']);
  assert.equal(read(path), '{"n":1}\n{"n":2}\n{"n":3}\n');
  assert.equal(statSync(path).mode & 0o777, 0o600);
});

test('rotates a full file before a delivery, and deletes the oldest', async () => {
  const path = freshPath();
  const target = new FileTarget(path, { maxBytes: 20, files: 2 });
  for (let n = 1; n <= 5; n++) await target.deliver([`{"number":${n}}`]);
  await target.deliver(['{"number":6}', '{"number":7}', '{"number":8}']);
  assert.deepEqual(readdirSync(join(path, '..')).sort(), [
    ...['audit.jsonl', 'audit.jsonl.1', 'audit.jsonl.2'],
  ]);
  assert.equal(read(path), '{"number":6}\n{"number":7}\n{"number":8}\n');
  assert.equal(read(`${path}.1`), '{"number":5}\n');
  assert.equal(read(`${path}.2`), '{"number":4}\n');
});

test('removes a line cut off by a crash, even the only one or a very long one', async () => {
  for (const [leftover, remaining] of [
    ['{"n":1}\n{"n":', '{"n":1}\n'],
    ['{"n":', ''],
    [`{"n":1}\n${'x'.repeat(200_000)}`, '{"n":1}\n'],
    ['{"n":1}\n', '{"n":1}\n'],
  ] as const) {
    const path = freshPath();
    await new FileTarget(path, LARGE).deliver(['{"n":0}']);
    appendFileSync(path, leftover);
    await new FileTarget(path, LARGE).deliver(['{"n":9}']);
    assert.equal(read(path), `{"n":0}\n${remaining}{"n":9}\n`);
  }
});

test('creates the file again after a log rotation has moved it', async () => {
  const path = freshPath();
  const target = new FileTarget(path, LARGE);
  await target.deliver(['{"n":1}']);
  rmSync(path);
  await target.deliver(['{"n":2}']);
  assert.equal(read(path), '{"n":2}\n');
});

test('fails with the reason if the path cannot be written', async () => {
  const target = new FileTarget('/dev/null/audit.jsonl', LARGE);
  await assert.rejects(target.deliver(['{}']), /ENOTDIR|EEXIST/);
});
