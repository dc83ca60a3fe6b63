import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { type DocumentBytes, decodeDocument, encodeDocument } from './document-bytes.ts';
import { DOCUMENT_DICTIONARY } from './document-dictionary.ts';

const bytes = (root: string, nested = ''): DocumentBytes => ({
  root: Buffer.from(root),
  nested: Buffer.from(nested),
});
const object = (value: unknown) => JSON.stringify({ id: 'a', value });
const texts = ({ root, nested }: DocumentBytes) => [String(root), String(nested)];
const ACCESS = `"access":[${Array.from({ length: 20 }, (_, n) => object(n)).join()}]`;
const DOCUMENT = bytes(object('x'.repeat(100)), ACCESS);

const CASES: readonly {
  readonly name: string;
  readonly document: DocumentBytes;
  readonly compressed: boolean;
}[] = [
  { name: 'the empty object', document: bytes('{}'), compressed: false },
  { name: 'a short document', document: bytes(object('x'.repeat(200))), compressed: false },
  { name: 'no nested members', document: bytes(object('x'.repeat(300))), compressed: true },
  { name: 'nested members', document: DOCUMENT, compressed: true },
  {
    name: 'a short root with long nested members',
    document: bytes('{}', ACCESS),
    compressed: true,
  },
  {
    name: 'text beyond ASCII',
    document: bytes(object('Zoë 🜚 名前 '.repeat(50)), '"größe":["naïve"]'),
    compressed: true,
  },
  {
    name: 'text without repetitions',
    document: bytes(object(randomBytes(3_000).toString('base64'))),
    compressed: false,
  },
  {
    name: '5 MB',
    document: bytes(object('lorem ipsum '.repeat(400_000)), ACCESS),
    compressed: true,
  },
  {
    name: '5 MB of one character, the best case of LZ4',
    document: bytes(object('x'.repeat(5_000_000))),
    compressed: true,
  },
];

for (const { name, document, compressed } of CASES) {
  test(`returns the same bytes: ${name}`, () => {
    const columns = encodeDocument(document);
    assert.deepEqual(texts(decodeDocument(columns) as DocumentBytes), texts(document));
    assert.equal(columns.root[0], compressed ? 0x01 : 0x7b);
    const [stored, plain] = [columns, document].map(
      ({ root, nested }) => root.length + nested.length,
    );
    assert.equal(stored! < plain!, compressed, `${stored} of ${plain} bytes`);
  });
}

test('reads documents that were stored before documents were compressed', () => {
  assert.deepEqual(texts(decodeDocument(DOCUMENT) as DocumentBytes), texts(DOCUMENT));
});

test('the dictionary is the one that stored documents were compressed with', () => {
  const digest = createHash('sha256').update(DOCUMENT_DICTIONARY).digest('hex');
  assert.equal(digest, '8ae83f3c8e9e599be0b0535ecfd0e8fb21e8edbab6438bb1dee524779c4b4da3');
});

test('reads a column that is part of a larger buffer', () => {
  const { root, nested } = encodeDocument(DOCUMENT);
  const row = new Uint8Array(root.length + 20);
  row.set(root, 7);
  const columns = { root: row.subarray(7, 7 + root.length), nested };
  assert.deepEqual(texts(decodeDocument(columns) as DocumentBytes), texts(DOCUMENT));
});

/** The columns of DOCUMENT after a change of the bytes in `root`. */
function changed(change: (root: Buffer) => Uint8Array): DocumentBytes {
  const { root, nested } = encodeDocument(DOCUMENT);
  return { root: change(Buffer.from(root)), nested };
}

/** The columns of DOCUMENT with other lengths. */
const withLengths = (root: number, both: number) =>
  changed((bytes) => {
    bytes.writeUInt32LE(root, 1);
    bytes.writeUInt32LE(both, 5);
    return bytes;
  });
const [ROOT, BOTH] = [DOCUMENT.root.length, DOCUMENT.root.length + DOCUMENT.nested.length];

const DAMAGED: Readonly<Record<string, DocumentBytes>> = {
  'no bytes': bytes(''),
  'another first byte': changed((root) => root.fill(2, 0, 1)),
  'the first byte alone': changed((root) => root.subarray(0, 1)),
  'no block': changed((root) => root.subarray(0, 9)),
  'a block without its end': changed((root) => root.subarray(0, -5)),
  'a block with more at its end': changed((root) => Buffer.concat([root, Buffer.alloc(40)])),
  'a length of 4 GiB': withLengths(ROOT, 2 ** 32 - 1),
  'a length of nothing': withLengths(0, 0),
  'a length that is too short': withLengths(ROOT, BOTH - 1),
  'a length that is too long': withLengths(ROOT, BOTH + 1),
  'a root longer than the document': withLengths(BOTH + 1, BOTH),
  'a match before the start': changed((root) => root.fill(0xff, 9, 40)),
  'content that is not JSON': encodeDocument(bytes('no JSON '.repeat(100))),
};

for (const [name, columns] of Object.entries(DAMAGED)) {
  test(`detects damage: ${name}`, () => assert.equal(decodeDocument(columns), null));
}

test('a changed byte anywhere gives a document or null, and no error', () => {
  const { length } = encodeDocument(DOCUMENT).root;
  for (let at = 0; at < length; at++) {
    for (const mask of [0x01, 0x80, 0xff]) {
      const decoded = decodeDocument(
        changed((root) => root.fill((root[at] as number) ^ mask, at, at + 1)),
      );
      if (decoded !== null) assert.equal(decoded.root[0], 0x7b);
    }
  }
});
