import assert from 'node:assert/strict';
import test from 'node:test';
import { staticMapping } from '../../../query/mapping/document-types.ts';
import type { Query } from '../../../query/query.ts';
import { queryBody } from './query-to-body.ts';
import { statisticsOf, withAllStatistics } from './shard-statistics.ts';

const MAPPING = staticMapping('events', { name: 'acme', pod: 'cardea' });
const SCOPE = { mapping: MAPPING, path: null };
const word = (value: string): Query => ({ kind: 'term', field: 'name', form: 'word', value });
const JANUARY: Query = { kind: 'numberRange', field: 'created', column: 'value', gte: 0, lt: 1 };
const bool = (parts: Partial<Extract<Query, { kind: 'bool' }>>): Query => ({
  ...{ kind: 'bool', must: [], should: [], filter: [], mustNot: [] },
  ...parts,
});

/** The terms that the second clause repeats; null: there is none. */
function repeated(query: Query): unknown {
  const statistics = statisticsOf(query, SCOPE);
  const body = queryBody(query, SCOPE);
  const should = [body, statistics];
  assert.deepEqual(
    withAllStatistics(query, SCOPE),
    statistics === null ? body : { bool: { should, minimum_should_match: 1 } },
  );
  return (statistics?.['bool'] as { readonly should: unknown } | undefined)?.should ?? null;
}

const [ONE, TWO] = [word('one'), word('two')];
const bodyOf = (query: Query) => queryBody(query, SCOPE);

for (const [name, query, terms] of [
  ['a word', ONE, null],
  ['words of which any may match', bool({ should: [ONE, TWO] }), null],
  ['a range alone', JANUARY, null],
  ['a filter without words', bool({ filter: [JANUARY, ONE] }), null],
  ['a word and a range', bool({ must: [ONE], filter: [JANUARY] }), [ONE]],
  ['words that must all match', bool({ must: [ONE, TWO] }), [ONE, TWO]],
  ['a word that may match beside a range', bool({ must: [JANUARY], should: [ONE] }), [ONE]],
  [
    'a conjunction below others',
    { kind: 'disMax', queries: [TWO, bool({ must: [ONE, JANUARY] })], tieBreaker: 0 },
    [TWO, ONE],
  ],
  ['a phrase', { kind: 'phrase', field: 'name', terms: ['one', 'two'], slop: 0 }, [ONE, TWO]],
  ['words that are excluded', bool({ must: [ONE, JANUARY], mustNot: [TWO] }), [ONE]],
] as const) {
  test(`${terms === null ? 'nothing' : 'each scored word'} is repeated for ${name}`, () => {
    assert.deepEqual(repeated(query), terms?.map(bodyOf) ?? null);
  });
}
