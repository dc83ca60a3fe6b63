import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DATE_FORMATS } from '../../../src/service/ports/resources.ts';
import { dateText, dayOf } from '../../../src/service/profiles/values/date-format.ts';
import { dateInFormat, isDay, isoOfDate } from './dates.ts';

test('reads and writes days in every format as the service does', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -700_000, max: 2_900_000 }),
      fc.constantFrom(...DATE_FORMATS),
      (day, format) => {
        const written = dateText(day, format);
        const iso = isoOfDate(written, format);
        assert.equal(iso, dateText(day, 'yyyy-mm-dd'));
        assert.equal(dateInFormat(iso ?? '', format), written);
        assert.equal(dayOf(written, format), day);
      },
    ),
  );
});

test('reads the default format without one, and no other text', () => {
  assert.equal(isoOfDate('02/28/2026', null), '2026-02-28');
  for (const text of ['', '2/28/2026', '02-28-2026', '13/28/2026', '02/30/2026', 'soon']) {
    assert.equal(isoOfDate(text, null), null, text);
  }
});

test('tells days from other texts', () => {
  assert.ok(isDay('2024-02-29'));
  for (const text of ['2026-02-29', '2026-2-1', 'Today', '']) assert.ok(!isDay(text), text);
});
