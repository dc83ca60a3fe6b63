import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Schedule, Selector } from '../../../../api/saved-search.ts';
import { scheduleText } from './schedule-text.ts';

const list = (...values: string[]): Selector => ({ type: 'LIST', values, interval: null });
const range = (from: string, to: string, interval: number | null = null): Selector => ({
  type: 'RANGE',
  values: [from, to],
  interval,
});
const DAILY: Schedule = {
  type: 'DAILY',
  months: null,
  days: null,
  hours: list('7'),
  expiration: null,
  timeZoneId: null,
};

const CASES: readonly [Partial<Schedule>, string][] = [
  [{}, 'Daily at 07:00'],
  [{ hours: list('7', '12', '18') }, 'Daily at 07:00, 12:00 and 18:00'],
  [{ hours: range('0', '23') }, 'Daily every hour from 00:00 to 23:00'],
  [{ hours: range('8', '18', 2) }, 'Daily every 2 hours from 08:00 to 18:00'],
  [
    { type: 'WEEKLY', days: range('MON', 'FRI'), timeZoneId: 'Europe/Oslo' },
    'Weekly on Monday to Friday at 07:00, Europe/Oslo',
  ],
  [
    { type: 'WEEKLY', days: range('MON', 'SUN', 2) },
    'Weekly on Monday to Sunday, every 2 days at 07:00',
  ],
  [{ type: 'MONTHLY', days: list('1', 'L') }, 'Monthly on day 1 and the last day at 07:00'],
  [
    { type: 'ANNUALLY', days: list('15'), months: list('1', '7') },
    'Yearly on day 15 of January and July at 07:00',
  ],
  [
    { type: 'CALENDAR', days: list('2027-01-22'), expiration: '2027-02-01T00:00:00.000Z' },
    'On 2027-01-22 at 07:00, until 2027-02-01 00:00 UTC',
  ],
];

for (const [schedule, text] of CASES) {
  test(`says "${text}"`, () => assert.equal(scheduleText({ ...DAILY, ...schedule }), text));
}
