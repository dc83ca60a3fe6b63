// Compares the engine's scores with plain BM25 over several segments without deletions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { liveView } from '../../src/engine/sections/live-docs.ts';
import type { SegmentView } from '../../src/engine/sections/segment.ts';
import type { Query, SortKey, TermForm } from '../../src/query/query.ts';
import { caseCount } from '../support/case-count.ts';
import { searchSegments } from '../support/engine-search.ts';
import { sourceDocument, testSegment } from '../support/segments.ts';
import type { PlainDocument } from './naive.ts';
import { NaiveScores } from './naive-scores.ts';
import { Random } from './random.ts';
import { randomDocument } from './random-documents.ts';
import { MAPPING } from './random-mapping.ts';
import { COMMON_KEYS as KEYS } from './random-text.ts';

const EPSILON = 1e-4;

/**
 * Numbers of queries beyond plain BM25: with slop, with constant scores, with all parts of `bool`.
 */
const NOTHING_MORE = { slopMax: 0, constants: 0, bools: 0 };

/** A clause with a constant score. */
function constant(random: Random, path: string | null): Query {
  const field = path === null ? random.pick(['name', 'tags', 'displayName']) : 'accounts.name';
  const boost = random.pick([0, 0.5, 1, 4]);
  const value = random.pick(['a', 'bo', 'x', 't', '']);
  if (random.chance(0.7)) return { kind: 'prefix', field, form: 'word', value, boost };
  return { kind: 'matchAll', boost };
}

/** A scoring clause with existing words. */
function clause(random: Random, path: string | null, depth: number, more = NOTHING_MORE): Query {
  const { slopMax } = more;
  if (random.chance(more.constants)) return constant(random, path);
  const dice = random.int(depth > 0 ? 8 : 4);
  const field = path === null ? random.pick(['name', 'tags', 'displayName']) : 'accounts.name';
  const word = () => random.pick(['ada', 'adam', 'bob', 'the', 'x1', 'bobby']);
  const boost = random.chance(0.3) ? { boost: random.pick([0.5, 2]) } : {};
  const inner = () => clause(random, path, depth - 1, more);
  if (dice < 2) return { kind: 'term', field, form: 'word', value: word(), ...boost };
  if (dice === 2) {
    const slop = random.int(slopMax + 1);
    return { kind: 'phrase', field, terms: random.list(2, 3, word), slop, ...boost };
  }
  if (dice === 3) {
    const form: TermForm = random.pick(['exact', 'folded']);
    const key = random.pick(KEYS);
    const value = form === 'folded' ? key.toLowerCase() : key;
    return { kind: 'term', field: path === null ? 'status' : 'accounts.id', form, value, ...boost };
  }
  if (dice === 4) {
    const queries = random.list(1, 3, inner);
    return { kind: 'disMax', queries, tieBreaker: random.pick([0, 0.5]), ...boost };
  }
  if (dice === 5 && path === null) {
    const scoreMode = random.pick(['avg', 'max', 'min', 'sum', 'none'] as const);
    const query = clause(random, 'accounts', depth - 1, more);
    return { kind: 'nested', path: 'accounts', query, scoreMode, ...boost };
  }
  if (random.chance(more.bools)) {
    const [must, should, mustNot] = [
      random.list(0, 2, inner),
      random.list(0, 4, inner),
      random.list(0, 1, inner),
    ];
    const minimumShouldMatch = random.int(should.length + 1);
    return { kind: 'bool', must, filter: [], should, mustNot, minimumShouldMatch, ...boost };
  }
  const must = random.list(0, 1, inner);
  const filter: Query[] = random.chance(0.3) ? [{ kind: 'matchAll' }] : [];
  return { kind: 'bool', must, filter, should: random.list(1, 3, inner), mustNot: [], ...boost };
}

test('scores as plain BM25 does', () => {
  let compared = 0;
  for (let seed = 0; seed < caseCount(8, 20); seed++) {
    const random = new Random(seed);
    const documents: PlainDocument[] = [];
    for (let id = 0; id < 80; id++) documents.push(randomDocument(random, MAPPING, `d${id}`));
    // One long text, whose length is rounded.
    documents.push({ id: 'long', name: 'ada the bob adam x1 '.repeat(30) });
    const parts = [documents.slice(0, 30), documents.slice(30, 33), documents.slice(33)];
    const views = parts.map((part) =>
      liveView(
        testSegment(
          MAPPING,
          part.map(({ id, ...members }) => sourceDocument(id, members, MAPPING.nestedPaths)),
        ),
      ),
    );
    const naive = new NaiveScores(MAPPING, documents);
    for (let at = 0; at < 20; at++) {
      const query = clause(random, null, 2);
      const page = { sort: [BY_SCORE], size: 1000, trackTotal: false };
      for (const doc of searchSegments(MAPPING, views, query, page).docs) {
        const id = views[doc.view]?.segment.ids.term(doc.row);
        const document = documents.find((one) => one.id === id);
        assert.ok(document);
        const expected = naive.score(query, document);
        const message = `seed ${seed}, ${id}: ${doc.score} for ${expected}, ${JSON.stringify(query)}`;
        assert.ok(Math.abs((doc.score ?? -1) - expected) < EPSILON, message);
        compared += 1;
      }
    }
  }
  assert.ok(compared > caseCount(400, 1000), `only ${compared} scores were compared`);
});

test('a top-k search finds the first of all hits, whatever it skips', () => {
  for (let seed = 0; seed < caseCount(5, 12); seed++) {
    const random = new Random(seed);
    const counts = [
      random.int(900) + 300,
      random.int(400),
      5,
      ...random.list(0, 4, () => 1 + random.int(60)),
    ];
    const views = counts.map((count, part) => {
      const documents = Array.from({ length: count }, (_, at) => {
        const { id, ...members } = randomDocument(
          random,
          MAPPING,
          `d${random.int(1000)}-${part}-${at}`,
        );
        return sourceDocument(id, members, MAPPING.nestedPaths);
      });
      documents.sort((a, b) => (a.id < b.id ? -1 : 1));
      const view = liveView(testSegment(MAPPING, documents));
      return part % 2 === 1 ? withoutSome(view, random) : view;
    });
    const search = (
      query: Query,
      size: number,
      trackTotal: boolean,
      sort: SortKey[] = [BY_SCORE],
    ) => searchSegments(MAPPING, views, query, { sort, size, trackTotal });
    for (let at = 0; at < 25; at++) {
      const query = clause(random, null, random.int(4), {
        slopMax: 3,
        constants: 0.15,
        bools: 0.5,
      });
      const all = search(query, 2000, true);
      // With a second key, every row is collected by itself.
      const oneByOne = search(query, 2000, true, [BY_SCORE, IN_ORDER]);
      assert.deepEqual(
        all.docs.map(({ view, row, score }) => [view, row, score]),
        oneByOne.docs.map(({ view, row, score }) => [view, row, score]),
        `seed ${seed}, ${JSON.stringify(query)}`,
      );
      for (const size of [1, 3, 10, 60, 700]) {
        const few = search(query, size, random.chance(0.3));
        const message = `seed ${seed}, ${size} of ${JSON.stringify(query)}`;
        assert.deepEqual(few.docs, all.docs.slice(0, size), message);
        if (few.total !== null) assert.equal(few.total, all.docs.length, message);
      }
    }
  }
});

function withoutSome(view: SegmentView, random: Random): SegmentView {
  const { docCount } = view.segment;
  const liveDocs = new Uint32Array(Math.ceil(docCount / 32) || 1);
  let liveCount = 0;
  for (let row = 0; row < docCount; row++) {
    if (random.chance(0.2)) continue;
    liveDocs[row >>> 5] = (liveDocs[row >>> 5] ?? 0) | (1 << (row & 31));
    liveCount += 1;
  }
  return { ...view, liveDocs, liveCount };
}

test('a sloppy phrase may match more often than its rarest term occurs', () => {
  const documents = Array.from({ length: 900 }, (_, at) => {
    const name = at === 899 ? 'ada bob ada x1' : 'ada bob x1 x1';
    return sourceDocument(`d${String(at).padStart(3, '0')}`, { name }, MAPPING.nestedPaths);
  });
  const views = [liveView(testSegment(MAPPING, documents))];
  const query: Query = { kind: 'phrase', field: 'name', terms: ['ada', 'bob'], slop: 4 };
  const { ids } = searchSegments(MAPPING, views, query, { size: 1, trackTotal: false });
  assert.deepEqual(ids, ['d899']);
});

const IN_ORDER = { field: '_doc', order: 'asc', type: 'doc' } as const;

const BY_SCORE = { field: '_score', order: 'desc', type: 'score' } as const;
