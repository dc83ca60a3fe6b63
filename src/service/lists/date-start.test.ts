import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dateStart } from './date-start.ts';

const STARTS: readonly (readonly [text: string, from: string, end: string])[] = [
  ['2026', '2026-01-01', '2027-01-01'],
  ['0050', '0050-01-01', '0051-01-01'],
  ['2026-11', '2026-11-01', '2026-12-01'],
  ['2026-12', '2026-12-01', '2027-01-01'],
  ['2024-02-29', '2024-02-29', '2024-03-01'],
  ['2026-11-05T10', '2026-11-05T10:00Z', '2026-11-05T11:00Z'],
  ['2026-11-05T23:59', '2026-11-05T23:59Z', '2026-11-06T00:00Z'],
  ['2026-11-05T10:11:12', '2026-11-05T10:11:12Z', '2026-11-05T10:11:13Z'],
];
for (const [text, from, end] of STARTS) {
  test(`${text} starts ${from} to ${end}`, () => {
    assert.deepEqual(dateStart(text), [Date.parse(from), Date.parse(end)]);
  });
}

for (const text of ['', '20', '2026-1', '2026-11-05 10', 'x', '2026-11-05T10:11:12.5Z']) {
  test(`"${text}" is not the start of a date`, () => {
    assert.throws(() => dateStart(text), {
      code: 'request_invalid',
      message: /like 2026, 2026-11/,
    });
  });
}
