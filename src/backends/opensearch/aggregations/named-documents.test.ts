// Documents of hits: only those that results contain are fetched.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HitCandidate } from '../../../engine/aggregation/collecting/intermediate.ts';
import { staticMapping } from '../../../query/mapping/document-types.ts';
import { documentId } from '../requests/documents.ts';
import type { OpenTarget } from '../requests/plan-to-body.ts';
import type { SearchFunction } from '../requests/search-response.ts';
import { NamedDocuments } from './named-documents.ts';

const TARGETS: readonly OpenTarget[] = (['identities', 'roles'] as const).map((index) => ({
  ...{ index, query: { kind: 'matchAll' }, concreteIndex: index },
  mapping: staticMapping(index, { name: 'acme', pod: 'cardea' }),
}));

const hit = (target: number, view: number): HitCandidate => ({
  ...{ target, view, row: 0, element: null, score: 1, sort: [] },
});
const LONG = documentId('x'.repeat(600));
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

test('fetches only documents that were read, in batches', async () => {
  const documents = new NamedDocuments(false);
  const all = Array.from({ length: 500 }, (_, at) => documents.numberOf(1, `r${at}`));
  const other = documents.numberOf(0, 'r1');
  const batches: [string, number][] = [];
  const search: SearchFunction = ([target], body) => {
    const { query } = body as { query: { ids: { values: string[] } } };
    const ids = query.ids.values;
    batches.push([target?.index ?? '', ids.length]);
    const hits = ids.map((id) => ({
      ...{ _id: id, sort: [id] },
      parts: { root: new TextEncoder().encode(`{"id":"${id}"}`), nested: new Uint8Array(0) },
    }));
    return Promise.resolve({ timed_out: false, _shards: { failed: 0 }, hits: { hits } });
  };
  assert.equal(await documents.fetch(TARGETS, search), 0);
  const resultHits = all.slice(0, 250).map((view) => hit(1, view));
  for (const one of resultHits) assert.equal(text(documents.root(one)), '{}');
  assert.equal(await documents.fetch(TARGETS, search), 250);
  assert.deepEqual(batches, [
    ['roles', 200],
    ['roles', 50],
  ]);
  assert.deepEqual(
    resultHits.slice(0, 2).map((one) => text(documents.root(one))),
    ['{"id":"r0"}', '{"id":"r1"}'],
  );
  assert.equal(text(documents.root(hit(0, other))), '{}');
});

test('reads the id of a document whose `_id` is a digest', async () => {
  const documents = new NamedDocuments(false);
  const one = hit(0, documents.numberOf(0, LONG));
  assert.equal(documents.id(one), LONG);
  const search: SearchFunction = (_targets, body) => {
    const { query } = body as { query: { ids: { values: string[] } } };
    assert.deepEqual(query.ids.values, [LONG]);
    const parts = { root: new Uint8Array(2), nested: new Uint8Array(0) };
    const hits = [{ _id: LONG, sort: ['the id'], parts }];
    return Promise.resolve({ timed_out: false, _shards: { failed: 0 }, hits: { hits } });
  };
  assert.equal(await documents.fetch(TARGETS, search), 1);
  assert.equal(documents.id(one), 'the id');
});
