// The examples of docs/profiles.md are taken. Filters and orders of lists are in the OpenAPI document, from their descriptors
// (scripts/openapi-lists.ts).
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { type Call, withApiKey } from '../support/api-key.ts';
import { type RunningService, startService } from '../support/service.ts';

const page = readFileSync('docs/profiles.md', 'utf8');

let service: RunningService;
let call: Call;
before(async () => {
  service = await startService();
  ({ call } = await withApiKey(service));
});
after(() => service.stop());

test('the profile type of docs/profiles.md is taken', async () => {
  const example = /```json\n(\{"profile_type".*?)\n```/s.exec(page)?.[1] ?? '';
  for (const [, uid] of example.matchAll(/"ne_attribute_id":"(\w+)"/g)) {
    const ne_attribute = { uid, label: uid, data_type: 'text field' };
    assert.equal((await call('POST', '/api/ne_attributes', { ne_attribute })).status, 201);
  }
  const { status, body } = await call('POST', '/api/profile_type', example);
  assert.equal(status, 200);
  assert.equal(body.profile_type.profile_type_namings.length, 2);
});

test('the refusal of docs/profiles.md is the one that is answered', async () => {
  const example = /```json\n(\{"error":"The users.*?)\n```/s.exec(page)?.[1] ?? '';
  const user = { name: 'x', email: 'x', type: 'NeprofileUser', login: 'x' };
  const { body } = await call('POST', '/api/users', { users: [user, user] });
  assert.deepEqual(body, JSON.parse(example));
});

test('the profile of docs/profiles.md is taken', async () => {
  const example = JSON.parse(/```json\n(\{"profile":.*?)\n```/s.exec(page)?.[1] ?? '');
  const uid = example.profile.profile_type_id;
  await call('POST', '/api/profile_type', { profile_type: { name: 'Contractor', uid } });
  const user = { name: 'Mira Solano', email: 'mira@acme.test', login: 'mira' };
  const sponsor = { ...user, type: 'NeprofileUser', uid: example.profile.attributes.sponsor };
  await call('POST', '/api/user', { user: sponsor });
  for (const [uid, data_type] of [
    ['start_date', 'date'],
    ['skills', 'tags'],
    ['sponsor', 'owner select'],
  ])
    await call('POST', '/api/ne_attributes', { ne_attribute: { uid, label: uid, data_type } });
  for (const option of example.profile.attributes.skills) {
    const ne_attribute_option = { ne_attribute_id: 'skills', option };
    await call('POST', '/api/ne_attribute_option', { ne_attribute_option });
  }
  const profile = { name: 'x', ...example.profile };
  const { status, body } = await call('POST', '/api/profile', { profile });
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(body.profile.attributes, {
    ...{ first_name: 'Ines', skills: 'Welding, Heights', start_date: '02/28/2026' },
    sponsor: 'Mira Solano (mira@acme.test)',
  });
});
