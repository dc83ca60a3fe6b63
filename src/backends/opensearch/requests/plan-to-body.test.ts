import assert from 'node:assert/strict';
import { test } from 'node:test';
import { staticMapping, withFields } from '../../../query/mapping/document-types.ts';
import type { Mapping } from '../../../query/mapping/mapping.ts';
import type { Plan } from '../../../query/plan.ts';
import type { Query } from '../../../query/query.ts';
import type { StoredDocument } from '../../../service/ports/stored-document.ts';
import { encodedPath } from './columns.ts';
import { DocumentWriter, documentId } from './documents.ts';
import { indexMappings } from './index-template.ts';
import { searchBody } from './plan-to-body.ts';
import { queryBody } from './query-to-body.ts';

const MAPPING = staticMapping('identities', { name: 'acme', pod: 'cardea' });

const body = (query: Query): string =>
  JSON.stringify(queryBody(query, { mapping: MAPPING, path: null }));

const CASES: readonly (readonly [what: string, query: Query, body: string])[] = [
  [
    'sends a term unchanged, and it scores',
    { kind: 'term', field: 'name', form: 'word', value: 'ada' },
    '{"term":{"name%words":{"value":"ada"}}}',
  ],
  [
    'wraps kinds with a constant score',
    { kind: 'prefix', field: 'id', form: 'folded', value: 'a', boost: 2 },
    '{"constant_score":{"filter":{"prefix":{"id%folded":{"value":"a"}}},"boost":2}}',
  ],
  [
    'limits the product of boosts, which would be beyond a float',
    {
      ...{ kind: 'bool', must: [], filter: [], mustNot: [], boost: 1e20 },
      should: [
        { kind: 'term', field: 'name', form: 'word', value: 'a', boost: 1e20 },
        { kind: 'term', field: 'name', form: 'word', value: 'b', boost: 0.5 },
        { kind: 'matchAll', boost: 1e5 },
      ],
    },
    '{"bool":{"should":[{"term":{"name%words":{"value":"a","boost":10000000000}}},{"term":{"name%words":{"value":"b","boost":0.5}}},{"constant_score":{"filter":{"match_all":{}},"boost":100000}}],"minimum_should_match":1,"boost":100000000000000000000}}',
  ],
  [
    'does not analyse the words of a phrase again',
    { kind: 'phrase', field: 'name', terms: ['ada', 'l.'], slop: 1 },
    '{"match_phrase":{"name%words":{"query":"ada\\nl.","analyzer":"cardea_terms","slop":1}}}',
  ],
  [
    'sends the tighter one of two bounds on a side',
    { kind: 'numberRange', field: 'accessCount', column: 'value', gt: 3, gte: 2, lt: 9, lte: 8 },
    '{"constant_score":{"filter":{"range":{"accessCount%value":{"gt":3,"lte":8}}}}}',
  ],
  [
    'a bound beyond every long matches nothing',
    { kind: 'numberRange', field: 'accessCount', column: 'value', gt: 1e30 },
    '{"match_none":{}}',
  ],
  [
    'bounds of instants are the two kinds that OpenSearch does not round',
    { kind: 'numberRange', field: 'created', column: 'value', gt: -5.5, lte: 2 ** 60 },
    '{"constant_score":{"filter":{"range":{"created%value":{"gte":"-5","lt":"1152921504606847001","format":"epoch_millis"}}}}}',
  ],
  [
    'an instant is a range of one millisecond',
    { kind: 'numbers', field: 'created', column: 'value', values: [-5, 0.5], boost: 2 },
    '{"constant_score":{"filter":{"bool":{"should":[{"range":{"created%value":{"gte":"-5","lt":"-4","format":"epoch_millis"}}}],"minimum_should_match":1}},"boost":2}}',
  ],
  [
    'numbers of booleans are 0 and 1',
    { kind: 'numbers', field: 'inactive', column: 'value', values: [2, 1] },
    '{"constant_score":{"filter":{"terms":{"inactive%value":[true]}}}}',
  ],
  [
    'bounds of booleans are the values between them',
    { kind: 'numberRange', field: 'inactive', column: 'value', gt: -1, lte: 0.5 },
    '{"constant_score":{"filter":{"terms":{"inactive%value":[false]}}}}',
  ],
  [
    'negations alone are subtracted from all documents',
    {
      ...{ kind: 'bool', must: [], filter: [], should: [] },
      mustNot: [{ kind: 'exists', field: 'manager.name' }],
    },
    '{"bool":{"filter":[{"match_all":{}}],"must_not":[{"constant_score":{"filter":{"exists":{"field":"manager.name%exact"}}}}]}}',
  ],
  [
    'supports one level of nesting',
    {
      ...{ kind: 'nested', path: 'access', scoreMode: 'max' },
      query: { kind: 'nested', path: 'apps', query: { kind: 'matchAll' }, scoreMode: 'max' },
    },
    '{"nested":{"path":"access","query":{"match_none":{}},"score_mode":"max","ignore_unmapped":true}}',
  ],
];

for (const [what, query, expected] of CASES) test(what, () => assert.equal(body(query), expected));

test('every sort of one index ends with the id, and ties with searchAfter are not after it', () => {
  const plan: Plan = {
    targets: [{ index: 'identities', query: { kind: 'matchAll' } }],
    sort: [{ field: 'created', order: 'desc', type: 'number' }],
    searchAfter: [1.5],
    ...{ from: 0, size: 10, trackTotal: false },
    source: { includes: [], excludes: [], nested: false },
  };
  const targets = plan.targets.map((target) => ({
    ...target,
    mapping: MAPPING,
    concreteIndex: 'cardea-acme-identities-v1',
  }));
  const { body: sent } = searchBody(plan, targets);
  const names = (sent['sort'] as object[]).map((entry) => Object.keys(entry)[0]);
  assert.deepEqual(names, ['created%value', '%id']);
  assert.deepEqual(sent['search_after'], [2, null]);
});

test('a null in searchAfter for the order of the index is after all ids', () => {
  const sorted = (searchAfter: readonly null[] | undefined): unknown => {
    const plan: Plan = {
      targets: [{ index: 'identities', query: { kind: 'matchAll' } }],
      sort: [{ field: '_doc', order: 'desc', type: 'doc' }],
      ...{ from: 0, size: 10, trackTotal: false, ...(searchAfter && { searchAfter }) },
      source: { includes: [], excludes: [], nested: false },
    };
    const [target] = plan.targets.map((one) => ({ ...one, mapping: MAPPING, concreteIndex: 'i' }));
    assert.ok(target);
    return (searchBody(plan, [target]).body['sort'] as unknown[])[0];
  };
  assert.deepEqual(sorted([null]), { '%id': { order: 'desc', missing: '_last' } });
  assert.deepEqual(sorted(undefined), { '%id': 'desc' });
});

test('a sort by nested elements starts with a key by which OpenSearch can skip nothing', () => {
  const sorted = (field: string): unknown => {
    const plan: Plan = {
      targets: [{ index: 'identities', query: { kind: 'matchAll' } }],
      sort: [{ field, order: 'asc', type: 'number' }],
      ...{ from: 0, size: 10, trackTotal: false, searchAfter: [2] },
      source: { includes: [], excludes: [], nested: false },
    };
    const [target] = plan.targets.map((one) => ({ ...one, mapping: MAPPING, concreteIndex: 'i' }));
    assert.ok(target);
    const { body } = searchBody(plan, [target]);
    const names = (body['sort'] as object[]).map((entry) => Object.keys(entry)[0]);
    return [names.slice(0, 2), (body['search_after'] as unknown[]).slice(0, 2)];
  };
  assert.deepEqual(sorted('accounts.created'), [
    ['%nothing', 'accounts.created%value'],
    [1e21, 2],
  ]);
  assert.deepEqual(sorted('created'), [
    ['created%value', '%id'],
    [2, null],
  ]);
});

test('a null in searchAfter sorts after every value, as an extreme one', () => {
  const double = { path: 'attributes.cost', type: 'double', nested: null, dynamic: true } as const;
  const mapping = withFields(MAPPING, [double]);
  for (const { field, order, after } of [
    { field: 'attributes.cost', order: 'asc', after: Number.MAX_VALUE },
    { field: 'attributes.cost', order: 'desc', after: -Number.MAX_VALUE },
    { field: 'created', order: 'asc', after: 1e21 },
    { field: 'created', order: 'desc', after: -1e21 },
  ] as const) {
    const plan: Plan = {
      targets: [{ index: 'identities', query: { kind: 'matchAll' } }],
      sort: [{ field, order, type: 'number' }],
      ...{ from: 0, size: 10, trackTotal: false, searchAfter: [null] },
      source: { includes: [], excludes: [], nested: false },
    };
    const [target] = plan.targets.map((one) => ({ ...one, mapping, concreteIndex: 'i' }));
    assert.ok(target);
    const { body } = searchBody(plan, [target]);
    assert.equal((body['search_after'] as unknown[])[0], after, `${field} ${order}`);
  }
});

test('encodes names that are special to OpenSearch', () => {
  assert.equal(encodedPath('attributes.cost center'), 'attributes.cost center');
  assert.equal(encodedPath('_type'), '%00005ftype');
  assert.equal(encodedPath('attributes.a*'), 'attributes.a%00002a');
  assert.notEqual(encodedPath('a%b'), encodedPath('a%000025b'));
});

test('a document has the columns of its mapping, and no others', () => {
  const field = { path: 'attributes.end', type: 'text', nested: null, dynamic: true } as const;
  const mapping = withFields(MAPPING, [field]);
  const encoder = new TextEncoder();
  const line = writeText(mapping, {
    index: 'identities',
    id: 'i1',
    root: encoder.encode('{"id":"i1","attributes":{"end":"2024-01-01","other":1},"accessCount":3}'),
    nested: encoder.encode('"apps":[{"id":"A1"},{}]'),
  });
  const document = JSON.parse(line) as Record<string, unknown>;
  assert.equal(document['attributes.end%date'], 1704067200000);
  assert.deepEqual(document['apps'], [{ id: 'A1' }, {}]);
  assert.equal(document['accessCount'], 3);
  assert.equal(line.includes('%value'), false);
  const { properties } = indexMappings(mapping);
  const columns = Object.keys(document).filter((name) => name.includes('%', 1));
  for (const name of columns) {
    let level: Record<string, { properties?: object }> | undefined = properties;
    for (const part of name.split('.')) {
      assert.ok(level?.[part], name);
      level = level[part]?.properties as typeof level;
    }
  }
});

test('writes all columns of a document that OpenSearch would read differently', () => {
  const documentOf = (members: object): Record<string, unknown> => {
    const root = new TextEncoder().encode(JSON.stringify({ id: 'I1', ...members }));
    const nested = new TextEncoder().encode('"apps":[{"id":"A1"}]');
    const text = writeText(MAPPING, { index: 'identities', id: 'I1', root, nested });
    return JSON.parse(text) as Record<string, unknown>;
  };
  for (const members of [
    { name: 7 },
    { name: { first: 'Ada' } },
    { name: '\u{10d50}' },
    { name: 'ᲐᲓᲐ' },
    { name: '\ua7d2' },
    { name: 'x'.repeat(10_923) },
    { _name: 'a' },
    { 'manager.name': 'a' },
    { manager: 'a' },
    { 'name%words': 'a' },
    { accessCount: 1.5 },
    { accessCount: '-0' },
    { accessCount: true },
    { accessCount: 2 ** 53 },
    { accessCount: { is: 1 } },
    { created: 86_400_000 },
    { created: '2024-05' },
    { created: '2024-05-31T10:00:00-18:30' },
    { inactive: 1 },
    { inactive: '' },
    { apps: 'none' },
  ]) {
    const document = documentOf(members);
    assert.deepEqual(document['%root'], { id: 'I1', ...members });
    assert.deepEqual(document['id%folded'], 'i1');
    assert.deepEqual(document['apps'], { 'id%exact': 'A1', 'id%folded': 'a1' });
  }
  const plain = documentOf({ name: 'Ada', manager: { name: null }, unknown: { _a: { '%': 1 } } });
  assert.equal(plain['name'], 'Ada');
  assert.equal(plain['name%words'], undefined);
  for (const name of ['Thảo Vương', 'מאיה', 'ምሕረት', '👩‍💻 ❤️', '山田 𠮷', 'Ⅷ']) {
    assert.equal(documentOf({ name })['name'], name);
  }
});

test('shortens whole values and ids that are too long for Lucene', () => {
  const text = `${'x'.repeat(10_921)}\u{1f600}`;
  const line = writeText(MAPPING, {
    index: 'identities',
    id: 'i1',
    root: new TextEncoder().encode(JSON.stringify({ id: 'i1', name: text })),
    nested: new Uint8Array(0),
  });
  const document = JSON.parse(line) as Record<string, string>;
  assert.equal(document['name%exact'], 'x'.repeat(10_921));
  assert.equal(document['name%words'], text);
  assert.equal(document['%all%words'], text);
});

test('shortens an id that is too long for OpenSearch, and keeps its order', () => {
  assert.equal(documentId('short'), 'short');
  assert.equal(documentId('é'.repeat(256)), 'é'.repeat(256));
  assert.match(documentId('é'.repeat(257)), /^é{220}~sha256-[0-9a-f]{64}$/);
  for (const shift of ['', 'x', 'xy', 'xyz']) {
    const long = documentId(shift + '\u{1f600}'.repeat(150));
    assert.ok(Buffer.byteLength(long) <= 512 && Buffer.byteLength(long) > 508, long);
    assert.match(long, /\u{1f600}~sha256-[0-9a-f]{64}$/u);
  }
  const ids = ['a', `b${'x'.repeat(600)}`, `b${'y'.repeat(300)}`, 'bz'];
  const stored = ids.map(documentId);
  assert.deepEqual(stored.toSorted(), stored);
});

function writeText(mapping: Mapping, document: StoredDocument): string {
  return new DocumentWriter(mapping).write({ tenantId: 't', sequence: 1, document }).toString();
}
