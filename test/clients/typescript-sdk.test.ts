// The official npm client, unmodified, against a served tenant over real HTTP: what it sends is what it sends.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  AuthUsersApi,
  AuthUsersV2024Api,
  Configuration,
  OAuthClientsApi,
  OAuthClientsBetaApi,
  OAuthClientsV2024Api,
  Paginator,
  PersonalAccessTokensApi,
  PersonalAccessTokensBetaApi,
  SavedSearchApi,
  SavedSearchV2024Api,
  ScheduledSearchApi,
  ScheduledSearchV2024Api,
  SearchApi,
  SearchV2024Api,
} from 'sailpoint-api-client';
import { eventually } from '../support/eventually.ts';
import { type RunningService, startService } from '../support/service.ts';

/** Every member that the type of the client library has and a caller can choose. */
const API_CLIENT = {
  ...{ businessName: 'Acme-Solar', homepageUrl: 'http://localhost:12345', name: 'Demo API Client' },
  ...{ description: 'Copies roles to the warehouse', accessTokenValiditySeconds: 750 },
  ...{ refreshTokenValiditySeconds: 86_400, redirectUris: ['http://localhost:12345'] },
  grantTypes: [
    'AUTHORIZATION_CODE' as const,
    'CLIENT_CREDENTIALS' as const,
    'REFRESH_TOKEN' as const,
  ],
  ...{ accessType: 'OFFLINE' as const, enabled: true, strongAuthSupported: false },
  ...{ claimsSupported: false, scope: ['sp:search:read'] },
};

const withStatus = (status: number) => (error: { response?: { status: number } }) =>
  error.response?.status === status;

let service: RunningService;
let configuration: Configuration;

before(async () => {
  service = await startService();
  process.env['SAIL_BASE_URL'] = service.url;
  process.env['SAIL_CLIENT_ID'] = service.clientId;
  process.env['SAIL_CLIENT_SECRET'] = service.clientSecret;
  configuration = new Configuration();
});
after(() => service.stop());

test('the client gets a token from its environment variables alone', async () => {
  const token = await configuration.accessToken;
  assert.match(String(token), /^[\w-]+\.[\w-]+\.[\w-]+$/);
});

test('the client reads an auth user', async () => {
  const { data } = await new AuthUsersApi(configuration).getAuthUser({ id: service.adminId });
  assert.equal(data.id, service.adminId);
  assert.deepEqual(data.capabilities, ['ORG_ADMIN']);
  assert.equal(typeof data.lastLoginTimestamp, 'number');
});

test('the client grants and takes a capability by JSON Patch', async () => {
  const api = new AuthUsersV2024Api(configuration);
  const [id] = await service.addAuthUsers(1);
  assert.ok(id);
  const granted = await api.patchAuthUser({
    id,
    jsonPatchOperationV2024: [{ op: 'add', path: '/capabilities/-', value: 'HELPDESK' as never }],
  });
  assert.deepEqual(granted.data.capabilities, ['HELPDESK']);
  const taken = await api.patchAuthUser({
    id,
    jsonPatchOperationV2024: [{ op: 'remove', path: '/capabilities/0' }],
  });
  assert.deepEqual(taken.data.capabilities, []);
});

test('the client searches, counts and fetches by id', async () => {
  await service.addDocuments([
    {
      _type: 'identity',
      id: 'sdk-one',
      name: 'Sdk.One',
      displayName: 'Sdk One',
      email: 'one@sdk.test',
    },
    {
      _type: 'identity',
      id: 'sdk-two',
      name: 'Sdk.Two',
      displayName: 'Sdk Two',
      email: 'two@sdk.test',
    },
  ]);
  const search = {
    indices: ['identities' as const],
    query: { query: 'email:sdk.test' },
    sort: ['-name'],
  };
  const api = new SearchApi(configuration);
  const answer = await api.searchPost({ search, count: true });
  assert.deepEqual(
    answer.data.map((hit) => (hit as { id: string }).id),
    ['sdk-two', 'sdk-one'],
  );
  assert.equal(answer.headers['x-total-count'], '2');
  const counted = await api.searchCount({ search });
  assert.equal(counted.status, 204);
  assert.equal(counted.headers['x-total-count'], '2');
  const one = await new SearchV2024Api(configuration).searchGet({
    index: 'identities',
    id: 'sdk-one',
  });
  assert.equal((one.data as { name: string }).name, 'Sdk.One');
  assert.equal('_type' in one.data, false);
});

test('the client aggregates', async () => {
  await service.addDocuments([{ _type: 'role', id: 'aggregated', name: 'Aggregated Role' }]);
  const search = {
    indices: ['roles' as const],
    query: { query: 'name.exact:"Aggregated Role"' },
    aggregationType: 'SAILPOINT' as const,
    aggregations: { bucket: { name: 'Names', field: 'name' } },
  };
  const { data } = await new SearchApi(configuration).searchAggregate({ search });
  const { Names } = data.aggregations as { Names: { buckets: object[] } };
  assert.deepEqual(Names.buckets, [{ key: 'Aggregated Role', doc_count: 1 }]);
  assert.equal(data.hits?.length, 1);
});

for (const size of [0, 249, 250, 251, 10_001]) {
  test(`the client's search pager walks exactly ${size} documents`, async (t) => {
    t.mock.method(console, 'log', () => undefined);
    const word = `walk${size}`;
    const ids = Array.from({ length: size }, (_, n) => `${word}-${String(n).padStart(6, '0')}`);
    await service.addDocuments(
      ids.map((id) => ({ _type: 'role', id, name: `Role ${id}`, description: word })),
    );
    const search = {
      indices: ['roles' as const],
      query: { query: `description:${word}` },
      sort: ['id'],
    };
    const pages = await Paginator.paginateSearchApi(new SearchApi(configuration), search);
    assert.deepEqual(
      pages.data.map((hit) => (hit as { id: string }).id),
      ids,
    );
  });
}

test("the client's pager walks what any kind of query finds", async (t) => {
  t.mock.method(console, 'log', () => undefined);
  const ids = Array.from({ length: 501 }, (_, n) => `kinds-${String(n).padStart(4, '0')}`);
  await service.addDocuments(ids.map((id) => ({ _type: 'role', id, name: 'kindswalk' })));
  const queries = [
    { queryType: 'SAILPOINT' as const, query: { query: 'kindswalk' } },
    { queryType: 'DSL' as const, queryDsl: { match: { name: 'kindswalk' } } },
    { queryType: 'TEXT' as const, textQuery: { terms: ['kindsw'], fields: ['name'] } },
  ];
  for (const query of queries) {
    const search = { indices: ['roles' as const], ...query, sort: ['id'] };
    const pages = await Paginator.paginateSearchApi(new SearchApi(configuration), search);
    assert.deepEqual(
      pages.data.map((hit) => (hit as { id: string }).id),
      ids,
      query.queryType,
    );
  }
});

test("the client's offset pager over search sees each of 500 documents once", async () => {
  const ids = Array.from({ length: 500 }, (_, n) => `offset-${String(n).padStart(4, '0')}`);
  await service.addDocuments(
    ids.map((id) => ({ _type: 'role', id, name: id, description: 'offsetwalk' })),
  );
  const api = new SearchApi(configuration);
  const search = { indices: ['roles' as const], query: { query: 'offsetwalk' } };
  const pages = await Paginator.paginate(api, api.searchPost, { search, limit: 500 }, 100);
  assert.deepEqual(pages.data.map((hit) => (hit as { id: string }).id).sort(), ids);
});

test('the client creates, lists, reads, changes and deletes an API client', async () => {
  const api = new OAuthClientsApi(configuration);
  const newer = new OAuthClientsV2024Api(configuration);
  const { data: made } = await api.createOauthClient({ createOAuthClientRequest: API_CLIENT });
  assert.match(made.secret, /^[0-9a-f]{64}$/);
  const { id, secret: _, ...members } = made;
  const { created, modified } = members;
  const expected = { ...API_CLIENT, type: 'CONFIDENTIAL', internal: false, metadata: null };
  assert.deepEqual(members, { ...expected, created, modified, lastUsed: null });

  const { data: read } = await newer.getOauthClient({ id });
  assert.deepEqual(read, { ...members, id, secret: null });
  const { data: listed } = await api.listOauthClients({ filters: 'lastUsed isnull' });
  assert.deepEqual(listed, [read]);
  assert.deepEqual((await newer.listOauthClients({ filters: `lastUsed le ${created}` })).data, []);

  const { data: patched } = await api.patchOauthClient({
    id,
    jsonPatchOperation: [
      { op: 'replace', path: '/strongAuthSupported', value: true as never },
      { op: 'replace', path: '/businessName', value: 'acme-solar' },
    ],
  });
  assert.deepEqual(
    { ...patched, modified },
    { ...read, strongAuthSupported: true, businessName: 'acme-solar' },
  );
  assert.equal((await newer.deleteOauthClient({ id })).status, 204);
  await assert.rejects(api.getOauthClient({ id }), withStatus(404));
});

test('the client creates, lists, changes and deletes credentials through its Beta classes', async () => {
  const clients = new OAuthClientsBetaApi(configuration);
  const { data: made } = await clients.createOauthClient({
    createOAuthClientRequestBeta: { ...API_CLIENT, name: 'of beta' },
  });
  const { id } = made;
  assert.equal((await clients.getOauthClient({ id })).data.name, 'of beta');
  assert.ok((await clients.listOauthClients()).data.some((client) => client.id === id));
  const rename = [{ op: 'replace' as const, path: '/name', value: 'renamed' as never }];
  const renamed = await clients.patchOauthClient({ id, jsonPatchOperationBeta: rename });
  assert.equal(renamed.data.name, 'renamed');
  assert.equal((await clients.deleteOauthClient({ id })).status, 204);

  const tokens = new PersonalAccessTokensBetaApi(configuration);
  const { data: token } = await tokens.createPersonalAccessToken({
    createPersonalAccessTokenRequestBeta: { name: 'of beta', scope: ['sp:search:read'] },
  });
  const { data: own } = await tokens.listPersonalAccessTokens({ ownerId: 'me' });
  assert.ok(own.some((listed) => listed.id === token.id && listed.name === 'of beta'));
  const changed = await tokens.patchPersonalAccessToken({
    id: token.id,
    jsonPatchOperationBeta: rename,
  });
  assert.equal(changed.data.name, 'renamed');
  assert.equal((await tokens.deletePersonalAccessToken({ id: token.id })).status, 204);
});

test("an API client's token searches and is refreshed, and opens nothing that belongs to a user", async () => {
  const api = new OAuthClientsApi(configuration);
  const { data: made } = await api.createOauthClient({ createOAuthClientRequest: API_CLIENT });
  await service.addDocuments([{ _type: 'role', id: 'for-apps', name: 'For Apps' }]);
  const role = (as: Configuration) =>
    new SearchApi(as).searchGet({ index: 'roles', id: 'for-apps' });
  const app = new Configuration({
    baseurl: service.url,
    tokenUrl: `${service.url}/oauth/token`,
    clientId: made.id,
    clientSecret: made.secret,
  });
  assert.equal((await role(app)).status, 200);
  const search = { indices: ['roles' as const], query: { query: 'name.exact:"For Apps"' } };
  assert.equal((await new SearchApi(app).searchPost({ search })).data.length, 1);
  const forbidden = withStatus(403);
  await assert.rejects(new OAuthClientsApi(app).listOauthClients(), forbidden);
  await assert.rejects(new AuthUsersApi(app).getAuthUser({ id: service.adminId }), forbidden);
  await assert.rejects(
    new PersonalAccessTokensApi(app).createPersonalAccessToken({
      createPersonalAccessTokenRequest: { name: 'n' },
    }),
    forbidden,
  );

  // The client library asks for tokens by client_credentials alone, so the refresh is a plain request.
  const credentials = { client_id: made.id, client_secret: made.secret };
  const ask = async (parameters: Record<string, string>) => {
    const body = new URLSearchParams({ ...credentials, ...parameters });
    const answer = await fetch(`${service.url}/oauth/token`, { method: 'POST', body });
    return { status: answer.status, body: (await answer.json()) as Record<string, string> };
  };
  const first = await ask({ grant_type: 'client_credentials' });
  const refresh = { grant_type: 'refresh_token', refresh_token: first.body['refresh_token'] ?? '' };
  const second = await ask(refresh);
  assert.equal(second.status, 200);
  const refreshed = new Configuration({
    baseurl: service.url,
    accessToken: second.body['access_token'] ?? '',
  });
  assert.equal((await role(refreshed)).status, 200);
  assert.deepEqual(
    [await ask(refresh)].map(({ status, body }) => [status, body['error']]),
    [[400, 'invalid_grant']],
  );
  await api.deleteOauthClient({ id: made.id });
  // Another node takes up to half a second to refuse them.
  for (const as of [app, refreshed]) {
    await eventually(() => assert.rejects(role(as), withStatus(401)));
  }
});

test('the client saves, schedules, runs and deletes a search', async () => {
  await service.addDocuments([{ _type: 'role', id: 'saved-role', name: 'Saved Role' }]);
  const saved = new SavedSearchV2024Api(configuration);
  const scheduled = new ScheduledSearchV2024Api(configuration);
  const { data: made, status } = await saved.createSavedSearch({
    createSavedSearchRequestV2024: {
      ...{ name: 'Roles', indices: ['roles'], query: 'name.exact:"Saved Role"' },
      ...{ columns: { role: [{ field: 'name', header: 'Role' }] }, sort: ['name'] },
    },
  });
  const id = made.id ?? '';
  assert.deepEqual([status, made.owner?.id, made.public], [201, service.adminId, false]);
  const own = `owner.id eq "${service.adminId}"`;
  const listed = await saved.listSavedSearches({ filters: own, count: true, limit: 250 });
  assert.ok(listed.data.some((each) => each.id === id));
  assert.equal(listed.headers['x-total-count'], String(listed.data.length));
  // What was read is sent back whole.
  const replaced = await saved.putSavedSearch({ id, savedSearchV2024: { ...made, name: 'New' } });
  assert.equal(replaced.data.name, 'New');
  const { data: read } = await new SavedSearchApi(configuration).getSavedSearch({ id });
  assert.deepEqual(read, replaced.data);

  const recipient = { type: 'IDENTITY' as const, id: service.adminId };
  const { data: plan } = await scheduled.createScheduledSearch({
    createScheduledSearchRequestV2024: {
      ...{ savedSearchId: id, recipients: [recipient], enabled: true },
      schedule: {
        ...{ type: 'WEEKLY' as const, timeZoneId: 'America/Chicago' },
        // The client declares the selectors of schedules without their members.
        days: { type: 'LIST', values: ['MON', 'WED'] } as object,
        hours: { type: 'RANGE', values: ['9', '18'], interval: 3 } as object,
      },
    },
  });
  const filters = `savedSearchId eq "${id}"`;
  assert.deepEqual((await scheduled.listScheduledSearch({ filters })).data, [plan]);
  const { data: changed } = await scheduled.updateScheduledSearch({
    ...{ id: plan.id, scheduledSearchV2024: { ...plan, name: 'Mondays' } },
  });
  const { data: again } = await new ScheduledSearchApi(configuration).getScheduledSearch({
    id: plan.id,
  });
  assert.deepEqual([again, again.name], [changed, 'Mondays']);
  const byTest = { owner: recipient, recipients: [recipient] };
  for (const searchArgumentsV2024 of [{ scheduleId: plan.id }, byTest]) {
    assert.equal((await saved.executeSavedSearch({ id, searchArgumentsV2024 })).status, 202);
  }
  await eventually(async () => {
    const answer = await service.call('GET', `/v2024/saved-searches/${id}/runs`);
    const runs = (await answer.json()) as { state: string; results: { count: number }[] }[];
    assert.deepEqual(
      runs.map(({ state, results }) => [state, results[0]?.count]),
      [
        ['COMPLETED', 1],
        ['COMPLETED', 1],
      ],
    );
  });
  const left = await scheduled.unsubscribeScheduledSearch({
    ...{ id: plan.id, typedReferenceV2024: recipient },
  });
  assert.equal(left.status, 204);
  assert.equal((await scheduled.deleteScheduledSearch({ id: plan.id })).status, 204);
  assert.equal((await saved.deleteSavedSearch({ id })).status, 204);
  await assert.rejects(saved.getSavedSearch({ id }), withStatus(404));
});

test('a sort written with + gets a clear 400 on page two instead of an endless walk', async (t) => {
  t.mock.method(console, 'log', () => undefined);
  const search = { indices: ['roles' as const], query: { query: 'walk251' }, sort: ['+id'] };
  await assert.rejects(
    Paginator.paginateSearchApi(new SearchApi(configuration), search),
    (error: { response?: { status: number; data: { causes: { text: string }[] } } }) => {
      assert.equal(error.response?.status, 400);
      assert.match(String(error.response?.data.causes[0]?.text), /searchAfter/);
      return true;
    },
  );
});

test('a base URL that ends in a slash works, though every path then starts with two', async () => {
  const slashed = new Configuration({
    baseurl: `${service.url}/`,
    tokenUrl: `${service.url}//oauth/token`,
    clientId: service.clientId,
    clientSecret: service.clientSecret,
  });
  const { data } = await new AuthUsersApi(slashed).getAuthUser({ id: service.adminId });
  assert.equal(data.id, service.adminId);
});
