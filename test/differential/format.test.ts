// The printed form of a plan is complete: a query can be parsed back, and among many plans with
// many small changes each, no two different ones print the same. A failure shows the two plans.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { format } from '../../src/query/explain/format.ts';
import { formatQuery } from '../../src/query/format-query.ts';
import type { Plan } from '../../src/query/plan.ts';
import type { Query } from '../../src/query/query.ts';
import { caseCount } from '../support/case-count.ts';
import { readPrintedQuery } from '../support/printed-query.ts';
import { Random } from './random.ts';
import { MAPPING } from './random-mapping.ts';
import { randomPlan, randomQuery } from './random-plans.ts';
import { randomRequest } from './random-requests.ts';

const SEED = 20_261_121;
const QUERIES = caseCount(500, 2_000);
const PLANS = caseCount(5, 50);

test('parses a printed query back to the same query', () => {
  const random = new Random(SEED);
  for (let round = 0; round < QUERIES; round++) {
    const query = plain(randomQuery(random, MAPPING, null, 3)) as Query;
    const printed = formatQuery(query);
    assert.deepEqual(readPrintedQuery(printed), query, printed);
  }
});

test('prints different plans differently', () => {
  const random = new Random(SEED + 1);
  const plans = new Map<string, string>();
  for (let round = 0; round < PLANS; round++) {
    const plan = wholePlan(random);
    for (const one of [plan, ...changed(plan)]) {
      const printed = format(one as Plan);
      const earlier = plans.get(printed) ?? canonical(one);
      assert.equal(canonical(one), earlier, printed);
      plans.set(printed, earlier);
    }
  }
  assert.ok(plans.size > 20 * PLANS, String(plans.size));
});

/** A plan with random optional parts. */
function wholePlan(random: Random): unknown {
  const plan = randomPlan(random, [MAPPING]);
  const maybe = <Value>(make: () => Value) => (random.chance(0.4) ? make() : undefined);
  const names = ['name', 'attributes.*', 'a, b', 'tags.exact'];
  const [target] = plan.targets;
  const aggregations = maybe(() => {
    const { plan: aggregated } = randomRequest(random, 'aggregationsDsl', [MAPPING]);
    return aggregated.targets[0]?.aggregations;
  });
  return plain({
    ...plan,
    targets: random.list(1, 2, () => ({
      ...target,
      aggregations,
      innerHit: maybe(() => ({
        path: 'accounts',
        query: randomQuery(random, MAPPING, 'accounts', 1),
      })),
      typeahead: maybe(() => ({
        field: random.pick(names),
        nested: random.pick([null, 'accounts']),
        form: random.pick(['word', 'folded', 'exact']),
        terms: random.list(0, 2, () => random.pick(['ada', 'a b', '"', ''])),
        filter: randomQuery(random, MAPPING, null, 1),
      })),
    })),
    source: {
      includes: random.list(0, 2, () => random.pick(names)),
      excludes: random.list(0, 2, () => random.pick(names)),
      nested: random.chance(0.5),
    },
    searchAfter: maybe(() => random.list(1, 2, () => random.pick(['x', 3, null]))),
    maxBuckets: maybe(() => random.int(100)),
    typeahead: maybe(() => ({
      size: random.int(9),
      order: random.pick(['asc', 'desc']),
      by: random.pick(['count', 'value']),
      maxExpansions: random.int(99),
    })),
  });
}

/** Optional members. */
const OPTIONAL = new Set([
  ...['boost', 'minimumShouldMatch', 'prefixExpansions', 'gt', 'gte', 'lt', 'lte', 'innerHit'],
  ...['typeahead', 'aggregations', 'searchAfter', 'maxBuckets', 'missing', 'include', 'exclude'],
  ...['after', 'from', 'to', 'fromText', 'toText', 'nestedPath'],
]);
/** Members with few possible values. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  form: ['word', 'folded', 'exact'],
  column: ['value', 'date', 'number'],
  order: ['asc', 'desc'],
  scoreMode: ['avg', 'max', 'min', 'sum', 'none'],
  by: ['count', 'value', 'key'],
  index: ['identities', 'roles'],
  type: ['string', 'number', 'score', 'doc', 'long', 'double', 'date', 'boolean'],
  kind: [],
};

/** Variants of a value with one change each. */
function* changed(value: unknown, name = ''): Generator<unknown> {
  if (Array.isArray(value)) yield* changedList(value);
  else if (typeof value === 'object' && value !== null) yield* changedMembers(value);
  else if (typeof value === 'boolean') yield !value;
  else if (typeof value === 'number') yield* [value + 1, -value - 0.5];
  else if (typeof value === 'string') yield* VALUES[name] ?? changedText(value);
}

function* changedList(list: readonly unknown[]): Generator<unknown> {
  if (list.length > 0) yield* [list.slice(1), [...list, list[0]], list.toReversed()];
  for (const [at, one] of list.entries()) {
    for (const other of changed(one)) yield list.with(at, other);
  }
}

function* changedMembers(value: object): Generator<unknown> {
  for (const [name, member] of Object.entries(value)) {
    // `after` may also be a bound of a range, which is required.
    const needed = name === 'from' && 'size' in value;
    if (
      OPTIONAL.has(name) &&
      !('aggregations' in value && name === 'aggregations' && 'kind' in value) &&
      !needed
    ) {
      const { [name]: _, ...rest } = value as Record<string, unknown>;
      yield rest;
    }
    // A sort key has one form besides none.
    const isSortForm = name === 'form' && 'order' in value && !('terms' in value);
    if (isSortForm) {
      const { form: _, ...rest } = value as Record<string, unknown>;
      yield rest;
      continue;
    }
    for (const other of changed(member, name)) yield { ...value, [name]: other };
  }
}

function* changedText(text: string): Generator<string> {
  for (const end of [
    ' ',
    '*',
    '^2',
    '~1',
    '.exact',
    '.date',
    ')',
    ', b',
    ',',
    '"',
    '\\',
    '/',
    '\n',
  ]) {
    yield text + end;
  }
  yield* ['', `"${text}"`, `-${text}`, '_id', '5'];
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** A text that does not depend on the order of members. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
}
