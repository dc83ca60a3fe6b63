// The segments of a world's indexes at one point in time, and searches of the engine over them.

import type { OpenTarget } from '../../src/backends/embedded/searching/open-target.ts';
import type { PageRows } from '../../src/backends/embedded/searching/page-rows.ts';
import {
  countSteps,
  fetchSteps,
  pageSteps,
  typeaheadSteps,
} from '../../src/backends/embedded/searching/query-steps.ts';
import { QueryCache } from '../../src/engine/index/query-cache.ts';
import type { SegmentView } from '../../src/engine/sections/segment.ts';
import type { Plan } from '../../src/query/plan.ts';
import type { SearchResult } from '../../src/service/ports/search-backend.ts';
import { type Answer, rowsOfResult } from './answer.ts';
import { run } from './random-history.ts';
import type { World } from './world.ts';

/** More rows than any world has. */
export const ALL_ROWS = 100_000;

/** The segments of a world's indexes. */
export class OpenWorld {
  readonly world: World;
  readonly #cache = new QueryCache();
  readonly #views: ReadonlyMap<string, readonly SegmentView[]>;

  constructor(world: World, views: ReadonlyMap<string, readonly SegmentView[]>) {
    this.world = world;
    this.#views = views;
  }

  count(plan: Plan): number {
    return run(countSteps(this.#targets(plan)));
  }

  /** Rows, without their documents. */
  find(plan: Plan): PageRows {
    return run(pageSteps(this.#targets(plan), plan));
  }

  /** Same as `find`, with rows as index and id. */
  findIds(plan: Plan): string[] {
    return this.find(plan).rows.map(({ index, view, row }) => {
      return `${index} ${this.#views.get(index)?.[view]?.segment.ids.term(row)}`;
    });
  }

  answer(asks: 'search' | 'count' | 'typeahead', plan: Plan): Answer {
    const targets = this.#targets(plan);
    if (asks === 'count') return { count: run(countSteps(targets)) };
    if (asks === 'typeahead') return { values: run(typeaheadSteps(targets, plan)) };
    const result = run(searchSteps(targets, plan));
    const { total, aggregations } = result;
    const plain = aggregations && { aggregations: JSON.parse(JSON.stringify(aggregations)) };
    return { rows: rowsOfResult(result), total, ...plain };
  }

  #targets(plan: Plan): OpenTarget[] {
    return plan.targets.flatMap((target) => {
      const views = this.#views.get(target.index) ?? [];
      const mapping = this.world.indexes.get(target.index)?.mapping;
      if (mapping === undefined || views.length === 0) return [];
      return [{ ...target, mapping, snapshot: { views, cache: this.#cache, release: () => {} } }];
    });
  }
}

function* searchSteps(targets: readonly OpenTarget[], plan: Plan): Generator<void, SearchResult> {
  const { rows, ...rest } = yield* pageSteps(targets, plan);
  return { hits: yield* fetchSteps(targets, plan, rows), ...rest };
}
