// Times in the formats of parameters: as an instant, and as the instants that they stand for.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readInstant, readTimeSpan } from './sent-time.ts';

const INSTANTS: readonly [text: string, instant: string | null][] = [
  ['2026-02-28', '2026-02-28T00:00:00.000Z'],
  ['2026-02-28T09:30', '2026-02-28T09:30:00.000Z'],
  ['2026-02-28T09:30:15Z', '2026-02-28T09:30:15.000Z'],
  ['2026-02-28T09:30:15.5Z', '2026-02-28T09:30:15.500Z'],
  ['2026-02-28 09:30:15', '2026-02-28T09:30:15.000Z'],
  ['2026-02-28T09:30:15+02:00', '2026-02-28T07:30:15.000Z'],
  ['2026-02-28T00:30:15+0200', '2026-02-27T22:30:15.000Z'],
  ['2026-02-28T09:30:15 02:00', '2026-02-28T07:30:15.000Z'],
  ['2026-02-28T09:30:15 0200', '2026-02-28T07:30:15.000Z'],
  ['2026-02-28 09:30:15.250 -01:00', '2026-02-28T10:30:15.250Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['2026-02-29', null],
  ['2026-2-28', null],
  ['2026-02-28T', null],
  ['2026-02-28T24:01', null],
  ['2026-02-28T09:30:15+25:00', null],
  ['1767225600000', null],
  ['today', null],
];
for (const [text, instant] of INSTANTS) {
  test(`updated_after ${text} is ${instant ?? 'rejected'}`, () => {
    const read = () => readInstant('updated_after', text);
    if (instant === null)
      assert.throws(read, { code: 'request_invalid', message: /^updated_after/ });
    else assert.equal(read(), instant);
  });
}

const SPANS: readonly [text: string, from: string, before: string][] = [
  ['2026-02-28', '2026-02-28T00:00:00.000Z', '2026-03-01T00:00:00.000Z'],
  ['2026-02-28T09:30', '2026-02-28T09:30:00.000Z', '2026-02-28T09:31:00.000Z'],
  ['2026-02-28T09:30:59Z', '2026-02-28T09:30:59.000Z', '2026-02-28T09:31:00.000Z'],
  ['2026-02-28T09:30:59.999Z', '2026-02-28T09:30:59.999Z', '2026-02-28T09:31:00.000Z'],
  ['2026-02-28T09:30:15.5+02:00', '2026-02-28T07:30:15.500Z', '2026-02-28T07:30:15.501Z'],
];
for (const [text, from, before] of SPANS) {
  test(`as a filter ${text} stands for the instants from ${from} to ${before}`, () => {
    assert.deepEqual(readTimeSpan('created_at', text), { from, before });
  });
}
