// The interface of all judges, and the simplest judge: the naive evaluator.
import type { Plan } from '../../src/query/plan.ts';
import type { Answer } from './answer.ts';
import type { Case } from './cases.ts';
import { NaiveSearch } from './naive-search.ts';
import type { World } from './world.ts';

export type JudgeName = 'naive' | 'engine' | 'files' | 'threads' | 'openSearch' | 'shards';

/** Runs the cases of one world. */
export interface Judge {
  readonly name: JudgeName;
  /** @throws ServiceError `limit_exceeded` if the query exceeds a limit of the judge */
  answer(one: Case): Promise<Answer>;
  close(): Promise<void>;
}

/** A plan after serialization, as it arrives where it is executed. */
export const sent = (plan: Plan): Plan => JSON.parse(JSON.stringify(plan)) as Plan;

export function naiveJudge({ indexes, change }: World): Judge {
  const search = new NaiveSearch(indexes, change);
  return {
    name: 'naive',
    async answer({ asks, plan }) {
      if (asks === 'count') return { count: search.count(plan) };
      return asks === 'search' ? search.search(plan) : { values: search.typeahead(plan) };
    },
    close: async () => {},
  };
}
