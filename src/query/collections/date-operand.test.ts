import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dateOperand, dateStart } from './date-operand.ts';

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

const OPERANDS: readonly (readonly [text: string, instant: string])[] = [
  ['2018', '2018-01-01'],
  ['2018-05', '2018-05-01'],
  ['2018-05-06', '2018-05-06'],
  ['2018-05-06T07:08:09Z', '2018-05-06T07:08:09Z'],
  ['2018-05-06t07:08:09.5z', '2018-05-06T07:08:09.500Z'],
  ['2018-05-06T07:08:09+02:00', '2018-05-06T05:08:09Z'],
];
for (const [text, instant] of OPERANDS) {
  test(`${text} is the instant ${instant}`, () => {
    assert.equal(dateOperand(text), Date.parse(instant));
  });
}

for (const text of ['', '20', '20180', '2018-13', '2018-02-30', '1 May 2018', '2018-05-06 07:08']) {
  test(`"${text}" is no date of a filter`, () => {
    assert.equal(dateOperand(text), null);
  });
}
