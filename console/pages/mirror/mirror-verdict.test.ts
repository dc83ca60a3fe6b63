// When a mirror needs attention.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maxAgeSeconds, mirrorVerdict } from './mirror-verdict.ts';

const HOUR = 3_600;
const run = (began: string) => ({
  began,
  outcome: 'complete',
  error: null,
  counts: { created: 0, updated: 0, deleted: 0 },
});
const daily = ['2026-01-03T00:00:00Z', '2026-01-02T00:00:00Z', '2026-01-01T00:00:00Z'].map(run);
const everyFiveMinutes = ['2026-01-01T00:10:00Z', '2026-01-01T00:05:00Z', '2026-01-01T00:00:00Z'];

test('a copy is old after three of the usual intervals, and never within an hour', () => {
  assert.equal(maxAgeSeconds(daily), 72 * HOUR);
  assert.equal(maxAgeSeconds(everyFiveMinutes.map(run)), HOUR);
  assert.equal(maxAgeSeconds(daily.slice(0, 1)), 24 * HOUR);
  assert.equal(maxAgeSeconds([]), 24 * HOUR);
});

const STATES = [
  [
    'a copy of the usual age',
    { lagSeconds: 30 * HOUR, runs: daily },
    'good',
    'The copy is 1 day old',
  ],
  [
    'a copy whose runs have stopped',
    { lagSeconds: 80 * HOUR, runs: daily },
    'warn',
    'The copy is 3 days old, which is longer than its runs are apart',
  ],
  ['a failed run', { error: 'it answered 403' }, 'bad', 'The last run failed: it answered 403'],
  ['a first copy that stopped', { lagSeconds: null }, 'warn', 'The first copy is not complete'],
  [
    'a first copy under way',
    { lagSeconds: null, running: '2026-01-01T00:00:00Z' },
    'warn',
    'The first copy is under way',
  ],
] as const;
for (const [name, state, tone, text] of STATES) {
  test(`${name} is ${tone}`, () => {
    const status = { lagSeconds: 60, error: null, running: null, runs: [], ...state };
    assert.deepEqual(mirrorVerdict(status), { tone, text });
  });
}
