import assert from 'node:assert/strict';
import { test } from 'node:test';
import { datePrinter, dateReader } from './date-format.ts';
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

/** Format, zone, text, and the instant that is read; undefined if the text is refused. */
const READ: readonly (readonly [string | null, string, string, string | undefined])[] = [
  [null, 'Europe/Paris', '2024-03-05T08:08:09.010+01:00', '2024-03-05T07:08:09.010Z'],
  ['yyyy-MM-dd', 'America/New_York', '2024-05-01', '2024-05-01T04:00:00Z'],
  ["yyyy-MM-dd'T'HH", '+02:00', '2024-05-01T12', '2024-05-01T10:00:00Z'],
  ['basic_date', 'Z', '20240501', '2024-05-01T00:00:00Z'],
  ['dd.MM.yyyy', 'Z', '01.05.2024', '2024-05-01T00:00:00Z'],
  ['yyyy/MM', 'Z', '2024/05', '2024-05-01T00:00:00Z'],
  ['yyyy', 'Z', '0049', '0049-01-01T00:00:00Z'],
  ['yyyyyyy-MM-dd', 'Z', '0002024-05-01', '2024-05-01T00:00:00Z'],
  ['epoch_second', 'Z', '1714521600', '2024-05-01T00:00:00Z'],
  ['epoch_millis', 'Z', '1714521600000', '2024-05-01T00:00:00Z'],
  // The second of the two, so that the pages of a composite end.
  ["yyyy-MM-dd'T'HH", 'America/New_York', '2024-11-03T01', '2024-11-03T06:00:00Z'],
  ["yyyy-MM-dd'T'HH:mm", 'Australia/Lord_Howe', '2024-04-07T01:45', '2024-04-06T15:15:00Z'],
  ["yyyy-MM-dd'T'HH:mm", 'Australia/Lord_Howe', '2024-04-07T01:15', '2024-04-06T14:15:00Z'],
  ["yyyy-MM-dd'T'HH", 'Antarctica/Troll', '2024-10-27T02', '2024-10-27T02:00:00Z'],
  ['yyyy-MM-dd', 'America/New_York', '2024-11-03', '2024-11-03T04:00:00Z'],
  ['yyyy-MM-dd', 'Z', '2024-02-30', undefined],
  ['yyyy-MM-dd', 'Z', '2024-05-01T00', undefined],
  ['yy', 'Z', '24', undefined],
  ['HH:mm', 'Z', '25:00', undefined],
  // What is printed every day, year or month would be read as the first time.
  ['HH:mm', 'Z', '10:00', undefined],
  ['MM-dd', 'Z', '05-01', undefined],
  ['yyyy dd', 'Z', '2024 01', undefined],
  ['XXX', 'Z', 'Z', undefined],
  ['epoch_second', 'Z', 'x', undefined],
];

for (const [format, zone, text, at] of READ) {
  test(`${format} in ${zone} ${at === undefined ? `refuses ${text}` : `reads ${text} as ${at}`}`, () => {
    const read = dateReader(format, new ZoneClock(zone));
    assert.equal(read?.(text), at === undefined ? undefined : Date.parse(at));
  });
}

test('a format that prints a unit twice has a printer and no reader', () => {
  const zone = new ZoneClock('Z');
  for (const format of ['MdMd', 'Md'.repeat(20), 'yyyy-MM-dd (uuuu)']) {
    assert.ok(datePrinter(format, zone), format);
    assert.equal(dateReader(format, zone), undefined, format);
  }
});

test('a format of more than 200 characters is rejected, and a text of the longest one is read', () => {
  const zone = new ZoneClock('Z');
  for (const part of ['-', "'a'", 'yy-', 'S']) {
    const longest = part.repeat(Math.floor(200 / part.length));
    const text = datePrinter(longest, zone)?.(AT) ?? '';
    assert.notEqual(text, '');
    assert.doesNotThrow(() => dateReader(longest, zone)?.(text));
    assert.equal(datePrinter(longest + part, zone), undefined);
    assert.equal(dateReader(longest + part, zone), undefined);
  }
});
