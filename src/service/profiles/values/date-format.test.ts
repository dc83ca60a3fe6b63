// Dates in six formats: every existing day reads as it was written, and nothing else is a date.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DATE_FORMATS, type DateFormat } from '../../ports/resources.ts';
import { dateText, dayInZone, dayOf } from './date-format.ts';

const DAYS: readonly [text: string, format: DateFormat, day: number | null][] = [
  ['01/01/1970', 'mm/dd/yyyy', 0],
  ['12-31-1969', 'mm-dd-yyyy', -1],
  ['29/02/2024', 'dd/mm/yyyy', 19_782],
  ['02-01-1970', 'dd-mm-yyyy', 1],
  ['2000/03/01', 'yyyy/mm/dd', 11_017],
  ['9999-12-31', 'yyyy-mm-dd', 2_932_896],
  ['0001-01-01', 'yyyy-mm-dd', -719_162],
  ['0000-01-01', 'yyyy-mm-dd', null],
  ['2023-02-29', 'yyyy-mm-dd', null],
  ['1900-02-29', 'yyyy-mm-dd', null],
  ['2026-04-31', 'yyyy-mm-dd', null],
  ['2026-00-10', 'yyyy-mm-dd', null],
  ['2026-13-10', 'yyyy-mm-dd', null],
  ['2026-01-00', 'yyyy-mm-dd', null],
  ['2026-1-1', 'yyyy-mm-dd', null],
  ['2026/01/01', 'yyyy-mm-dd', null],
  ['01/02/26', 'mm/dd/yyyy', null],
  ['31/12/2026', 'mm/dd/yyyy', null],
  ['12/31/2026', 'dd/mm/yyyy', null],
  [' 1/ 1/2026', 'mm/dd/yyyy', null],
  ['+1/01/2026', 'mm/dd/yyyy', null],
  ['٠١/٠١/٢٠٢٦', 'mm/dd/yyyy', null],
  ['01/01/2026 ', 'mm/dd/yyyy', null],
  ['2026-01-01T00:00', 'yyyy-mm-dd', null],
  ['', 'mm/dd/yyyy', null],
];
for (const [text, format, day] of DAYS) {
  test(`${JSON.stringify(text)} as ${format} is ${day === null ? 'no date' : `day ${day}`}`, () => {
    assert.equal(dayOf(text, format), day);
    if (day !== null) assert.equal(dateText(day, format), text);
  });
}

const anyDay = fc.integer({ min: -719_162, max: 2_932_896 });
const anyFormat = fc.constantFrom(...DATE_FORMATS);

test('writes a day in any format and reads it back', () => {
  fc.assert(
    fc.property(anyDay, anyFormat, (day, format) => {
      const text = dateText(day, format);
      assert.equal(text.length, format.length);
      assert.equal(dayOf(text, format), day);
      const iso = new Date(day * 86_400_000).toISOString();
      assert.equal(dateText(day, 'yyyy-mm-dd'), iso.slice(0, 10));
    }),
  );
});

test('writes a day with the characters it was read from', () => {
  const digits = fc.stringMatching(/^\d\d[-/]\d\d[-/]\d{4}$/);
  fc.assert(
    fc.property(fc.oneof(digits, fc.string()), anyFormat, (text, format) => {
      const day = dayOf(text, format);
      if (day !== null) assert.equal(dateText(day, format), text);
    }),
  );
});

const IN_ZONES: readonly [instant: string, zone: string, day: string][] = [
  ['2026-03-01T23:59:59.999Z', 'UTC', '2026-03-01'],
  ['2026-03-01T23:00:00.000Z', 'Europe/Berlin', '2026-03-02'],
  ['2026-07-01T21:59:59.999Z', 'Europe/Berlin', '2026-07-01'],
  ['2026-07-01T22:00:00.000Z', 'Europe/Berlin', '2026-07-02'],
  ['2026-03-01T04:59:59.999Z', 'America/New_York', '2026-02-28'],
  ['2026-03-01T12:00:00.000Z', '+13:45', '2026-03-02'],
  ['1969-12-31T23:00:00.000Z', 'UTC', '1969-12-31'],
];

for (const [instant, zone, day] of IN_ZONES) {
  test(`at ${instant} the day in ${zone} is ${day}`, () => {
    assert.equal(dayInZone(Date.parse(instant), zone), dayOf(day, 'yyyy-mm-dd'));
  });
}
