// The contract of every search backend about what it returns beside hits: elements, completions,
// explanations and aggregations.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Aggregation, Aggregations, ValueSource } from '../../src/query/aggregation.ts';
import type { Plan, Target, Typeahead, TypeaheadField } from '../../src/query/plan.ts';
import type { Query, SortKey } from '../../src/query/query.ts';
import { Deadline } from '../../src/scheduling/deadline.ts';
import {
  ALL,
  type BackendHarness,
  backendWorld,
  change,
  fails,
  OPTIONS,
  planOf,
  text,
} from './backend-world.ts';

/** Runs the suite on one backend. */
export function searchAnswersContract(name: string, create: () => Promise<BackendHarness>): void {
  describe(`answers of a search backend: ${name}`, () => {
    const { backend, feed, search } = backendWorld(create);

    test('returns elements in the order of their documents for innerHit', async () => {
      await feed(
        change(1, 'r1', 'one', { apps: ['a', 'b', 'c'] }),
        change(2, 'r2', 'two', { apps: ['b'] }),
        change(3, 'r3', 'three'),
      );
      const path = 'accessProfiles';
      const field = 'accessProfiles.name';
      const query: Query = { kind: 'terms', field, form: 'exact', values: ['b', 'c'] };
      const owns: Query = { kind: 'nested', path, query, scoreMode: 'none' };
      const targets: Target[] = [{ index: 'roles', query: owns, innerHit: { path, query } }];
      const all = await search(planOf({ targets }));
      assert.deepEqual(
        all.hits.map((hit) => [hit.id, JSON.parse(text(hit.root)).id, hit.elementOf]),
        [
          ['r1', 'b', path],
          ['r1', 'c', path],
          ['r2', 'b', path],
        ],
      );
      assert.equal(all.total, 3);
      const plan = planOf({ targets, from: 1, size: 2, trackTotal: false });
      const page = await search(plan);
      assert.deepEqual(
        page.hits.map((hit) => [hit.id, JSON.parse(text(hit.root)).id]),
        [
          ['r1', 'c'],
          ['r2', 'b'],
        ],
      );
      assert.equal(page.total, null);
      assert.equal(await backend().count('acme', plan, OPTIONS), 3);
    });

    test('returns documents with the positions of their matching elements', async () => {
      const many = Array.from({ length: 1_100 }, (_, at) => (at === 0 ? 'a' : 'b'));
      await feed(
        change(1, 'r1', 'one', { apps: ['a', 'b', 'c'] }),
        change(2, 'r2', 'two', { apps: ['a'] }),
        change(3, 'r3', 'three'),
        change(4, 'r4', 'four', { apps: ['c'] }),
        change(5, 'r5', 'five', { apps: many }),
      );
      const path = 'accessProfiles';
      const field = 'accessProfiles.name';
      const query: Query = { kind: 'terms', field, form: 'exact', values: ['b', 'c'] };
      const owns: Query = { kind: 'nested', path, query, scoreMode: 'none' };
      const targets: Target[] = [{ index: 'roles', query: owns, innerHit: { path, query } }];
      const sort = [{ field: 'id', order: 'asc', type: 'string' }] as const;
      const plan = planOf({ targets, sort, size: 2, elementPositions: true });
      const first = await search(plan);
      assert.deepEqual(
        first.hits.map(({ id, elements }) => [id, elements]),
        [
          ['r1', [1, 2]],
          ['r4', [0]],
        ],
      );
      assert.equal(first.total, 3);
      const [{ root, nested } = assert.fail('no hit')] = first.hits;
      assert.equal(JSON.parse(text(root)).name, 'one');
      assert.equal(JSON.parse(`{${text(nested)}}`).accessProfiles.length, 3);
      const next = await search({ ...plan, searchAfter: ['r4'] });
      assert.deepEqual(
        next.hits.map(({ id, elements = [] }) => [id, elements.length, elements.at(-1)]),
        [['r5', 1_099, 1_099]],
      );
    });

    test('returns the values that complete a type-ahead text, with their documents', async () => {
      await feed(
        change(1, 'r1', 'John Doe', { apps: ['Alpha one', 'Beta'] }),
        change(2, 'r2', 'Ann Jones', { apps: ['Alpha one', 'Alpha one'] }),
        change(3, 'r3', 'John Doe'),
        change(4, 'r4', 'Ann Smith', { apps: ['Alpine'] }),
      );
      const complete = async (
        asked: Partial<TypeaheadField>,
        how: Partial<Typeahead> = {},
      ): Promise<[string, number][]> => {
        const form = 'word';
        const at = { field: 'name', nested: null, form, terms: ['jo'], filter: ALL } as const;
        const typeahead = { size: 10, order: 'desc', by: 'count', maxExpansions: 10 } as const;
        const plan: Plan = {
          ...planOf(),
          targets: [{ index: 'roles', query: ALL, typeahead: { ...at, ...asked } }],
          typeahead: { ...typeahead, ...how },
        };
        const { values, total } = await backend().typeahead('acme', plan, OPTIONS);
        assert.ok(total >= values.length);
        return values.map(({ value, count }) => [value, count]);
      };
      assert.deepEqual(await complete({}), [
        ['John Doe', 2],
        ['Ann Jones', 1],
      ]);
      assert.deepEqual(await complete({}, { by: 'value', size: 1 }), [['John Doe', 2]]);
      assert.deepEqual(await complete({ terms: ['john', 'd'] }), [['John Doe', 2]]);
      const one: Query = { kind: 'ids', values: ['r2'] };
      assert.deepEqual(await complete({ filter: one }), [['Ann Jones', 1]]);
      const nested = { field: 'accessProfiles.name', nested: 'accessProfiles', terms: ['al'] };
      assert.deepEqual(await complete(nested), [
        ['Alpha one', 2],
        ['Alpine', 1],
      ]);
      assert.deepEqual(await complete(nested, { maxExpansions: 1 }), [['Alpha one', 2]]);
      await feed(change(5, 'r2', 'Ann Jones'), change(6, 'r1', null));
      assert.deepEqual(await complete(nested, { maxExpansions: 1 }), [['Alpine', 1]]);
    });

    test('explains a document in agreement with the search, with matching elements', async () => {
      await feed(
        change(1, 'r1', 'Auditor', { apps: ['a', 'b'] }),
        change(2, 'r2', 'Auditor of all'),
        change(3, 'r3', 'Clerk'),
        change(4, 'r3', null),
      );
      const field = 'accessProfiles.name';
      const value = (of: string): Query => ({ kind: 'term', field, form: 'exact', value: of });
      const both: Query = {
        kind: 'bool',
        must: [value('a'), value('b')],
        should: [],
        filter: [],
        mustNot: [],
      };
      const auditor: Query = { kind: 'term', field: 'name', form: 'word', value: 'auditor' };
      const query: Query = {
        kind: 'bool',
        must: [auditor],
        should: [{ kind: 'nested', path: 'accessProfiles', query: both, scoreMode: 'max' }],
        filter: [],
        mustNot: [],
      };
      const plan = planOf({ query });
      const { hits } = await search(plan);
      for (const { id, score } of hits) {
        const explanation = await backend().explain('acme', plan, { index: 'roles', id }, OPTIONS);
        assert.equal(explanation?.matched, true, id);
        assert.ok(
          Math.abs((explanation?.score ?? -1) - (score ?? -2)) < 1e-5,
          `${explanation?.score} ${score}`,
        );
      }
      const explanation = await backend().explain(
        'acme',
        plan,
        { index: 'roles', id: 'r1' },
        OPTIONS,
      );
      const [word, nested] = explanation?.clauses.children ?? [];
      assert.deepEqual([word?.matched, nested?.matched, nested?.elementCount], [true, false, 2]);
      assert.deepEqual(
        nested?.children?.[0]?.children?.map(({ elements }) => elements),
        [[0], [1]],
      );
      for (const [tenant, index, id] of [
        ['acme', 'roles', 'r3'],
        ['acme', 'roles', 'r9'],
        ['acme', 'events', 'r1'],
        ['globex', 'roles', 'r1'],
      ] as const) {
        assert.equal(await backend().explain(tenant, plan, { index, id }, OPTIONS), null);
      }
      await fails(
        backend().explain(
          'acme',
          plan,
          { index: 'roles', id: 'r1' },
          { ...OPTIONS, deadline: new Deadline(0) },
        ),
        'deadline_exceeded',
      );
    });

    test('aggregates all matching documents, independent of the page', async () => {
      await feed(
        change(1, 'r1', 'Auditor', { count: 3, apps: ['SAP', 'ADP'] }),
        change(2, 'r2', 'Clerk', { count: 4, apps: ['SAP'] }),
      );
      await feed(change(3, 'r3', 'Clerk', { count: 5, apps: ['SAP'] }), change(4, 'r1', null));
      const aggregations: Aggregations = {
        names: {
          kind: 'terms',
          source: { kind: 'strings', field: 'name' },
          size: 10,
          minDocCount: 1,
          order: [{ by: 'count', order: 'desc' }],
          aggregations: {
            most: {
              kind: 'max',
              source: { kind: 'numbers', field: 'entitlementCount', column: 'value', type: 'long' },
            },
          },
        },
        profiles: {
          kind: 'nested',
          path: 'accessProfiles',
          aggregations: {
            ids: { kind: 'cardinality', source: { kind: 'strings', field: 'accessProfiles.id' } },
          },
        },
      };
      const plan = planOf({ size: 1 });
      const targets = plan.targets.map((target) => ({ ...target, aggregations }));
      const result = await search({ ...plan, targets, maxBuckets: 100 });
      assert.equal(result.hits.length, 1);
      assert.deepEqual(result.aggregations?.value(), {
        names: {
          doc_count_error_upper_bound: 0,
          sum_other_doc_count: 0,
          buckets: [{ key: 'Clerk', doc_count: 2, most: { value: 5 } }],
        },
        profiles: { doc_count: 2, ids: { value: 1 } },
      });
      assert.equal((await search(plan)).aggregations, undefined);
      const other = await search({ ...plan, targets, maxBuckets: 100 }, 'another-tenant');
      assert.deepEqual(other.aggregations?.value()['profiles'], {
        doc_count: 0,
        ids: { value: 0 },
      });
    });

    test('returns sorted hits in aggregations, with scores, elements and sources', async () => {
      await feed(
        change(1, 'r2', 'Auditor of all', { apps: ['b', 'a'] }),
        change(2, 'r1', 'Auditor', { apps: ['a'] }),
      );
      await feed(change(3, 'r0', 'Clerk', { apps: ['a'] }));
      const topHits = (sort: SortKey[], size = 10): Aggregation => ({
        ...{ kind: 'topHits', from: 0, size, sort },
        sourceFilter: { includes: ['name', 'accessProfiles.name'], excludes: [], nested: true },
      });
      const byName: SortKey = { field: 'accessProfiles.name', order: 'desc', type: 'string' };
      const aggregations: Aggregations = {
        best: topHits([]),
        backwards: topHits([{ field: '_doc', order: 'desc', type: 'doc' }], 1),
        all: { kind: 'global', aggregations: { hits: topHits([], 1) } },
        profiles: {
          kind: 'nested',
          path: 'accessProfiles',
          aggregations: {
            best: topHits([byName]),
            owners: {
              ...{ kind: 'terms', source: { kind: 'id' }, size: 10, minDocCount: 1, order: [] },
              aggregations: {},
            },
          },
        },
      };
      const query: Query = { kind: 'term', field: 'name', form: 'word', value: 'auditor' };
      const plan = planOf({ query });
      const targets = plan.targets.map((target) => ({ ...target, aggregations }));
      const { aggregations: text, hits } = await search({
        ...plan,
        targets,
        maxBuckets: 100,
      });
      const results = text?.value();
      const hitsOf = (name: string, inside: unknown = results) =>
        (inside as Record<string, { hits: { hits: Record<string, unknown>[] } }>)[name]?.hits;
      const best = hitsOf('best');
      assert.deepEqual(
        best?.hits.map(({ _index, _id, _source }) => [_index, _id, _source]),
        [
          ['roles', 'r1', { name: 'Auditor', accessProfiles: [{ name: 'a' }] }],
          [
            'roles',
            'r2',
            { name: 'Auditor of all', accessProfiles: [{ name: 'b' }, { name: 'a' }] },
          ],
        ],
      );
      for (const [at, { score }] of hits.entries()) {
        assert.ok(Math.abs(Number(best?.hits[at]?.['_score']) - (score ?? 0)) < 1e-5);
      }
      const backwards = hitsOf('backwards')?.hits;
      assert.deepEqual(
        backwards?.map(({ _id, _score, sort }) => [_id, _score, sort]),
        [['r2', null, [null]]],
      );
      const all = hitsOf('hits', results?.['all']);
      assert.deepEqual(all && { ...all, hits: all.hits.map(({ _id, _score }) => [_id, _score]) }, {
        total: { value: 3, relation: 'eq' },
        max_score: 1,
        hits: [['r0', 1]],
      });
      const profiles = results?.['profiles'] as Record<string, { buckets: unknown }>;
      assert.deepEqual(
        hitsOf('best', profiles)?.hits.map(({ _id, _nested, sort }) => [_id, _nested, sort]),
        [
          ['r2', { field: 'accessProfiles', offset: 0 }, ['b']],
          ['r1', { field: 'accessProfiles', offset: 0 }, ['a']],
          ['r2', { field: 'accessProfiles', offset: 1 }, ['a']],
        ],
      );
      assert.deepEqual(profiles['owners']?.buckets, [
        { key: 'r1', doc_count: 1 },
        { key: 'r2', doc_count: 2 },
      ]);
    });

    test('pages through composite buckets, and computes percentiles', async () => {
      await feed(
        ...[3, 1, 1, 2].map((count, at) =>
          change(at + 1, `r${at}`, at === 0 ? 'Clerk' : 'Auditor', {
            count,
            apps: at === 1 ? [] : ['a', 'b'],
          }),
        ),
      );
      const counts: ValueSource = {
        kind: 'numbers',
        field: 'entitlementCount',
        column: 'value',
        type: 'long',
      };
      const page = (after?: readonly (string | number)[]): Aggregation => ({
        kind: 'composite',
        sources: [
          {
            ...{ kind: 'terms', name: 'name', order: 'desc', missingBucket: false },
            source: { kind: 'strings', field: 'name' },
          },
          {
            ...{ kind: 'histogram', name: 'half', order: 'asc', missingBucket: true, interval: 2 },
            source: counts,
          },
        ],
        size: 2,
        ...(after && { after }),
        aggregations: {},
      });
      const aggregations: Aggregations = {
        first: page(),
        second: page(['Auditor', 0]),
        median: { kind: 'percentiles', source: counts, percents: [0, 50, 100], keyed: true },
      };
      const plan = planOf();
      const targets = plan.targets.map((target) => ({ ...target, aggregations }));
      const { aggregations: results } = await search({ ...plan, targets, maxBuckets: 100 });
      assert.deepEqual(results?.value(), {
        first: {
          after_key: { name: 'Auditor', half: 0 },
          buckets: [
            { key: { name: 'Clerk', half: 2 }, doc_count: 1 },
            { key: { name: 'Auditor', half: 0 }, doc_count: 2 },
          ],
        },
        second: {
          after_key: { name: 'Auditor', half: 2 },
          buckets: [{ key: { name: 'Auditor', half: 2 }, doc_count: 1 }],
        },
        median: { values: { '0.0': 1, '50.0': 2, '100.0': 3 } },
      });
    });
  });
}
