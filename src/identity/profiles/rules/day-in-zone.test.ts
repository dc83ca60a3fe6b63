// The day of `Today` depends on the time zone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayOf } from '../values/date-format.ts';
import { dayInZone } from './day-in-zone.ts';

const CASES: readonly [instant: string, zone: string, day: string][] = [
  ['2026-03-01T23:59:59.999Z', 'UTC', '2026-03-01'],
  ['2026-03-01T23:00:00.000Z', 'Europe/Berlin', '2026-03-02'],
  ['2026-07-01T21:59:59.999Z', 'Europe/Berlin', '2026-07-01'],
  ['2026-07-01T22:00:00.000Z', 'Europe/Berlin', '2026-07-02'],
  ['2026-03-01T04:59:59.999Z', 'America/New_York', '2026-02-28'],
  ['2026-03-01T12:00:00.000Z', '+13:45', '2026-03-02'],
  ['1969-12-31T23:00:00.000Z', 'UTC', '1969-12-31'],
];

for (const [instant, zone, day] of CASES) {
  test(`at ${instant} the day in ${zone} is ${day}`, () => {
    assert.equal(dayInZone(Date.parse(instant), zone), dayOf(day, 'yyyy-mm-dd'));
  });
}
