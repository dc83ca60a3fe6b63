// Instants in the formats of `updated_after`.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readUpdatedAfter } from './updated-after.ts';

const INSTANTS: readonly [text: string, instant: string | null][] = [
  ['2026-02-28', '2026-02-28T00:00:00.000Z'],
  ['2026-02-28T09:30', '2026-02-28T09:30:00.000Z'],
  ['2026-02-28T09:30:15Z', '2026-02-28T09:30:15.000Z'],
  ['2026-02-28T09:30:15.5Z', '2026-02-28T09:30:15.500Z'],
  ['2026-02-28 09:30:15', '2026-02-28T09:30:15.000Z'],
  ['2026-02-28T09:30:15+02:00', '2026-02-28T07:30:15.000Z'],
  ['2026-02-28T00:30:15+0200', '2026-02-27T22:30:15.000Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['2026-02-29', null],
  ['2026-2-28', null],
  ['2026-02-28T', null],
  ['2026-02-28T24:01', null],
  ['2026-02-28T09:30:15+25:00', null],
  ['1767225600000', null],
  ['today', null],
];
for (const [text, instant] of INSTANTS) {
  test(`updated_after ${text} is ${instant ?? 'rejected'}`, () => {
    if (instant === null) assert.throws(() => readUpdatedAfter(text), { code: 'request_invalid' });
    else assert.equal(readUpdatedAfter(text), instant);
  });
}
