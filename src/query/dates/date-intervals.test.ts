import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DateIntervals } from '../aggregation.ts';
import { DateRounding } from './date-intervals.ts';
import { ZoneClock } from './zone-clock.ts';

const CASES: readonly (readonly [DateIntervals['every'], string, string, string])[] = [
  ['d', 'Z', '2024-05-01T23:59:59.999Z', '2024-05-01T00:00:00Z'],
  ['d', 'Z', '1969-12-31T23:00:00Z', '1969-12-31T00:00:00Z'],
  ['w', 'Z', '2024-05-05T12:00:00Z', '2024-04-29T00:00:00Z'],
  ['M', 'Z', '2024-02-29T12:00:00Z', '2024-02-01T00:00:00Z'],
  ['q', 'Z', '2024-06-30T12:00:00Z', '2024-04-01T00:00:00Z'],
  ['y', 'Z', '2024-06-30T12:00:00Z', '2024-01-01T00:00:00Z'],
  ['h', 'Z', '2024-06-30T12:59:00Z', '2024-06-30T12:00:00Z'],
  [36 * 3_600_000, 'Z', '1970-01-03T00:00:00Z', '1970-01-02T12:00:00Z'],
  // Clocks go forward at 01:00Z and back at 01:00Z.
  ['d', 'Europe/Paris', '2024-03-31T21:59:59Z', '2024-03-30T23:00:00Z'],
  ['d', 'Europe/Paris', '2024-03-31T22:00:00Z', '2024-03-31T22:00:00Z'],
  ['d', 'Europe/Paris', '2024-10-27T22:59:59Z', '2024-10-26T22:00:00Z'],
  ['h', 'Europe/Paris', '2024-10-27T01:30:00Z', '2024-10-27T01:00:00Z'],
  ['M', 'Europe/Paris', '2024-03-31T22:30:00Z', '2024-03-31T22:00:00Z'],
  ['d', '+05:30', '2024-01-01T18:29:59Z', '2023-12-31T18:30:00Z'],
  ['d', 'America/Sao_Paulo', '2018-11-04T03:30:00Z', '2018-11-04T03:00:00Z'],
];

for (const [every, timeZone, instant, start] of CASES) {
  test(`${instant} is in the ${every} interval of ${timeZone} that starts at ${start}`, () => {
    const rounding = new DateRounding({ every, offsetMs: 0 }, new ZoneClock(timeZone));
    assert.equal(
      new Date(rounding.start(Date.parse(instant))).toISOString(),
      new Date(start).toISOString(),
    );
  });
}

test('intervals are consecutive across both daylight saving changes', () => {
  for (const every of ['h', 'd', 'w', 'M', 'q', 'y', 7 * 3_600_000, 24 * 3_600_000] as const) {
    for (const timeZone of [
      'Z',
      'Europe/Paris',
      'America/Sao_Paulo',
      'Australia/Lord_Howe',
      '-03:30',
    ]) {
      // Hours are irregular where daylight saving is half an hour.
      const exact = every === 'h' || typeof every === 'number';
      if (exact && timeZone === 'Australia/Lord_Howe') continue;
      const rounding = new DateRounding({ every, offsetMs: 3_600_000 }, new ZoneClock(timeZone));
      let start = rounding.start(Date.parse('2017-01-01T00:00:00Z'));
      const end = Date.parse(every === 'h' ? '2017-04-10T00:00:00Z' : '2019-04-01T00:00:00Z');
      while (start < end) {
        const next = rounding.next(start);
        assert.ok(next > start, `${every} in ${timeZone} does not advance at ${start}`);
        assert.equal(rounding.start(next), next, `${every} in ${timeZone} at ${next}`);
        assert.equal(rounding.start(next - 1), start, `${every} in ${timeZone} before ${next}`);
        start = next;
      }
    }
  }
});
