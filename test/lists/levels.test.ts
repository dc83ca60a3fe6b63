// suite: slow
// Who may read which list, cell by cell: every list, level and token policy over HTTP, then every list
// and scope. The table stands here once more, in the words of docs/who-may-do-what.md.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { mayDo, type Operation } from '../../src/auth/access.ts';
import { CAPABILITIES } from '../../src/auth/capabilities.ts';
import { TOKEN_POLICIES } from '../../src/auth/confinement.ts';
import { PATH_VERSIONS } from '../../src/http/requests/path-versions.ts';
import { addUser, type Party } from '../support/callers.ts';
import { COMPANY_DOCUMENTS, LISTED_IDS } from '../support/listed-company.ts';
import { type RunningService, startService } from '../support/service.ts';

const SEARCHERS =
  'ORG_ADMIN CERT_ADMIN REPORT_ADMIN SOURCE_ADMIN SOURCE_SUBADMIN ROLE_ADMIN ROLE_SUBADMIN';
const ANY = 'any';

/** A list, who may read it, with which scopes, and the right that decides. */
type Row = readonly [path: string, levels: string, scopes: string, right: Operation];

const ROWS: readonly Row[] = [
  ['/accounts', 'ORG_ADMIN SOURCE_ADMIN SOURCE_SUBADMIN HELPDESK', 'idn:accounts', 'account:read'],
  [
    '/accounts/{id}',
    'ORG_ADMIN SOURCE_ADMIN SOURCE_SUBADMIN HELPDESK',
    'idn:accounts',
    'account:read',
  ],
  [
    '/accounts/{id}/entitlements',
    'ORG_ADMIN SOURCE_ADMIN SOURCE_SUBADMIN HELPDESK',
    'idn:accounts',
    'account:read',
  ],
  [
    '/roles',
    'ORG_ADMIN ROLE_ADMIN ROLE_SUBADMIN',
    'idn:role-unchecked idn:role-checked',
    'role:read',
  ],
  [
    '/roles/{id}',
    'ORG_ADMIN ROLE_ADMIN ROLE_SUBADMIN',
    'idn:role-unchecked idn:role-checked',
    'role:read',
  ],
  [
    '/roles/{id}/entitlements',
    'ORG_ADMIN ROLE_ADMIN ROLE_SUBADMIN',
    'idn:role-unchecked idn:role-checked',
    'role:read',
  ],
  [
    '/roles/{id}/assigned-identities',
    SEARCHERS,
    'idn:role-unchecked idn:role-checked',
    'role:holders',
  ],
  [
    '/access-profiles',
    'ORG_ADMIN ROLE_ADMIN ROLE_SUBADMIN SOURCE_ADMIN SOURCE_SUBADMIN',
    'idn:access-profile',
    'access-profile:read',
  ],
  [
    '/access-profiles/{id}',
    'ORG_ADMIN ROLE_ADMIN ROLE_SUBADMIN SOURCE_ADMIN SOURCE_SUBADMIN',
    'idn:access-profile',
    'access-profile:read',
  ],
  [
    '/access-profiles/{id}/entitlements',
    'ORG_ADMIN SOURCE_ADMIN SOURCE_SUBADMIN',
    'idn:access-profile',
    'access-profile:entitlements',
  ],
  [
    '/sources',
    'ORG_ADMIN SOURCE_ADMIN SOURCE_SUBADMIN ROLE_SUBADMIN',
    'idn:sources',
    'source:list',
  ],
  ['/sources/{id}', 'ORG_ADMIN SOURCE_ADMIN SOURCE_SUBADMIN', 'idn:sources', 'source:read'],
  ['/entitlements', ANY, 'idn:entitlement', 'entitlement:list'],
  ['/entitlements/{id}', 'ORG_ADMIN', 'idn:entitlement', 'entitlement:read'],
  ['/public-identities', ANY, ANY, 'public-identity:read'],
  ['/identities', SEARCHERS, 'idn:identity', 'identity:read'],
  ['/identities/{id}', SEARCHERS, 'idn:identity', 'identity:read'],
  ['/account-activities', SEARCHERS, 'sp:scopes:default', 'account-activity:read'],
  ['/account-activities/{id}', SEARCHERS, 'sp:scopes:default', 'account-activity:read'],
];

/** Scopes that the public specification does not have. */
const NO_MANAGE = ['idn:access-profile:manage'];

/** The path of a row with an object of the demo company, under one version or with `/v1` behind the area. */
function pathOf(path: string, turn: number): string {
  const area = path.split('/')[1] as keyof typeof LISTED_IDS;
  const filled = path.replace('{id}', LISTED_IDS[area][0] ?? '').slice(1);
  const version = PATH_VERSIONS[turn % (PATH_VERSIONS.length + 1)];
  return version === undefined ? `/${filled.replace(area, `${area}/v1`)}` : `${version}/${filled}`;
}

async function refusalOf(call: Party['call'], path: string): Promise<string | null> {
  const answer = await call('GET', path);
  const text = await answer.text();
  if (answer.status === 200) return null;
  assert.equal(answer.status, 403, `${path}: ${text}`);
  return text;
}

/** The rights that `/oauth/userinfo` shows, from which the console builds its menus. */
async function shownRights(call: Party['call']) {
  const info = (await (await call('GET', '/oauth/userinfo')).json()) as {
    readonly identity_id: string;
    readonly authorities: string[];
    readonly scope: string[];
  };
  const { identity_id: identityId, authorities: capabilities, scope: scopes } = info;
  return { identityId, capabilities, scopes };
}

for (const policy of TOKEN_POLICIES) {
  describe(`under the policy ${policy}`, () => {
    let service: RunningService;
    before(async () => {
      service = await startService({ CARDEA_TOKEN_POLICY: policy });
      await service.addDocuments(COMPANY_DOCUMENTS as Record<string, unknown>[]);
    });
    after(() => service.stop());

    for (const level of [...CAPABILITIES, null]) {
      test(`${level ?? 'a user without a level'} reads exactly its lists`, async () => {
        const { call } = await addUser(service, { capabilities: level === null ? [] : [level] });
        const rights = await shownRights(call);
        for (const [turn, [path, levels, , right]] of ROWS.entries()) {
          const isAllowed = levels === ANY || levels.split(' ').includes(level ?? '');
          const refusal = await refusalOf(call, pathOf(path, turn));
          assert.equal(refusal === null, isAllowed, `${path}: ${refusal}`);
          assert.equal(mayDo(rights, right), isAllowed, `${path} as the console sees it`);
          for (const name of isAllowed ? [] : levels.split(' ')) {
            assert.match(refusal ?? '', new RegExp(`levels [^"]*\\b${name}\\b`), path);
          }
        }
      });
    }

    test('levels add up', async () => {
      const { call } = await addUser(service, { capabilities: ['HELPDESK', 'ROLE_SUBADMIN'] });
      for (const path of ['/v3/accounts', '/v3/roles', '/v3/sources', '/v3/identities']) {
        assert.equal(await refusalOf(call, path), null, path);
      }
    });

    for (const scope of scopesOf(ROWS)) {
      test(`an administrator with the scope ${scope} reads exactly its lists`, async () => {
        const { call } = await addUser(service, { capabilities: ['ORG_ADMIN'], scope: [scope] });
        for (const [turn, [path, , scopes]] of ROWS.entries()) {
          const isAllowed = scopes === ANY || opens(scopes, scope);
          const refusal = await refusalOf(call, pathOf(path, turn));
          assert.equal(refusal === null, isAllowed, `${path}: ${refusal}`);
        }
      });
    }

    test('whoever may not search sees no attributes of public identities', async () => {
      const attributesOf = async (capabilities: readonly string[], scope: readonly string[]) => {
        const { call } = await addUser(service, { capabilities, scope });
        const answer = await call('GET', '/v3/public-identities?limit=1');
        const [{ attributes, alias, manager }] = (await answer.json()) as [Record<string, unknown>];
        assert.equal(typeof alias, 'string');
        assert.notEqual(manager, undefined);
        return (attributes as unknown[]).length;
      };
      assert.equal(await attributesOf([], ['sp:scopes:all']), 0);
      assert.equal(await attributesOf(['HELPDESK'], ['sp:scopes:all']), 0);
      assert.ok((await attributesOf(['CERT_ADMIN'], ['sp:scopes:default'])) > 0);
    });

    test('the entitlements of an account need a level that sees what people have', async () => {
      const path = `/v3/entitlements?account-id=${LISTED_IDS.accounts[0]}`;
      for (const [level, isAllowed] of [
        ...([
          ['HELPDESK', true],
          ['CERT_ADMIN', true],
          ['CLOUD_GOV_USER', false],
        ] as const),
      ]) {
        const { call } = await addUser(service, { capabilities: [level] });
        assert.equal((await refusalOf(call, path)) === null, isAllowed, level);
      }
    });
  });
}

/** Each scope of a row in both spellings and with its `manage`, some others, and none at all. */
function scopesOf(rows: readonly Row[]): readonly string[] {
  const named = new Set(rows.flatMap(([, , scopes]) => (scopes === ANY ? [] : scopes.split(' '))));
  named.delete('sp:scopes:default');
  return [
    ...[...named].flatMap((scope) => [`${scope}:read`, `${scope.replace('idn:', 'sp:')}:read`]),
    ...[...named].map((scope) => `${scope}:manage`).filter((scope) => !NO_MANAGE.includes(scope)),
    ...['sp:scopes:default', 'idn:scopes:default', 'sp:scopes:all', 'sp:search:read'],
    ...['sp:auth-user:read', 'unknown'],
  ];
}

function opens(scopes: string, held: string): boolean {
  if (held === 'sp:scopes:all') return true;
  const name = held.replace(/^sp:(?!scopes:)/, 'idn:').replace(/^idn:(?=scopes:)/, 'sp:');
  return scopes.split(' ').includes(name.replace(/:(read|manage)$/, ''));
}

const SPECIFICATION = '../shared/contract/openapi/collections.json';

test('the levels are those of the public specification, where it is at hand', () => {
  if (!existsSync(SPECIFICATION)) return;
  const { paths } = JSON.parse(readFileSync(SPECIFICATION, 'utf8')) as {
    readonly paths: Record<string, { readonly get: { 'x-sailpoint-userLevels'?: string[] } }>;
  };
  for (const [path, levels] of ROWS) {
    const named = paths[path]?.get['x-sailpoint-userLevels'];
    if (named === undefined) continue;
    const isAny = named.includes('USER') || named.includes('Any');
    assert.deepEqual(levels.split(' ').sort(), isAny ? [ANY] : named.sort(), path);
  }
});
