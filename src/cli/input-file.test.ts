import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { CommandError } from './context.ts';
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

test('a plain file is read as it is', async () => {
  assert.deepEqual(await content(file('plain', TEXT)), {
    text: TEXT,
    read: TEXT.length,
    size: TEXT.length,
  });
});
test('gzip is known by its first bytes, not by its name', async () => {
  const packed = gzipSync(TEXT);
  const { text, read, size } = await content(file('packed.json', packed));
  assert.ok(text === TEXT && read === packed.length && size === packed.length);
});
test('a name that promises gzip does not make it so', async () => {
  assert.equal((await content(file('plain.gz', TEXT))).text, TEXT);
});
test('- is standard input, whose first bytes may come one by one', async () => {
  const packed = gzipSync('[1]');
  const { text, size } = await content('-', bytes(packed.subarray(0, 1), packed.subarray(1)));
  assert.ok(text === '[1]' && size === null);
});
for (const text of ['', 'x']) {
  test(`${text.length} bytes are ${text.length} bytes`, async () => {
    assert.equal((await content(file('short', text))).text, text);
  });
}
test('gzip that is cut off is a fault, after what came before', async () => {
  const input = openInput(file('cut', gzipSync(TEXT).subarray(0, 200)), bytes());
  await assert.rejects(
    async () => {
      for await (const chunk of input.content) assert.ok(chunk.length > 0);
    },
    { code: 'Z_BUF_ERROR' },
  );
});
test('what is not there, or no file, is told of at once', () => {
  assert.throws(() => openInput(join(directory, 'nothing'), bytes()), CommandError);
  assert.throws(() => openInput(directory, bytes()), CommandError);
});
