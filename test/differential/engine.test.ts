// The engine against the naive evaluator: random documents in random segments, random plans. Runs
// CARDEA_DIFFERENTIAL_CASES plans (2,000) from CARDEA_SEED; a failure prints the seed and a shrunk case.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SegmentView } from '../../src/engine/index/segment.ts';
import { searchTargets } from '../../src/engine/search/multi-search.ts';
import { scores } from '../../src/engine/search/scoring.ts';
import { Searcher } from '../../src/engine/search/searcher.ts';
import type { Plan, Query, SortValue } from '../../src/query/plan.ts';
import {
  byCodePoints,
  compareTuples,
  naiveMatches,
  naiveSortValue,
  type PlainDocument,
} from './naive.ts';
import { Random } from './random.ts';
import { MAPPING } from './random-documents.ts';
import { build, randomSteps, run, type Step, survivors } from './random-history.ts';
import { randomPlan } from './random-plans.ts';

const SETTINGS = process.env;
const CASES = Number(SETTINGS['CARDEA_DIFFERENTIAL_CASES'] ?? 2000);
const SEED = Number(SETTINGS['CARDEA_SEED'] ?? 20_261_121);
const PLANS_PER_INDEX = 20;

interface Found {
  readonly ids: string[];
  readonly sort: (readonly SortValue[])[];
  readonly scores: (number | null)[];
  readonly total: number | null;
}

function engineFind(views: readonly SegmentView[], plan: Plan): Found {
  const { targets, ...rest } = JSON.parse(JSON.stringify(plan)) as Plan;
  const searcher = new Searcher(MAPPING, views);
  const found = run(
    searchTargets(
      targets.map(({ index, query }) => ({ index, searcher, query })),
      { targets, ...rest },
    ),
  );
  return {
    ids: found.hits.map(({ doc }) => views[doc.view]!.segment.ids.term(doc.row)),
    sort: found.hits.map(({ doc }) => doc.sort),
    scores: found.hits.map(({ doc }) => doc.score),
    total: found.total,
  };
}

function naiveFind(documents: readonly PlainDocument[], plan: Plan): Found {
  const query = queryOf(plan);
  const keys = plan.sort;
  const matches = documents.filter((document) => naiveMatches(query, MAPPING, document));
  const rows = matches.map((document) => ({
    id: document.id,
    sort: keys.map((key) => naiveSortValue(key, MAPPING, document)),
  }));
  const doc = keys.findIndex((key) => key.type === 'doc');
  const compared = doc < 0 ? keys : keys.slice(0, doc);
  const sign = doc < 0 || keys[doc]!.order === 'asc' ? 1 : -1;
  rows.sort((a, b) => compareTuples(compared, a.sort, b.sort) || sign * byCodePoints(a.id, b.id));
  const { searchAfter } = plan;
  const behind = searchAfter
    ? rows.filter((row) => compareTuples(compared, row.sort, searchAfter) > 0)
    : rows;
  const page = behind.slice(plan.from, plan.from + plan.size);
  return {
    ids: page.map(({ id }) => id),
    sort: page.map(({ sort }) => sort),
    scores: page.map(() => null),
    total: plan.trackTotal ? matches.length : null,
  };
}

function queryOf(plan: Plan): Query {
  const [target] = plan.targets;
  assert.ok(target);
  return target.query;
}

/** What is wrong with the engine's answer, or null. */
function fault(steps: readonly Step[], views: readonly SegmentView[], plan: Plan): string | null {
  try {
    const documents = survivors(steps);
    if (plan.sort.length === 0 && scores(queryOf(plan))) checkScored(documents, views, plan);
    else assert.deepEqual(engineFind(views, plan), naiveFind(documents, plan));
    const searcher = new Searcher(MAPPING, views);
    const total = naiveFind(documents, { ...plan, trackTotal: true }).total;
    assert.equal(run(searcher.count(queryOf(plan))), total, 'count');
    if (plan.sort.length > 0) checkWalk(documents, views, plan);
    return null;
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
}

/** Whether a plan finds some documents but not all: those that do not prove little. */
function tells(steps: readonly Step[], plan: Plan): boolean {
  const documents = survivors(steps);
  const total = naiveFind(documents, { ...plan, trackTotal: true }).total ?? 0;
  return total > 0 && total < documents.length;
}

/** By score: the right documents, best first, ties by id. */
function checkScored(
  documents: readonly PlainDocument[],
  views: readonly SegmentView[],
  plan: Plan,
): void {
  const all = { ...plan, from: 0, size: 1000 };
  const found = engineFind(views, all);
  const expected = naiveFind(documents, all);
  assert.deepEqual([...found.ids].sort(byCodePoints), expected.ids);
  assert.equal(found.total, expected.total);
  const order = found.ids.map((id, at) => ({ id, score: found.scores[at] ?? Number.NaN }));
  order.sort((a, b) => b.score - a.score || byCodePoints(a.id, b.id));
  assert.deepEqual(
    order.map(({ id }) => id),
    found.ids,
    'order by score',
  );
  const page = engineFind(views, plan).ids;
  assert.deepEqual(page, found.ids.slice(plan.from, plan.from + plan.size), 'page');
}

/** Pages that follow each other by searchAfter. */
function checkWalk(
  documents: readonly PlainDocument[],
  views: readonly SegmentView[],
  plan: Plan,
): void {
  let searchAfter: readonly SortValue[] | undefined;
  for (let page = 0; page < 100; page++) {
    const next: Plan = { ...plan, from: 0, size: 7, ...(searchAfter && { searchAfter }) };
    const found = engineFind(views, next);
    assert.deepEqual(
      found,
      naiveFind(documents, next),
      `page ${page} after ${JSON.stringify(searchAfter)}`,
    );
    searchAfter = found.sort.at(-1);
    if (searchAfter === undefined) return;
  }
  assert.fail('the walk does not end');
}

const faultOf = (steps: readonly Step[], plan: Plan): string | null => {
  try {
    return fault(steps, build(steps), plan);
  } catch (error) {
    return String(error);
  }
};

/** Smaller plans and fewer documents as long as something is wrong. */
function shrink(steps: readonly Step[], plan: Plan): { steps: readonly Step[]; plan: Plan } {
  let best = { steps, plan };
  for (let progress = true, rounds = 0; progress && rounds < 200; rounds++) {
    progress = false;
    for (const smaller of smallerCases(best.steps, best.plan)) {
      if (faultOf(smaller.steps, smaller.plan) === null) continue;
      best = smaller;
      progress = true;
      break;
    }
  }
  return best;
}

function* smallerCases(
  steps: readonly Step[],
  plan: Plan,
): Generator<{ steps: readonly Step[]; plan: Plan }> {
  for (const at of steps.keys()) yield { steps: steps.filter((_, other) => other !== at), plan };
  for (const query of smallerQueries(queryOf(plan))) {
    yield { steps, plan: { ...plan, targets: [{ index: 'identities', query }] } };
  }
  for (const at of plan.sort.keys()) {
    yield { steps, plan: { ...plan, sort: plan.sort.filter((_, other) => other !== at) } };
  }
  for (const [at, step] of steps.entries()) {
    if (step.kind !== 'flush') continue;
    for (const put of step.puts) {
      const puts = step.puts.filter((one) => one !== put);
      yield { steps: steps.with(at, { ...step, puts }), plan };
    }
  }
}

function* smallerQueries(query: Query): Generator<Query> {
  if (query.kind === 'nested' || query.kind === 'constantScore') {
    if (query.kind === 'constantScore') yield query.query;
    for (const inner of smallerQueries(query.query)) yield { ...query, query: inner };
  } else if (query.kind === 'disMax') {
    yield* query.queries;
    for (const [at, one] of query.queries.entries()) {
      yield { ...query, queries: query.queries.filter((_, other) => other !== at) };
      for (const inner of smallerQueries(one))
        yield { ...query, queries: query.queries.with(at, inner) };
    }
  } else if (query.kind === 'bool') {
    for (const part of ['must', 'should', 'filter', 'mustNot'] as const) {
      yield* query[part];
      for (const [at, one] of query[part].entries()) {
        yield { ...query, [part]: query[part].filter((_, other) => other !== at) };
        for (const inner of smallerQueries(one))
          yield { ...query, [part]: query[part].with(at, inner) };
      }
    }
  }
}

test(`the engine finds what the naive evaluator finds, in ${CASES} random cases`, () => {
  let telling = 0;
  for (let first = 0; first < CASES; first += PLANS_PER_INDEX) {
    const random = new Random(SEED + first);
    const steps = randomSteps(random);
    const views = build(steps);
    for (let at = 0; at < Math.min(PLANS_PER_INDEX, CASES - first); at++) {
      const plan = randomPlan(random);
      const found = fault(steps, views, plan);
      if (found === null) {
        telling += tells(steps, plan) ? 1 : 0;
        continue;
      }
      const small = shrink(steps, plan);
      assert.fail(
        `CARDEA_SEED=${SEED + first} CARDEA_DIFFERENTIAL_CASES=${PLANS_PER_INDEX}, plan ${at}\n` +
          `plan: ${JSON.stringify(small.plan)}\nsteps: ${JSON.stringify(small.steps)}\n` +
          `${faultOf(small.steps, small.plan) ?? found}`,
      );
    }
  }
  assert.ok(telling >= CASES / 5, `only ${telling} plans found some documents but not all`);
});
