import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NumberMarks } from './number-marks.ts';

test('a number is new once until the set is cleared, whatever it contained before', () => {
  const marks = new NumberMarks();
  for (let round = 0; round < 3; round++) {
    for (const number of [0, 5, 1_000_000]) {
      assert.equal(marks.add(number), true, `${number} in round ${round}`);
      assert.equal(marks.add(number), false, `${number} again in round ${round}`);
    }
    marks.clear();
  }
});
