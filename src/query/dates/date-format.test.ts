import assert from 'node:assert/strict';
import { test } from 'node:test';
import { datePrinter } from './date-format.ts';
import { ZoneClock } from './zone-clock.ts';

const AT = Date.parse('2024-03-05T07:08:09.010Z');

/** Format, zone, text as OpenSearch 3.3 prints it, and an instant other than AT. */
const CASES: readonly (readonly [string | null, string, string | undefined, at?: string])[] = [
  [null, 'Z', '2024-03-05T07:08:09.010Z'],
  [null, 'Europe/Paris', '2024-03-05T08:08:09.010+01:00'],
  [null, 'Europe/London', '2024-03-05T07:08:09.010Z'],
  [null, 'America/New_York', '0049-01-01T00:00:00.000-04:56', '0049-01-01T04:56:02Z'],
  [null, 'Europe/London', '0049-01-01T00:00:00.000-00:01', '0049-01-01T00:01:15Z'],
  ['X XX XXX Z', '-05:00', '-05 -0500 -05:00 -0500'],
  ['X XX XXX', '+05:30', '+0530 +0530 +05:30'],
  ['X XX XXX Z', 'Z', 'Z Z Z +0000'],
  ['yyyy-MM-dd', '-08:00', '2024-03-04'],
  ['uuuu/M/d', 'Z', '2024/3/5'],
  ["yyyy'Q'", 'Z', '2024Q'],
  ['HH:mm:ss.SSS', 'Z', '07:08:09.010'],
  ['epoch_millis', 'Z', String(AT)],
  ['epoch_second', 'Z', String(Math.floor(AT / 1000))],
  ['strict_date||epoch_millis', 'Z', '2024-03-05'],
  ['EEEE', 'Z', undefined],
  ["yyyy'", 'Z', undefined],
  ['', 'Z', undefined],
];

for (const [format, zone, text, at] of CASES) {
  test(`${format} in ${zone} ${text === undefined ? 'is rejected' : `prints ${text}`}`, () => {
    const print = datePrinter(format, new ZoneClock(zone));
    assert.equal(print?.(at === undefined ? AT : Date.parse(at)), text);
  });
}
