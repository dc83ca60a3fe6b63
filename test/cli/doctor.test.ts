// suite: slow
// cardea doctor on a data directory that something is wrong with: found, told, left alone; mended with --repair.
import assert from 'node:assert/strict';
import {
  chmodSync,
  closeSync,
  cpSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { pino } from 'pino';
import { type Offline, openOffline } from '../../src/compose/compose.ts';
import { parseConfig } from '../../src/config/config.ts';
import { operatorOf } from '../../src/service/audit/operator-event.ts';
import { newSigningKey } from '../../src/service/credentials/signing-keys.ts';
import { MIGRATIONS } from '../../src/store/migrate.ts';
import { openConnection } from '../../src/store/sqlite/sqlite-driver.ts';
import { commandLine } from '../support/command-line.ts';

/** A data directory in order; each test has a copy. */
const template = mkdtempSync(join(tmpdir(), 'cardea-doctor-'));
let dataDir: string;
const log = pino({ level: 'silent' });

before(async () => {
  const made = commandLine(['tenant', 'create', 'acme', '--data-dir', template]);
  assert.equal(await made.ended, 0, made.err());
  const file = join(template, 'roles.ndjson');
  const lines = Array.from({ length: 700 }, (_, n) => ({
    _type: 'role',
    id: `r${n}`,
    name: `R${n}`,
  }));
  writeFileSync(file, lines.map((line) => JSON.stringify(line)).join('\n'));
  const imported = commandLine(['import', file, '--data-dir', template]);
  assert.equal(await imported.ended, 0, imported.err());
});
after(() => rmSync(template, { recursive: true, force: true }));
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'cardea-doctor-'));
  cpSync(template, dataDir, { recursive: true });
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

async function withData(work: (data: Offline) => Promise<void>): Promise<void> {
  const data = await openOffline(parseConfig({ CARDEA_DATA_DIR: dataDir }), { log });
  try {
    await work(data);
  } finally {
    await data.close();
  }
}

interface Told {
  readonly code: number;
  status(name: string): string | undefined;
  message(name: string): string;
}

async function doctor(...flags: string[]): Promise<Told> {
  const line = commandLine(['doctor', '--data-dir', dataDir, '--json', ...flags]);
  const code = await line.ended;
  // It reports damage by its checks alone: nothing is discarded, and there is no stack.
  if (flags.length === 0) assert.equal(line.err(), '');
  const { checks } = JSON.parse(line.out()) as {
    checks: { name: string; status: string; message: string }[];
  };
  const of = (name: string) => checks.find((check) => check.name === name);
  return {
    code,
    status: (name) => of(name)?.status,
    message: (name) => of(name)?.message ?? '',
  };
}

/** Found twice, since looking changes nothing; mended; and well afterwards. */
async function foundAndMended(name: string, message: RegExp): Promise<void> {
  for (let look = 0; look < 2; look++) {
    const sick = await doctor();
    assert.equal(sick.status(name), 'fault', sick.message(name));
    assert.match(sick.message(name), message);
    assert.equal(sick.code, 1);
  }
  const mended = await doctor('--repair');
  assert.equal(mended.status(name), 'mended', mended.message(name));
  assert.equal(mended.code, 0);
  const well = await doctor();
  assert.equal(well.status(name), 'ok', well.message(name));
  assert.equal(well.code, 0);
}

test('what is well is told to be, document by document', async () => {
  const { code, message } = await doctor();
  assert.equal(code, 0);
  assert.match(message('search index'), /up to date with the store .* 70\d documents equal/);
  assert.equal(message('records'), 'all are consistent');
  assert.equal(message('schema'), 'as the migrations make it');
});

test('documents missing in the index, too many and different are found and fed again', async () => {
  await withData(async ({ store, backend }) => {
    assert.ok(backend);
    const [tenant] = await store.read.tenants();
    assert.ok(tenant);
    const sequence = (await store.read.lastSequence()) + 1;
    const change = (id: string, root: string | null) => ({
      ...({ sequence, tenantId: tenant.id, index: 'roles', id } as const),
      document:
        root === null
          ? null
          : {
              ...({ index: 'roles', id, nested: new Uint8Array(0) } as const),
              root: new TextEncoder().encode(root),
            },
    });
    await backend.apply(tenant.id, [
      change('r1', null),
      change('r2', '{"id":"r2","name":"another"}'),
      change('r3', '{"id":"r3","name":"another"}'),
      change('x', '{"id":"x","name":"X"}'),
    ]);
    await backend.refresh();
    await backend.commit(await store.read.lastSequence());
  });
  await foundAndMended('search index', /roles of acme: 1 missing, 1 too many, 2 different/);
});

test('an index that is behind is a warning, and fed to the end', async () => {
  await addUnindexed(1);
  const behind = await doctor();
  assert.equal(behind.status('search index'), 'warning');
  assert.equal(behind.code, 0);
  assert.equal((await doctor('--repair')).status('search index'), 'mended');
  assert.equal((await doctor()).status('search index'), 'ok');
});

/** Overwrites bytes in the middle of the largest index file with a suffix. */
function damageIndex(suffix: string, length: number): void {
  const folder = join(dataDir, 'index');
  const path = readdirSync(folder)
    .filter((name) => name.endsWith(suffix))
    .map((name) => join(folder, name))
    .sort((a, b) => statSync(b).size - statSync(a).size)[0];
  assert.ok(path, readdirSync(folder).join());
  const bytes = readFileSync(path);
  const middle = Math.floor(bytes.length / 2);
  for (let at = middle; at < middle + length; at++) bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  writeFileSync(path, bytes);
}

/** Stores documents that no index has. */
async function addUnindexed(count: number): Promise<void> {
  await withData(async ({ store, documents }) => {
    const [tenant] = await store.read.tenants();
    assert.ok(tenant);
    async function* lines() {
      for (let line = 1; line <= count; line++) {
        yield { line, text: `{"_type":"role","id":"late${line}","name":"Late"}` };
      }
    }
    await documents.importDocuments(operatorOf(tenant.id), lines());
  });
}

const DAMAGE: Readonly<Record<string, readonly [() => void, RegExp]>> = {
  'a section of a segment': [
    () => damageIndex('.index', 1),
    /checksum of a section.* must be rebuilt/,
  ],
  'documents of a segment': [() => damageIndex('.sources', 50), /is damaged/],
  'the end of a segment': [
    () => {
      const folder = join(dataDir, 'index');
      for (const name of readdirSync(folder).filter((file) => file.endsWith('.index'))) {
        truncateSync(join(folder, name), statSync(join(folder, name)).size - 3);
      }
    },
    /is damaged/,
  ],
  'the manifest': [
    () => writeFileSync(join(dataDir, 'index', 'manifest.json'), '{}'),
    /manifest: checksum/,
  ],
};
for (const [what, [damage, message]] of Object.entries(DAMAGE)) {
  for (const behind of [0, 4]) {
    const when = behind === 0 ? '' : ' of an index that is behind';
    test(`damage to ${what}${when} is found each time, and built again`, async () => {
      if (behind > 0) await addUnindexed(behind);
      damage();
      await foundAndMended('search index', message);
    });
  }
}

test('an incomplete index is a warning that says how far it is, and is completed', async () => {
  rmSync(join(dataDir, 'index', 'manifest.json'));
  for (let look = 0; look < 2; look++) {
    const report = await doctor();
    assert.equal(report.status('search index'), 'warning');
    assert.match(
      report.message('search index'),
      /^incomplete, built up to change 0 of 7\d\d; the next/,
    );
  }
  assert.equal((await doctor('--repair')).status('search index'), 'mended');
  rmSync(join(dataDir, 'index'), { recursive: true });
  assert.match(
    (await doctor()).message('search index'),
    /^there is none yet; the next start builds/,
  );
});

/** The files below the data directory by path, with mode and content; not those of open databases. */
function snapshot(): Record<string, string> {
  const files: Record<string, string> = {};
  for (const name of readdirSync(dataDir, { recursive: true }).map(String)) {
    const path = join(dataDir, name);
    const stats = statSync(path);
    if (/^compile-cache|-(wal|shm)$/.test(name)) continue;
    const content = stats.isFile() ? readFileSync(path).toString('base64') : '';
    files[name] = `${stats.mode.toString(8)} ${content}`;
  }
  return files;
}

/** States that opening for writing would change. */
const CHANGEABLE: Readonly<Record<string, () => Promise<void> | void>> = {
  'in order': () => {},
  'whose index is behind': () => addUnindexed(2),
  'whose index has a damaged section': () => damageIndex('.index', 1),
  'whose index has damaged documents': () => damageIndex('.sources', 50),
  'whose index has a damaged manifest': DAMAGE['the manifest']?.[0] ?? assert.fail(),
  'whose index has files that no manifest names': () =>
    writeFileSync(join(dataDir, 'index', 's99999.index'), 'x'),
  'without an index': () => rmSync(join(dataDir, 'index'), { recursive: true }),
  'that others can read': () => {
    chmodSync(dataDir, 0o755);
    chmodSync(join(dataDir, 'index'), 0o755);
  },
  'of an earlier version': () => makeEarlier(),
};
for (const [state, make] of Object.entries(CHANGEABLE)) {
  test(`changes nothing in a data directory ${state} without --repair`, async () => {
    await make();
    const before = snapshot();
    await doctor();
    assert.deepEqual(snapshot(), before);
  });
}

/** Undoes the last migration. */
async function makeEarlier(): Promise<void> {
  const name = '0032-kinds-of-fields';
  assert.equal(MIGRATIONS.at(-1)?.name, name, 'how to undo the last migration');
  await below(
    `alter table dynamic_field drop column indexed_as; delete from schema_migration where name = '${name}'`,
  );
}

test('a store of an earlier version is a warning, and --repair migrates it', async () => {
  await makeEarlier();
  for (let look = 0; look < 2; look++) {
    const report = await doctor();
    assert.equal(report.code, 0);
    assert.equal(report.status('store'), 'warning');
    assert.match(
      report.message('store'),
      /of an earlier version, 1 migration is missing: make a backup/,
    );
  }
  await doctor('--repair');
  assert.equal((await doctor()).status('store'), 'ok');
});

test('a damaged document of the store is named, and moved out of the way with its bytes', async () => {
  const connection = await openConnection(join(dataDir, 'cardea.db'), 60_000);
  connection.exec("update document set root = x'0102' where id = 'r5'");
  connection.close();
  for (const index of ['with', 'without']) {
    if (index === 'without') rmSync(join(dataDir, 'index'), { recursive: true });
    const report = await doctor();
    assert.equal(report.status('documents'), 'fault');
    assert.match(report.message('documents'), /^1 damaged document: "r5" of roles: import them/);
    assert.notEqual(report.status('search index'), 'fault', `${index} index`);
  }
  const repaired = await doctor('--repair');
  assert.equal(repaired.status('documents'), 'mended');
  const file =
    /in (\S+\.ndjson); import them again$/.exec(repaired.message('documents'))?.[1] ?? '';
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const { tenantId, hash, ...moved } = JSON.parse(readFileSync(file, 'utf8'));
  assert.deepEqual(moved, { index: 'roles', id: 'r5', root: 'AQI=', nested: '' });
  const after = await doctor();
  assert.equal(after.status('documents'), 'ok');
  assert.notEqual(after.status('search index'), 'fault');
});

/** Damage that left a record of SQLite where no read or write reaches it, or refuses every write. */
const UNREACHABLE: Readonly<Record<string, { statement: string; check: string; says: RegExp }>> = {
  'a document whose id is no text': {
    statement: "update document set id = cast(id as blob) where id = 'r5'",
    check: 'documents',
    says: /^1 damaged document: /,
  },
  'a trail whose end is not recorded': {
    statement: 'delete from audit_head',
    check: 'records',
    says: /^1 miscounted in audit_head/,
  },
  'a trail that goes on beyond its recorded end': {
    statement: 'update audit_head set number = 1',
    check: 'records',
    says: /^1 miscounted in audit_head/,
  },
};

for (const [damage, { statement, check, says }] of Object.entries(UNREACHABLE)) {
  test(`${damage} is found and mended`, async () => {
    await below(statement);
    await foundAndMended(check, says);
  });
}

test('a damaged page of an index, past which nothing can be checked, is mended by a copy', async () => {
  const path = join(dataDir, 'cardea.db');
  const connection = await openConnection(path, 60_000);
  connection.exec('pragma wal_checkpoint(truncate)');
  const [, page] = connection.all(
    "select pageno from dbstat where name = 'sqlite_autoindex_document_1'",
    [],
  );
  connection.close();
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(64, 0x55), 0, 64, (Number(page?.['pageno']) - 1) * 16_384);
  closeSync(file);
  await foundAndMended('store', /^a page is damaged, so that .*checked to its end: /);
  const kept = readdirSync(dataDir).filter((name) => /^cardea\.db\.before-.*Z$/.test(name));
  assert.equal(kept.length, 1);
  assert.match((await doctor()).message('search index'), /70\d documents equal/);
});

test('records of a tenant that is not there are found and removed', async () => {
  await withData(async ({ store }) => {
    await store.write((r) => r.revokeToken('nobody', { id: 'x', expires: 0 }));
  });
  await foundAndMended('records', /^1 stray in revoked_token/);
});

test('two keys that sign are found, and one new one signs afterwards', async () => {
  await withData(async ({ store }) => {
    const [one, other] = [await newSigningKey(Date), await newSigningKey(Date)];
    await store.write(async (r) => {
      await r.addSigningKey(one);
      await r.addSigningKey(other);
    });
  });
  await foundAndMended('keys', /2 of 2 keys sign/);
});

test('credentials that others can read are found and closed', async () => {
  const path = join(dataDir, 'credentials.json');
  const credentials = {
    ...{
      baseUrl: 'http://127.0.0.1:1',
      tenant: 't',
      clientId: 'c',
      clientSecret: 's',
      apiKey: 'k',
    },
  };
  writeFileSync(path, JSON.stringify(credentials));
  chmodSync(path, 0o644);
  await foundAndMended('credentials', /can be read by others/);
  assert.equal(statSync(path).mode & 0o077, 0);
});

test('a data directory that others can read is told of, and tightened', async () => {
  chmodSync(dataDir, 0o755);
  await foundAndMended('permissions', /can be read by others \(mode 755\)/);
  assert.equal(statSync(dataDir).mode & 0o777, 0o700);
});

test('an index directory that others can read is told of, and tightened', async () => {
  chmodSync(join(dataDir, 'index'), 0o777);
  await foundAndMended('permissions', /index can be read by others \(mode 777\)/);
  assert.equal(statSync(join(dataDir, 'index')).mode & 0o777, 0o700);
});

test('settings that are unsafe outside the machine are a fault', async () => {
  const check = async (env: Record<string, string>) => {
    const line = commandLine(['doctor', '--data-dir', dataDir, '--json'], { env });
    const code = await line.ended;
    const { checks } = JSON.parse(line.out()) as { checks: { name: string; message: string }[] };
    return { code, message: checks.find(({ name }) => name === 'network')?.message ?? '' };
  };
  const open = await check({ CARDEA_HOST: '0.0.0.0' });
  assert.equal(open.code, 1);
  assert.match(open.message, /without TLS.*CARDEA_BASE_URL is not set/);
  const withTls = {
    ...{ CARDEA_HOST: '0.0.0.0', CARDEA_BASE_URL: 'https://id.test' },
    ...{ CARDEA_TLS_CERT: 'test/api/tls/cert.pem', CARDEA_TLS_KEY: 'test/api/tls/key.pem' },
  };
  const balanced = await check(withTls);
  assert.equal(balanced.code, 1);
  assert.match(balanced.message, /port 8080 and CARDEA_BASE_URL has port 443.*or to none/);
  const secure = await check({ ...withTls, CARDEA_TRUSTED_PROXIES: 'none' });
  assert.deepEqual(secure, { code: 0, message: 'a server listens on 0.0.0.0' });
});

test('a server that leaves cores unused is named', async () => {
  const check = async (env: Record<string, string>) => {
    const line = commandLine(['doctor', '--data-dir', dataDir, '--json'], { env });
    assert.equal(await line.ended, 0);
    const { checks } = JSON.parse(line.out()) as { checks: Record<string, string>[] };
    return checks.find(({ name }) => name === 'cores');
  };
  const cores = availableParallelism();
  const all = await check({});
  assert.equal(all?.['status'], 'ok');
  const one = await check({ CARDEA_THREADS: '1' });
  assert.equal(one?.['status'], cores === 1 ? 'ok' : 'warning');
  assert.match(one?.['message'] ?? '', /^a server answers in 1 thread/);
});

test('a certificate that clients refuse, or whose key is another one, is a fault', async () => {
  const check = async (cert: string, key: string) => {
    const env = { CARDEA_TLS_CERT: `test/api/tls/${cert}`, CARDEA_TLS_KEY: `test/api/tls/${key}` };
    const line = commandLine(['doctor', '--data-dir', dataDir, '--json'], { env });
    const code = await line.ended;
    const { checks } = JSON.parse(line.out()) as { checks: { name: string; message: string }[] };
    return [code, checks.find(({ name }) => name === 'certificate')?.message ?? ''] as const;
  };
  const [code, message] = await check('cert.pem', 'key.pem');
  assert.equal(code, 0);
  assert.match(message, /cert\.pem, valid until 2126-/);
  const [other, fault] = await check('cert.pem', 'renewed-key.pem');
  assert.equal(other, 1);
  assert.match(fault, /^The key in \S+renewed-key\.pem does not belong to the certificate/);
});

test('triggers that protect the audit trail are put back, and the trail says so', async () => {
  await below('drop trigger audit_event_update');
  await foundAndMended('audit database', /trigger audit_event_update.* is missing/);
  await withData(async ({ store }) => {
    const [tenant] = await store.read.tenants();
    const chain = await store.read.auditChain(tenant?.id ?? '', 0, 100);
    const event = JSON.parse(chain.at(-1)?.text ?? '{}');
    assert.equal(event.technicalName, 'STORE_REPAIR_PASSED');
    assert.deepEqual(event.actor, { name: 'cardea' });
    assert.deepEqual(event.attributes.mended, ['audit database']);
    assert.match(event.attributes.faults[0], /^audit database: the trigger audit_event_update/);
  });
});

/** Runs statements that bypass the service. */
async function below(sql: string): Promise<void> {
  const connection = await openConnection(join(dataDir, 'cardea.db'), 60_000);
  connection.exec(sql);
  connection.close();
}

test('of many damaged documents, --json names all', async () => {
  await below(
    `update document set root = x'00' where index_name = 'roles' and id between 'r1' and 'r3'`,
  );
  const line = commandLine(['doctor', '--data-dir', dataDir, '--json']);
  assert.equal(await line.ended, 1);
  const { checks } = JSON.parse(line.out()) as {
    checks: { name: string; message: string; damaged?: readonly { id: string }[] }[];
  };
  const found = checks.find(({ name }) => name === 'documents');
  const damaged = found?.damaged ?? [];
  assert.ok(damaged.length > 100, `${damaged.length}`);
  assert.equal(new Set(damaged.map(({ id }) => id)).size, damaged.length);
  assert.match(found?.message ?? '', new RegExp(` and ${damaged.length - 10} more: `));
});

test('no record is moved in the run that puts back a trigger of checksums', async () => {
  await below(`drop trigger tenant_updated; update tenant set pod = 'changed'`);
  const sick = await doctor();
  assert.equal(sick.code, 1);
  assert.match(
    sick.message('schema'),
    /^the trigger tenant_updated of the table tenant is missing/,
  );
  await below(`update document set root = x'00' where id = 'r2'`);
  const mended = await doctor('--repair');
  assert.equal(mended.code, 1);
  assert.equal(mended.status('schema'), 'mended', mended.message('schema'));
  assert.match(mended.message('documents'), /nothing was moved, since records that were changed/);
  assert.ok(!existsSync(join(dataDir, 'damaged')));
  const again = await doctor('--repair');
  assert.equal(again.status('schema'), 'ok');
  assert.match(again.message('documents'), /their bytes \(1\) are in/);
});

test('a trigger that only logs is a fault until it is dropped, which --repair does not', async () => {
  await below(`create table log (text text);
    create trigger spy after insert on document begin insert into log values (new.id); end`);
  for (const flags of [[], ['--repair'], []]) {
    const { code, status, message } = await doctor(...flags);
    assert.equal(code, 1);
    assert.equal(status('schema'), 'fault');
    assert.match(message('schema'), /^the trigger spy of the table document does not belong there/);
    assert.equal(status('search index'), 'ok', 'the other checks are made');
  }
  await below('drop trigger spy');
  const { code, message } = await doctor();
  assert.deepEqual([code, message('schema')], [0, 'as the migrations make it']);
});

test('a missing table is named, though other checks fail for it', async () => {
  await below('drop table dashboard');
  const { code, status, message } = await doctor();
  assert.equal(code, 1);
  assert.equal(message('schema'), 'the table dashboard is missing: restore a backup');
  assert.equal(status('store'), 'fault');
});

test('a trigger in a store of an earlier version is found before it is migrated', async () => {
  await makeEarlier();
  await below('create trigger spy after insert on document begin select 1; end');
  const { code, status, message } = await doctor();
  assert.deepEqual([code, status('store')], [1, 'warning']);
  assert.match(message('schema'), /^the trigger spy of the table document/);
});

test('a tenant that is gone but has a trail is a fault, and no repair hides it or removes its records', async () => {
  await below('delete from tenant');
  const roles = async () => {
    const connection = await openConnection(join(dataDir, 'cardea.db'), 60_000);
    const row = connection.get(
      "select count(*) as roles from document where index_name = 'roles' and hash is not null",
      [],
    );
    connection.close();
    return row?.['roles'];
  };
  assert.equal(await roles(), 700);
  for (const flags of [[], ['--repair'], []]) {
    const { code, status, message } = await doctor(...flags);
    assert.equal(code, 1);
    assert.equal(status('audit database'), 'fault');
    assert.match(message('audit database'), /was removed, but has an audit trail/);
    assert.equal(await roles(), 700);
  }
});

test('a secrets key outside the data directory that others can read is a fault, too', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cardea-key-'));
  try {
    const path = join(folder, 'secrets.key');
    writeFileSync(path, 'a'.repeat(64));
    chmodSync(path, 0o644);
    const flags = ['--secrets-key-file', path];
    const open = await doctor(...flags);
    assert.equal(open.status('secrets key'), 'fault');
    assert.match(open.message('secrets key'), /can be read by others \(mode 644\): chmod 600/);
    assert.equal((await doctor('--repair', ...flags)).status('secrets key'), 'mended');
    assert.equal(statSync(path).mode & 0o777, 0o600);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
