// The times of schedules as a table, with changes of the clocks in several zones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DateTime } from 'luxon';
import type { Schedule, Selector } from '../ports/saved-search-records.ts';
import { nextDue } from './due-times.ts';
import { instantOf, zoneOf } from './local-time.ts';

const list = (...values: string[]): Selector => ({ type: 'LIST', values, interval: null });
const range = (from: string, to: string, interval: number | null = null): Selector => {
  return { type: 'RANGE', values: [from, to], interval };
};

function schedule(type: Schedule['type'], rest: Partial<Schedule>): Schedule {
  const nothing = { months: null, days: null, expiration: null, timeZoneId: null };
  return { type, hours: list('9'), ...nothing, ...rest };
}

/** The next times after an instant, at most as many as expected and one more. */
function timesOf(plan: Schedule, after: string, zoneName: string, count: number): string[] {
  const zone = zoneOf(zoneName);
  assert.ok(zone);
  const times: string[] = [];
  for (let at: number | null = Date.parse(after); times.length < count; ) {
    at = nextDue(plan, at, zone);
    if (at === null) break;
    times.push(new Date(at).toISOString().replace(':00.000Z', 'Z'));
  }
  return times;
}

type Row = readonly [title: string, plan: Schedule, zone: string, after: string, times: string[]];

const DAILY_2 = schedule('DAILY', { hours: list('2') });
const NIGHTLY = schedule('DAILY', { hours: range('0', '3') });

const TABLE: readonly Row[] = [
  [
    'daily hours, in any order and twice, ascend',
    schedule('DAILY', { hours: list('18', '9', '9') }),
    'UTC',
    '2026-01-01T09:00:00Z',
    ['2026-01-01T18:00Z', '2026-01-02T09:00Z', '2026-01-02T18:00Z'],
  ],
  [
    'a range of hours has steps and both ends',
    schedule('DAILY', { hours: range('9', '18', 3) }),
    'UTC',
    '2026-01-01T10:00:00Z',
    ['2026-01-01T12:00Z', '2026-01-01T15:00Z', '2026-01-01T18:00Z', '2026-01-02T09:00Z'],
  ],
  [
    'a range whose end is not on a step ends before it',
    schedule('DAILY', { hours: range('9', '17', 5) }),
    'UTC',
    '2026-01-01T10:00:00Z',
    ['2026-01-01T14:00Z', '2026-01-02T09:00Z'],
  ],
  [
    'the hour is that of the zone',
    schedule('DAILY', {}),
    'America/Chicago',
    '2026-01-01T14:59:59Z',
    ['2026-01-01T15:00Z', '2026-01-02T15:00Z'],
  ],
  [
    'zones with half hours have half hours',
    schedule('DAILY', {}),
    'Asia/Kolkata',
    '2026-01-01T00:00:00Z',
    ['2026-01-01T03:30Z'],
  ],
  [
    'days of the week',
    schedule('WEEKLY', { days: list('SUN', 'WED') }),
    'UTC',
    '2026-01-01T10:00:00Z',
    ['2026-01-04T09:00Z', '2026-01-07T09:00Z', '2026-01-11T09:00Z'],
  ],
  [
    'every second day of the working week',
    schedule('WEEKLY', { days: range('MON', 'FRI', 2) }),
    'UTC',
    '2026-01-01T10:00:00Z',
    ['2026-01-02T09:00Z', '2026-01-05T09:00Z', '2026-01-07T09:00Z'],
  ],
  [
    'the day of the week is that of the zone',
    schedule('WEEKLY', { days: list('MON'), hours: list('1') }),
    'Pacific/Auckland',
    '2026-06-01T00:00:00Z',
    ['2026-06-07T13:00Z'],
  ],
  [
    'days of the month, and the last one',
    schedule('MONTHLY', { days: list('L', '15') }),
    'UTC',
    '2026-01-20T00:00:00Z',
    ['2026-01-31T09:00Z', '2026-02-15T09:00Z', '2026-02-28T09:00Z', '2026-03-15T09:00Z'],
  ],
  [
    'the last day and its number are one day',
    schedule('MONTHLY', { days: list('L', '31') }),
    'UTC',
    '2026-01-01T00:00:00Z',
    ['2026-01-31T09:00Z', '2026-02-28T09:00Z', '2026-03-31T09:00Z'],
  ],
  [
    'a month without the day is skipped',
    schedule('MONTHLY', { days: list('31') }),
    'UTC',
    '2026-01-31T10:00:00Z',
    ['2026-03-31T09:00Z', '2026-05-31T09:00Z'],
  ],
  [
    'a range to the last day',
    schedule('MONTHLY', { days: range('26', 'L', 2) }),
    'UTC',
    '2026-02-01T00:00:00Z',
    ['2026-02-26T09:00Z', '2026-02-28T09:00Z', '2026-03-26T09:00Z', '2026-03-28T09:00Z'],
  ],
  [
    'months of the year',
    schedule('ANNUALLY', { months: list('12', '3'), days: list('L', '1') }),
    'UTC',
    '2026-03-02T00:00:00Z',
    ['2026-03-31T09:00Z', '2026-12-01T09:00Z', '2026-12-31T09:00Z', '2027-03-01T09:00Z'],
  ],
  [
    'every quarter as a range',
    schedule('ANNUALLY', { months: range('1', '12', 3), days: list('1') }),
    'UTC',
    '2026-01-01T09:00:00Z',
    ['2026-04-01T09:00Z', '2026-07-01T09:00Z', '2026-10-01T09:00Z', '2027-01-01T09:00Z'],
  ],
  [
    'a leap day, also around 2100',
    schedule('ANNUALLY', { months: list('2'), days: list('29') }),
    'UTC',
    '2092-03-01T00:00:00Z',
    ['2096-02-29T09:00Z', '2104-02-29T09:00Z'],
  ],
  [
    'a day that no year has',
    schedule('ANNUALLY', { months: list('2'), days: list('30') }),
    'UTC',
    '2026-01-01T00:00:00Z',
    [],
  ],
  [
    'dates of a calendar, in any order, and then none',
    schedule('CALENDAR', { days: list('2026-03-01', '2025-12-31', '2026-02-22') }),
    'UTC',
    '2026-01-01T00:00:00Z',
    ['2026-02-22T09:00Z', '2026-03-01T09:00Z'],
  ],
  [
    'a range of dates with an interval, across a change of the clocks',
    schedule('CALENDAR', { days: range('2026-03-27', '2026-04-01', 2) }),
    'Europe/Berlin',
    '2026-01-01T00:00:00Z',
    ['2026-03-27T08:00Z', '2026-03-29T07:00Z', '2026-03-31T07:00Z'],
  ],
  [
    'an expiration at a due time still includes it',
    schedule('DAILY', { expiration: '2026-01-02T09:00:00.000Z' }),
    'UTC',
    '2026-01-01T00:00:00Z',
    ['2026-01-01T09:00Z', '2026-01-02T09:00Z'],
  ],
  [
    'Berlin in spring: the skipped hour is the moment at which the clocks change',
    DAILY_2,
    'Europe/Berlin',
    '2026-03-27T12:00:00Z',
    ['2026-03-28T01:00Z', '2026-03-29T01:00Z', '2026-03-30T00:00Z'],
  ],
  [
    'Berlin in spring: the skipped hour and the one after it are one time',
    NIGHTLY,
    'Europe/Berlin',
    '2026-03-28T22:30:00Z',
    ['2026-03-28T23:00Z', '2026-03-29T00:00Z', '2026-03-29T01:00Z', '2026-03-29T22:00Z'],
  ],
  [
    'Berlin in autumn: the hour that happens twice is due at the first',
    DAILY_2,
    'Europe/Berlin',
    '2026-10-24T12:00:00Z',
    ['2026-10-25T00:00Z', '2026-10-26T01:00Z'],
  ],
  [
    'Berlin in autumn: each local hour is due once, and none in the repeated hour',
    NIGHTLY,
    'Europe/Berlin',
    '2026-10-24T21:30:00Z',
    ['2026-10-24T22:00Z', '2026-10-24T23:00Z', '2026-10-25T00:00Z', '2026-10-25T02:00Z'],
  ],
  [
    'New York in spring and in autumn',
    DAILY_2,
    'America/New_York',
    '2026-03-08T00:00:00Z',
    ['2026-03-08T07:00Z', '2026-03-09T06:00Z'],
  ],
  [
    'New York in autumn: 1:00 happens twice and is due at the first',
    schedule('DAILY', { hours: list('1') }),
    'America/New_York',
    '2026-11-01T04:00:00Z',
    ['2026-11-01T05:00Z', '2026-11-02T06:00Z'],
  ],
  [
    'Lord Howe changes by half an hour: the skipped 2:00 is 2:30',
    DAILY_2,
    'Australia/Lord_Howe',
    '2026-10-03T00:00:00Z',
    ['2026-10-03T15:30Z', '2026-10-04T15:00Z'],
  ],
  [
    'Cairo skips midnight: the day begins at 1:00',
    schedule('DAILY', { hours: list('0') }),
    'Africa/Cairo',
    '2026-04-23T00:00:00Z',
    ['2026-04-23T22:00Z', '2026-04-24T21:00Z'],
  ],
  [
    'Apia skipped a whole day: all its hours are the first moment of the next',
    schedule('DAILY', { hours: list('9', '17') }),
    'Pacific/Apia',
    '2011-12-30T04:00:00Z',
    ['2011-12-30T10:00Z', '2011-12-30T19:00Z', '2011-12-31T03:00Z'],
  ],
];

for (const [title, plan, zone, after, times] of TABLE) {
  test(`${title} (${zone})`, () => {
    assert.deepEqual(timesOf(plan, after, zone, Math.max(1, times.length)), times);
  });
}

test('nothing is due after the expiration', () => {
  const plan = schedule('DAILY', { expiration: '2026-01-02T08:59:59.000Z' });
  assert.deepEqual(timesOf(plan, '2026-01-01T00:00:00Z', 'UTC', 9), ['2026-01-01T09:00Z']);
});

test('only known zones have a time', () => {
  assert.equal(zoneOf('Europe/Nowhere'), null);
  assert.equal(zoneOf(''), null);
});

const ZONES = [
  ...['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'America/Santiago'],
  ...['Africa/Casablanca', 'Asia/Tehran', 'Asia/Kathmandu', 'America/St_Johns', 'UTC'],
];

test('a local time that exists is read back from its instant, whatever the zone', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...ZONES),
      fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2037, 0) }),
      (name, at) => {
        const zone = zoneOf(name);
        assert.ok(zone);
        const { year, month, day, hour, minute } = DateTime.fromMillis(at, { zone });
        const local = Date.UTC(year, month - 1, day, hour, minute);
        const instant = instantOf(local, zone);
        const back = DateTime.fromMillis(instant, { zone });
        assert.deepEqual([back.hour, back.minute], [hour, minute]);
        assert.ok(instant <= at, 'it is the first of the instants with that local time');
      },
    ),
  );
});

test('times ascend strictly and are an hour of the zone or a change of its clocks', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...ZONES),
      fc.uniqueArray(fc.integer({ min: 0, max: 23 }), { minLength: 1 }),
      fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2037, 0) }),
      (name, hours, start) => {
        const zone = zoneOf(name);
        assert.ok(zone);
        const plan = schedule('DAILY', { hours: list(...hours.map(String)) });
        let at = start;
        for (let n = 0; n < 5; n += 1) {
          const next = nextDue(plan, at, zone);
          assert.ok(next !== null && next > at);
          const { hour, minute } = DateTime.fromMillis(next, { zone });
          const isChange = zone.offset(next) !== zone.offset(next - 1);
          assert.ok(isChange || (minute === 0 && hours.includes(hour)), `${hour}:${minute}`);
          at = next;
        }
      },
    ),
  );
});
