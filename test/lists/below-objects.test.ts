// What is read of one object of a list: itself, its entitlements, who has it; the sources that
// documents name; and the parameters that single lists have.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type RunningService, startService } from '../support/service.ts';
import type { Document } from './random-documents.ts';

let service: RunningService;

const AD = { id: 's-ad', name: 'Active Directory' };
const HR = { id: 's-hr', name: 'HR' };
const OWN = { id: 's-own', name: 'IdentityNow' };

const ADA: Document = {
  _type: 'identity',
  id: 'i-ada',
  name: 'ada',
  displayName: 'Ada Lovelace',
  lastName: 'Lovelace',
  email: 'ada@example.com',
  status: 'ACTIVE',
  source: HR,
  visibleSegments: ['seg-1'],
  attributes: { uid: 'ada', cloudLifecycleState: 'active', level: 7 },
  accounts: [
    {
      id: 'a-1',
      name: 'ada',
      accountId: 'CN=ada',
      source: { ...AD, type: 'Active Directory - Direct' },
      disabled: false,
      locked: true,
      manuallyCorrelated: true,
      privileged: false,
      created: '2026-01-01T00:00:00Z',
      entitlementAttributes: { memberOf: ['CN=staff', 'CN=gone'] },
      accountAttributes: { mail: 'ada@example.com' },
    },
    { id: 'a-2', name: 'Ada', accountId: '7', source: HR },
    { id: 'a-3', name: 'ada', accountId: 'ada', source: OWN },
  ],
  access: [{ id: 'r-1', type: 'ROLE', name: 'Engineer' }],
};
const BOB: Document = {
  _type: 'identity',
  id: 'i-bob',
  name: 'spadmin',
  access: [{ id: 'r-1', type: 'ENTITLEMENT', name: 'not the role' }],
};
const STAFF: Document = {
  ...{ _type: 'entitlement', id: 'e-staff', name: 'Staff', attribute: 'memberOf' },
  ...{ value: 'CN=staff', schema: 'group', source: AD, segments: [{ id: 'seg-1', name: 'One' }] },
  created: '2026-01-01T00:00:00Z',
};
const OTHER: Document = {
  ...{ _type: 'entitlement', id: 'e-other', name: 'Staff', attribute: 'memberOf' },
  ...{ value: 'CN=staff', source: { id: 's-ldap', name: 'LDAP' } },
};
const HIDDEN: Document = {
  ...{ _type: 'entitlement', id: 'e-hidden', name: 'Hidden', attribute: 'memberOf', value: 'x' },
  segments: [{ id: 'seg-2', name: 'Two' }],
};
const ENGINEER: Document = {
  ...{ _type: 'role', id: 'r-1', name: 'Engineer', owner: { id: 'i-ada', name: 'ada' } },
  entitlements: [
    { id: 'e-staff', name: 'Staff of the role' },
    { id: 'e-none', name: 'Without a document', attribute: 'memberOf', value: 'CN=none' },
  ],
};

before(async () => {
  service = await startService();
  const activity = (id: string, requester: string, recipient: string): Document => ({
    ...{ _type: 'accountactivity', id, action: 'Access Request' },
    ...{ requester: { id: requester }, recipient: { id: recipient } },
  });
  await service.addDocuments([
    ...[ADA, BOB, STAFF, OTHER, HIDDEN, ENGINEER],
    activity('t-1', 'i-ada', 'i-bob'),
    activity('t-2', 'i-bob', 'i-ada'),
    activity('t-3', 'i-bob', 'i-bob'),
  ] as Record<string, unknown>[]);
});
after(() => service.stop());

async function get(path: string): Promise<{ status: number; body: Document[]; text: string }> {
  const answer = await service.call('GET', path);
  const text = await answer.text();
  return { status: answer.status, body: JSON.parse(text), text };
}

/** The ids of a list, as one text. */
async function ids(path: string): Promise<string> {
  const { status, body, text } = await get(path);
  assert.equal(status, 200, text);
  return body.map(({ id }) => id).join(' ');
}

const IDS: readonly (readonly [path: string, ids: string])[] = [
  ['/v3/accounts/a-1/entitlements', 'e-staff'],
  ['/v3/accounts/a-2/entitlements', ''],
  ['/v3/entitlements?account-id=a-1', 'e-staff'],
  ['/v3/roles/r-1/entitlements', 'e-staff e-none'],
  ['/v3/roles/r-1/entitlements?sorters=-name', 'e-none e-staff'],
  ['/v3/roles/r-1/entitlements?filters=value sw "CN=n"', 'e-none'],
  ['/v3/roles/r-1/entitlements?filters=created ge 2026-01-01', 'e-staff'],
  ['/v3/roles/r-1/entitlements?offset=1', 'e-none'],
  ['/v3/roles/r-1/assigned-identities', 'i-ada'],
  ['/v3/roles/r-1/assigned-identities?filters=name co "Love"', 'i-ada'],
  ['/v3/roles/r-1/assigned-identities?filters=name co "LOVE"', 'i-ada'],
  ['/v3/sources', 's-ad s-hr s-ldap s-own'],
  ['/v3/sources?includeIDNSource=false', 's-ad s-hr s-ldap'],
  ['/v3/sources?includeIDNSource=True', 's-ad s-hr s-ldap s-own'],
  ['/v3/sources?sorters=-name&limit=2', 's-ldap s-own'],
  ['/v3/sources?filters=type isnull', 's-hr s-ldap s-own'],
  ['/v3/sources?filters=name co "Dir" and id ne "s-own"', 's-ad'],
  ['/v3/sources?filters=owner.id isnull&offset=3', 's-own'],
  ['/v3/sources?filters=description eq "x"', ''],
  ['/v3/identities?defaultFilter=NONE', 'i-ada i-bob'],
  ['/v3/public-identities?add-core-filters=true', 'i-ada'],
  ['/v3/entitlements?for-segment-ids=seg-1', 'e-other e-staff'],
  ['/v3/entitlements?for-segment-ids=seg-1&include-unsegmented=false', 'e-staff'],
  ['/v3/entitlements?for-segment-ids=&include-unsegmented=true', 'e-other'],
  ['/v3/account-activities?requested-for=i-ada', 't-2'],
  ['/v3/account-activities?requested-by=i-ada', 't-1'],
  ['/v3/account-activities?regarding-identity=i-ada', 't-1 t-2'],
  ['/v3/account-activities?requested-by=i-bob&requested-for=i-bob', 't-3'],
  ['/v3/account-activities?requested-for=me', ''],
  ['/beta/account-activities?type=APPREQUEST&requested-for=i-ada', 't-2'],
  ['/beta/account-activities?type=appRequest&filters=created isnull', 't-1 t-2 t-3'],
  ['/beta/account-activities?type=Access Request', ''],
  ['/v3/account-activities?filters=type gt "apples"', 't-1 t-2 t-3'],
  ['/v3/accounts?filters=entitlements eq "CN=staff"', 'a-1'],
  ['/v3/accounts?filters=hasEntitlements eq false', 'a-2 a-3'],
];

describe('the ids of', () => {
  for (const [path, expected] of IDS) {
    test(`${path} are "${expected}"`, async () => {
      assert.equal(await ids(encodeURI(path)), expected);
    });
  }
});

const REFUSED: readonly (readonly [path: string, status: number, cause: RegExp])[] = [
  ['/v3/sources?filters=type pr', 400, /pr is no operator of type; it has eq, in, ge/],
  ['/v3/accounts?detailLevel=SOME', 400, /detailLevel: \\"SOME\\" is none of SLIM, FULL/],
  ['/v3/identities?defaultFilter=x', 400, /CORRELATED_ONLY, NONE/],
  ['/v3/public-identities?add-core-filters=x', 400, /add-core-filters: expected true or false/],
  ['/v3/roles?limit=51', 400, /from 0 to 50/],
  ['/v3/roles?for-subadmin=me', 400, /for-subadmin/],
  ['/v3/sources?for-subadmin=me', 400, /for-subadmin/],
  ['/v3/roles?include-unsegmented=false', 400, /false needs for-segment-ids/],
  [
    '/v3/entitlements?account-id=a-1&filters=name eq "a"',
    400,
    /not possible together with filters/,
  ],
  ['/v3/entitlements?segmented-for-identity=i-ada', 400, /your own identity/],
  ['/v3/account-activities?regarding-identity=me&requested-by=me', 400, /not possible together/],
  ['/v3/accounts/nobody', 404, /is not the id of an account/],
  ['/v3/accounts/nobody/entitlements', 404, /is not the id of an account/],
  ['/v3/entitlements?account-id=nobody', 404, /is not the id of an account/],
  ['/v3/roles/nobody', 404, /is not the id of a role/],
  ['/v3/roles/nobody/entitlements', 404, /is not the id of a role/],
  ['/v3/roles/nobody/assigned-identities', 404, /is not the id of a role/],
  ['/v3/access-profiles/nobody/entitlements', 404, /is not the id of an access profile/],
  ['/v3/sources/nobody', 404, /is not the id of a source/],
];

describe('refused:', () => {
  for (const [path, expected, cause] of REFUSED) {
    test(`${path} with ${expected}`, async () => {
      const { status, text } = await get(encodeURI(path));
      assert.equal(status, expected, text);
      assert.match(text, cause);
    });
  }
});

test('an account has what its element and its identity say, and nothing else', async () => {
  const { body } = await get('/v3/accounts/a-1');
  assert.deepEqual(body as unknown as Document, {
    id: 'a-1',
    name: 'ada',
    created: '2026-01-01T00:00:00Z',
    sourceId: 's-ad',
    sourceName: 'Active Directory',
    identityId: 'i-ada',
    cloudLifecycleState: 'active',
    identityState: null,
    attributes: { mail: 'ada@example.com', memberOf: ['CN=staff', 'CN=gone'] },
    authoritative: false,
    disabled: false,
    locked: true,
    nativeIdentity: 'CN=ada',
    systemAccount: false,
    uncorrelated: false,
    manuallyCorrelated: true,
    hasEntitlements: true,
    identity: { type: 'IDENTITY', id: 'i-ada', name: 'Ada Lovelace' },
  });
  const slim = await get('/v3/accounts?detailLevel=SLIM&limit=1');
  assert.equal(slim.body[0]?.['attributes'], null);
  const own = await get('/v3/accounts?filters=systemAccount%20eq%20true');
  assert.equal(own.status, 400);
  const all = await get('/v3/accounts');
  assert.deepEqual(
    all.body.map(({ authoritative, systemAccount }) => [authoritative, systemAccount]),
    [
      [false, false],
      [true, false],
      [false, true],
    ],
  );
});

test('an entitlement of a role has what its document says, or else the role', async () => {
  const { body } = await get('/v3/roles/r-1/entitlements');
  assert.deepEqual(
    body.map(({ name, value, sourceSchemaObjectType }) => [name, value, sourceSchemaObjectType]),
    [
      ['Staff', 'CN=staff', 'group'],
      ['Without a document', 'CN=none', undefined],
    ],
  );
});

test('a source has a name, the type that accounts give it, and whether identities come from it', async () => {
  const { body } = await get('/v3/sources');
  assert.deepEqual(
    body.map(({ name, type, connector, authoritative, owner }) => [
      ...[name, type, connector, authoritative, owner],
    ]),
    [
      ['Active Directory', 'Active Directory - Direct', 'active-directory-direct', false, null],
      ['HR', undefined, '', true, null],
      ['LDAP', undefined, '', false, null],
      ['IdentityNow', undefined, '', false, null],
    ],
  );
});

test('a role that is written is read at once, and listed once it is searchable', async () => {
  const role = { _type: 'role', id: 'r-new', name: 'New' };
  await service.addDocuments([role]);
  assert.equal((await get('/v3/roles/r-new')).status, 200);
  assert.equal(await ids('/v3/roles?filters=name%20eq%20%22New%22'), 'r-new');
});
