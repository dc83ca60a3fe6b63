// The day that rules about dates call Today.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withApiKey } from '../support/api-key.ts';
import { profileWorld } from '../support/profile-world.ts';
import { startService } from '../support/service.ts';

const HOUR_MS = 3_600_000;

test('rules about dates count from the current day of the time zone that is set', async () => {
  // A zone where it is another day than in UTC, and not about to be the next one.
  const hours = new Date().getUTCHours() < 11 ? -12 : 14;
  const service = await startService({
    CARDEA_PROFILE_TIME_ZONE: hours < 0 ? '-12:00' : '+14:00',
  });
  try {
    const { call } = await withApiKey(service);
    const world = await profileWorld(call);
    const day = new Date(Date.now() + hours * HOUR_MS).toISOString().slice(0, 10);
    await world.profile({ iso: day }, { name: 'today' });
    const rule = {
      ...{ type: 'ProfileAttributeRule', object_type: 'NeAttribute', condition_object_id: 'iso' },
      ...{ comparison_operator: '==', value: '0 after' },
    };
    const search = { advanced_search: { condition_rules_attributes: [rule] } };
    const { body } = await call('POST', '/api/advanced_search/run', search);
    assert.deepEqual(
      body.profiles.map(({ name }: { name: string }) => name),
      ['today'],
    );
  } finally {
    await service.stop();
  }
});
