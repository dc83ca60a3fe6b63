import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { staticMapping, withFields } from '../../query/mapping/document-types.ts';
import type { IndexName } from '../../query/query.ts';
import { documentHash } from './document-hash.ts';
import {
  DOCUMENT_PARTS_MAX,
  DocumentBuffers,
  normaliseDocument,
  parseDocument,
} from './document-normaliser.ts';
import { DocumentShape } from './document-shape.ts';

const TENANT = { name: 'acme', pod: 'pod1' };
const NOW = '2026-01-02T03:04:05.678Z';

function normalise(text: string | Uint8Array, index: IndexName = 'identities') {
  const mapping = staticMapping(index, TENANT);
  const shape = new DocumentShape(mapping);
  const { document, newFields } = normaliseDocument(
    parseDocument(text),
    mapping,
    shape,
    NOW,
    new DocumentBuffers(),
  );
  return {
    id: document.id,
    root: Buffer.from(document.root).toString(),
    nested: Buffer.from(document.nested).toString(),
    hash: Buffer.from(document.hash ?? []).toString('hex'),
    fields: newFields.map(({ path, type, nested }) => `${path} ${type} ${nested}`),
  };
}

const SYNCED = '"synced":"2025-01-01T00:00:00.000Z"';

test('rejects a document with too many parts before parsing it', () => {
  const parts = (count: number) =>
    `{"a":[${Array(count - 3)
      .fill('{}')
      .join()}]}`;
  const { scan } = parseDocument(parts(DOCUMENT_PARTS_MAX));
  assert.equal(scan.containerTotal + scan.memberTotal, DOCUMENT_PARTS_MAX);
  assert.throws(
    () => parseDocument(parts(DOCUMENT_PARTS_MAX + 1)),
    /more than 80000 objects, arrays and members, found 80001/,
  );
});

test('removes the envelope, separates nested members, and keeps the other bytes', () => {
  const { id, root, nested } = normalise(
    `{"_type":"identity","accounts":[{"id":"\\u0061"}],"id":"i1","name":"\\u00e9 é",${SYNCED},` +
      '"apps":[],"type":"identity","_version":"v2","extra":1.50,"pod":"x","org":"y"}',
  );
  assert.equal(id, 'i1');
  assert.equal(root, `{"id":"i1","name":"\\u00e9 é",${SYNCED},"extra":1.50}`);
  assert.equal(nested, '"accounts":[{"id":"\\u0061"}],"apps":[]');
});

test('ignores white space between tokens and keeps it in strings', () => {
  const plain = normalise(`{"id":"i 1",${SYNCED},"accounts":[{"id":"a"}]}`);
  const spaced = normalise(` {\n "id" : "i 1",\r\n\t${SYNCED} , "accounts" : [ { "id": "a" } ] } `);
  assert.deepEqual(spaced, plain);
});

test('adds a missing synced, which does not count as a change', () => {
  const without = normalise('{"id":"i1","name":"A","accounts":[]}');
  assert.equal(without.root, `{"synced":"${NOW}","id":"i1","name":"A"}`);
  assert.equal(normalise('{"id":"i1","synced":null,"name":"A","accounts":[]}').hash, without.hash);
  const bare = documentHash(Buffer.from('{"id":"i1","name":"A"}'), Buffer.from('"accounts":[]'));
  assert.equal(without.hash, Buffer.from(bare).toString('hex'));
  assert.notEqual(normalise(`{"id":"i1","name":"A",${SYNCED},"accounts":[]}`).hash, without.hash);
});

test('an event keeps its own type', () => {
  const { root } = normalise(`{"id":"e","_type":"event","type":"AUTH",${SYNCED}}`, 'events');
  assert.equal(root, `{"id":"e","type":"AUTH",${SYNCED}}`);
});

test('omits nested members that are null', () => {
  assert.equal(normalise('{"id":"i1","accounts":null}').nested, '');
});

test('converts values to the JSON type of their field', () => {
  const { root, nested } = normalise(
    `{"id":"i1","inactive":"false","accessCount":"12","created":1767323045678,"name":7,${SYNCED},` +
      '"accounts":[{"id":"a","disabled":"true","created":"1767323045678"}],"manager":{"name":false}}',
  );
  assert.deepEqual(JSON.parse(root), {
    ...{ id: 'i1', inactive: false, accessCount: 12, created: NOW, name: '7' },
    ...{ synced: '2025-01-01T00:00:00.000Z', manager: { name: 'false' } },
  });
  assert.equal(nested, `"accounts":[{"id":"a","disabled":true,"created":"${NOW}"}]`);
});

test('new dynamic fields have the narrowest kind of their values', () => {
  const { fields } = normalise(
    '{"id":"i1","attributes":{"city":"Oslo","age":3,"rate":0.5,"on":true,"none":null,"list":[],' +
      '"tags":[null,1,"a"],"some":[1,2.5],"deep":{"x":1},"":1},' +
      '"accounts":[{"accountAttributes":{"uid":"a"}},{"accountAttributes":{"uid":2,"gid":3}}]}',
  );
  assert.deepEqual(fields, [
    ...['attributes.city text null', 'attributes.age long null', 'attributes.rate double null'],
    ...['attributes.on boolean null', 'attributes.tags text null', 'attributes.some double null'],
    ...['attributes.deep.x long null'],
    ...['accounts.accountAttributes.uid text accounts'],
    ...['accounts.accountAttributes.gid long accounts'],
  ]);
});

test('a path with a value in one document never becomes an object in the mapping', () => {
  const mapping = withFields(staticMapping('identities', TENANT), [
    { path: 'attributes.a', type: 'text', nested: null, dynamic: true },
    { path: 'attributes.b.c', type: 'text', nested: null, dynamic: true },
  ]);
  const shape = new DocumentShape(mapping);
  const parsed = parseDocument('{"id":"i","attributes":{"a":{"x":1},"b":"s","n":{"m":1},"n.m":2}}');
  const { newFields } = normaliseDocument(parsed, mapping, shape, NOW, new DocumentBuffers());
  const paths = shape.accept(newFields, 10).map(({ path }) => path);
  assert.deepEqual(paths, ['attributes.n.m']);
});

test('rejects a document whose new fields exceed the limit, and registers none of them', () => {
  const shape = new DocumentShape(staticMapping('identities', TENANT));
  const field = (path: string) => ({ path, type: 'text', nested: null, dynamic: true }) as const;
  assert.equal(shape.accept([field('attributes.a'), field('attributes.b')], 3).length, 2);
  assert.throws(() => shape.accept([field('attributes.c'), field('attributes.d')], 3), {
    message: /attributes\.d would exceed the limit of 3/,
  });
  assert.equal(shape.accept([field('attributes.c')], 3).length, 1);
});

test('keeps all members but the envelope unchanged', () => {
  const key = fc.oneof(
    fc.constantFrom(
      'accounts',
      'apps',
      'attributes',
      '10',
      '9',
      '95',
      '01',
      '__proto__',
      'é',
      'a.b',
    ),
    fc.string({ unit: 'grapheme' }),
  );
  const value = fc.constantFrom<unknown>([], {}, [{ id: 'x', '7': 1 }], [{}]);
  fc.assert(
    fc.property(fc.dictionary(key, value, { maxKeys: 12 }), fc.boolean(), (members, spaced) => {
      const document = { ...members, id: 'i1', synced: '2025-01-01T00:00:00.000Z' };
      const text = JSON.stringify(document, null, spaced ? 1 : 0);
      if (!isStorable(document)) return;
      const { root, nested } = normalise(text);
      const whole = nested === '' ? root : `${root.slice(0, -1)},${nested}}`;
      assert.deepEqual(JSON.parse(whole), JSON.parse(text));
    }),
  );
});

/** The values above do not fit scalars of the mapping, nor objects nested members. */
function isStorable(document: object): boolean {
  const { fields, nestedPaths } = staticMapping('identities', TENANT);
  return Object.entries(document).every(
    ([name, value]) =>
      name === 'id' ||
      name === 'synced' ||
      (!fields.has(name) &&
        !ENVELOPE.has(name) &&
        (Array.isArray(value) || !nestedPaths.includes(name))),
  );
}
const ENVELOPE = new Set(['_type', '_version', 'pod', 'org', 'type']);

const refused: [string | Uint8Array, RegExp][] = [
  ['', /^not valid JSON at offset 0: there is no JSON$/],
  ['{"id":"a"', /^not valid JSON at offset 9: the JSON ends before it is complete/],
  ['{"id":"a","x":True}', /^not valid JSON at offset 14: True is written true$/],
  [
    '{\n  "id": "a",\n  "x": .5}',
    /^not valid JSON in line 3, column 8 of the element \(offset 22\): '\.' stands/,
  ],
  ['[]', /not a JSON object/],
  ['"a"', /not a JSON object/],
  ['{}', /id is missing/],
  ['{"id":1}', /id must be a string/],
  ['{"id":""}', /id must be a string that is not empty/],
  [`{"id":"${'x'.repeat(257)}"}`, /id is longer than 256/],
  ['{"id":"a\\nb"}', /id has a control character/],
  ['{"id":"a","type":"role"}', /type must be "identity", not "role"/],
  ['{"id":"a","id":"b"}', /member id appears twice/],
  ['{"id":"a","x":{"y":1,"\\u0079":2}}', /member x\.y appears twice/],
  ['{"id":"a","x":{"b":1,"c":2},"x":{"b":1}}', /member x appears twice/],
  ['{"id":"a","accounts":[{"name":"a","name":"b"}]}', /member accounts\[0\]\.name appears/],
  ['{"id":"a","x":{"big":[1,9007199254740993]}}', /x\.big\[1\] is a number that would lose digits/],
  ['{"id":"a","ä":"é","n":1e999}', /^n is a number/],
  ['{"id":"a","attributes":{"x":"\\ud800"}}', /attributes\.x has a NUL or half of a surrogate/],
  ['{"id":"a","x":"\\u0000"}', /^x has a NUL/],
  ['{"id":"a","x":"\ud800"}', /half of a surrogate pair/],
  [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), /not valid UTF-8/],
  [`{"id":"a","x":${'['.repeat(64)}${']'.repeat(64)}}`, /nested deeper than 64/],
  ['['.repeat(200_000), /nested deeper than 64/],
  ['{"id":"a","created":"yesterday"}', /created must be an ISO 8601 date or epoch.*"yesterday"/],
  ['{"id":"a","created":"2025-02-30"}', /created must be/],
  ['{"id":"a","created":"2025-02-30T00:00:00.000Z"}', /created must be/],
  ['{"id":"a","created":"2025/02/20T00:00:00.000Z"}', /created must be/],
  ['{"id":"a","created":"2025-02-20T00-00-00.000Z"}', /created must be/],
  ['{"id":"a","created":"2025-02-20T00:00:00:000Z"}', /created must be/],
  ['{"id":"a","created":"2025-02-20 00:00:00.000Z"}', /created must be/],
  ['{"id":"a","created":"2025-13-20T00:00:00.000Z"}', /created must be/],
  ['{"id":"a","created":true}', /created must be/],
  ['{"id":"a","accessCount":1.5}', /accessCount must be an integer, not 1\.5/],
  ['{"id":"a","inactive":"maybe"}', /inactive must be true or false, not "maybe"/],
  ['{"id":"a","name":{"x":1}}', /name must be a string, not/],
  ['{"id":"a","manager":"Ada"}', /manager must be an object, not "Ada"/],
  ['{"id":"a","accounts":"x"}', /accounts must be an array, not "x"/],
  ['{"id":"a","accounts":{"id":"x"}}', /accounts must be an array of objects/],
  ['{"id":"a","accounts":[1]}', /accounts must be objects, not 1/],
  ['{"id":"a","accounts":[null]}', /accounts must be objects, not null/],
  ['{"id":"a","accounts":[{"source":{"name":["x",{"y":1}]}}]}', /accounts\.source\.name must be/],
  ['{"id":"a","attributes":"x"}', /attributes must be an object/],
];
for (const [text, message] of refused) {
  const shown = Buffer.from(text as string)
    .toString()
    .slice(0, 60);
  test(`rejects ${shown}`, () => {
    assert.throws(() => normalise(text), { name: 'DocumentFault', message });
  });
}

const ACCEPTED = [
  '{"id":"a","created":"2024-02-29T10:00:00Z","modified":"2024-05-01"}',
  '{"id":"a","created":"2024-05-01T10:00:00.000+02:00"}',
  '{"id":"a","manager":null,"name":null,"tags":["a",null]}',
  '{"id":"a","attributes":{"x":{"y":[{"z":1}]}},"other":{"free":[[]]}}',
];
for (const text of ACCEPTED) {
  test(`accepts ${text}`, () => {
    const { created: _, modified: __, ...sent } = JSON.parse(text);
    const { root, nested } = normalise(text);
    const document = JSON.parse(nested === '' ? root : `${root.slice(0, -1)},${nested}}`);
    for (const [name, value] of Object.entries(sent)) assert.deepEqual(document[name], value, name);
  });
}
