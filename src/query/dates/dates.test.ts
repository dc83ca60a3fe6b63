import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDate } from './dates.ts';
import { RequestTime } from './request-time.ts';
import { timeZone, UTC, zoneName } from './time-zone.ts';

const NOW = Date.parse('2024-05-15T12:34:56.789Z');
const BERLIN = 'Europe/Berlin';

/** `first … last`, or one instant. */
const SPANS: readonly (readonly [text: string, zone: string, span: string | undefined])[] = [
  // Literals and partial units
  ['2024', 'Z', '2024-01-01T00:00:00.000Z … 2024-12-31T23:59:59.999Z'],
  ['2024-02', 'Z', '2024-02-01T00:00:00.000Z … 2024-02-29T23:59:59.999Z'],
  ['2024-02-29', 'Z', '2024-02-29T00:00:00.000Z … 2024-02-29T23:59:59.999Z'],
  ['2024-05-01T10', 'Z', '2024-05-01T10:00:00.000Z … 2024-05-01T10:59:59.999Z'],
  ['2024-05-01T10:20', 'Z', '2024-05-01T10:20:00.000Z … 2024-05-01T10:20:59.999Z'],
  ['2024-05-01T10:20:30', 'Z', '2024-05-01T10:20:30.000Z … 2024-05-01T10:20:30.999Z'],
  ['2024-05-01T10:20:30.5', 'Z', '2024-05-01T10:20:30.500Z'],
  ['2024-05-01T10:20:30.123456789Z', 'Z', '2024-05-01T10:20:30.123Z'],
  ['2024-05-01T10:20:30.000+02:00', 'Z', '2024-05-01T08:20:30.000Z'],
  ['2024-05-01Z', BERLIN, '2024-05-01T00:00:00.000Z … 2024-05-01T23:59:59.999Z'],
  ['2024-05-01+02:00', 'Z', '2024-04-30T22:00:00.000Z … 2024-05-01T21:59:59.999Z'],
  ['1714521600000', BERLIN, '2024-05-01T00:00:00.000Z'],
  ['-1', 'Z', '1969-12-31T23:59:59.999Z'],
  ['0099', 'Z', '0099-01-01T00:00:00.000Z … 0099-12-31T23:59:59.999Z'],
  ['9999', 'Z', '9999-01-01T00:00:00.000Z … 9999-12-31T23:59:59.999Z'],
  ['2023-02-29', 'Z', undefined],
  ['2024-13', 'Z', undefined],
  ['2024-00', 'Z', undefined],
  ['2024-1-1', 'Z', undefined],
  ['2024-05-01T24', 'Z', undefined],
  ['2024-05-01T10:60', 'Z', undefined],
  ['2024-05-01 10:00', 'Z', undefined],
  ['2024-05-01T10:00+19:00', 'Z', undefined],
  ['', 'Z', undefined],
  ['foo', 'Z', undefined],
  // Zones, the gap and the overlap of daylight saving
  ['2024-05-01', BERLIN, '2024-04-30T22:00:00.000Z … 2024-05-01T21:59:59.999Z'],
  ['2024-05-01', '-05:30', '2024-05-01T05:30:00.000Z … 2024-05-02T05:29:59.999Z'],
  ['2024-03-31', BERLIN, '2024-03-30T23:00:00.000Z … 2024-03-31T21:59:59.999Z'],
  ['2024-10-27', BERLIN, '2024-10-26T22:00:00.000Z … 2024-10-27T22:59:59.999Z'],
  ['2024-03-31T02:30:00.000', BERLIN, '2024-03-31T01:30:00.000Z'],
  ['2024-10-27T02:30:00.000', BERLIN, '2024-10-27T00:30:00.000Z'],
  ['2024-10-27T02', BERLIN, '2024-10-27T00:00:00.000Z … 2024-10-27T01:59:59.999Z'],
  ['2024-10-27T02:30:00.000+01:00', BERLIN, '2024-10-27T01:30:00.000Z'],
  // Date math
  ['now', BERLIN, '2024-05-15T12:34:56.789Z'],
  ['now-1d', 'Z', '2024-05-14T12:34:56.789Z'],
  ['now+1h', 'Z', '2024-05-15T13:34:56.789Z'],
  ['now+90m', 'Z', '2024-05-15T14:04:56.789Z'],
  ['now-30s', 'Z', '2024-05-15T12:34:26.789Z'],
  ['now+d', 'Z', '2024-05-16T12:34:56.789Z'],
  ['now-2w', 'Z', '2024-05-01T12:34:56.789Z'],
  ['now-3M', 'Z', '2024-02-15T12:34:56.789Z'],
  ['now-1y', 'Z', '2023-05-15T12:34:56.789Z'],
  ['now/d', 'Z', '2024-05-15T00:00:00.000Z … 2024-05-15T23:59:59.999Z'],
  ['now-7d/d', 'Z', '2024-05-08T00:00:00.000Z … 2024-05-08T23:59:59.999Z'],
  ['now/w', 'Z', '2024-05-13T00:00:00.000Z … 2024-05-19T23:59:59.999Z'],
  ['now/M', 'Z', '2024-05-01T00:00:00.000Z … 2024-05-31T23:59:59.999Z'],
  ['now/y', 'Z', '2024-01-01T00:00:00.000Z … 2024-12-31T23:59:59.999Z'],
  ['now/H', 'Z', '2024-05-15T12:00:00.000Z … 2024-05-15T12:59:59.999Z'],
  ['now/m', 'Z', '2024-05-15T12:34:00.000Z … 2024-05-15T12:34:59.999Z'],
  ['now/s', 'Z', '2024-05-15T12:34:56.000Z … 2024-05-15T12:34:56.999Z'],
  ['now/d+1h', 'Z', '2024-05-15T01:00:00.000Z … 2024-05-16T00:59:59.999Z'],
  ['now/d', BERLIN, '2024-05-14T22:00:00.000Z … 2024-05-15T21:59:59.999Z'],
  ['2024-01-31||+1M', 'Z', '2024-02-29T00:00:00.000Z'],
  ['2024-02-29||+1y', 'Z', '2025-02-28T00:00:00.000Z'],
  ['2024-01-01||-1M/M', 'Z', '2023-12-01T00:00:00.000Z … 2023-12-31T23:59:59.999Z'],
  ['2024-05||/d', 'Z', '2024-05-01T00:00:00.000Z … 2024-05-01T23:59:59.999Z'],
  ['2024-05||', 'Z', '2024-05-01T00:00:00.000Z'],
  ['2024-03-30T12:00||+1d', BERLIN, '2024-03-31T10:00:00.000Z'],
  ['2024-03-30T12:00||+24h', BERLIN, '2024-03-31T11:00:00.000Z'],
  ['2024-03-31T12:00||/d', BERLIN, '2024-03-30T23:00:00.000Z … 2024-03-31T21:59:59.999Z'],
  ['2024-10-26T02:30:00.000||+1d', BERLIN, '2024-10-27T00:30:00.000Z'],
  ['2024-10-28T02:30:00.000||-1d', BERLIN, '2024-10-27T01:30:00.000Z'],
  ['2024-10-27T01:30:00.000Z||/h', BERLIN, '2024-10-27T01:00:00.000Z … 2024-10-27T01:59:59.999Z'],
  ['2024-05-15||/h', '+05:30', '2024-05-14T18:30:00.000Z … 2024-05-14T19:29:59.999Z'],
  ['2024-01-31||-11M', 'Z', '2023-02-28T00:00:00.000Z'],
  ['2024-01-31||+13M', 'Z', '2025-02-28T00:00:00.000Z'],
  ['2023-12-31||/w', 'Z', '2023-12-25T00:00:00.000Z … 2023-12-31T23:59:59.999Z'],
  ['1969-12-31T23:59:59.500Z||/s', 'Z', '1969-12-31T23:59:59.000Z … 1969-12-31T23:59:59.999Z'],
  ['now+999999999d', 'Z', undefined],
  [`now${'+1d'.repeat(100)}`, 'Z', undefined],
  ['now-1', 'Z', undefined],
  ['now-1D', 'Z', undefined],
  ['now/', 'Z', undefined],
  ['nowhere', 'Z', undefined],
  ['2024-01-01+1d', 'Z', undefined],
  ['2024-01-01||foo', 'Z', undefined],
  ['now+999999999y', 'Z', undefined],
];

for (const [text, zoneName, expected] of SPANS) {
  test(`${text} in ${zoneName} is ${expected ?? 'not a date'}`, () => {
    const zone = timeZone(zoneName);
    assert.ok(zone);
    const span = parseDate(text, { now: new RequestTime(NOW), zone });
    const first = span && new Date(span.first).toISOString();
    const last = span && new Date(span.last).toISOString();
    assert.equal(first === last ? first : `${first} … ${last}`, expected);
  });
}

test('an IANA id in any case is one zone, with the name that other systems know', () => {
  assert.equal(timeZone('eUROPE/pARIS'), timeZone('Europe/Paris'));
  for (const [written, name] of [
    ['europe/paris', 'Europe/Paris'],
    ['AMERICA/NEW_YORK', 'America/New_York'],
    ['utc', 'UTC'],
    ['-0530', '-0530'],
    ['Z', 'Z'],
  ] as const) {
    assert.equal(zoneName(written), name);
  }
});

test('accepts only IANA ids and offsets as zones', () => {
  for (const name of ['UTC', 'America/New_York', 'europe/paris', '+02:00', '-0530', '+01', 'Z']) {
    assert.ok(timeZone(name), name);
  }
  for (const name of ['', 'Mars/Olympus', '+25:00', '+02:75', 'UTC+2', '02:00', 'now']) {
    assert.equal(timeZone(name), undefined, name);
  }
  assert.equal(UTC.offset(0), 0);
});
