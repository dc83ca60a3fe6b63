import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { UsageError } from './common/context.ts';
import { openInput } from './input-file.ts';

const directory = mkdtempSync(join(tmpdir(), 'cardea-input-'));
after(() => rmSync(directory, { recursive: true }));

async function* bytes(...chunks: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

async function content(path: string, stdin: AsyncIterable<Uint8Array> = bytes()) {
  const input = openInput(path, stdin);
  const chunks: Uint8Array[] = [];
  for await (const chunk of input.content) chunks.push(chunk);
  return { text: Buffer.concat(chunks).toString(), read: input.read(), size: input.size };
}

function file(name: string, data: Uint8Array | string): string {
  const path = join(directory, name);
  writeFileSync(path, data);
  return path;
}

const TEXT = '{"id":"x"}\n'.repeat(50_000);

test('reads a plain file unchanged', async () => {
  assert.deepEqual(await content(file('plain', TEXT)), {
    text: TEXT,
    read: TEXT.length,
    size: TEXT.length,
  });
});
test('detects gzip by its first bytes, not by the file name', async () => {
  const compressed = gzipSync(TEXT);
  const { text, read, size } = await content(file('compressed.json', compressed));
  assert.ok(text === TEXT && read === compressed.length && size === compressed.length);
});
test('reads a plain file whose name ends with .gz', async () => {
  assert.equal((await content(file('plain.gz', TEXT))).text, TEXT);
});
test('reads standard input for -, even if its first bytes arrive one by one', async () => {
  const compressed = gzipSync('[1]');
  const { text, size } = await content(
    '-',
    bytes(compressed.subarray(0, 1), compressed.subarray(1)),
  );
  assert.ok(text === '[1]' && size === null);
});
for (const text of ['', 'x']) {
  test(`reads a file of ${text.length} bytes`, async () => {
    assert.equal((await content(file('short', text))).text, text);
  });
}
test('refuses an empty file that is called .gz, which no gzip file is', async () => {
  await assert.rejects(content(file('empty.gz', '')), /empty\.gz is empty, which no gzip file is/);
  assert.equal((await content(file('none.gz', gzipSync('')))).text, '');
  for (const name of ['empty.ndjson', 'empty.json', 'empty']) {
    assert.equal((await content(file(name, ''))).text, '', name);
  }
});
test('fails at the end of truncated gzip', async () => {
  const input = openInput(file('cut', gzipSync(TEXT).subarray(0, 200)), bytes());
  await assert.rejects(
    async () => {
      for await (const chunk of input.content) assert.ok(chunk.length > 0);
    },
    { message: 'unexpected end of file: the gzip data are damaged' },
  );
});
test('rejects a missing file or a directory at once', () => {
  assert.throws(() => openInput(join(directory, 'nothing'), bytes()), UsageError);
  assert.throws(() => openInput(directory, bytes()), UsageError);
});

test('says that gzip data are damaged, or that a file is none', async () => {
  const whole = gzipSync(Buffer.from(Array.from({ length: 9_000 }, (_, n) => n % 251)));
  const cut = file('cut.gz', whole.subarray(0, whole.length / 2));
  await assert.rejects(content(cut), /unexpected end of file: the gzip data are damaged/);
  const changed = Buffer.from(whole);
  changed.fill(0xff, 12, 40);
  await assert.rejects(content(file('changed.gz', changed)), /: the gzip data are damaged/);
  await assert.rejects(content('-', bytes(changed)), /: the gzip data are damaged/);
  const other = file('other.gz', Buffer.from([0x00, 0x8b, 1, 2, 3]));
  await assert.rejects(content(other), /other\.gz is no gzip file: it begins with 008b, not/);
  assert.equal((await content(file('plain.gz', TEXT))).text, TEXT);
});
