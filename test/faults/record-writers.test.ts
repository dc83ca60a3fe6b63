// suite: slow
// Every way in which documents and other records are written or copied leaves rows that the checks of
// the store accept, on both databases: none is called damaged, and none is without a checksum.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Client } from 'pg';
import { openStore } from '../../src/compose/store.ts';
import { parseConfig } from '../../src/config/config.ts';
import { demoAuthUsers } from '../../src/demo/auth-users.ts';
import { demoDocuments } from '../../src/demo/documents.ts';
import { CHECKED_NAMES, CHECKED_TABLES } from '../../src/store/sql/row-checksum.ts';
import { openConnection } from '../../src/store/sqlite/sqlite-driver.ts';
import { temporaryFolder } from '../support/empty-store.ts';
import { COMPANY, lines, profileLines } from '../support/exported-company.ts';
import { openTestMirror } from '../support/mirror-world.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { type Call, callerOf, createCompany, type Env, runWith, serve } from './damage-world.ts';

type Json = Record<string, unknown>;

/** A data directory, and the settings that name its store. */
interface Place {
  readonly dataDir: string;
  readonly env: Env;
}

/** Runs SQL on the database of a place, past the store. */
async function below({ dataDir, env }: Place, sql: string, values: string[] = []): Promise<Json[]> {
  const url = env['CARDEA_STORE_URL'];
  if (url === undefined) {
    const connection = await openConnection(join(dataDir, 'cardea.db'), 60_000);
    try {
      return connection.all(sql.replace(/\$\d+/g, '?'), values);
    } finally {
      connection.close();
    }
  }
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql, values)).rows;
  } finally {
    await client.end();
  }
}

const countIn = async (place: Place, from: string): Promise<number> =>
  Number((await below(place, `select count(*) as number from ${from}`))[0]?.['number']);

/** Checks every row. @returns the tables with checksums that have rows */
async function assertAccepted(place: Place, what: string): Promise<readonly string[]> {
  const { store: config } = parseConfig({ CARDEA_DATA_DIR: place.dataDir, ...place.env });
  const store = await openStore(config);
  try {
    assert.deepEqual(await store.read.documentDamage(), { count: 0, documents: [] }, what);
    assert.deepEqual(await store.read.wrongRows(), [], what);
  } finally {
    await store.close();
  }
  // A document has the checksum behind its hash.
  assert.equal(await countIn(place, 'document where length(hash) <> 20'), 0, what);
  const filled: string[] = [];
  for (const table of CHECKED_NAMES) {
    assert.equal(await countIn(place, `${table} where checksum is null`), 0, `${what}: ${table}`);
    if ((await countIn(place, table)) > 0) filled.push(table);
  }
  return filled;
}

/** Calls the API of a server at the place. */
async function withServer({ dataDir, env }: Place, work: (call: Call) => Promise<void>) {
  const { cardea, url } = await serve(dataDir, env);
  try {
    await work((await callerOf(url, dataDir)).call);
  } finally {
    await cardea.stop();
  }
}

/** Records of an import: new ones, then some that are changed and some that are not. */
const IMPORTS: readonly (readonly Json[])[] = [0, 1].map((round) =>
  [...demoDocuments({ ...COMPANY, identities: 6 })].map((document, at) =>
    at % 2 === round ? { ...(document as Json), description: `Text ${round} é 𝄞` } : document,
  ),
) as readonly (readonly Json[])[];

/** Writes lines to a file, and imports them. */
async function importLines({ dataDir, env }: Place, values: Iterable<unknown>, flag?: string) {
  const path = join(temporaryFolder(), 'lines.ndjson');
  writeFileSync(path, lines(values));
  const args = [...(flag === undefined ? [] : [flag]), path, '--tenant', 'acme'];
  const { code, err } = await runWith(env, dataDir, 'import', ...args);
  assert.equal(code, 0, err);
}

const patched = (path: string, value: unknown) => [{ op: 'replace', path, value }];
const renamed = (record: Json) => ({ ...record, name: 'Changed é 𝄞' });

/** Changes of the first record of a list: method, list, path of a record, body. */
const CHANGES: readonly (readonly [string, string, string, (record: Json) => unknown])[] = [
  ['PUT', '/v2024/saved-searches', '/v2024/saved-searches/', renamed],
  [
    'PUT',
    '/v2024/scheduled-searches',
    '/v2024/scheduled-searches/',
    (record) => ({ ...record, name: 'Changed' }),
  ],
  ['PUT', '/admin/v1/dashboards', '/admin/v1/dashboards/', renamed],
  ['PATCH', '/v3/oauth-clients', '/v3/oauth-clients/', () => patched('/description', 'Changed é')],
  [
    'PATCH',
    '/v3/personal-access-tokens',
    '/v3/personal-access-tokens/',
    () => patched('/name', 'Changed'),
  ],
  [
    'PATCH',
    '/admin/v1/auth-users',
    '/v3/auth-users/',
    () => patched('/capabilities', ['ORG_ADMIN']),
  ],
  ['PATCH', '/api/users', '/api/users/', () => ({ user: { title: 'Changed é' } })],
  ['PATCH', '/api/roles', '/api/roles/', () => ({ role: { name: 'Changed é' } })],
  [
    'PATCH',
    '/api/ne_attributes',
    '/api/ne_attributes/',
    () => ({ ne_attribute: { label: 'Changed é' } }),
  ],
  [
    'PATCH',
    '/api/ne_attribute_options',
    '/api/ne_attribute_options/',
    () => ({ ne_attribute_option: { option: 'Changed é' } }),
  ],
  [
    'PATCH',
    '/api/profile_types',
    '/api/profile_types/',
    () => ({ profile_type: { name: 'Changed é' } }),
  ],
  [
    'PATCH',
    '/api/profiles',
    '/api/profiles/',
    () => ({ profile: { attributes: { hours_per_week: '37.25' } } }),
  ],
];

async function ok(call: Call, method: string, path: string, body?: unknown): Promise<unknown> {
  const { status, body: answer } = await call(method, path, body);
  assert.ok(status < 300, `${method} ${path}: ${status} ${JSON.stringify(answer)}`);
  return answer;
}

function firstOf(list: unknown): Json {
  const records = Array.isArray(list) ? list : Object.values(Object(list)).find(Array.isArray);
  return (records as Json[] | undefined)?.[0] ?? assert.fail(JSON.stringify(list));
}

/** What writes records at a place, one after the other. */
const WRITERS: readonly (readonly [what: string, write: (place: Place) => Promise<void>])[] = [
  ['cardea demo, and what is created over HTTP', ({ dataDir, env }) => createCompany(dataDir, env)],
  [
    'imports over HTTP',
    (place) =>
      withServer(place, async (call) => {
        for (const documents of IMPORTS)
          await ok(call, 'POST', '/admin/v1/documents', lines(documents));
        const users = [...demoAuthUsers({ ...COMPANY, identities: 6, tenant: 'demo' })];
        await ok(call, 'POST', '/admin/v1/auth-users', lines(users));
      }),
  ],
  [
    'cardea import',
    async (place) => {
      await runWith(place.env, place.dataDir, 'tenant', 'create', 'acme');
      for (const documents of IMPORTS) await importLines(place, documents);
      const users = demoAuthUsers({ ...COMPANY, tenant: 'acme' });
      await importLines(place, users, '--auth-users');
      await importLines(place, profileLines(), '--profiles');
    },
  ],
  [
    'changes over HTTP',
    (place) =>
      withServer(place, async (call) => {
        const [user, role] = [
          firstOf(await ok(call, 'GET', '/api/users')),
          firstOf(await ok(call, 'GET', '/api/roles')),
        ];
        const { id } = firstOf(await ok(call, 'GET', '/api/profiles'));
        await ok(call, 'POST', '/api/user_profiles', {
          user_profiles: [{ user_id: user['id'], profile_id: id, relationship_type: 'owner' }],
        });
        await ok(call, 'POST', '/api/role_profiles', {
          role_profiles: [{ role_id: role['id'], profile_id: id }],
        });
        for (const [method, list, one, change] of CHANGES) {
          const record = firstOf(await ok(call, 'GET', list));
          await ok(call, method, `${one}${record['id']}`, change(record));
        }
        const view = { indices: { identities: 'name:y' }, hide: ['phone'] };
        await ok(call, 'PUT', '/admin/v1/views/view1', { name: 'view1', ...view });
      }),
  ],
];

/** Adds a row of each kind that nothing here writes. */
async function fill(place: Place): Promise<void> {
  for (const table of CHECKED_NAMES) {
    if ((await countIn(place, table)) > 0) continue;
    const { columns } = CHECKED_TABLES[table];
    const names = columns.map((name) => `"${name}"`).join(', ');
    const slots = columns.map((_, at) => `$${at + 1}`).join(', ');
    await below(
      place,
      `insert into ${table} (${names}) values (${slots})`,
      columns.map(() => '1'),
    );
  }
}

/** What copies a store in SQLite. @returns the place of the copy */
const COPIES: readonly (readonly [what: string, copy: (place: Place) => Promise<Place>])[] = [
  [
    'cardea backup and restore',
    async ({ dataDir }) => {
      const folder = temporaryFolder();
      const [backup, restored] = [join(folder, 'backup'), join(folder, 'restored')];
      assert.equal((await runWith({}, dataDir, 'backup', backup)).code, 0);
      assert.equal((await runWith({}, restored, 'restore', backup)).code, 0);
      return { dataDir: restored, env: {} };
    },
  ],
  [
    'cardea migrate-store',
    async ({ dataDir }) => {
      const url = await postgres.database('migrated');
      const { code, err } = await runWith({}, dataDir, 'migrate-store', '--to', url);
      assert.equal(code, 0, err);
      return { dataDir, env: { CARDEA_STORE_URL: url } };
    },
  ],
];

let postgres: Postgres;
before(async () => {
  postgres = await startPostgres();
});
after(() => postgres.stop());

for (const kind of ['SQLite', 'PostgreSQL'] as const) {
  describe(`the checks of ${kind} accept all records`, () => {
    let place: Place;
    before(async () => {
      const env: Env =
        kind === 'SQLite' ? {} : { CARDEA_STORE_URL: await postgres.database('writers') };
      place = { dataDir: join(temporaryFolder(), 'data'), env };
    });
    for (const [what, write] of WRITERS) {
      test(`after ${what}`, async () => {
        await write(place);
        await assertAccepted(place, what);
      });
    }
    if (kind === 'PostgreSQL') return;
    for (const [what, copy] of COPIES) {
      test(`after ${what}, with a row of every kind`, async () => {
        await fill(place);
        const copied = await copy(place);
        assert.deepEqual(await assertAccepted(copied, what), CHECKED_NAMES);
      });
    }
  });
}

test('the checks accept all records that a mirror brings', async () => {
  const mirror = await openTestMirror();
  try {
    const time = '2024-01-01T00:00:00.000Z';
    const stamp = { created: time, modified: time };
    mirror.profiles.collections = {
      risk_levels: [
        {
          id: '00000000-0000-4000-8000-000000000001',
          uid: 'low',
          label: 'Low é',
          order: 1,
          points: 0.1,
          created_at: time,
          updated_at: time,
        },
      ],
    };
    mirror.tenant.rows = ['a', 'b'].map((id) => ({
      ...{ _type: 'identity', id, name: `Identity ${id} é 𝄞`, ...stamp },
    }));
    const { outcome } = await mirror.run({ authUsers: 'all' });
    assert.equal(outcome, 'complete');
    const filled = await assertAccepted({ dataDir: mirror.dataDir, env: {} }, 'the mirror');
    for (const table of ['mirror', 'mirror_part', 'risk_level', 'auth_user'] as const) {
      assert.ok(filled.includes(table), table);
    }
  } finally {
    await mirror.close();
  }
});
