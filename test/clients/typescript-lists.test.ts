// suite: slow
// The lists of the official npm client, unmodified: each is read whole by its paginator, in every
// path version that the client has, and has what the documents of a demo company say.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  AccessProfilesApi,
  AccessProfilesBetaApi,
  AccessProfilesV2024Api,
  AccountActivitiesApi,
  AccountActivitiesBetaApi,
  AccountActivitiesV2024Api,
  AccountsApi,
  AccountsBetaApi,
  AccountsV2024Api,
  Configuration,
  EntitlementsBetaApi,
  EntitlementsV2024Api,
  IdentitiesBetaApi,
  IdentitiesV2024Api,
  Paginator,
  PublicIdentitiesApi,
  PublicIdentitiesV2024Api,
  RolesApi,
  RolesBetaApi,
  RolesV2024Api,
  SourcesApi,
  SourcesBetaApi,
  SourcesV2024Api,
} from 'sailpoint-api-client';
import {
  COMPANY_ACCOUNTS,
  COMPANY_DOCUMENTS,
  LISTED_IDS,
  type ListedDocument,
} from '../support/listed-company.ts';
import { type RunningService, startService } from '../support/service.ts';

// biome-ignore lint/suspicious/noExplicitAny: the client's types differ by version
type Any = any;
/** An object of the client with functions that lists and objects are read by. */
type Api = Readonly<Record<string, (request: object) => Promise<Any>>>;

/** A list: its classes in the client, the functions that read it and one object, objects of a page. */
type List = readonly [
  area: keyof typeof LISTED_IDS,
  classes: readonly (new (configuration: Configuration) => unknown)[],
  list: string,
  get: string | null,
  page: number,
];

const LISTS: readonly List[] = [
  [
    ...(['accounts', [AccountsApi, AccountsBetaApi, AccountsV2024Api]] as const),
    ...(['listAccounts', 'getAccount', 250] as const),
  ],
  [
    ...(['identities', [IdentitiesBetaApi, IdentitiesV2024Api]] as const),
    ...(['listIdentities', 'getIdentity', 100] as const),
  ],
  [
    ...(['public-identities', [PublicIdentitiesApi, PublicIdentitiesV2024Api]] as const),
    ...(['getPublicIdentities', null, 250] as const),
  ],
  ['roles', [RolesApi, RolesBetaApi, RolesV2024Api], 'listRoles', 'getRole', 20],
  [
    ...(['access-profiles', [AccessProfilesApi, AccessProfilesBetaApi]] as const),
    ...(['listAccessProfiles', 'getAccessProfile', 50] as const),
  ],
  ['access-profiles', [AccessProfilesV2024Api], 'listAccessProfiles', 'getAccessProfile', 250],
  [
    ...(['entitlements', [EntitlementsBetaApi, EntitlementsV2024Api]] as const),
    ...(['listEntitlements', 'getEntitlement', 50] as const),
  ],
  ['sources', [SourcesApi, SourcesBetaApi, SourcesV2024Api], 'listSources', 'getSource', 7],
  [
    ...(['account-activities', [AccountActivitiesApi, AccountActivitiesBetaApi]] as const),
    ...(['listAccountActivities', 'getAccountActivity', 10] as const),
  ],
  [
    ...(['account-activities', [AccountActivitiesV2024Api]] as const),
    ...(['listAccountActivities', 'getAccountActivity', 29] as const),
  ],
];

let service: RunningService;
let configuration: Configuration;

before(async () => {
  service = await startService();
  await service.addDocuments(COMPANY_DOCUMENTS);
  configuration = new Configuration({
    baseurl: service.url,
    tokenUrl: `${service.url}/oauth/token`,
    clientId: service.clientId,
    clientSecret: service.clientSecret,
  });
  // The client refuses to call some lists without it.
  configuration.experimental = true;
});
after(() => service.stop());

for (const [area, classes, list, get, page] of LISTS) {
  for (const Class of classes) {
    test(`${Class.name} reads its list whole, in pages of ${page}, and an object of it`, async (t) => {
      t.mock.method(console, 'log', () => undefined);
      const api = new Class(configuration) as Api;
      const read = api[list];
      assert.ok(read);
      const { data } = await Paginator.paginate(api, read, {}, page);
      const expected = LISTED_IDS[area];
      assert.deepEqual(data.map(({ id }: Any) => id).sort(), expected);
      const counted = await read.call(api, { limit: 1, count: true });
      assert.equal(counted.headers['x-total-count'], String(expected.length));
      if (get === null) return;
      const one = data.at(-1) as Any;
      const answer = await api[get]?.({ id: one.id });
      assert.deepEqual(answer?.data, one);
    });
  }
}

test('the client filters and sorts accounts', async () => {
  const api = new AccountsV2024Api(configuration);
  const filters = 'source.displayableName eq "Code Forge" and identity.name sw "A"';
  const { data } = await api.listAccounts({ filters, sorters: '-name', detailLevel: 'SLIM' });
  const expected = COMPANY_DOCUMENTS.filter(({ displayName }) => displayName?.startsWith('A'))
    .flatMap(({ accounts = [] }): ListedDocument[] => accounts)
    .filter(({ source }) => source.name === 'Code Forge')
    .map(({ name }) => name);
  assert.ok(expected.length > 1);
  assert.deepEqual(
    data.map(({ name }) => name),
    expected.sort().reverse(),
  );
  assert.ok(data.every(({ attributes }) => attributes === null));
});

test('the client reads what is below an account, a role and an access profile', async () => {
  const holder = COMPANY_ACCOUNTS.find(
    ({ entitlementAttributes = {} }) => Object.keys(entitlementAttributes).length > 0,
  );
  assert.ok(holder);
  const accounts = new AccountsApi(configuration);
  const { data: named } = await accounts.getAccountEntitlements({ id: holder['id'] });
  const values = Object.values(holder['entitlementAttributes']).flat();
  assert.deepEqual(named.map(({ value }) => value).sort(), values.sort());

  const roles = new RolesV2024Api(configuration);
  const identity = COMPANY_DOCUMENTS.find(({ access = [] }) =>
    access.some(({ type }: ListedDocument) => type === 'ROLE'),
  );
  const role = identity?.['access'].find(({ type }: ListedDocument) => type === 'ROLE');
  const { data: assigned } = await roles.getRoleAssignedIdentities({ id: role.id });
  assert.ok(assigned.some(({ id }) => id === identity?.['id']));
  assert.equal((await roles.getRoleEntitlements({ id: role.id })).status, 200);

  const profile = COMPANY_DOCUMENTS.find(({ _type, entitlements = [] }) => {
    return _type === 'accessprofile' && entitlements.length > 0;
  });
  const profiles = new AccessProfilesApi(configuration);
  const { data: granted } = await profiles.getAccessProfileEntitlements({ id: profile?.['id'] });
  assert.deepEqual(
    granted.map(({ id }) => id),
    profile?.['entitlements'].map(({ id }: ListedDocument) => id),
  );
});
