import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { FileTarget } from './file-target.ts';

const root = mkdtempSync(join(tmpdir(), 'cardea-export-'));
after(() => rmSync(root, { recursive: true, force: true }));

let directories = 0;
/** A path in a directory that is not there yet. */
const freshPath = () => join(root, String(directories++), 'audit.jsonl');
const read = (path: string) => readFileSync(path, 'utf8');
const ROOMY = { maxBytes: 1_000_000, files: 3 };

test('lines are appended, one below the other, for the owner alone', async () => {
  const path = freshPath();
  const target = new FileTarget(path, ROOMY);
  await target.deliver(['{"n":1}', '{"n":2}']);
  await target.deliver(['{"n":3}']);
  assert.equal(read(path), '{"n":1}\n{"n":2}\n{"n":3}\n');
  assert.equal(statSync(path).mode & 0o777, 0o600);
});

test('a full file is rotated before a delivery, and the oldest is dropped', async () => {
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

test('a line that a crash cut off is removed, also where it is all there is or very long', async () => {
  for (const [left, kept] of [
    ['{"n":1}\n{"n":', '{"n":1}\n'],
    ['{"n":', ''],
    [`{"n":1}\n${'x'.repeat(200_000)}`, '{"n":1}\n'],
    ['{"n":1}\n', '{"n":1}\n'],
  ] as const) {
    const path = freshPath();
    await new FileTarget(path, ROOMY).deliver(['{"n":0}']);
    appendFileSync(path, left);
    await new FileTarget(path, ROOMY).deliver(['{"n":9}']);
    assert.equal(read(path), `{"n":0}\n${kept}{"n":9}\n`);
  }
});

test('a file that was moved away by a log rotation is made anew', async () => {
  const path = freshPath();
  const target = new FileTarget(path, ROOMY);
  await target.deliver(['{"n":1}']);
  rmSync(path);
  await target.deliver(['{"n":2}']);
  assert.equal(read(path), '{"n":2}\n');
});

test('a path that cannot be written is an error that says why', async () => {
  const target = new FileTarget('/dev/null/audit.jsonl', ROOMY);
  await assert.rejects(target.deliver(['{}']), /ENOTDIR|EEXIST/);
});
