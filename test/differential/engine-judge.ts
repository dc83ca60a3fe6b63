// The embedded engine over segments in memory. Runs each case three times on newly opened segments,
// and on segments that have run all earlier cases; then related queries must be consistent with the
// result (related-questions.ts). So results with cold caches, warm caches and other paths are equal
// (robustness 50).
import assert from 'node:assert/strict';
import { type Judge, sent } from './judge.ts';
import { ALL_ROWS, OpenWorld } from './open-world.ts';
import { buildFiles } from './random-history.ts';
import { assertRelated } from './related-questions.ts';
import type { World } from './world.ts';

export function engineJudge(world: World): Judge {
  const built = new Map(
    [...world.indexes].map(([name, { mapping, steps }]) => [name, buildFiles(steps, mapping)]),
  );
  const used = new OpenWorld(world, new Map([...built].map(([name, { views }]) => [name, views])));
  let searches = 0;
  return {
    name: 'engine',
    async answer({ asks, plan: made }) {
      const plan = sent(made);
      const reopened = new Map([...built].map(([name, { reopen }]) => [name, reopen()]));
      const fresh = new OpenWorld(world, reopened);
      const first = fresh.answer(asks, plan);
      for (const time of ['second', 'third']) {
        assert.deepEqual(fresh.answer(asks, plan), first, `the ${time} time`);
      }
      assert.deepEqual(used.answer(asks, plan), first, 'on segments that were searched before');
      if (asks !== 'search') return first;
      searches += 1;
      const on = searches % 2 === 0 ? fresh : used;
      const { maxBuckets: _, ...unaggregated } = plan;
      const { rows: all } = on.answer('search', { ...unaggregated, from: 0, size: ALL_ROWS });
      assert.deepEqual(first.rows, all?.slice(plan.from, plan.from + plan.size), 'a page');
      assertRelated(on, plan);
      return { ...first, ...(all && { all }) };
    },
    close: async () => {},
  };
}
