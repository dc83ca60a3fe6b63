// Where an increment of a mirror starts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sinceOf } from './part-copy.ts';

const OVERLAP_MS = 15 * 60_000;
const CASES: readonly (readonly [
  name: string,
  newest: { at: string; seen: string } | null,
  copiedAt: string,
  since: string | null,
])[] = [
  [
    'the overlap before the youngest change that the last walk saw',
    { at: '2026-01-01T11:50:00.000Z', seen: '2026-01-01T12:00:00.000Z' },
    '2026-01-01T12:00:00.000Z',
    '2026-01-01T11:35:00.000Z',
  ],
  [
    'at that change once nothing older can appear any more',
    { at: '2026-01-01T11:50:00.000Z', seen: '2026-01-01T12:00:00.000Z' },
    '2026-01-01T12:15:00.001Z',
    '2026-01-01T11:50:00.000Z',
  ],
  [
    'the overlap before the last walk if a change is dated ahead of the clock',
    { at: '2099-01-01T00:00:00.000Z', seen: '2025-01-01T00:00:00.000Z' },
    '2026-01-01T12:00:00.000Z',
    '2026-01-01T11:45:00.000Z',
  ],
  ['nowhere if no document tells its changes', null, '2026-01-01T12:00:00.000Z', null],
];

for (const [name, newest, copiedAt, since] of CASES) {
  test(`an increment starts ${name}`, () => {
    assert.equal(sinceOf({ newest, copiedAt }, OVERLAP_MS), since);
  });
}
