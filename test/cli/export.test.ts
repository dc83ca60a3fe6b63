// suite: slow
// cardea export: an exact copy, a query's part, files that are whole or absent.
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { demoDocumentCount } from '../../src/demo/documents.ts';
import { commandLine } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import {
  COMPANY,
  companyTenant,
  emptyTenant,
  json,
  PROFILES,
} from '../support/exported-company.ts';

// biome-ignore lint/suspicious/noExplicitAny: documents are looked at member by member
type Document = Record<string, any>;

const directory = mkdtempSync(join(tmpdir(), 'cardea-export-'));
after(() => rmSync(directory, { recursive: true, force: true }));
const source = join(directory, 'source');
const everything = ['--auth-users', '--profiles'];

before(() => companyTenant(source));

const read = (...path: string[]) => readFileSync(join(directory, ...path), 'utf8');
const parsed = (text: string): Document[] =>
  text.split('\n').flatMap((line) => (line === '' ? [] : JSON.parse(line)));
const to = (name: string) => join(directory, name);

async function failing(...args: string[]): Promise<{ code: number; err: string }> {
  const line = commandLine(['export', ...args, '--data-dir', source]);
  return { code: await line.ended, err: line.err() };
}

describe('an exact export', () => {
  let report: Document;
  before(async () => {
    report = await json(source, 'export', '--to', to('first'), ...everything);
  });

  test('says what it has written and left out', () => {
    const { documents, profiles, records, authUsers, leftOut, files, shiftDays } = report;
    const counts = Object.values(documents as Record<string, number>);
    const total = counts.reduce((sum, count) => sum + count, 0);
    assert.equal(total, demoDocumentCount(COMPANY.identities));
    assert.equal(profiles, PROFILES);
    assert.ok(authUsers > 50 && records > 100, `${authUsers} ${records}`);
    // The imports and the administrator of the tenant.
    assert.ok(leftOut.auditEvents >= 3, JSON.stringify(leftOut));
    assert.equal(shiftDays, null);
    assert.deepEqual(
      files.map(({ path }: Document) => path.slice(to('first').length + 1)),
      ['documents.ndjson', 'auth-users.ndjson', 'profiles.ndjson'],
    );
    for (const { path, lines, bytes } of files) {
      assert.equal(statSync(path).size, bytes);
      assert.equal(parsed(readFileSync(path, 'utf8')).length, lines);
    }
  });

  test('makes a tenant with the same bytes when it is imported into an empty one', async () => {
    const target = to('target');
    await emptyTenant(target);
    const file = (name: string) => join(to('first'), name);
    for (const args of [
      [file('documents.ndjson')],
      ['--auth-users', file('auth-users.ndjson')],
      ['--profiles', file('profiles.ndjson')],
    ]) {
      const { failed, faults } = await json(target, 'import', '--strict', ...args);
      assert.deepEqual([failed, faults], [0, []]);
    }
    await json(target, 'export', '--to', to('second'), ...everything);
    assert.equal(read('second', 'documents.ndjson'), read('first', 'documents.ndjson'));
    // The target has an administrator of its own, too.
    const users = (name: string) =>
      parsed(read(name, 'auth-users.ndjson')).filter(({ uid }) => uid !== 'empty.admin');
    assert.deepEqual(users('second'), users('first'));
    const [copied, records] = ['second', 'first'].map((name) =>
      parsed(read(name, 'profiles.ndjson')),
    );
    assert.equal(copied?.length, records?.length);
    for (const [at, record] of copied?.entries() ?? []) assert.deepEqual(record, records?.[at]);
    // Once more, nothing changes.
    const again = await json(target, 'import', '--profiles', file('profiles.ndjson'));
    assert.deepEqual([again.created, again.updated, again.failed], [0, 0, 0]);
  });

  test('can be read by its owner only', () => {
    for (const name of readdirSync(to('first'))) {
      assert.equal(statSync(join(to('first'), name)).mode & 0o777, 0o600, name);
    }
    assert.equal(statSync(to('first')).mode & 0o777, 0o700);
  });

  test('is not overwritten, unless it is said', async () => {
    const before = read('first', 'documents.ndjson');
    const { code, err } = await failing('--to', to('first'), '--index', 'roles');
    assert.equal(code, 2);
    assert.match(
      err,
      /documents\.ndjson and .* exist: choose another directory, or add --overwrite/,
    );
    assert.equal(read('first', 'documents.ndjson'), before);
    await json(source, 'export', '--to', to('over'), '--index', 'roles');
    await json(source, 'export', '--to', to('over'), '--index', 'entitlements', '--overwrite');
    const types = new Set(parsed(read('over', 'documents.ndjson')).map(({ _type }) => _type));
    assert.deepEqual([...types], ['entitlement']);
  });

  test('shares its directory with no other export, in whatever form', async () => {
    const roles = ['--to', to('shared'), '--index', 'roles'];
    await json(source, 'export', ...roles, '--gzip', '--auth-users');
    const { code, err } = await failing(...roles, '--anonymise');
    assert.equal(code, 2);
    assert.match(err, /documents\.ndjson\.gz and .*auth-users\.ndjson\.gz exist/);
    await json(source, 'export', ...roles, '--anonymise', '--overwrite');
    assert.deepEqual(readdirSync(to('shared')), ['documents.ndjson']);
  });

  test('says why its directory or the file of its key cannot be created', async () => {
    const file = join(to('first'), 'documents.ndjson');
    for (const [args, reason] of [
      [
        ['--to', join(file, 'below')],
        /--to .*below cannot be created: a part of the path is a file/,
      ],
      [
        ['--to', to('keyless'), '--anonymise', '--key-file', to('no/such/key')],
        /key file .*key cannot be created: it does not exist/,
      ],
    ] as const) {
      const { code, err } = await failing(...args);
      assert.equal(code, 2);
      assert.match(err, reason);
    }
  });

  test('of a data directory that does not exist creates none, and names it', async () => {
    const missing = to('mistyped');
    const line = commandLine(['export', '--to', to('nothing'), '--data-dir', missing]);
    assert.equal(await line.ended, 2);
    assert.match(line.err(), /no data in .*mistyped.*--data-dir/);
    assert.deepEqual([existsSync(missing), existsSync(to('nothing'))], [false, false]);
  });

  test('is compressed with --gzip', async () => {
    const { files } = await json(source, 'export', '--to', to('packed'), '--gzip');
    assert.match(files[0].path, /documents\.ndjson\.gz$/);
    const text = gunzipSync(readFileSync(files[0].path)).toString();
    assert.equal(text, read('first', 'documents.ndjson'));
  });

  test('leaves no file when it is interrupted', async () => {
    const line = commandLine(['export', '--to', to('cut'), '--data-dir', source, ...everything]);
    line.interrupt();
    assert.equal(await line.ended, 130);
    assert.deepEqual(existsSync(to('cut')) ? readdirSync(to('cut')) : [], []);
  });

  test('replaces what an export that was killed has left', async () => {
    mkdirSync(to('killed'));
    writeFileSync(join(to('killed'), 'documents.ndjson.partial'), '{"half":');
    await json(source, 'export', '--to', to('killed'));
    assert.deepEqual(readdirSync(to('killed')), ['documents.ndjson']);
    assert.equal(read('killed', 'documents.ndjson'), read('first', 'documents.ndjson'));
  });
});

describe('an export with a query', () => {
  const QUERY = 'attributes.department:Finance';
  let documents: Document[];
  let report: Document;
  before(async () => {
    const args = ['--query', QUERY, '--auth-users'];
    report = await json(source, 'export', '--to', to('part'), ...args);
    documents = parsed(read('part', 'documents.ndjson'));
  });
  const of = (type: string) => documents.filter(({ _type }) => _type === type);

  test('has the matches, and the documents they refer to, each once', () => {
    const ids = new Set(documents.map(({ _type, id }) => `${_type} ${id}`));
    assert.equal(ids.size, documents.length);
    const matches = of('identity').filter(({ attributes }) => attributes.department === 'Finance');
    assert.ok(matches.length >= 3);
    const index = { ENTITLEMENT: 'entitlement', ACCESS_PROFILE: 'accessprofile', ROLE: 'role' };
    for (const { manager, access } of matches) {
      if (manager) assert.ok(ids.has(`identity ${manager.id}`));
      for (const { type, id } of access) {
        assert.ok(ids.has(`${index[type as keyof typeof index]} ${id}`));
      }
    }
    for (const role of of('role')) {
      assert.ok(ids.has(`identity ${role['owner'].id}`));
      for (const { id } of role['accessProfiles']) assert.ok(ids.has(`accessprofile ${id}`));
    }
    for (const { entitlements } of of('accessprofile')) {
      for (const { id } of entitlements) assert.ok(ids.has(`entitlement ${id}`));
    }
  });

  test('is a part, and says how much of it is there by reference', () => {
    assert.ok(of('identity').length < COMPANY.identities / 2);
    assert.ok(report['referenced'] > 0 && report['referenced'] < documents.length);
  });

  test('has the auth users of its identities alone', () => {
    const identities = new Set(of('identity').map(({ id }) => id));
    const users = parsed(read('part', 'auth-users.ndjson'));
    assert.ok(users.length > 0 && users.length <= identities.size);
    for (const { id } of users) assert.ok(identities.has(id));
  });

  test('stays within the indexes that are named', async () => {
    const args = ['--query', QUERY, '--index', 'identities,roles'];
    await json(source, 'export', '--to', to('two'), ...args);
    const types = new Set(parsed(read('two', 'documents.ndjson')).map(({ _type }) => _type));
    assert.deepEqual([...types].sort(), ['identity', 'role']);
  });

  test('warns of names that no index has, and refuses a query with an error', async () => {
    const { code, err } = await failing('--to', to('none'), '--query', 'departmnt:Finance');
    assert.equal(code, 0);
    assert.match(err, /warning: .*departmnt/);
    const bad = await failing('--to', to('bad'), '--query', 'name:(a');
    assert.equal(bad.code, 2);
    assert.match(bad.err, /offset 7/);
    assert.equal(existsSync(to('bad')), false);
  });
});

describe('an anonymised export', () => {
  test('warns of a field to keep that no record has', async () => {
    const keep = ['--keep', 'attributes.department', '--keep', 'attributes.nosuch'];
    const args = ['--index', 'identities', '--anonymise', ...keep];
    const { code, err } = await failing('--to', to('misspelt'), ...args);
    assert.equal(code, 0);
    assert.match(err, /warning: --keep attributes\.nosuch: no exported record has this field/);
    assert.doesNotMatch(err, /department/);
  });

  const anonymise = (name: string, ...more: string[]) =>
    json(source, 'export', '--to', to(name), '--anonymise', ...everything, ...more);

  test('is the same with the same key, and another one without it', async () => {
    const key = to('fixture.key');
    const { shiftDays, leftOut } = await anonymise('one', '--key-file', key);
    assert.equal(statSync(key).mode & 0o777, 0o600);
    assert.ok(shiftDays <= -28 && shiftDays % 7 === 0);
    assert.ok(leftOut.advancedSearches > 5);
    await anonymise('two-keyed', '--key-file', key);
    await anonymise('random');
    for (const name of ['documents.ndjson', 'auth-users.ndjson', 'profiles.ndjson']) {
      assert.equal(read('two-keyed', name), read('one', name));
      assert.notEqual(read('random', name), read('one', name));
    }
  });

  test('can be imported, and agrees in its three files', async () => {
    const target = to('anonymous');
    await emptyTenant(target);
    for (const [name, ...flags] of [
      ['documents'],
      ['auth-users', '--auth-users'],
      ['profiles', '--profiles'],
    ]) {
      const report = await json(
        target,
        'import',
        '--strict',
        ...flags,
        join(to('one'), `${name}.ndjson`),
      );
      assert.deepEqual(
        [report.failed, report.updated],
        [0, name === 'profiles' ? report.updated : 0],
      );
    }
    const identities = parsed(read('one', 'documents.ndjson')).filter(
      ({ _type }) => _type === 'identity',
    );
    const names = new Map(identities.map(({ id, name }) => [id, name]));
    for (const { uid, id } of parsed(read('one', 'auth-users.ndjson'))) {
      if (names.has(id)) assert.equal(names.get(id), uid);
    }
  });

  test('shifts dates by the given days, and keeps the given fields', async () => {
    const more = ['--shift-dates', '0', '--keep', 'attributes.city,attributes.country'];
    assert.equal((await anonymise('kept', ...more)).shiftDays, 0);
    const before = parsed(read('first', 'documents.ndjson'));
    const after = parsed(read('kept', 'documents.ndjson'));
    const of = (documents: Document[], member: (attributes: Document) => unknown) =>
      documents.flatMap(({ attributes }) => member(attributes ?? {}) ?? []).sort();
    for (const member of ['city', 'country', 'startDate']) {
      assert.deepEqual(
        of(after, (attributes) => attributes[member]),
        of(before, (attributes) => attributes[member]),
      );
    }
    assert.notDeepEqual(
      of(after, ({ department }) => department),
      of(before, ({ department }) => department),
    );
  });

  test('refuses a key that others can read, or that is none', async () => {
    const open = to('open.key');
    writeFileSync(open, `${'ab'.repeat(32)}\n`, { mode: 0o644 });
    const readable = await failing('--to', to('x'), '--anonymise', '--key-file', open);
    assert.equal(readable.code, 2);
    assert.match(readable.err, /can be read by others \(mode 644\): chmod 600/);
    const short = to('short.key');
    writeFileSync(short, 'secret', { mode: 0o600 });
    const weak = await failing('--to', to('x'), '--anonymise', '--key-file', short);
    assert.match(weak.err, /is no key: it must hold 64 hexadecimal digits/);
  });
});

describe('flags', () => {
  for (const [args, message] of [
    [[], /--to is missing/],
    [['--to', 'x', '--index', 'people'], /--index must be some of accessprofiles/],
    [['--to', 'x', '--keep', 'attributes.city'], /--keep needs --anonymise/],
    [['--to', 'x', '--anonymise', '--keep', 'nosuch'], /--keep must be a field/],
    [['--to', 'x', '--anonymise', '--shift-dates', 'soon'], /--shift-dates must be a whole number/],
  ] as const) {
    test(`export ${args.join(' ')} is refused`, async () => {
      const { code, err } = await failing(...args);
      assert.equal(code, 2);
      assert.match(err, message);
    });
  }
});

test('an export beside a server is that of the directory, with a query and without', async () => {
  const server = commandLine([
    'serve',
    '--data-dir',
    source,
    '--port',
    '0',
    '--log-level',
    'silent',
  ]);
  try {
    await eventually(() => assert.match(server.err(), /serves at/));
    const query = ['--query', 'id:*', '--overwrite', '--to'];
    await json(source, 'export', ...query, to('beside-query'));
    const lines = (name: string) => read(name, 'documents.ndjson').split('\n').sort();
    assert.deepEqual(lines('beside-query'), lines('first'));
    await json(source, 'export', '--to', to('beside'));
    assert.equal(read('beside', 'documents.ndjson'), read('first', 'documents.ndjson'));
  } finally {
    server.interrupt();
    await server.ended;
  }
});
