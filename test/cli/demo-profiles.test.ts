// suite: slow
// The profile management of the demo, through the use cases and over HTTP: all of it is taken, putting it again changes
// nothing, and its advanced searches find somebody.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { DemoProfiles } from '../../src/demo/profiles.ts';
import { type Call, withApiKey } from '../support/api-key.ts';
import { putDemoProfiles } from '../support/demo-profiles.ts';
import { type RunningService, startService } from '../support/service.ts';

const PROFILES = 600;
const date = new Date().toISOString();

describe('the profiles of the demo', () => {
  let service: RunningService;
  let call: Call;
  let demo: DemoProfiles;
  before(async () => {
    service = await startService();
    ({ call } = await withApiKey(service));
    demo = await putDemoProfiles(service, PROFILES, date);
  });
  after(() => service.stop());

  const total = async (path: string) => {
    const { status, body } = await call('GET', `/api/${path}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body._metadata.total as number;
  };

  test('are all there, with what describes them', async () => {
    const archived = await total('profiles?metadata=true&limit=1&archived=true');
    assert.equal(archived + (await total('profiles?metadata=true&limit=1')), PROFILES);
    for (const list of ['users', 'roles', 'user_roles', 'user_managers', 'ne_attribute_options'])
      assert.ok((await total(`${list}?metadata=true&limit=1`)) > 0, list);
    assert.equal(await total('profile_types?metadata=true'), 4);
    assert.equal(await total('risk_levels?metadata=true'), 4);
  });

  test('show what they were made with', async () => {
    for (const profile of [...demo.profiles()].filter((_, n) => n % 40 === 0)) {
      const { status, body } = await call('GET', `/api/profiles/${profile['uid']}`);
      assert.equal(status, 200);
      const { name, id, created_at, updated_at, archived } = body.profile;
      assert.deepEqual(
        { name, id, created_at, updated_at, archived },
        Object.fromEntries(
          ['name', 'id', 'created_at', 'updated_at', 'archived'].map((key) => [key, profile[key]]),
        ),
      );
      const given = Object.entries(profile['attributes'] as object).filter(([, v]) => v !== '');
      assert.deepEqual(
        Object.keys(body.profile.attributes),
        given.map(([uid]) => uid).sort(),
        String(profile['uid']),
      );
    }
  });

  test('find somebody by each advanced search that is kept', async () => {
    const searches = demo.searches();
    assert.ok(searches.length >= 6);
    for (const { uid, label } of searches) {
      const count = await total(`advanced_search/${uid}/run?metadata=true&limit=5`);
      assert.ok(count > 0 && count < PROFILES, `${label}: ${count}`);
    }
  });

  test('stay as they are when they are put again, and leave no event', async () => {
    const shown = await call('GET', '/api/profiles?limit=500');
    const sequence = await service.cardea.store.read.lastSequence();
    await putDemoProfiles(service, PROFILES, date);
    assert.deepEqual((await call('GET', '/api/profiles?limit=500')).body, shown.body);
    assert.equal(await service.cardea.store.read.lastSequence(), sequence);
  });
});
