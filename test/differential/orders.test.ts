// Compares pages by sort keys from a scan in order with those from collecting every match. An order
// is built when it is used for the second time, so every page is requested several times.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orderedRows, rowOrder } from '../../src/engine/hits/row-order.ts';
import { sortColumn } from '../../src/engine/hits/sort-column.ts';
import { QueryCache } from '../../src/engine/index/query-cache.ts';
import { liveView, withDeleted } from '../../src/engine/sections/live-docs.ts';
import type { SegmentView } from '../../src/engine/sections/segment.ts';
import type { Query, SortKey, SortValue } from '../../src/query/query.ts';
import { caseCount } from '../support/case-count.ts';
import { drive, searchSegments } from '../support/engine-search.ts';
import { sourceDocument, testSegment } from '../support/segments.ts';
import { byCodePoints } from './naive.ts';
import { Random } from './random.ts';
import { randomDocument } from './random-documents.ts';
import { MAPPING } from './random-mapping.ts';

/** Segments of very different sizes, some with deleted rows. */
function randomViews(random: Random, sizes: readonly number[]): SegmentView[] {
  return sizes.map((size, part) => {
    const documents = Array.from({ length: size }, (_, at) => {
      const id = `d${random.int(1000)}-${part}-${at}`;
      const { id: _id, ...members } = randomDocument(random, MAPPING, id);
      return sourceDocument(id, members, MAPPING.nestedPaths);
    });
    documents.sort((a, b) => (a.id < b.id ? -1 : 1));
    const view = liveView(testSegment(MAPPING, documents));
    if (random.chance(0.5)) return view;
    const rows = Array.from({ length: size }, (_, row) => row);
    return withDeleted(
      view,
      rows.filter(() => random.chance(0.3)),
    );
  });
}

const KEYS: readonly Omit<SortKey, 'order'>[] = [
  ...[...MAPPING.fields.values()].flatMap(({ path, type }): Omit<SortKey, 'order'>[] => {
    const isString = type === 'text' || type === 'keyword';
    if (!isString) return [{ field: path, type: 'number' }];
    return [
      { field: path, type: 'string' },
      { field: path, type: 'string', form: 'folded' },
    ];
  }),
  { field: 'org', type: 'string' },
  { field: '_doc', type: 'doc' },
  { field: 'nobody has it', type: 'string' },
];

function randomKeys(random: Random): SortKey[] {
  return random.list(1, 3, () => ({
    ...random.pick(KEYS),
    order: random.pick(['asc', 'desc'] as const),
  }));
}

function randomFilter(random: Random): Query {
  const field = random.pick(['name', 'status', 'tags']);
  const { path } = random.pick([...MAPPING.fields.values()].filter(({ nested }) => !nested));
  const filters: Query[] = [
    { kind: 'matchAll' },
    { kind: 'exists', field: path },
    { kind: 'prefix', field, form: 'folded', value: random.pick(['a', 'b', '']) },
    { kind: 'bool', must: [], should: [], mustNot: [{ kind: 'exists', field: path }], filter: [] },
  ];
  return random.pick(filters);
}

test('returns the same pages by keys on every path and repetition', () => {
  let rowCount = 0;
  for (let seed = 0; seed < caseCount(3, 25); seed++) {
    const random = new Random(seed);
    const views = randomViews(random, [200 + random.int(300), random.int(90), 3, 1]);
    for (let at = 0; at < 40; at++) {
      const keys = randomKeys(random);
      const query = randomFilter(random);
      const ask = (page: object) => searchSegments(MAPPING, views, query, { sort: keys, ...page });
      const where = `seed ${seed}, ${at}: ${JSON.stringify({ keys, query })}`;
      const all = ask({ size: 1000 });
      rowCount += all.ids.length;
      for (let again = 0; again < 5; again++) {
        const from = random.int(all.ids.length + 2);
        const size = random.pick([1, 2, 7, 50, 1000]);
        const page = ask({ from, size });
        assert.deepEqual(page.docs, all.docs.slice(from, from + size), where);
        assert.equal(page.total, all.total, where);
        const after = randomPlace(random, all.docs, keys);
        if (after === null) continue;
        const behind = ask({ size, searchAfter: after, trackTotal: false });
        const expected = all.docs.filter(({ sort }) => isAfter(keys, sort, after));
        assert.deepEqual(behind.docs, expected.slice(0, size), `${where} after ${after}`);
      }
    }
  }
  assert.ok(rowCount > caseCount(5_000, 50_000), `${rowCount}`);
});

/** The sort values of a random document, perhaps with one that no document has. */
function randomPlace(
  random: Random,
  docs: readonly { readonly sort: readonly SortValue[] }[],
  keys: readonly SortKey[],
): SortValue[] | null {
  // A cursor at an index position depends on documents, not on values.
  if (docs.length === 0 || keys.some(({ type }) => type === 'doc')) return null;
  const values = [...random.pick(docs).sort];
  if (random.chance(0.5)) return values;
  const at = random.int(values.length);
  const value = values[at] ?? null;
  if (random.chance(0.2)) values[at] = null;
  else if (typeof value === 'string') values[at] = `${value}${random.pick(['', '!', '~'])}`;
  else if (value !== null) values[at] = value + random.pick([-0.5, 0.5]);
  return values;
}

function isAfter(
  keys: readonly SortKey[],
  values: readonly SortValue[],
  after: readonly SortValue[],
): boolean {
  for (const [at, { order }] of keys.entries()) {
    const a = values[at] ?? null;
    const b = after[at] ?? null;
    if (a === b) continue;
    if (a === null || b === null) return a === null;
    const isGreater =
      typeof a === 'string' && typeof b === 'string' ? byCodePoints(a, b) > 0 : a > b;
    return isGreater === (order === 'asc');
  }
  return false;
}

test('sorts the rows of a segment by their positions', () => {
  for (let seed = 0; seed < caseCount(15, 40); seed++) {
    const random = new Random(seed);
    const view = randomViews(random, [1 + random.int(400)])[0]!;
    for (let at = 0; at < 10; at++) {
      const keys = randomKeys(random);
      const columns = keys.map((key) => sortColumn(key, MAPPING, view));
      const { docCount } = view.segment;
      const sorted = Array.from({ length: docCount }, (_, row) => row).sort((a, b) => {
        for (const column of columns) {
          const left = column.place(a, 0);
          const right = column.place(b, 0);
          if (left !== right) return left < right ? -1 : 1;
        }
        return a - b;
      });
      const { value } = drive(orderedRows(docCount, keys, columns));
      assert.deepEqual([...value], sorted, `seed ${seed}: ${JSON.stringify(keys)}`);
    }
  }
});

const tableOf = ({ segment }: SegmentView) => ({ segment, table: segment.root });

test('builds an order on its second use, and caches it', () => {
  const view = randomViews(new Random(1), [100])[0]!;
  const keys: SortKey[] = [{ field: 'name', order: 'asc', type: 'string' }];
  const columns = keys.map((key) => sortColumn(key, MAPPING, view));
  const cache = new QueryCache();
  const order = (size = 1) => drive(rowOrder(tableOf(view), keys, columns, size, cache)).value;
  assert.equal(order(), null);
  const made = order();
  assert.equal(made?.length, 100);
  assert.equal(order(), made);
  const other = randomViews(new Random(2), [100])[0]!;
  const columnsThere = keys.map((key) => sortColumn(key, MAPPING, other));
  const large = drive(rowOrder(tableOf(other), keys, columnsThere, 50, cache)).value;
  assert.equal(large?.length, 100, 'at once where a large part is wanted');
});
