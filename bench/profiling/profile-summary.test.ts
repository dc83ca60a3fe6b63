// The summary of CPU profiles must give each function the time of its samples over all threads.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CpuProfile, profileSummary } from './profile-summary.ts';

const frame = (functionName: string, url: string) => ({ functionName, url, lineNumber: 9 });

const PROFILE: CpuProfile = {
  nodes: [
    { id: 1, callFrame: frame('(idle)', '') },
    { id: 2, callFrame: frame('score', 'file:///here/dist/src/engine/scoring/bm25.js') },
    { id: 3, callFrame: frame('(garbage collector)', '') },
  ],
  samples: [1, 2, 3, 2],
  timeDeltas: [0, 5_000, 3_000, 1_000],
};

test('the summary sums self times over threads, largest first, without idle time', () => {
  const lines = profileSummary('free text, 10', [PROFILE, PROFILE]).split('\n');
  assert.deepEqual(
    lines.filter((line) => line !== '').map((line) => line.replace(/\s+/g, ' ').trim()),
    [
      'free text, 10: 2 threads, busy 8 ms, idle 10 ms',
      '75.0 % 6 ms score src/engine/scoring/bm25.js:10',
      '25.0 % 2 ms (garbage collector)',
    ],
  );
});
