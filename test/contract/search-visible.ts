// The part of the contract of search backends about plans that show a part of an index: a backend
// answers as if there were no other documents, or refuses what it cannot answer so.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Aggregations } from '../../src/query/aggregation.ts';
import type { Plan, Target, TypeaheadField } from '../../src/query/plan.ts';
import type { Query } from '../../src/query/query.ts';
import {
  ALL,
  type BackendHarness,
  backendWorld,
  change,
  fails,
  ids,
  named,
  OPTIONS,
  planOf,
} from './backend-world.ts';

const ONE = { kind: 'terms', field: 'id', form: 'exact' } as const;
const VISIBLE: Query = { ...ONE, values: ['a', 'c', 'gone'] };
const NAMES = { kind: 'strings', field: 'name' } as const;

/** What fuzzy words and prefixes of phrases get through a view: answers, or a refusal. */
export type Expansions = 'answered' | 'refused';

function shown(target: Partial<Target> = {}, plan: Partial<Plan> = {}): Plan {
  const targets = [{ index: 'roles' as const, query: ALL, visible: VISIBLE, ...target }];
  return { ...planOf(), ...plan, targets };
}

/** Runs the suite on one backend. */
export function searchVisibleContract(
  name: string,
  expansions: Expansions,
  create: () => Promise<BackendHarness>,
): void {
  describe(`visible documents of a search backend: ${name}`, () => {
    const { backend, feed, search } = backendWorld(create);
    const filled = async () => {
      await feed(
        change(1, 'a', 'clerk one', { apps: ['x', 'y'] }),
        change(2, 'b', 'clerk two', { apps: ['y', 'z'] }),
        change(3, 'c', 'cleric three'),
        change(4, 'd', 'client four', { apps: ['z'] }),
      );
      // Replaced and deleted documents in another segment.
      await feed(change(5, 'gone', 'clerk'), change(6, 'b', 'clerk two', { apps: ['y', 'z'] }));
      await feed(change(7, 'gone', null));
    };
    const aggregated = async (aggregations: Aggregations, target: Partial<Target> = {}) => {
      const plan = shown({ aggregations, ...target }, { size: 0, maxBuckets: 100 });
      return JSON.parse(JSON.stringify((await search(plan)).aggregations));
    };
    const terms = (minDocCount: number) =>
      ({
        ...{ kind: 'terms', source: NAMES, size: 10, minDocCount, aggregations: {} },
        order: [{ by: 'key', order: 'asc' }],
      }) as const;
    const keys = ({ buckets }: { buckets: { key: string; doc_count: number }[] }) =>
      buckets.map(({ key, doc_count: count }) => [key, count]);

    test('are all that a search, a count and a page find', async () => {
      await filled();
      const { hits, total } = await search(shown());
      assert.deepEqual([ids(hits), total], [['a', 'c'], 2]);
      const not: Query = { kind: 'bool', must: [], should: [], filter: [], mustNot: [named('x')] };
      for (const query of [
        ALL,
        not,
        { kind: 'prefix', field: 'name', form: 'word', value: 'cl' },
      ]) {
        const plan = shown({ query: query as Query });
        assert.deepEqual(ids((await search(plan)).hits), ['a', 'c']);
        assert.equal(await backend().count('acme', plan, OPTIONS), 2);
      }
      const sort = [{ field: 'id', order: 'desc', type: 'string' }] as const;
      const page = await search(shown({}, { sort, searchAfter: ['c'], size: 5 }));
      assert.deepEqual(ids(page.hits), ['a']);
      assert.deepEqual(ids((await search(shown({ visible: { kind: 'matchNone' } }))).hits), []);
    });

    test('are those of each plan, also when plans alternate', async () => {
      await filled();
      const visible = (...values: string[]): Query => ({ ...ONE, values });
      for (let round = 0; round < 4; round++) {
        for (const some of [['a', 'c'], ['b'], ['a'], ['d', 'b', 'c'], []]) {
          const { hits } = await search(shown({ visible: visible(...some) }));
          assert.deepEqual(ids(hits).sort(), [...some].sort(), `round ${round}`);
        }
      }
    });

    test('are all that aggregations count, beyond the query, too', async () => {
      await filled();
      const query = named('clerk one');
      const both = { found: terms(0), all: { kind: 'global', aggregations: { names: terms(1) } } };
      const { found, all } = await aggregated(both as Aggregations, { query });
      assert.deepEqual(keys(found), [
        ['cleric three', 0],
        ['clerk one', 1],
      ]);
      assert.deepEqual(
        [all.doc_count, keys(all.names)],
        [
          2,
          [
            ['cleric three', 1],
            ['clerk one', 1],
          ],
        ],
      );
      const apps = { ...terms(0), source: { kind: 'strings', field: 'accessProfiles.name' } };
      const nested = { kind: 'nested', path: 'accessProfiles', aggregations: { apps } };
      const answer = await aggregated({ nested } as Aggregations, { query: named('cleric three') });
      assert.deepEqual(keys(answer.nested.apps), [
        ['x', 0],
        ['y', 0],
      ]);
    });

    test('own all elements that are found', async () => {
      await filled();
      const innerHit = { path: 'accessProfiles', query: ALL };
      const owns: Query = { kind: 'nested', ...innerHit, scoreMode: 'none' };
      const plan = shown({ query: owns, innerHit });
      const { hits, total } = await search(plan);
      assert.deepEqual([ids(hits), total], [['a', 'a'], 2]);
      assert.equal(await backend().count('acme', plan, OPTIONS), 2);
    });

    test('have all values that complete a text', async () => {
      await filled();
      const field: TypeaheadField = {
        ...{ field: 'name', nested: null, form: 'word', terms: ['cl'], filter: ALL },
      };
      const complete = (size: number, maxExpansions: number) =>
        backend().typeahead(
          'acme',
          shown(
            { typeahead: field },
            { typeahead: { size, order: 'asc', by: 'value', maxExpansions } },
          ),
          OPTIONS,
        );
      const values = [
        { value: 'cleric three', count: 1 },
        { value: 'clerk one', count: 1 },
      ];
      assert.deepEqual(await complete(9, 10), { values, total: 2 });
      assert.deepEqual(await complete(9, 1), { values: values.slice(0, 1), total: 1 });
    });

    test('are explained; another one is explained like one that does not exist', async () => {
      await filled();
      const plan = shown({ query: named('clerk one') });
      const explain = (id: string) =>
        backend().explain('acme', plan, { index: 'roles', id }, OPTIONS);
      assert.equal((await explain('a'))?.matched, true);
      const other = await explain('c');
      assert.equal(other?.matched, false);
      assert.doesNotMatch(JSON.stringify(other), /gone/);
      for (const id of ['b', 'd', 'gone', 'never']) assert.equal(await explain(id), null, id);
    });

    test(`have their own expansions of words, which are ${expansions}`, async () => {
      await filled();
      const fuzzy: Query = {
        ...{ kind: 'fuzzy', field: 'name', form: 'word', value: 'clerx', maxEdits: 2 },
        ...{ prefixLength: 0, maxExpansions: 1 },
      };
      const phrase: Query = {
        ...{ kind: 'phrase', field: 'name', terms: ['cl'], slop: 0, prefixExpansions: 1 },
      };
      const queries = [fuzzy, phrase].map((query): Query => ({ kind: 'constantScore', query }));
      const expected = [['a'], ['c']];
      for (const [at, query] of queries.entries()) {
        if (expansions === 'refused') {
          await fails(search(shown({ query })), 'request_invalid');
          continue;
        }
        assert.deepEqual(ids((await search(shown({ query }))).hits), expected[at]);
      }
    });
  });
}
