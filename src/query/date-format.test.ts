import assert from 'node:assert/strict';
import { test } from 'node:test';
import { datePrinter } from './date-format.ts';

const AT = Date.parse('2024-03-05T07:08:09.010Z');

const CASES: readonly (readonly [string | null, string, string | undefined])[] = [
  [null, 'Z', '2024-03-05T07:08:09.010Z'],
  [null, 'Europe/Paris', '2024-03-05T08:08:09.010+01:00'],
  [null, 'Europe/London', '2024-03-05T07:08:09.010Z'],
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

for (const [format, zone, text] of CASES) {
  test(`${format} in ${zone} prints ${text ?? 'nothing: it is not known'}`, () => {
    assert.equal(datePrinter(format, zone)?.(AT), text);
  });
}
