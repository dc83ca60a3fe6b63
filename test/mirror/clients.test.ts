// suite: slow
// The official npm client reads a mirror as it reads the original: same answers, page by page.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startTenant, type TestTenant } from 'cardea/testing';
import {
  AuthUsersApi,
  Configuration,
  type ConfigurationParameters,
  Paginator,
  type Search,
  SearchApi,
} from 'sailpoint-api-client';
import { mirrored, type ServedTenant, serveMirror } from '../support/remote-tenant.ts';

const directory = mkdtempSync(join(tmpdir(), 'cardea-mirror-clients-'));
after(() => rmSync(directory, { recursive: true, force: true }));
let tenant: TestTenant;
let copy: ServedTenant;
let sides: readonly Configuration[];

function configuration({ baseUrl, credentials }: ServedTenant | TestTenant): Configuration {
  const { clientId, clientSecret } = credentials;
  const tokenUrl = `${baseUrl}/oauth/token`;
  const parameters: ConfigurationParameters = {
    baseurl: baseUrl,
    clientId,
    clientSecret,
    tokenUrl,
  };
  return new Configuration(parameters);
}

before(async () => {
  tenant = await startTenant({ identities: 80, seed: 21 });
  const dataDir = join(directory, 'data');
  const report = await mirrored(tenant, dataDir, ['--rate', 'off', '--auth-users', 'all']);
  assert.equal(report.code, 0, report.err);
  copy = await serveMirror(dataDir, tenant.credentials.tenant);
  sides = [configuration(tenant), configuration(copy)];
});
after(async () => {
  await copy.close();
  await tenant.close();
});

const ENTITLED = '@access(type:ROLE) AND NOT @accounts(disabled:true)';
const SEARCHES: readonly Partial<Search>[] = [
  { indices: ['identities'], query: { query: '*' }, sort: ['id'] },
  { indices: ['identities'], query: { query: ENTITLED }, sort: ['id'] },
  { indices: ['roles', 'accessprofiles'], query: { query: 'enabled:true' }, sort: ['-id'] },
  { indices: ['events'], query: { query: 'NOT stack:cardea' }, sort: ['id'] },
  { indices: ['entitlements'], query: { query: 'privileged:true' }, sort: ['id'] },
  { indices: ['accountactivities'], query: { query: '*' }, sort: ['id'] },
];

for (const search of SEARCHES) {
  test(`finds the same: ${search.indices} ${search.query?.query}`, async () => {
    const [original, mirror] = await Promise.all(
      sides.map(async (side) => {
        const { data } = await Paginator.paginateSearchApi(
          new SearchApi(side),
          // It writes `searchAfter` into the search.
          structuredClone(search) as Search,
          25,
          500,
        );
        return data;
      }),
    );
    assert.ok((original as unknown[]).length > 0);
    assert.deepEqual(mirror, original);
  });
}

test('reads the same auth users', async () => {
  const body = { indices: ['identities'], query: { query: '*' }, sort: ['id'] } as Search;
  const [side] = sides as [Configuration];
  const { data } = await new SearchApi(side).searchPost({ search: body, limit: 20 });
  for (const { id } of data as { id: string }[]) {
    const [original, mirror] = await Promise.all(
      sides.map(async (one) => {
        const answer = await new AuthUsersApi(one)
          .getAuthUser({ id })
          .catch((error) => error.response);
        // Signing in changes the user of the credentials.
        const { lastLoginTimestamp: _, currentLoginTimestamp: __, ...user } = answer.data;
        return [answer.status, answer.status === 200 ? user : null];
      }),
    );
    assert.deepEqual(mirror, original, id);
  }
});
