// The golden cases on the naive evaluator and the embedded engine.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engineJudge } from '../differential/engine-judge.ts';
import { naiveJudge } from '../differential/judge.ts';
import { caseOf, GOLDEN_CASES, namedPart, worldOf } from './search-cases.ts';

for (const golden of GOLDEN_CASES) {
  test(golden.sentence, async () => {
    const world = worldOf(golden);
    for (const judge of [naiveJudge(world), engineJudge(world)]) {
      const answer = await judge.answer(caseOf(golden));
      assert.deepEqual(namedPart(answer, golden), golden.expected, judge.name);
    }
  });
}
