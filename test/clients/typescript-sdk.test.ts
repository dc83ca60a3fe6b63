// The official npm client, unmodified, against a served tenant over real HTTP: what it sends is what it sends.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  AuthUsersApi,
  AuthUsersV2024Api,
  Configuration,
  Paginator,
  SearchApi,
  SearchV2024Api,
} from 'sailpoint-api-client';
import { type RunningService, startService } from '../support/service.ts';

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
  const found = await api.searchPost({ search, count: true });
  assert.deepEqual(
    found.data.map((hit) => (hit as { id: string }).id),
    ['sdk-two', 'sdk-one'],
  );
  assert.equal(found.headers['x-total-count'], '2');
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
