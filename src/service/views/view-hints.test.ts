// Hints about the hidden fields of a view, from the documents of a tenant.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { INDEX_NAMES, staticMapping, withFields } from '../../query/mapping/document-types.ts';
import type { IndexName } from '../../query/query.ts';
import type { Mappings } from '../ports/search-backend.ts';
import type { StoredDocument } from '../ports/stored-document.ts';
import { viewHints } from './view-hints.ts';
import { HideableNames } from './view-request.ts';

const tenant = { name: 'acme', pod: 'p' };
const dynamic = ['attributes.mail', 'attributes.department'].map((path) => ({
  ...{ path, type: 'text' as const, nested: null, dynamic: true },
}));
const mappings: Mappings = {
  ...(Object.fromEntries(
    INDEX_NAMES.map((index) => [index, staticMapping(index, tenant)]),
  ) as Mappings),
  identities: withFields(staticMapping('identities', tenant), dynamic),
};

/** Twenty people of four departments; each second one owns a role. */
const people = Array.from({ length: 20 }, (_, n) => {
  const mail = `person${n}@a.test`;
  return {
    ...{
      id: `i-${n}`,
      name: `p${n}`,
      email: mail,
      phone: `+43 12345${n}`,
      displayName: 'Somebody',
    },
    attributes: { mail: mail.toUpperCase(), department: `Department ${n % 4}` },
    accounts: [{ id: `account-${n}`, accountId: mail, source: { name: 'Directory' } }],
    apps: [{ name: 'Directory', account: { id: `account-${n}`, accountId: mail } }],
  };
});
const roles = people
  .filter((_, n) => n % 2 === 0)
  .map(({ email }, n) => ({ id: `r-${n}`, name: `Role ${n}`, owner: { email } }));

function stored(index: IndexName, { id, ...members }: { readonly id: string }): StoredDocument {
  return {
    index,
    id,
    root: Buffer.from(JSON.stringify({ id, ...members })),
    nested: Buffer.alloc(0),
  };
}

const documents = new Map<IndexName, readonly StoredDocument[]>([
  ['identities', people.map((one) => stored('identities', one))],
  ['roles', roles.map((one) => stored('roles', one))],
]);

const records = {
  async documentPage(_tenantId: string, index: IndexName, afterId: string, limit: number) {
    const all = documents.get(index) ?? [];
    const from = all.findIndex(({ id }) => id === afterId) + 1;
    return all.slice(from, from + limit);
  },
};

async function hintsOf(hide: readonly string[], indices: Record<string, string> = BOTH) {
  const names = new HideableNames(indices, mappings);
  return viewHints(records, 'tenant-1', { name: 'v', indices, hide }, names);
}

const BOTH = { identities: '*', roles: '*' };
const OF_MAIL = '"accounts.accountId", "apps.account.accountId"';
const NONE_SO_FAR = 'is hidden, but nothing that the view shows has such a field so far';

const CASES: readonly (readonly [hide: string[], hints: readonly string[]])[] = [
  [[], []],
  [['phone'], []],
  [
    ['email'],
    [
      `"email" is hidden, but ${OF_MAIL}, "attributes.mail", "owner.email" may have the same values`,
    ],
  ],
  [
    ['email', 'attributes', 'owner', 'accounts'],
    [
      '"accounts" is hidden, but "apps.account.accountId", "apps.account.id" may have the same values',
      '"attributes" is hidden, but "apps.account.accountId" may have the same values',
      '"email" is hidden, but "apps.account.accountId" may have the same values',
    ],
  ],
  [['email', 'attributes', 'owner', 'accounts', 'apps'], []],
  // Values that many documents have in common do not identify one of them.
  [['attributes.department', 'displayName', 'accounts.source'], []],
  [['attributes.salary'], [`"attributes.salary" ${NONE_SO_FAR}`]],
  [['attributes.dept'], [`"attributes.dept" ${NONE_SO_FAR}`]],
];

for (const [hide, hints] of CASES) {
  test(`of the hidden fields [${hide.join(', ')}]`, async () => {
    assert.deepEqual(await hintsOf(hide), hints);
  });
}

test('only documents and fields of what the view shows count', async () => {
  const [hint] = await hintsOf(['email'], { identities: '*' });
  assert.equal(
    hint,
    `"email" is hidden, but ${OF_MAIL}, "attributes.mail" may have the same values`,
  );
  assert.deepEqual(await hintsOf(['owner.email'], { roles: '*' }), []);
});
