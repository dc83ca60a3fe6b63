// Aggregations of the engine against the naive ones: random documents in random segments of two indices, random trees.
// Runs CARDEA_DIFFERENTIAL_CASES trees (1,000) from CARDEA_SEED; a failure prints the seed, the tree and what differs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aggregate } from '../../src/engine/aggregation/aggregator.ts';
import type { SegmentView } from '../../src/engine/index/segment.ts';
import { planAggregate } from '../../src/query/aggregate-request.ts';
import type { Aggregations } from '../../src/query/aggregation.ts';
import { DEFAULT_LIMITS } from '../../src/query/limits.ts';
import type { Mapping } from '../../src/query/mapping.ts';
import type { IndexName, Plan, Query } from '../../src/query/plan.ts';
import { naiveMatches, type PlainDocument } from './naive.ts';
import { naiveAggregate, type Row, setAllRows } from './naive-aggregations.ts';
import { Random } from './random.ts';
import { randomAggregations } from './random-aggregations.ts';
import { MAPPING } from './random-documents.ts';
import { build, randomSteps, run, survivors } from './random-history.ts';

const SETTINGS = process.env;
const CASES = Number(SETTINGS['CARDEA_DIFFERENTIAL_CASES'] ?? 1000);
const SEED = Number(SETTINGS['CARDEA_SEED'] ?? 20_261_121);
const TREES_PER_INDEX = 20;

/** The second index lacks some fields and one array. */
const OTHER: Mapping = {
  ...MAPPING,
  index: 'roles',
  fields: new Map([...MAPPING.fields].filter(([path]) => !/^(status|count|apps)/.test(path))),
  nestedPaths: ['accounts'],
  constants: { _type: 'role', org: 'acme' },
};
const MAPPINGS = new Map<IndexName, Mapping>([
  ['identities', MAPPING],
  ['roles', OTHER],
]);

const QUERIES: readonly Query[] = [
  { kind: 'matchAll' },
  { kind: 'exists', field: 'created' },
  { kind: 'numbers', field: 'active', column: 'value', values: [1] },
  { kind: 'matchNone' },
];

interface Index {
  readonly name: IndexName;
  readonly views: readonly SegmentView[];
  readonly documents: readonly PlainDocument[];
}

function planOf(body: unknown, query: Query, indices: readonly IndexName[]): Plan {
  const context = {
    mapping: (index: IndexName) => MAPPINGS.get(index) ?? MAPPING,
    now: 0,
    limits: DEFAULT_LIMITS,
  };
  const request = { indices, aggregationsDsl: body };
  const { plan } = planAggregate(request, {}, context);
  const { targets, ...rest } = JSON.parse(JSON.stringify(plan)) as Plan;
  return { ...rest, targets: targets.map((target) => ({ ...target, query })) };
}

function engineAggregate(indices: readonly Index[], plan: Plan): Record<string, unknown> {
  const forms = plan.targets.map(({ aggregations = {} }) => aggregations);
  const targets = indices.map(({ name, views }, at) => ({
    index: name,
    mapping: MAPPINGS.get(name)!,
    views,
    query: plan.targets[at]!.query,
    aggregations: forms[at]!,
  }));
  return run(aggregate(targets, forms, 65_536));
}

function naive(indices: readonly Index[], plan: Plan): Record<string, unknown> {
  const all: Row[] = indices.flatMap(({ name, documents }) =>
    documents.map((document) => {
      const mapping = MAPPINGS.get(name)!;
      return { index: name, mapping, document, path: null, element: document, offset: 0 };
    }),
  );
  setAllRows(all);
  const rows = all.filter((row) => naiveMatches(plan.targets[0]!.query, row.mapping, row.document));
  const forms = new Map<IndexName, Aggregations>(
    plan.targets.map(({ index, aggregations = {} }) => [index, aggregations]),
  );
  return naiveAggregate(forms, rows, all);
}

/** Sums may differ by their rounding, and the naive side leaves some members of extended_stats out. */
function checkSame(found: unknown, expected: unknown, path: string): void {
  if (typeof expected === 'number' && typeof found === 'number') {
    const near = Math.abs(found - expected) <= 1e-9 * Math.max(1, Math.abs(found));
    assert.ok(near, `${path}: ${found}, expected ${expected}`);
  } else if (Array.isArray(expected) && Array.isArray(found)) {
    assert.equal(
      found.length,
      expected.length,
      `${path}: ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`,
    );
    for (const [at, one] of expected.entries()) checkSame(found[at], one, `${path}[${at}]`);
  } else if (isObject(expected) && isObject(found)) {
    const spread = 'variance_population' in expected;
    if (!spread && !path.endsWith('_source')) {
      assert.deepEqual(Object.keys(found).sort(), Object.keys(expected).sort(), path);
    }
    for (const [name, one] of Object.entries(expected)) {
      // Squares of large numbers lose more than the tolerance.
      if (spread && /^variance|squares/.test(name)) continue;
      checkSame(found[name], one, `${path}.${name}`);
    }
  } else {
    assert.deepEqual(found, expected, path);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

test(`the engine aggregates as the naive aggregator does, in ${CASES} random cases`, () => {
  let telling = 0;
  for (let first = 0; first < CASES; first += TREES_PER_INDEX) {
    const random = new Random(SEED + first);
    const names = random.chance(0.5)
      ? (['identities', 'roles'] as const)
      : (['identities'] as const);
    const indices = names.map((name): Index => {
      const steps = randomSteps(random);
      return { name, views: build(steps, MAPPINGS.get(name)!), documents: survivors(steps) };
    });
    for (let at = 0; at < Math.min(TREES_PER_INDEX, CASES - first); at++) {
      const body = randomAggregations(random);
      const query = random.pick(QUERIES);
      try {
        const plan = planOf(body, query, names);
        const found = engineAggregate(indices, plan);
        checkSame(
          JSON.parse(JSON.stringify(found)),
          JSON.parse(JSON.stringify(naive(indices, plan))),
          'aggregations',
        );
        if (JSON.stringify(found).length > 300) telling += 1;
      } catch (error) {
        assert.fail(
          `CARDEA_SEED=${SEED + first} CARDEA_DIFFERENTIAL_CASES=${TREES_PER_INDEX}, tree ${at}\n` +
            `${JSON.stringify(body)}\nquery: ${JSON.stringify(query)}\n${error instanceof Error ? error.stack : error}`,
        );
      }
    }
  }
  assert.ok(telling >= CASES / 5, `only ${telling} trees told something`);
});
