import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { describe, test } from 'node:test';
import { duration, grouped, Terminal } from './terminal.ts';

for (const [count, text] of [
  [0, '0'],
  [999, '999'],
  [1000, '1,000'],
  [1234567.4, '1,234,567'],
] as const) {
  test(`formats ${count} as ${text}`, () => assert.equal(grouped(count), text));
}
for (const [seconds, text] of [
  [-1, '0s'],
  [59.4, '59s'],
  [200, '3m 20s'],
  [7500, '2h 05m'],
] as const) {
  test(`formats ${seconds} seconds as ${text}`, () => assert.equal(duration(seconds), text));
}

function recorder(isTTY: boolean) {
  let time = 0;
  const texts = { out: '', err: '' };
  const terminal = new Terminal(
    { write: (text) => (texts.out += text) },
    { write: (text) => (texts.err += text), isTTY },
    () => time,
  );
  return { terminal, texts, wait: (ms: number) => (time += ms) };
}

describe('outside a terminal', () => {
  test('progress is a line every five seconds, on standard error', () => {
    const { terminal, texts, wait } = recorder(false);
    const progress = terminal.progress('Importing', 1000, 'documents');
    for (let done = 0; done <= 1000; done += 100) {
      progress.update(done, done * 2);
      wait(1000);
    }
    progress.end();
    assert.equal(
      texts.err,
      'Importing: 1,000 documents, 200/s, 50%, 5s left\nImporting: 2,000 documents, 200/s, 100%, 0s left\n',
    );
    assert.equal(texts.out, '');
  });
  test('without a total there is no percentage and no time left', () => {
    const { terminal, texts, wait } = recorder(false);
    const progress = terminal.progress('Importing', null, 'lines');
    wait(10_000);
    progress.update(50, 20);
    assert.equal(texts.err, 'Importing: 20 lines, 2/s\n');
  });
  test('short work shows nothing', () => {
    const { terminal, texts } = recorder(false);
    const progress = terminal.progress('Importing', 10, 'lines');
    progress.update(10);
    progress.end();
    assert.equal(texts.err, '');
  });
});

test('results and notes go to different streams', () => {
  const { terminal, texts } = recorder(false);
  terminal.print('result');
  terminal.note('note');
  terminal.printJson({ a: 1 });
  assert.deepEqual(texts, { out: 'result\n{"a":1}\n', err: 'note\n' });
});

test('on a terminal a bar shows count, rate and time left, and ends with a new line', () => {
  let time = 0;
  let output = '';
  const stream = Object.assign(new Writable(), { isTTY: true, columns: 120 });
  stream._write = (chunk, _, done) => {
    output += chunk;
    done();
  };
  const terminal = new Terminal({ write: () => undefined }, stream, () => time);
  const progress = terminal.progress('Indexing', 2000, 'changes');
  time = 2000;
  progress.update(500);
  time = 8000;
  progress.update(2000);
  progress.end();
  // The bar is drawn a few times per second of real time, and always in its last state.
  assert.match(output, /Indexing .*100% \| 2,000 changes \| 250\/s \| 0s left/);
  assert.match(output, /\n$/);
});
