// suite: slow
// The profile management of a mirror: every collection of the remote tenant answers the same here,
// and changes and deletions arrive.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startTenant, type TestTenant } from 'cardea/testing';
import { commandLine } from '../support/command-line.ts';
import { assertNowhere, mirrored, mirrorOf, serveMirror } from '../support/remote-tenant.ts';
import { TestClient } from '../testing/client.ts';

const COLLECTIONS = [
  ...['profile_types', 'ne_attributes', 'ne_attribute_options', 'users', 'roles', 'user_roles'],
  ...['role_profiles', 'user_profiles', 'user_managers', 'risk_levels', 'risk_scores', 'profiles'],
];
/** Ids of items inside a profile type, which the copy generates itself. */
const OWN_IDS = /"(?:id|uid)":"[^"]*","(?:uid":"[^"]*",")?profile_type_id/g;

const directory = mkdtempSync(join(tmpdir(), 'cardea-mirror-profiles-'));
after(() => rmSync(directory, { recursive: true, force: true }));
const dataDir = join(directory, 'data');
let tenant: TestTenant;
before(async () => {
  tenant = await startTenant({ identities: 150, profiles: 150, seed: 11 });
});
after(() => tenant.close());

async function records(client: TestClient, collection: string): Promise<string[]> {
  const all: string[] = [];
  for (let offset = 0; ; offset += 100) {
    const path = `/api/${collection}?order=id&limit=100&offset=${offset}`;
    const answer = await client.call('GET', path);
    const rows = (await answer.json()) as object[];
    assert.ok(Array.isArray(rows), `${path}: ${JSON.stringify(rows)}`);
    all.push(...rows.map((row) => JSON.stringify(row).replace(OWN_IDS, '')));
    if (rows.length < 100) return all;
  }
}

async function assertSameRecords(): Promise<void> {
  const here = await serveMirror(dataDir, tenant.credentials.tenant);
  try {
    const [ours, theirs] = [new TestClient(here), new TestClient(tenant)];
    for (const collection of COLLECTIONS) {
      assert.deepEqual(
        await records(ours, collection),
        await records(theirs, collection),
        collection,
      );
    }
  } finally {
    await here.close();
  }
}

const run = (...flags: string[]) =>
  mirrored(tenant, dataDir, ['--rate', 'off', '--profiles-from', tenant.baseUrl, ...flags]);

test('copies all collections', async () => {
  const report = await run();
  const status = commandLine(['mirror', '--status', '--data-dir', dataDir]);
  assert.equal(await status.ended, 0);
  assert.deepEqual([report.code, report.faults, report.counts.refused], [0, [], 0], status.out());
  await assertSameRecords();
  assertNowhere(dataDir, tenant.credentials.apiKey);
});

test('refuses to mix the profiles of two services', async () => {
  const { args, env } = mirrorOf(tenant, dataDir, ['--profiles-from', 'https://b.example']);
  const line = commandLine([...args], { env });
  assert.equal(await line.ended, 1);
  assert.match(line.err(), /Tenant \w+ mirrors the profiles of http:.*: choose another name/);
});

test('brings changes and deletions of profiles and of the records that describe them', async () => {
  const client = new TestClient(tenant);
  const first = async (collection: string) => {
    const answer = await client.call('GET', `/api/${collection}?order=id&limit=2`);
    return (await answer.json()) as { id: string }[];
  };
  const [changed, deleted] = await first('profiles');
  const patch = { profile: { status: 'On Leave', attributes: { phone: '' } } };
  assert.equal((await client.call('PATCH', `/api/profiles/${changed?.id}`, patch)).status, 200);
  assert.equal((await client.call('DELETE', `/api/profiles/${deleted?.id}`)).status, 204);
  const [user] = await first('users');
  const title = { user: { title: 'Renamed' } };
  assert.equal((await client.call('PATCH', `/api/users/${user?.id}`, title)).status, 200);
  const [, option] = await first('ne_attribute_options');
  assert.equal(
    (await client.call('DELETE', `/api/ne_attribute_options/${option?.id}`)).status,
    200,
  );
  const report = await run('--sweep-every', '0s');
  assert.deepEqual([report.code, report.faults], [0, []], report.err);
  assert.ok(report.counts.deleted >= 2 && report.counts.updated >= 2, JSON.stringify(report));
  await assertSameRecords();
});

test('copies a profile that rules of its attributes, added later, would refuse', async () => {
  const client = new TestClient(tenant);
  const answer = await client.call('GET', '/api/profiles?order=id&limit=1');
  const [profile] = (await answer.json()) as { id: string }[];
  const text = { profile: { attributes: { phone: 'extension 7' } } };
  assert.equal((await client.call('PATCH', `/api/profiles/${profile?.id}`, text)).status, 200);
  const rule = { validations_attributes: [{ validation_method: 'numericality' }] };
  const changed = await client.call('PATCH', '/api/ne_attributes/phone', { ne_attribute: rule });
  assert.equal(changed.status, 200);
  const report = await run();
  assert.deepEqual([report.code, report.faults, report.counts.refused], [0, [], 0], report.err);
  await assertSameRecords();
});

test('finds no difference with --verify, then one in a value and a missing profile', async () => {
  const equal = await run('--verify');
  assert.deepEqual([equal.code, equal.equal, equal.differences], [0, true, []], equal.err);
  const profiles = equal.parts.find(({ part }: { part: string }) => part.endsWith('profiles'));
  assert.ok(profiles.compared > 30 && profiles.here === profiles.there, JSON.stringify(profiles));
  const here = await serveMirror(dataDir, tenant.credentials.tenant);
  const ids: string[] = [];
  try {
    const client = new TestClient(here);
    const answer = await client.call('GET', '/api/profiles?order=id&limit=2');
    ids.push(...((await answer.json()) as { id: string }[]).map(({ id }) => id));
    const patch = { profile: { attributes: { job_title: 'planted' } } };
    assert.equal((await client.call('PATCH', `/api/profiles/${ids[0]}`, patch)).status, 200);
    assert.equal((await client.call('DELETE', `/api/profiles/${ids[1]}`)).status, 204);
  } finally {
    await here.close();
  }
  const differs = await run('--verify');
  assert.deepEqual([differs.code, differs.equal], [1, false]);
  const fields = differs.differences.map(({ id, field }: { id: string; field: string }) => [
    id,
    field,
  ]);
  // Others showed the name of the deleted profile.
  const planted = fields.filter(([id = '', field]: string[]) => {
    return ids.includes(id) && field !== 'updated_at';
  });
  assert.deepEqual(planted, [
    [ids[0], 'attributes.job_title'],
    [ids[1], ''],
  ]);
});
