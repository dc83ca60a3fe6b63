// suite: slow
// Fixtures: a small company of a file, through `cardea/testing` and the command.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { startServer, type TestServer, type TestTenant } from '../../src/testing/index.ts';
import { commandLine } from '../support/command-line.ts';
import { TestClient } from './client.ts';

const FILE = 'examples/company.yaml';

let server: TestServer;
let tenant: TestTenant;
let client: TestClient;
before(async () => {
  server = await startServer({ now: '2026-01-15T09:00:00Z' });
  tenant = await server.createTenant({ fixture: FILE });
  client = new TestClient(tenant);
});
after(() => server.close());

const document = async (index: string, query: string) => {
  const body = { indices: [index], query: { query } };
  const answer = await client.call('POST', '/v2024/search', body);
  const [first, ...more] = (await answer.json()) as Record<string, unknown>[];
  assert.deepEqual(more, []);
  assert.ok(first, query);
  return first;
};

test('people have accounts, a manager, and the access that their roles contain', async () => {
  const ada = await document('identities', 'name:ada');
  const { access, manager, accountCount, roleCount, accessProfileCount, entitlementCount } = ada;
  assert.deepEqual(
    (access as { name: string; type: string }[]).map(({ type, name }) => `${type} ${name}`),
    ['ROLE Engineer', 'ACCESS_PROFILE Server access', 'ENTITLEMENT Servers', 'ENTITLEMENT VPN'],
  );
  assert.deepEqual([accountCount, roleCount, accessProfileCount, entitlementCount], [2, 1, 1, 2]);
  const grace = await document('identities', 'isManager:true');
  assert.deepEqual(manager, { id: grace['id'], name: 'grace', displayName: 'Grace Hopper' });
  assert.equal(ada['created'], '2026-01-15T00:00:00.000Z');
  const standalone = await client.ids('identities', '@access(standalone:true)');
  assert.deepEqual(standalone, [grace['id']]);
  const open = 'inactive:true AND @accounts(disabled:false AND source.name:Directory)';
  assert.deepEqual(await client.ids('identities', open), [grace['id']]);
});

test('roles, access profiles and entitlements refer to each other', async () => {
  const role = await document('roles', 'name:Engineer');
  const profile = await document('accessprofiles', 'owner.name:grace');
  const entitlement = await document('entitlements', 'privileged:true');
  const idsOf = (value: unknown) => (value as { id: string }[]).map(({ id }) => id);
  assert.deepEqual(idsOf(role['accessProfiles']), [profile['id']]);
  assert.deepEqual(idsOf(profile['entitlements']), [entitlement['id']]);
});

test('accounts and sources of people are listed', async () => {
  const list = async <Item>(path: string): Promise<Item[]> => {
    const answer = await client.call('GET', path);
    assert.equal(answer.status, 200);
    return (await answer.json()) as Item[];
  };
  const accounts = await list<{ sourceName: string; identity: { name: string } }>(
    '/v2026/accounts?sorters=identity.name,source.displayableName',
  );
  assert.deepEqual(
    accounts.map(({ sourceName, identity }) => `${identity.name}: ${sourceName}`),
    ['Ada Lovelace: Directory', 'Ada Lovelace: Payroll', 'Grace Hopper: Directory'],
  );
  const sources = await list<{ name: string }>('/v2026/sources?sorters=name');
  assert.deepEqual(
    sources.map(({ name }) => name),
    ['Directory', 'Payroll'],
  );
  const [role] = await list<{ id: string }>('/v2026/roles');
  const holders = await list<{ aliasName: string }>(`/v2026/roles/${role?.id}/assigned-identities`);
  assert.deepEqual(
    holders.map(({ aliasName }) => aliasName),
    ['ada'],
  );
});

test('identities with capabilities are auth users', async () => {
  const { id } = await document('identities', 'name:ada');
  const user = await client.call('GET', `/v2024/auth-users/${id}`);
  const { uid, capabilities } = (await user.json()) as { uid: string; capabilities: string[] };
  assert.deepEqual([uid, capabilities], ['ada', ['HELPDESK']]);
  const { id: other } = await document('identities', 'name:grace');
  assert.equal((await client.call('GET', `/v2024/auth-users/${other}`)).status, 404);
});

test('profiles are in profile management', async () => {
  const answer = await fetch(`${tenant.baseUrl}/api/profiles`, {
    headers: { authorization: `Bearer ${tenant.credentials.apiKey}` },
  });
  const [linus] = (await answer.json()) as { name: string; attributes: object }[];
  assert.equal(linus?.name, 'Linus');
  assert.deepEqual(linus?.attributes, { first_name: 'Linus' });
});

const wrong: readonly [object, RegExp][] = [
  [{ identities: [{ nmae: 'x' }] }, /identities\[0\]: "nmae" is not a member/],
  [{ identities: [{ name: 'x', accounts: [{}] }] }, /identities\[0\]\.accounts\[0\]: .*'source'/],
  [{ identities: [{ name: 'x', access: ['y'] }] }, /identities x\.access: there is no .* called y/],
  [{ identities: [{ name: 'x', manager: 'y' }] }, /identities x\.manager: there is none called y/],
  [{ identities: [{ name: 'x' }, { name: 'x' }] }, /identities\[1\]\.name: there are two called x/],
  [{ roles: [{ name: 'x', owner: 'y' }] }, /roles x\.owner: there is none called y/],
  [{ profiles: [{ name: 'x', type: 'y' }] }, /profiles x\.type: there is none called y/],
];
for (const [fixture, reason] of wrong) {
  test(`rejects ${JSON.stringify(fixture)}`, async () => {
    await assert.rejects(server.createTenant({ fixture }), reason);
  });
}

test('the command takes a file, and names what is wrong with it', async () => {
  const line = commandLine(['start', '--ephemeral', '--print-env', '--fixture', FILE]);
  const [text] = await line.shows(/^\{.*\}$/m);
  const found = await new TestClient(JSON.parse(text)).ids('identities', '*');
  assert.equal(found.length, 2);
  line.interrupt();
  assert.equal(await line.ended, 0);
  const missing = commandLine(['start', '--ephemeral', '--fixture', 'nowhere.yaml']);
  assert.equal(await missing.ended, 2);
  assert.match(missing.err(), /The fixture nowhere\.yaml cannot be read: it does not exist/);
  const broken = commandLine(['start', '--ephemeral', '--fixture', 'LICENSE']);
  assert.equal(await broken.ended, 2);
  assert.match(broken.err(), /The fixture is not valid/);
});

test('the schema accepts the example and is a schema', () => {
  const ajv = new Ajv({ strict: true });
  const schema = JSON.parse(readFileSync('docs/fixture.schema.json', 'utf8')) as object;
  assert.equal(ajv.validateSchema(schema), true, ajv.errorsText());
  assert.equal(ajv.validate(schema, parse(readFileSync(FILE, 'utf8'))), true, ajv.errorsText());
});
