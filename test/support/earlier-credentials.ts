// Credentials as the store kept them before 0029-credentials, a table for each kind, and a check that
// all of them are the same in the one table.
import assert from 'node:assert/strict';
import { sql } from 'kysely';
import type { Credential, Records } from '../../src/service/ports/store.ts';
import { MIGRATIONS } from '../../src/store/migrate.ts';
import { type Executor, rawStatement } from '../../src/store/sql/statement.ts';

const TENANT = 'tenant';
const CREATED = '2026-01-01T00:00:00.000Z';
const ENDS = '2027-01-01T00:00:00.000Z';
const USED = '2026-02-01T00:00:00.000Z';

/** The steps before the one that is tested. */
export const BEFORE_CREDENTIALS = MIGRATIONS.slice(
  0,
  MIGRATIONS.findIndex(({ name }) => name === '0029-credentials'),
);

/** By former table: rows, and what each is now. */
const ROWS: Readonly<Record<string, readonly (readonly [Record<string, unknown>, Credential])[]>> =
  {
    personal_access_token: [
      [
        {
          ...{
            id: 'p1',
            owner_id: 'u1',
            name: 'laptop "é"',
            secret_hash: 'h1',
            scope: '["a","b"]',
          },
          ...{ access_token_validity_seconds: 60, expiration_date: ENDS, managed: 0 },
          ...{
            user_aware_token_never_expires: 0,
            parent_id: 'p0',
            view_name: 'v',
            last_used: USED,
          },
        },
        {
          ...{ kind: 'pat', id: 'p1', ownerId: 'u1', name: 'laptop "é"', secretHash: 'h1' },
          ...{ scope: ['a', 'b'], accessTokenValiditySeconds: 60, expires: ENDS, managed: false },
          ...{ userAwareTokenNeverExpires: false, parentId: 'p0', view: 'v', lastUsed: USED },
          created: CREATED,
        },
      ],
      [
        {
          ...{ id: 'p2', owner_id: 'u1', name: 'endless', secret_hash: 'h2', scope: '[]' },
          ...{
            access_token_validity_seconds: 43_200,
            user_aware_token_never_expires: 1,
            managed: 1,
          },
        },
        {
          ...{ kind: 'pat', id: 'p2', ownerId: 'u1', name: 'endless', secretHash: 'h2', scope: [] },
          ...{
            accessTokenValiditySeconds: 43_200,
            userAwareTokenNeverExpires: true,
            managed: true,
          },
          ...{ expires: null, parentId: null, view: null, lastUsed: null, created: CREATED },
        },
      ],
    ],
    oauth_client: ['{}', '{"tokensValidFrom":1800000000}'].map((state, at) => {
      const details = {
        description: 'd',
        businessName: '',
        homepageUrl: '',
        accessType: 'OFFLINE',
      };
      const flags = { strongAuthSupported: false, claimsSupported: true };
      return [
        {
          ...{ id: `c${at}`, name: 'export', secret_hash: 'h', scope: '["sp:scopes:all"]' },
          ...{ grant_types: '["CLIENT_CREDENTIALS"]', redirect_uris: '["https://a.test/\\"x"]' },
          ...{
            access_token_validity_seconds: 750,
            refresh_token_validity_seconds: 90,
            enabled: at,
          },
          ...{
            modified: USED,
            last_used: at === 0 ? null : USED,
            view_name: null,
            parent_id: null,
          },
          details: JSON.stringify({ ...details, ...flags, ...JSON.parse(state) }),
        },
        {
          ...{ kind: 'client', id: `c${at}`, name: 'export', secretHash: 'h', view: null },
          ...{ scope: ['sp:scopes:all'], grantTypes: ['CLIENT_CREDENTIALS'] },
          ...{ redirectUris: ['https://a.test/"x'], accessTokenValiditySeconds: 750 },
          ...{ refreshTokenValiditySeconds: 90, enabled: at === 1, modified: USED, parentId: null },
          ...{ lastUsed: at === 0 ? null : USED, ownerId: null, expires: null, created: CREATED },
          ...{ ...details, ...flags, tokensValidFrom: at * 1_800_000_000 },
        } as Credential,
      ];
    }),
    api_key: (['read', 'manage'] as const).map((scope, at) => [
      {
        ...{ id: `k${at}`, hash: `k${at} hash`, name: 'script', scope, expires: at ? ENDS : null },
        ...{ owner_id: at ? 'u1' : null, parent_id: at ? 'p1' : null, last_used: at ? USED : null },
      },
      {
        ...{ kind: 'key', id: `k${at}`, secretHash: `k${at} hash`, name: 'script', view: null },
        ...{ scope: [`cardea:profiles:${scope}`], expires: at ? ENDS : null, created: CREATED },
        ...{ ownerId: at ? 'u1' : null, parentId: at ? 'p1' : null, lastUsed: at ? USED : null },
      },
    ]),
  };

/** The rows whose bytes differ from what was written. */
const DAMAGED: readonly (readonly [table: string, id: string, column: string, value: string])[] = [
  ['personal_access_token', 'p2', 'scope', '["sp:scopes:all"]'],
  ['oauth_client', 'c1', 'details', '{"a'],
  ['api_key', 'k0', 'scope', 'manage'],
];

/** Adds the rows to a database with these steps, and damages some. */
export async function addEarlierCredentials(executor: Executor): Promise<void> {
  const run = (text: ReturnType<typeof sql>) => executor.query(rawStatement(text));
  for (const [table, rows] of Object.entries(ROWS)) {
    for (const [row] of rows) {
      const values = Object.entries({ ...row, tenant_id: TENANT, created: CREATED });
      await run(sql`insert into ${sql.ref(table)} (${sql.join(values.map(([name]) => sql.ref(name)))})
        values (${sql.join(values.map(([, value]) => value))})`);
    }
  }
  for (const [table, id, column, value] of DAMAGED) {
    const written = sql`update ${sql.ref(table)} set checksum`;
    const where = sql`where id = ${id}`;
    await run(sql`${written} = 'x' || checksum ${where}`);
    await run(sql`update ${sql.ref(table)} set ${sql.ref(column)} = ${value} ${where}`);
    await run(sql`${written} = substr(checksum, 2) ${where}`);
  }
}

/** Checks the migrated database. */
export async function checkMigratedCredentials(records: Records): Promise<void> {
  const damaged = DAMAGED.map(([, id]) => id);
  for (const [, credential] of Object.values(ROWS).flat()) {
    const { id, kind, secretHash } = credential;
    const read = () =>
      kind === 'key' ? records.apiKeyByHash(secretHash) : records.credentialById(id);
    if (damaged.includes(id)) await assert.rejects(read, { code: 'unavailable' }, id);
    else assert.deepEqual({ ...(await read()) }, { ...credential, tenantId: TENANT });
  }
  const { documents } = await records.documentDamage();
  assert.deepEqual(documents.map(({ index, id }) => `${index} ${id}`).sort(), [
    ...damaged.map((id) => `credential ${id}`).sort(),
  ]);
}
