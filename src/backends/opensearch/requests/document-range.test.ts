// Halves of the documents of an index, with a fake that answers from a list of ids.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { staticMapping } from '../../../query/mapping/document-types.ts';
import { type DocumentRange, halvesOf, rangeFilter, WHOLE } from './document-range.ts';
import type { OpenTarget } from './plan-to-body.ts';
import type { Json } from './query-to-body.ts';
import type { SearchFunction } from './search-response.ts';

const TARGET: OpenTarget = {
  index: 'identities',
  query: { kind: 'matchAll' },
  mapping: staticMapping('identities', { name: 'acme', pod: 'cardea' }),
  concreteIndex: 'cardea-acme-identities-v3',
};

const within = ({ after, upTo }: DocumentRange, id: string): boolean =>
  (after === null || id > after) && (upTo === null || id <= upTo);

/** Answers from ids in ascending order. */
function fakeSearch(ids: readonly string[], range: DocumentRange): SearchFunction {
  const own = ids.filter((id) => within(range, id));
  return (_targets, body) => {
    const { from = 0, size } = body as { from?: number; size: number };
    const hits = own.slice(from, from + size).map((id) => ({ sort: [id], fields: {} }));
    const answer = { total: { value: own.length }, hits };
    return Promise.resolve({ timed_out: false, _shards: { failed: 0 }, hits: answer });
  };
}

test('halving ends at single documents, each in exactly one range', async () => {
  for (const count of [0, 1, 2, 3, 7, 64]) {
    const ids = Array.from({ length: count }, (_, at) => `d${String(at).padStart(3, '0')}`);
    const last: DocumentRange[] = [];
    const divide = async (range: DocumentRange): Promise<void> => {
      const halves = await halvesOf(TARGET, range, fakeSearch(ids, range));
      if (halves === null) last.push(range);
      else for (const half of halves) await divide(half);
    };
    await divide(WHOLE);
    assert.equal(last.length, Math.max(1, count));
    for (const id of ids) assert.equal(last.filter((range) => within(range, id)).length, 1, id);
  }
});

test('a range is a filter on the id, and the whole index needs none', () => {
  assert.equal(rangeFilter(WHOLE), null);
  assert.deepEqual(rangeFilter({ after: 'a', upTo: 'm' }), {
    range: { '%id': { gt: 'a', lte: 'm' } },
  });
});

test('divides all documents if an aggregation counts more than the query matches', async () => {
  const bodies: Json[] = [];
  const search: SearchFunction = (targets, body) => {
    bodies.push(body);
    return fakeSearch(['a', 'b'], WHOLE)(targets, body);
  };
  const query = { kind: 'ids', values: ['a'] } as const;
  const everything = { kind: 'global', aggregations: {} } as const;
  await halvesOf({ ...TARGET, query }, WHOLE, search);
  await halvesOf({ ...TARGET, query, aggregations: { everything } }, WHOLE, search);
  const filters = bodies.map(({ query: sent }) => JSON.stringify(sent));
  assert.match(filters[0] ?? '', /"ids"/);
  assert.equal(filters[2], '{"bool":{"filter":[{"match_all":{}}]}}');
});
