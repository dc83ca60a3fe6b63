// Pages of large profiles: their texts are counted while they are read, and a page that no process
// should build at once is refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../../errors.ts';
import type { Profile, ProfileRecords, ProfileValue } from '../../ports/profile-records.ts';
import { showProfiles } from './shown-profiles.ts';

const MIB = 2 ** 20;
const profiles = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ id: `p${at}` }) as Profile);

/** Profiles that each have one text of this length; `slices` has how many were read at a time. */
function recordsOf(length: number) {
  const slices: number[] = [];
  const value = 'x'.repeat(length);
  const records: Pick<ProfileRecords, 'valuesOf' | 'attributesBy'> = {
    valuesOf: async (_tenantId, ids) => {
      slices.push(ids.length);
      return ids.map(
        (profileId) =>
          ({
            profileId,
            attributeId: 'a',
            items: [{ refId: null, day: null, value }],
          }) as ProfileValue,
      );
    },
    attributesBy: async () => [{ id: 'a', uid: 'notes', dataType: 'text area' }] as never,
  };
  return { slices, records: records as ProfileRecords };
}

async function show(length: number, count: number) {
  const held: number[] = [];
  const { slices, records } = recordsOf(length);
  const memory = { holdBytes: (bytes: number) => held.push(bytes) };
  const shown = await showProfiles(records, 't', profiles(count), { memory });
  const total = held.reduce((sum, bytes) => sum + bytes, 0);
  return { slices, total, shown };
}

test('a small page asks for no memory', async () => {
  const { slices, total, shown } = await show(1_000, 500);
  assert.equal(total, 0);
  assert.equal(shown.length, 500);
  assert.deepEqual(slices, [10, ...Array.from({ length: 9 }, () => 50), 40]);
});

test('a large page counts all of its texts, and reads few profiles at a time', async () => {
  const { slices, total, shown } = await show(MIB, 20);
  assert.equal(total, 20 * MIB);
  assert.deepEqual(slices, [10, 4, 4, 2]);
  assert.deepEqual(shown[19]?.['attributes'], { notes: 'x'.repeat(MIB) });
});

test('a page with more than 64 Mi characters is refused before all of it is read', async () => {
  const { slices, records } = recordsOf(MIB);
  const memory = { holdBytes: () => {} };
  await assert.rejects(showProfiles(records, 't', profiles(500), { memory }), (error) => {
    assert.ok(error instanceof ServiceError);
    assert.equal(error.code, 'request_invalid');
    assert.match(error.message, /more than 67108864 characters: send a lower limit/);
    return true;
  });
  assert.ok(slices.reduce((sum, count) => sum + count) < 70, String(slices));
});

test('a page for which there is no memory is read no further', async () => {
  const { slices, records } = recordsOf(MIB);
  const full = new ServiceError('unavailable', 'full');
  const memory = {
    holdBytes: () => {
      throw full;
    },
  };
  await assert.rejects(showProfiles(records, 't', profiles(500), { memory }), full);
  assert.deepEqual(slices, [10]);
});
