// Rules of filters and sorters that every list keeps, as requests with what is expected: on whatever
// store and search backend the service has.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type RunningService, startService } from '../support/service.ts';

type Document = Readonly<Record<string, unknown>>;
/** The objects of a list, or a fault. */
type Body = readonly Document[] & { readonly causes: readonly { readonly text: string }[] };

const DIRECTORY = { id: 'S-ad', name: 'Active Directory' };
const HR = { id: 's-hr', name: 'hr' };
const NOVEMBER = '2026-11-05T10:00:00Z';

const ADA: Document = {
  ...{ _type: 'identity', id: 'I-ada', name: 'Ada.L', displayName: 'John Ada' },
  ...{ firstName: 'John', lastName: 'ZOË', email: 'Ada@Example.com', status: 'ACTIVE' },
  ...{ source: HR, created: NOVEMBER },
  accounts: [
    {
      ...{ id: 'A-1', name: 'ada', accountId: 'CN=Ada\\, L', source: DIRECTORY, created: NOVEMBER },
      entitlementAttributes: { memberOf: ['CN=Staff'] },
    },
    { id: 'a-2', name: 'Ada', accountId: '7', source: HR, created: '2017-06-01T00:00:00Z' },
    { id: 'a-3', name: 'adam', accountId: '8', source: HR },
  ],
  access: [{ id: 'r-1', type: 'ROLE', name: 'Engineer' }],
};
const BOB: Document = {
  ...{ _type: 'identity', id: 'i-bob', name: 'bob', displayName: 'ADA', firstName: 'ΣΑΣ' },
  ...{ created: '2017-01-01T00:00:00Z', source: DIRECTORY },
};
const DOCUMENTS: readonly Document[] = [
  ADA,
  BOB,
  ...['engineer', 'Engineer', 'ENGINE'].map((name, n) => ({
    ...{ _type: 'role', id: `r-${n}`, name, created: `201${7 + n}-01-01T00:00:00Z` },
    entitlements: [{ id: `h-${n}`, name: ['staff', 'Staff', 'a'][n], value: `V-${n}` }],
  })),
  ...['Payroll', 'payROLL'].map((name, n) => ({
    ...{ _type: 'accessprofile', id: `p-${n}`, name, source: n === 0 ? DIRECTORY : HR },
  })),
  ...['Staff', 'staff', 'STAFF+'].map((name, n) => ({
    ...{ _type: 'entitlement', id: `e-${n}`, name, attribute: 'memberOf', source: DIRECTORY },
    ...{ value: `CN=${name}`, schema: 'Group' },
  })),
  ...['Access Request', 'Identity Refresh', 'identity refresh'].map((action, n) => ({
    ...{ _type: 'accountactivity', id: `t-${n}`, action, created: `201${7 + n}-03-01T00:00:00Z` },
    ...{ requester: { id: 'I-ada' }, recipient: { id: 'i-bob' } },
  })),
];

/** A request of a list, and the ids that it has in their order. */
const LISTED: readonly (readonly [path: string, ids: string])[] = [
  // Text compares without case, by every operator.
  ['/identities?filters=firstname eq "john"', 'I-ada'],
  ['/identities?filters=firstname eq "σασ"', 'i-bob'],
  ['/identities?filters=lastname eq "zoë"', 'I-ada'],
  ['/identities?filters=lastname eq "zoe"', ''],
  ['/identities?filters=name sw "jOhN"', 'I-ada'],
  ['/identities?filters=id in ("i-ADA", "I-BOB")', 'I-ada i-bob'],
  ['/identities?filters=uid eq "ADA.l"', 'I-ada'],
  ['/identities?filters=cloudStatus eq "active"', 'I-ada'],
  ['/identities?sorters=name', 'i-bob I-ada'],
  ['/identities?sorters=-uid', 'i-bob I-ada'],
  ['/public-identities?filters=email sw "aDA@"', 'I-ada'],
  ['/public-identities?filters=uid eq "BOB"', 'i-bob'],
  ['/accounts?filters=name eq "ADA"', 'A-1 a-2'],
  ['/accounts?filters=name in ("ADA", "x") and sourceId eq "s-AD"', 'A-1'],
  ['/accounts?filters=source.displayableName eq "active directory"', 'A-1'],
  ['/accounts?filters=entitlements eq "cn=staff"', 'A-1'],
  ['/accounts?filters=nativeIdentity eq "cn=ada\\\\, l"', 'A-1'],
  ['/accounts?filters=id sw "A-"&sorters=-id', 'a-3 a-2 A-1'],
  ['/accounts?sorters=name,-id', 'a-2 A-1 a-3'],
  ['/accounts?sorters=-name,id', 'a-3 A-1 a-2'],
  ['/accounts?sorters=-hasEntitlements,-name', 'A-1 a-3 a-2'],
  ['/accounts?sorters=hasEntitlements&offset=1&limit=2', 'a-3 A-1'],
  ['/accounts?sorters=name,-hasEntitlements', 'a-2 A-1 a-3'],
  ['/accounts?sorters=sourceOwner.name', 'A-1 a-2 a-3'],
  ['/roles?filters=name eq "ENGINEER"', 'r-0 r-1'],
  ['/roles?filters=not (name sw "ENGINEer")', 'r-2'],
  ['/roles?sorters=name', 'r-2 r-1 r-0'],
  ['/roles?sorters=-name', 'r-0 r-1 r-2'],
  ['/roles/r-1/assigned-identities?filters=name co "N A"', 'I-ada'],
  ['/roles/r-0/entitlements?filters=name eq "STAFF" and value sw "v-"', 'h-0'],
  ['/access-profiles?filters=name eq "payroll" and source.id in ("s-ad")', 'p-0'],
  ['/access-profiles?sorters=name', 'p-0 p-1'],
  ['/entitlements?filters=name eq "staff"', 'e-0 e-1'],
  ['/entitlements?filters=value sw "cn=STAFF" and type eq "gROUP"', 'e-0 e-1 e-2'],
  ['/entitlements?filters=name eq "staff%2b"', 'e-2'],
  ['/entitlements?sorters=-name', 'e-2 e-1 e-0'],
  ['/sources?filters=name co "DIRECT"', 'S-ad'],
  ['/sources?filters=name gt "a"', 'S-ad s-hr'],
  ['/sources?filters=name gt "ACTIVE directory"', 's-hr'],
  ['/sources?filters=name ne "HR" and id le "S-HR"', 'S-ad'],
  ['/sources?sorters=-name', 's-hr S-ad'],
  ['/account-activities?filters=type eq "IDENTITY REFRESH"', 't-1 t-2'],
  ['/account-activities?filters=type ne "identity Refresh"', 't-0'],
  ['/account-activities?filters=type gt "APPrequest"', 't-1 t-2'],
  ['/account-activities?filters=type ge "APPrequest" and type le "apprequest"', 't-0'],
  ['/account-activities?filters=type eq "appRequest"', 't-0'],
  ['/account-activities?filters=type eq "Access Request"', ''],
  ['/account-activities?type=APPREQUEST', 't-0'],
  ['/account-activities?type=appRequest&filters=created gt 2018', ''],
  // Dates: a year, a month, a day, a time.
  ['/roles?filters=created gt 2018', 'r-2'],
  ['/roles?filters=created ge 2018', 'r-1 r-2'],
  ['/roles?filters=created ge "2018"', 'r-1 r-2'],
  ['/roles?filters=created le 2018-01', 'r-0 r-1'],
  ['/roles?filters=created le 2018-01-01', 'r-0 r-1'],
  ['/accounts?filters=created eq 2026-11-05T11:00:00%2b01:00', 'A-1'],
  ['/accounts?filters=created lt 2018', 'a-2'],
  ['/account-activities?filters=created sw "2018"', 't-1'],
  ['/account-activities?filters=created in (2017-03-01, 2019-03-01T00:00:00Z)', 't-0 t-2'],
  // A blank is %20, and + as well.
  ['/roles?filters=name+eq+"engine"', 'r-2'],
  ['/roles?filters=name%20eq%20%22engine%22', 'r-2'],
];

/** What is refused, and the first cause. */
const REFUSED: readonly (readonly [path: string, cause: RegExp])[] = [
  ...['EQ', 'Eq', 'In', 'SW'].map(
    (operator) =>
      [
        `/accounts?filters=name ${operator} "a"`,
        new RegExp(`lower case: write ${operator.toLowerCase()} instead of ${operator}`),
      ] as const,
  ),
  ['/roles?filters=name eq "a" AND name eq "b"', /lower case: write and instead of AND/],
  ['/roles?filters=name eq "a" OR name eq "b"', /lower case: write or instead of OR/],
  ['/roles?filters=NOT (name eq "a")', /lower case: write not instead of NOT/],
  ['/account-activities?filters=type ISNULL', /lower case: write isnull instead of ISNULL/],
  ['/admin/v1/auth-users?filters=uid EQ "a"', /lower case: write eq/],
  ['/saved-searches?filters=owner.id EQ "a"', /lower case: write eq/],
  ['/personal-access-tokens?filters=lastUsed LE 2018', /lower case: write le/],
  ['/oauth-clients?filters=lastUsed ISNULL', /lower case: write isnull/],
  ['/accounts?filters=sourceId eq 4bd6', /plain double quotes/],
  ['/accounts?filters=sourceId eq abc', /plain double quotes/],
  ['/accounts?filters=sourceId eq 17', /plain double quotes/],
  ['/accounts?filters=sourceId eq true', /plain double quotes/],
  ["/accounts?filters=sourceId eq 'a'", /plain double quotes/],
  ['/accounts?filters=sourceId eq “a”', /plain double quotes/],
  ['/accounts?filters=sourceId eq „a“', /plain double quotes/],
  ['/accounts?filters=sourceId eq «a»', /plain double quotes/],
  ['/accounts?filters=sourceId in [“a”]', /plain double quotes/],
  ['/accounts?filters=sourceId in ["a"]', /lists in parentheses/],
  ['/accounts?filters=sourceId in (“a”, "b")', /plain double quotes/],
  ['/accounts?filters=sourceId in ("b", ‘a’)', /plain double quotes/],
  ['/accounts?filters=name eq "a" and sourceId eq “a”', /plain double quotes/],
  ['/accounts?filters=sourceId eq "a”', /plain double quote/],
  ['/accounts?filters=created gt ‘2018’', /plain double quotes/],
  ['/sources?filters=name co x', /plain double quotes/],
  ['/admin/v1/auth-users?filters=uid eq ada', /plain double quotes/],
  ['/saved-searches?filters=owner.id eq ada', /plain double quotes/],
  ['/roles?filters=created gt 18', /a date-time, a date or a year for created/],
  ['/roles?filters=created gt "2018-02-30"', /a date-time, a date or a year for created/],
  ['/personal-access-tokens?limit=x', /limit: .* of at least 0/],
  ['/oauth-clients?offset=-1', /offset: /],
  ['/oauth-clients?count=maybe', /count: expected true or false/],
];

const VERSIONS = ['v3', 'v2024', 'v2025', 'v2026', 'beta'];

/** @param settings of the service */
export function listRules(settings: () => Promise<Record<string, string>>): void {
  let service: RunningService;
  before(async () => {
    service = await startService(await settings());
    await service.addDocuments(DOCUMENTS as Record<string, unknown>[]);
  });
  after(() => service.stop());

  const get = async (path: string, version = 'v3') => {
    const target = path.startsWith('/admin') ? path : `/${version}${path}`;
    const answer = await service.call('GET', encodeURI(target).replaceAll('%25', '%'));
    const body = (await answer.json()) as Body;
    return { answer, body, header: (name: string) => answer.headers.get(name) };
  };
  const idsOf = (body: readonly Document[]) => body.map(({ id }) => id).join(' ');

  describe('the ids of', () => {
    for (const [n, [path, ids]] of LISTED.entries()) {
      test(`${path} are "${ids}"`, async () => {
        const { answer, body } = await get(path, VERSIONS[n % VERSIONS.length]);
        assert.equal(answer.status, 200, JSON.stringify(body));
        assert.equal(idsOf(body), ids);
      });
    }
  });

  describe('a filter or page that is refused says why', () => {
    for (const [n, [path, cause]] of REFUSED.entries()) {
      test(path, async () => {
        const { answer, body } = await get(path, VERSIONS[n % VERSIONS.length]);
        assert.equal(answer.status, 400, JSON.stringify(body));
        assert.match(body.causes[0]?.text ?? '', cause);
      });
    }
  });

  test('a backslash that is lost earns a warning, and one that is kept none', async () => {
    const lost = await get('/accounts?filters=nativeIdentity eq "CN=Ada\\, L"');
    assert.equal(idsOf(lost.body), '');
    assert.match(lost.header('warning') ?? '', /backslash before , is no part of the value/);
    for (const value of ['CN=Ada\\\\, L', 'a \\"b\\"', 'a']) {
      const kept = await get(`/accounts?filters=nativeIdentity eq "${value}"`);
      assert.equal(kept.header('warning'), null, value);
    }
    for (const path of ['/admin/v1/auth-users?filters=uid', '/saved-searches?filters=owner.id']) {
      const { header } = await get(`${path} eq "a\\b"`);
      assert.match(header('warning') ?? '', /backslash before b/, path);
    }
  });

  test('only operations that their specification deprecates say so', async () => {
    for (const [path, version, deprecated] of [
      ['/accounts', 'beta', 'true'],
      ['/accounts/A-1', 'beta', 'true'],
      ['/accounts/A-1/entitlements', 'beta', 'true'],
      ['/accounts', 'v2026', null],
      ['/accounts/A-1', 'v3', null],
      ['/roles', 'beta', null],
    ] as const) {
      const { answer, header } = await get(path, version);
      assert.equal(answer.status, 200, path);
      assert.equal(header('x-deprecated'), deprecated, `${version}${path}`);
    }
  });

  test('the type of an access request is appRequest', async () => {
    const { body } = await get('/account-activities');
    assert.deepEqual(
      body.map(({ type }: Document) => type),
      ['appRequest', 'Identity Refresh', 'identity refresh'],
    );
  });

  test('a walk by whether accounts have entitlements has each once, past any number', async () => {
    const walked: unknown[] = [];
    for (let offset = 0; offset < 3; offset++) {
      const path = `/accounts?sorters=-hasEntitlements,name&limit=1&offset=${offset}`;
      walked.push(...(await get(path)).body.map(({ id }: Document) => id));
    }
    assert.deepEqual(walked, ['A-1', 'a-2', 'a-3']);
  });

  test('lists of auth users compare and sort without case', async () => {
    const ids = await service.addAuthUsers(3);
    const { body: all } = await get('/admin/v1/auth-users?sorters=uid');
    const uids = (all as unknown as { uid: string }[]).map(({ uid }) => uid);
    assert.deepEqual(
      uids,
      uids.toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)),
    );
    const [first = ''] = ids;
    const { body: upper } = await get(
      `/admin/v1/auth-users?filters=id eq "${first.toUpperCase()}"`,
    );
    assert.equal(idsOf(upper), first);
    const { body: administrators } = await get(
      '/admin/v1/auth-users?filters=capabilities ca "org_admin"',
    );
    assert.equal(idsOf(administrators), service.adminId);
  });

  test('lists of saved searches compare owners without case', async () => {
    const definition = { name: 'Mine', indices: ['roles'], query: '*' };
    const created = await service.call('POST', '/v3/saved-searches', definition);
    const { id } = (await created.json()) as { id: string };
    const owner = service.adminId.toUpperCase();
    const { body } = await get(`/saved-searches?filters=owner.id eq "${owner}"`);
    assert.equal(idsOf(body), id);
  });

  test('lists of credentials have pages', async () => {
    const made: string[] = [];
    for (const name of ['one', 'two', 'three']) {
      const body = { name, description: name, accessType: 'OFFLINE', enabled: true };
      const client = {
        ...body,
        grantTypes: ['CLIENT_CREDENTIALS'],
        accessTokenValiditySeconds: 750,
      };
      const answer = await service.call('POST', '/v3/oauth-clients', client);
      made.push(((await answer.json()) as { id: string }).id);
      await service.call('POST', '/v3/personal-access-tokens', { name, scope: [] });
    }
    const clients = await get('/oauth-clients?limit=2&offset=1&count=true');
    assert.equal(idsOf(clients.body), made.slice(1).join(' '));
    assert.equal(clients.header('x-total-count'), '3');
    const all = (await get('/personal-access-tokens')).body;
    assert.equal(all.length, 4);
    const tokens = await get('/personal-access-tokens?limit=2&offset=1&count=true&owner-id=me');
    assert.equal(idsOf(tokens.body), idsOf(all.slice(1, 3)));
    assert.equal(tokens.header('x-total-count'), '4');
    assert.equal((await get('/oauth-clients?limit=999')).body.length, 3);
    assert.deepEqual((await get('/oauth-clients?limit=0')).body, []);
    assert.equal((await get('/oauth-clients?limit=0')).header('x-total-count'), null);
  });
}
