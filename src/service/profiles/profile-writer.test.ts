import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attributeOf } from '../../../test/support/attributes.ts';
import { turnsDuring } from '../../../test/support/turns-during.ts';
import type { ProfileValue } from '../ports/profile-records.ts';
import type { WritableRecords } from '../ports/store.ts';
import { ProfileWriter } from './profile-writer.ts';

test('lets others run while it reads many values of one profile', async () => {
  const attributes = Array.from({ length: 1_000 }, (_, n) =>
    attributeOf({ id: `a${n}`, uid: `u${n}` }),
  );
  const added: ProfileValue[] = [];
  const records = {
    profilesByKey: async () => [],
    usersByKey: async () => [],
    optionsByLabel: async () => [],
    resource: async () => ({ id: 't', profileTypeNamings: [], profileTypeDupAttributes: [] }),
    resourcePage: async () => ({ rows: [], total: null }),
    attributesBy: async () => attributes,
    addProfiles: async () => {},
    updateProfiles: async () => {},
    addValues: async (_tenant: string, values: readonly ProfileValue[]) => added.push(...values),
    putValues: async () => {},
  } as unknown as WritableRecords;
  const sent = Object.fromEntries(attributes.map(({ uid }) => [uid, 'text']));
  const body = { name: 'Ada', profile_type_id: 't', status: 'Active', attributes: sent };
  const writer = new ProfileWriter(records, 'acme', '2026-01-01T00:00:00.000Z');
  const request = { body: new Map(Object.entries(body)), before: null };
  const turns = await turnsDuring(() => writer.write([request]));
  assert.equal(added.length, attributes.length);
  assert.ok(turns >= 15, `${turns} turns`);
});
