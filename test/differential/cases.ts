// The cases of a world: random plans of every kind, each from its own seed, so that each can run
// alone.

import type { Plan } from '../../src/query/plan.ts';
import type { Query, SortValue } from '../../src/query/query.ts';
import { BOUNDARY_PLANS } from './boundary-plans.ts';
import type { Size } from './large-world.ts';
import { NaiveSearch } from './naive-search.ts';
import { Random } from './random.ts';
import { randomElementOrder, randomPlan, withRandomElements } from './random-plans.ts';
import { type RequestKind, randomRequest } from './random-requests.ts';
import { randomWordPlan } from './random-word-plans.ts';
import { mappingsOf, type World } from './world.ts';

export type CaseKind =
  | RequestKind
  | 'plan'
  | 'elements'
  | 'elementOrder'
  | 'searchAfter'
  | 'words'
  | 'boundary';

type RandomKind = Exclude<CaseKind, 'boundary'>;

export interface Case {
  readonly kind: CaseKind;
  readonly asks: 'search' | 'count' | 'typeahead';
  readonly plan: Plan;
  /** The request body, if the plan came from one. */
  readonly request?: unknown;
}

/** The weights of the kinds. */
const SHARES: Readonly<Record<RandomKind, number>> = {
  plan: 22,
  elements: 5,
  elementOrder: 7,
  searchAfter: 9,
  sailpoint: 20,
  innerHit: 5,
  dsl: 12,
  text: 4,
  typeahead: 5,
  filters: 3,
  words: 12,
  count: 4,
  aggregationsDsl: 8,
  aggregationsSailpoint: 3,
};
const KINDS = Object.entries(SHARES).flatMap(([kind, share]) =>
  new Array<RandomKind>(share).fill(kind as RandomKind),
);

/** Cases per world by its size, since large worlds are slow. */
const CASES: Readonly<Record<Size, number>> = { small: 200, medium: 100, large: 24 };

/** The number of cases of a world in a run. */
export const casesOf = ({ size }: World): number => CASES[size];

export class Cases {
  readonly #world: World;
  readonly #naive: NaiveSearch;

  constructor(world: World) {
    this.#world = world;
    this.#naive = new NaiveSearch(world.indexes, world.change);
  }

  /** The case with a number, from 0. */
  at(number: number): Case {
    const random = new Random(Math.imul(this.#world.seed, 0x9e3779b1) + number);
    // Skips the first numbers, which are similar for similar seeds.
    random.next();
    const kind = random.pick(KINDS);
    const boundary = this.#world.size === 'large' ? BOUNDARY_PLANS[number] : undefined;
    const made: Case =
      boundary === undefined
        ? this.#make(random, kind)
        : { kind: 'boundary', asks: 'search', plan: boundary };
    return { ...made, plan: this.#whole(JSON.parse(JSON.stringify(made.plan)) as Plan) };
  }

  #make(random: Random, kind: RandomKind): Case {
    const all = mappingsOf(this.#world);
    const mappings = all.length > 1 && random.chance(0.4) ? [random.pick(all)] : all;
    switch (kind) {
      case 'plan':
      case 'elements': {
        const plan = randomPlan(random, mappings);
        const chosenPlan = kind === 'plan' ? plan : withRandomElements(random, plan, mappings);
        return { kind, asks: random.chance(0.15) ? 'count' : 'search', plan: chosenPlan };
      }
      case 'searchAfter':
        return { kind, asks: 'search', plan: this.#after(random, randomPlan(random, mappings)) };
      case 'elementOrder': {
        const plan = this.#afterElement(random, randomElementOrder(random, random.pick(mappings)));
        return { kind, asks: 'search', plan };
      }
      case 'words':
        return { kind, asks: 'search', plan: randomWordPlan(random, mappings) };
      case 'typeahead':
        return { kind, asks: 'typeahead', ...randomRequest(random, kind, mappings) };
      case 'count':
        return { kind, asks: 'count', ...randomRequest(random, kind, mappings) };
      default:
        return { kind, asks: 'search', ...randomRequest(random, kind, mappings) };
    }
  }

  /** The plan with a searchAfter at one of its rows, or between two. */
  #after(random: Random, plan: Plan): Plan {
    const sort =
      plan.sort.length > 0 ? plan.sort : [{ field: 'id', order: 'desc', type: 'string' } as const];
    const whole = { ...plan, sort, from: 0, size: 1000 };
    const { all = [] } = this.#naive.search(whole);
    const row = all.length === 0 ? [] : random.pick(all).sort;
    const searchAfter = sort.map(({ type }, at): SortValue => {
      // Scores of judges differ in their last digits, so no row is exactly at this one.
      if (type === 'score') return random.pick([0.7351, 1.3177, 2.9131]);
      const value = all.length > 0 ? row[at] : type === 'string' ? 'd3' : 1;
      return type === 'doc' ? null : (value ?? null);
    });
    return { ...whole, size: random.pick([1, 7, 1000]), searchAfter };
  }

  /** Half of the plans with a searchAfter at one of their elements, or between two. */
  #afterElement(random: Random, plan: Plan): Plan {
    const { all = [] } = this.#naive.search(plan);
    if (all.length === 0 || random.chance(0.5)) return plan;
    const searchAfter = [...random.pick(all).sort];
    const id = searchAfter.length - 2;
    if (random.chance(0.2)) searchAfter[id] = `${searchAfter[id]}${random.pick(['', '0', '~'])}`;
    if (random.chance(0.2)) searchAfter[id + 1] = random.int(6);
    return { ...plan, searchAfter };
  }

  /** Requests all rows if scores, and thus pages by score, cannot be compared. */
  #whole(plan: Plan): Plan {
    if (this.#world.change === 'once' || plan.sort.length > 0) return plan;
    return { ...plan, from: 0, size: 10_000 };
  }
}

/** All queries of a plan, including inner ones, each with its nested path. */
export function* queriesOf(plan: Plan): Generator<{ query: Query; path: string | null }> {
  for (const { query, innerHit, typeahead, aggregations } of plan.targets) {
    yield* queriesIn(query, null);
    if (innerHit !== undefined) yield* queriesIn(innerHit.query, innerHit.path);
    if (typeahead !== undefined) yield* queriesIn(typeahead.filter, null);
    if (aggregations !== undefined) yield* queriesWithin(aggregations, null);
  }
}

export function* queriesIn(
  query: Query,
  path: string | null,
): Generator<{ query: Query; path: string | null }> {
  yield { query, path };
  if (query.kind === 'nested') yield* queriesIn(query.query, query.path);
  else if (query.kind === 'constantScore') yield* queriesIn(query.query, path);
  else if (query.kind === 'disMax') for (const one of query.queries) yield* queriesIn(one, path);
  else if (query.kind === 'bool') {
    const { must, should, filter, mustNot } = query;
    for (const one of [...must, ...should, ...filter, ...mustNot]) yield* queriesIn(one, path);
  }
}

function* queriesWithin(
  aggregations: Readonly<Record<string, unknown>>,
  path: string | null,
): Generator<{ query: Query; path: string | null }> {
  for (const one of Object.values(aggregations) as Record<string, unknown>[]) {
    if (one['kind'] === 'filter') yield* queriesIn(one['query'] as Query, path);
    if (one['kind'] === 'filters') {
      for (const { query } of one['filters'] as { query: Query }[]) yield* queriesIn(query, path);
    }
    yield* queriesWithin((one['aggregations'] ?? {}) as Record<string, unknown>, path);
  }
}
