import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Schedule, ScheduledSearch, Selector } from '../../../../api/saved-search.ts';
import { definitionOf, draftOf, newDraft, scheduleOf, withFrequency } from './schedule-draft.ts';

const selector: fc.Arbitrary<Selector> = fc.oneof(
  fc.record({
    type: fc.constant('LIST' as const),
    values: fc.array(fc.nat(9).map(String), { minLength: 1 }),
    interval: fc.constant(null),
  }),
  fc.record({
    type: fc.constant('RANGE' as const),
    values: fc.tuple(fc.constant('1'), fc.constant('5')),
    interval: fc.constantFrom(null, 2),
  }),
);
const schedule: fc.Arbitrary<Schedule> = fc
  .record({
    type: fc.constantFrom('DAILY', 'WEEKLY', 'MONTHLY', 'ANNUALLY', 'CALENDAR'),
    ...{ months: selector, days: selector, hours: selector },
    expiration: fc.constantFrom(null, '2027-01-31T10:30:00.000Z'),
    timeZoneId: fc.constantFrom(null, 'Europe/Oslo'),
  })
  .map((one) => ({
    ...one,
    days: one.type === 'DAILY' ? null : one.days,
    months: one.type === 'ANNUALLY' ? one.months : null,
  }));

test('describes the schedule of which it is the draft', () => {
  fc.assert(
    fc.property(schedule, fc.boolean(), (one, enabled) => {
      const texts = { name: 'Daily report', description: null, savedSearchId: 's' };
      const definition = {
        ...texts,
        ...{ schedule: one, recipients: [{ type: 'IDENTITY' as const, id: 'i' }], enabled },
        ...{ emailEmptyResults: !enabled, displayQueryDetails: enabled },
      };
      const owner = { type: 'IDENTITY' as const, id: 'o' };
      const times = { created: '2026-01-01T00:00:00.000Z', modified: '2026-01-01T00:00:00.000Z' };
      const stored: ScheduledSearch = { ...definition, id: 'x', owner, ...times };
      assert.deepEqual(definitionOf(draftOf(stored), 's'), definition);
    }),
  );
});

test('has only the members of its frequency, with values that suit it', () => {
  const draft = newDraft('UTC', null);
  const of = (frequency: Parameters<typeof withFrequency>[1]) =>
    scheduleOf(withFrequency(draft, frequency, '2026-11-25'));
  assert.deepEqual(of('HOURLY').hours.values, ['0', '23']);
  assert.equal(of('HOURLY').type, 'DAILY');
  assert.deepEqual(of('WEEKLY').days?.values, ['MON', 'FRI']);
  assert.deepEqual(of('CALENDAR').days?.values, ['2026-11-25']);
  assert.deepEqual(of('ANNUALLY').months?.values, ['1']);
  assert.equal(of('MONTHLY').months, null);
  const hourly = withFrequency(draft, 'HOURLY', '2026-11-25');
  const daily = scheduleOf(withFrequency(hourly, 'DAILY', '2026-11-25'));
  assert.deepEqual([daily.hours.type, daily.days], ['LIST', null]);
});
