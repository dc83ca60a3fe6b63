// suite: slow
// What ends tokens before they expire: revocation, signing out, disabling and deleting a user; and what introspection tells of
// them meanwhile.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { decodeJwt } from 'jose';
import { addTenant, addUser, type Party, tokenOf } from '../support/callers.ts';
import { documented } from '../support/documented.ts';
import { eventually } from '../support/eventually.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;
before(async () => {
  service = await startService();
});
after(() => service.stop());

type Answer = Readonly<Record<string, unknown>>;
type Credentials = Pick<Party, 'clientId' | 'clientSecret'>;

const basic = ({ clientId, clientSecret }: Credentials): string =>
  `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;

async function ask(
  path: '/oauth/introspect' | '/oauth/revoke' | '/oauth/token',
  parameters: Record<string, string>,
  authorization?: string,
): Promise<{ readonly status: number; readonly body: Answer }> {
  const answer = await fetch(`${service.url}${path}`, {
    method: 'POST',
    body: new URLSearchParams(parameters),
    ...(authorization === undefined ? {} : { headers: { authorization } }),
  });
  const text = await (await documented('POST', path, answer)).text();
  return { status: answer.status, body: text === '' ? {} : JSON.parse(text) };
}

const introspect = async (token: string, authorization: string): Promise<Answer> =>
  (await ask('/oauth/introspect', { token }, authorization)).body;

/** The status of a request with the token that every user's token may make. */
async function use(token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(`${service.url}/v3/personal-access-tokens?owner-id=me`, { headers })).status;
}

const refused = (token: string) => eventually(async () => assert.equal(await use(token), 401));
const accepted = (token: string) => eventually(async () => assert.equal(await use(token), 200));

async function newClient(body: object = {}): Promise<Credentials> {
  const answer = await service.call('POST', '/v3/oauth-clients', { name: 'client', ...body });
  const { id, secret } = (await answer.json()) as { id: string; secret: string };
  return { clientId: id, clientSecret: secret };
}

test('a client sees its own token and no other', async () => {
  const party = await addUser(service, { scope: ['sp:search:read'] });
  const token = await tokenOf(service.url, party);
  const { iat, exp, jti, ...described } = await introspect(token, basic(party));
  assert.deepEqual(described, {
    ...{ active: true, token_type: 'bearer', scope: 'sp:search:read', client_id: party.clientId },
    ...{ username: party.userId, sub: party.userId, iss: 'cardea', aud: 'cardea' },
    tenant_id: service.tenantId,
  });
  assert.equal(Number(exp) - Number(iat), 43_200);
  assert.match(String(jti), /^[0-9a-f]{32}$/);
  const byParameters = { token, client_id: party.clientId, client_secret: party.clientSecret };
  assert.equal((await ask('/oauth/introspect', byParameters)).body['active'], true);
  assert.deepEqual(await introspect(token, basic(await newClient())), { active: false });
});

test('an administrator sees the tokens of the tenant, anybody the token itself', async () => {
  const party = await addUser(service, {});
  const token = await tokenOf(service.url, party);
  const administrator = `Bearer ${await service.token()}`;
  assert.equal((await introspect(token, administrator))['active'], true);
  assert.equal((await introspect(token, `Bearer ${token}`))['active'], true);
  const sibling = await tokenOf(service.url, party);
  assert.deepEqual(await introspect(token, `Bearer ${sibling}`), { active: false });
  const elsewhere = `Bearer ${await tokenOf(service.url, await addTenant(service, 'elsewhere'))}`;
  assert.deepEqual(await introspect(token, elsewhere), { active: false });
  const { status, body } = await ask('/oauth/revoke', { token }, elsewhere);
  assert.deepEqual([status, body['error']], [400, 'unauthorized_client']);
  await accepted(token);
});

const FAULTS: readonly (readonly [
  name: string,
  parameters: Record<string, string>,
  authorization: string | undefined,
  status: number,
  error: string,
])[] = [
  ['without a client', { token: 't' }, undefined, 400, 'invalid_request'],
  ['with a wrong secret', { token: 't' }, 'Basic eDp5', 401, 'invalid_client'],
  ['with a wrong access token', { token: 't' }, 'Bearer x.y.z', 401, 'invalid_client'],
];
for (const path of ['/oauth/introspect', '/oauth/revoke'] as const) {
  for (const [name, parameters, authorization, status, error] of FAULTS) {
    test(`${path} ${name} is ${status} ${error}`, async () => {
      const answer = await ask(path, parameters, authorization);
      assert.deepEqual([answer.status, answer.body['error']], [status, error]);
    });
  }

  test(`${path} takes neither token nor secret from the query`, async () => {
    const party = await addUser(service, {});
    const token = await tokenOf(service.url, party);
    const query = new URLSearchParams({
      ...{ token, client_id: party.clientId, client_secret: party.clientSecret },
    });
    const answer = await fetch(`${service.url}${path}?${query}`, { method: 'POST' });
    assert.equal(answer.status, 400);
    await accepted(token);
  });

  test(`${path} needs a token`, async () => {
    const answer = await ask(path, {}, basic(await newClient()));
    assert.deepEqual([answer.status, answer.body['error']], [400, 'invalid_request']);
  });
}

test('a revoked access token is refused, others of its client go on', async () => {
  const party = await addUser(service, {});
  const [revoked, other] = [await tokenOf(service.url, party), await tokenOf(service.url, party)];
  const answer = await ask('/oauth/revoke', { token: revoked }, basic(party));
  assert.deepEqual(answer, { status: 200, body: {} });
  await refused(revoked);
  assert.deepEqual(await introspect(revoked, basic(party)), { active: false });
  await accepted(other);
  const again = await ask('/oauth/revoke', { token: revoked }, basic(party));
  assert.equal(again.status, 200);
});

test('a token that is unknown counts as revoked', async () => {
  const client = await newClient();
  for (const token of ['x', 'x.y.z', `${'0'.repeat(32)}.${'0'.repeat(64)}`]) {
    assert.equal((await ask('/oauth/revoke', { token }, basic(client))).status, 200);
    assert.deepEqual(await introspect(token, basic(client)), { active: false });
  }
});

test('the token of another client is not revoked', async () => {
  const party = await addUser(service, {});
  const token = await tokenOf(service.url, party);
  const { status, body } = await ask('/oauth/revoke', { token }, basic(await newClient()));
  assert.deepEqual([status, body['error']], [400, 'unauthorized_client']);
  await accepted(token);
});

test('a refresh token ends with all access tokens of its family', async () => {
  const client = await newClient({ grantTypes: ['CLIENT_CREDENTIALS', 'REFRESH_TOKEN'] });
  const credentials = { client_id: client.clientId, client_secret: client.clientSecret };
  const issue = async (parameters: Record<string, string>) =>
    (await ask('/oauth/token', { ...credentials, ...parameters })).body;
  const first = await issue({ grant_type: 'client_credentials' });
  const second = await issue({
    grant_type: 'refresh_token',
    refresh_token: String(first['refresh_token']),
  });
  const other = await issue({ grant_type: 'client_credentials' });
  const refreshToken = String(second['refresh_token']);
  const described = await introspect(refreshToken, basic(client));
  assert.deepEqual([described['active'], described['token_type']], [true, 'refresh_token']);
  assert.deepEqual(await introspect(String(first['refresh_token']), basic(client)), {
    active: false,
  });
  const stranger = await ask('/oauth/revoke', { token: refreshToken }, basic(await newClient()));
  assert.equal(stranger.body['error'], 'unauthorized_client');

  assert.equal((await ask('/oauth/revoke', { token: refreshToken }, basic(client))).status, 200);
  const active = async (answer: Answer) =>
    (await introspect(String(answer['access_token']), basic(client)))['active'];
  await eventually(async () => {
    assert.deepEqual([await active(first), await active(second)], [false, false]);
  });
  assert.equal(await active(other), true);
  assert.deepEqual(await introspect(refreshToken, basic(client)), { active: false });
  const spent = await issue({ grant_type: 'refresh_token', refresh_token: refreshToken });
  assert.equal(spent['error'], 'invalid_grant');
});

test('signing out ends the tokens of the user that were issued before, and no others', async () => {
  const party = await addUser(service, {});
  const before = await tokenOf(service.url, party);
  const bystander = await tokenOf(service.url, await addUser(service, {}));
  assert.equal((await party.call('POST', '/oauth/sign-out')).status, 204);
  await refused(before);
  await accepted(await tokenOf(service.url, party));
  await accepted(bystander);
});

test('signing oneself out takes a token that may manage tokens', async () => {
  const { call } = await addUser(service, { scope: ['sp:search:read'] });
  assert.equal((await call('POST', '/oauth/sign-out')).status, 403);
  const client = await tokenOf(service.url, await newClient());
  const headers = { authorization: `Bearer ${client}` };
  assert.equal((await service.call('POST', '/oauth/sign-out', undefined, headers)).status, 403);
});

const userPath = (id: string) => `/admin/v1/auth-users/${id}`;

test('an administrator signs a user out', async () => {
  const party = await addUser(service, {});
  const before = await tokenOf(service.url, party);
  const path = `${userPath(party.userId)}/sign-out`;
  assert.equal((await service.call('POST', path)).status, 204);
  await refused(before);
  await accepted(await tokenOf(service.url, party));
  const shown = (await (await service.call('GET', userPath(party.userId))).json()) as Answer;
  assert.match(String(shown['tokensValidFrom']), /^\d{4}-.*Z$/);
});

test('signing out again and again ends the tokens issued since, and none that are issued later', async () => {
  const party = await addUser(service, {});
  const path = `${userPath(party.userId)}/sign-out`;
  for (let times = 0; times < 5; times++) {
    const token = await tokenOf(service.url, party);
    await accepted(token);
    assert.equal((await service.call('POST', path)).status, 204);
    await refused(token);
  }
  for (let times = 0; times < 10; times++) await service.call('POST', path);
  const shown = (await (await service.call('GET', userPath(party.userId))).json()) as Answer;
  const aheadMs = Date.parse(String(shown['tokensValidFrom'])) - Date.now();
  assert.ok(aheadMs <= 1_000, `${aheadMs} ms ahead`);
  const token = await tokenOf(service.url, party);
  await accepted(token);
  const { iat = 0 } = decodeJwt(token);
  assert.ok(iat * 1000 <= Date.now(), 'no token is issued ahead of time');
});

test('a disabled user has no tokens; enabled again it gets new ones, and the old ones stay ended', async () => {
  const party = await addUser(service, {});
  const before = await tokenOf(service.url, party);
  const set = async (enabled: boolean) =>
    (await (await service.call('PATCH', userPath(party.userId), { enabled })).json()) as Answer;
  assert.equal((await set(false))['enabled'], false);
  await refused(before);
  await eventually(() => assert.rejects(tokenOf(service.url, party), /401.*invalid_client/));
  const asParty = await ask('/oauth/introspect', { token: before }, basic(party));
  assert.equal(asParty.status, 401);
  assert.equal((await set(true))['enabled'], true);
  let after = '';
  await eventually(async () => {
    after = await tokenOf(service.url, party);
  });
  await accepted(after);
  await refused(before);
});

test('a deleted user is gone with its tokens and credentials', async () => {
  const party = await addUser(service, {});
  const before = await tokenOf(service.url, party);
  assert.equal((await service.call('DELETE', userPath(party.userId))).status, 204);
  await refused(before);
  await eventually(() => assert.rejects(tokenOf(service.url, party), /401/));
  assert.equal((await service.call('GET', userPath(party.userId))).status, 404);
  assert.equal((await service.call('DELETE', userPath(party.userId))).status, 404);
  assert.equal((await service.call('GET', `/v3/auth-users/${party.userId}`)).status, 404);
});

test('what a token of a disabled user has created ends with it, and tokens stay ended when the user is enabled', async () => {
  // Under the policy `vendor` the client and the key are the tenant's, and go on.
  const ended = service.policy === 'strict' ? 401 : 200;
  const maker = await addUser(service, { capabilities: ['ORG_ADMIN'] });
  const grantTypes = ['CLIENT_CREDENTIALS', 'REFRESH_TOKEN'];
  const made = await maker.call('POST', '/v3/oauth-clients', { name: 'child', grantTypes });
  const { id, secret } = (await made.json()) as { id: string; secret: string };
  const { body } = await ask('/oauth/token', {
    ...{ grant_type: 'client_credentials', client_id: id, client_secret: secret },
  });
  const [token, refreshToken] = [String(body['access_token']), String(body['refresh_token'])];
  const administrator = `Bearer ${await service.token()}`;
  const { apiKey } = (await (
    await maker.call('POST', '/admin/v1/api-keys', { name: 'child' })
  ).json()) as { apiKey: string };
  const search = async (bearer: string, path: string) =>
    (await fetch(`${service.url}${path}`, { headers: { authorization: `Bearer ${bearer}` } }))
      .status;
  const opens = (tokens: number, key: number) =>
    eventually(async () => {
      assert.equal(await search(token, '/v3/search/roles/nothing'), tokens === 200 ? 404 : tokens);
      assert.equal(await search(apiKey, '/api/profile_types'), key);
      const { active } = await introspect(refreshToken, administrator);
      assert.equal(active, tokens === 200);
    });
  await opens(200, 200);
  const set = (enabled: boolean) => service.call('PATCH', userPath(maker.userId), { enabled });
  await set(false);
  await opens(ended, ended);
  await set(true);
  await opens(ended, 200);
  const again = await tokenOf(service.url, { clientId: id, clientSecret: secret });
  assert.equal(await search(again, '/v3/search/roles/nothing'), 404);
  await service.call('DELETE', userPath(maker.userId));
  await opens(ended, ended);
});

test('the last enabled administrator can be neither disabled nor deleted', async () => {
  const { userId } = await addUser(service, { capabilities: ['ORG_ADMIN'] });
  const disable = (id: string) => service.call('PATCH', userPath(id), { enabled: false });
  assert.equal((await disable(userId)).status, 200);
  const refusals = [
    await disable(service.adminId),
    await service.call('DELETE', userPath(service.adminId)),
  ];
  for (const refusal of refusals) {
    const { detailCode, causes } = (await refusal.json()) as {
      detailCode: string;
      causes: { text: string }[];
    };
    assert.equal(detailCode, '400.1.3 Illegal value');
    assert.match(causes[0]?.text ?? '', /at least one enabled user with ORG_ADMIN/);
  }
  const shown = (await (await service.call('GET', userPath(service.adminId))).json()) as Answer;
  assert.equal(shown['enabled'], true);
});

const BAD_CHANGES: readonly unknown[] = [{}, [], { enabled: 'no' }, { enabled: true, uid: 'x' }];
for (const body of BAD_CHANGES) {
  test(`${JSON.stringify(body)} is no change of a user`, async () => {
    const answer = await service.call('PATCH', userPath(service.adminId), body);
    const { causes } = (await answer.json()) as { causes: { text: string }[] };
    assert.equal(answer.status, 400);
    assert.match(causes[0]?.text ?? '', /"enabled": true/);
  });
}

test('only an administrator acts on other users, and only on those of the tenant', async () => {
  const { userId } = await addUser(service, {});
  const helper = await addUser(service, { capabilities: ['HELPDESK'] });
  const searcher = await addUser(service, {
    capabilities: ['ORG_ADMIN'],
    scope: ['sp:search:read'],
  });
  const foreigner = await addTenant(service, 'foreign');
  for (const [{ call }, status] of [
    [helper, 403],
    [searcher, 403],
    [foreigner, 404],
  ] as const) {
    const answers = [
      await call('GET', userPath(userId)),
      await call('PATCH', userPath(userId), { enabled: false }),
      await call('DELETE', userPath(userId)),
      await call('POST', `${userPath(userId)}/sign-out`),
    ];
    assert.deepEqual(
      answers.map((answer) => answer.status),
      [status, status, status, status],
    );
  }
});

test('each of these leaves one event that says who did it', async () => {
  const party = await addUser(service, {});
  const token = await tokenOf(service.url, party);
  await ask('/oauth/revoke', { token }, `Bearer ${await service.token()}`);
  await service.call('POST', `${userPath(party.userId)}/sign-out`);
  await service.call('PATCH', userPath(party.userId), { enabled: false });
  await service.call('PATCH', userPath(party.userId), { enabled: false });
  await service.call('PATCH', userPath(party.userId), { enabled: true });
  await service.call('DELETE', userPath(party.userId));
  await eventually(async () => {
    const search = {
      indices: ['events'],
      query: { query: `target.name:"${party.userId}" OR attributes.clientId:"${party.clientId}"` },
    };
    const answer = await service.call('POST', '/v3/search', search);
    const events = (await answer.json()) as { action: string; actor: { name: string } }[];
    const lines = events.map(({ action, actor }) => `${action} by ${actor.name}`).sort();
    assert.deepEqual(
      lines.filter((text) => !/^(PERSONAL_ACCESS_TOKEN_\w+|ImportAuthUsers) /.test(text)),
      [
        'DisableAuthUser by test.admin',
        'EnableAuthUser by test.admin',
        'RevokeAccessToken by test.admin',
        'SignOutAuthUser by test.admin',
        'USER_DELETE by test.admin',
      ],
    );
  });
});
