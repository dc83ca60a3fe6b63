// Imports end to end with the SQLite store: documents in the format of search results, imported
// repeatedly, with the effects that the contract defines.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, beforeEach, test } from 'node:test';
import type { Caller } from '../../src/auth/caller.ts';
import { ServiceError } from '../../src/errors.ts';
import { jsonSource } from '../../src/json/json-source.ts';
import { indexOfType } from '../../src/query/mapping/document-types.ts';
import type { IndexName } from '../../src/query/query.ts';
import { operatorOf } from '../../src/service/audit/operator-event.ts';
import { bareDocument } from '../../src/service/documents/bare-document.ts';
import { FRESH_MS } from '../../src/service/documents/mapping-cache.ts';
import { Documents, type DocumentsOptions } from '../../src/service/imports/documents.ts';
import { ForwardingStore, withRecords } from '../../src/service/ports/forwarding-store.ts';
import type { Store } from '../../src/service/ports/store.ts';
import { openThrowAwayStore } from '../support/empty-store.ts';

const SAMPLE = readFileSync('test/data/documents.ndjson', 'utf8');
/** The examples of the public specification, which are not part of the package. */
const EXAMPLES = '../shared/contract/openapi/search.json';
const TENANT = 'tenant-1';
/** Id of the first audit event. */
const EVENT = '01'.repeat(16);
const NOW = Date.parse('2026-01-02T03:04:05.678Z');
const OPERATOR = operatorOf(TENANT);
const NORA: Caller = {
  ...{ ...OPERATOR, current: async () => NORA, identityId: 'n1', userName: 'nora.lind' },
  origin: { address: '10.0.0.7', requestId: 'r1' },
};

const directory = mkdtempSync(join(tmpdir(), 'cardea-documents-'));
let opened = 0;
let path: string;
let store: Store;
let documents: Documents;
let now = NOW;

beforeEach(async () => {
  path = join(directory, `${opened++}.db`);
  now = NOW;
  store = await openThrowAwayStore(path);
  await store.write((records) =>
    records.addTenant({
      id: TENANT,
      name: 'acme',
      pod: 'pod1',
      created: '2026-01-01T00:00:00.000Z',
    }),
  );
  documents = over(store);
});
afterEach(() => store.close());
after(() => rmSync(directory, { recursive: true, force: true }));

function over(target: Store, options: Partial<DocumentsOptions> = {}): Documents {
  let ids = 0;
  return new Documents(target, {
    clock: { now: () => now },
    random: (size) => Buffer.alloc(size, ++ids),
    ...options,
  });
}

async function* bytes(...parts: string[]) {
  for (const part of parts) yield Buffer.from(part);
}

const lines = (...texts: (string | object)[]) =>
  jsonSource(bytes(texts.map((t) => (typeof t === 'string' ? t : JSON.stringify(t))).join('\n')));

const identity = (id: string, members: object = {}) => ({ _type: 'identity', id, ...members });

async function stored(index: IndexName, id: string) {
  const document = await store.read.document(TENANT, index, id);
  return document === null ? null : JSON.parse(Buffer.concat(bareDocument(document)).toString());
}

test('imports the whole sample, and changes nothing the second time', async () => {
  const first = await documents.importDocuments(OPERATOR, lines(SAMPLE));
  assert.deepEqual(first, {
    ...{ created: 6, updated: 0, unchanged: 0, failed: 0, faults: [], warned: 0, warnings: [] },
    sequence: 7,
  });
  now += 60_000;
  const second = await documents.importDocuments(OPERATOR, lines(SAMPLE));
  assert.deepEqual(second, {
    ...{ created: 0, updated: 0, unchanged: 6, failed: 0, faults: [], warned: 0, warnings: [] },
    sequence: 7,
  });
});

test('returns a document with its nested members and boolean values', async () => {
  await documents.importDocuments(OPERATOR, lines(SAMPLE));
  for (const line of SAMPLE.trim().split('\n')) {
    const { _type, _version, pod, org, type, ...bare } = JSON.parse(line);
    if (_type === 'event') bare.type = type;
    if (_type === 'entitlement') bare.containsDataAccess = false;
    const index = indexOfType(_type) as IndexName;
    assert.deepEqual(await stored(index, bare.id), bare);
  }
});

test('imports the examples of the public specification unchanged', async (context) => {
  if (!existsSync(EXAMPLES)) {
    context.diagnostic(
      'the specification is not here; test/data/documents.ndjson stands in for it',
    );
    return;
  }
  const { examples } = JSON.parse(readFileSync(EXAMPLES, 'utf8')).components;
  const all = Object.values(examples as Record<string, { value?: unknown }>)
    .flatMap(({ value }) => (Array.isArray(value) ? value : []))
    .filter((value) => value._type !== undefined && value._type !== 'access');
  assert.ok(all.length >= 6);
  const { created, failed, faults } = await documents.importDocuments(OPERATOR, lines(...all));
  assert.deepEqual({ created, failed, faults }, { created: all.length, failed: 0, faults: [] });
  const again = jsonSource(bytes(JSON.stringify(all, null, 2)));
  assert.equal((await documents.importDocuments(OPERATOR, again)).unchanged, all.length);
});

test('sets a missing synced to the time of the import, without counting it as a change', async () => {
  const plain = lines(identity('i1', { name: 'A' }));
  await documents.importDocuments(OPERATOR, plain);
  assert.equal((await stored('identities', 'i1')).synced, '2026-01-02T03:04:05.678Z');
  now += 1000;
  const report = await documents.importDocuments(OPERATOR, lines(identity('i1', { name: 'A' })));
  assert.equal(report.unchanged, 1);
  assert.equal((await stored('identities', 'i1')).synced, '2026-01-02T03:04:05.678Z');
});

test('reports bad lines with number and reason, and imports the others', async () => {
  const report = await documents.importDocuments(
    OPERATOR,
    lines(
      identity('a'),
      '{"oops',
      identity('b', { created: 'soon' }),
      '',
      { id: 'c' },
      identity('d'),
    ),
  );
  assert.deepEqual([report.created, report.failed], [2, 3]);
  assert.deepEqual(
    report.faults.map(({ line, reason }) => `${line} ${reason.slice(0, 24)}`),
    ['2 not valid JSON at offset', '3 created must be an ISO 8', '5 _type is missing and no '],
  );
});

test('stops a strict import at the first bad line, and keeps the lines before', async () => {
  const source = lines(identity('a'), '{"oops', identity('b'));
  const report = await documents.importDocuments(OPERATOR, source, { strict: true });
  assert.deepEqual([report.created, report.failed], [1, 1]);
  assert.equal(await stored('identities', 'b'), null);
});

test('uses the given index only for documents without a type', async () => {
  const source = lines(
    { id: 'x', name: 'bare' },
    { _type: 'role', id: 'x' },
    { _type: 'access', id: 'y' },
  );
  const report = await documents.importDocuments(OPERATOR, source, { index: 'identities' });
  assert.deepEqual([report.created, report.failed], [2, 1]);
  assert.match(report.faults[0]?.reason ?? '', /_type "access" is not a document type/);
  assert.equal((await stored('identities', 'x')).name, 'bare');
  assert.deepEqual(Object.keys(await stored('roles', 'x')), ['synced', 'id']);
});

test('imports the documents of a truncated array, and reports it', async () => {
  const source = jsonSource(bytes(`[${JSON.stringify(identity('a'))},`, '{"_type":'));
  const report = await documents.importDocuments(OPERATOR, source);
  assert.deepEqual([report.created, report.failed], [1, 1]);
  assert.match(report.faults[0]?.reason ?? '', /cut off/);
});

test('keeps the documents before a failure of the source, and rethrows it', async () => {
  async function* broken() {
    yield Buffer.from(`${JSON.stringify(identity('a'))}\n`);
    throw new Error('connection lost');
  }
  await assert.rejects(
    documents.importDocuments(OPERATOR, jsonSource(broken())),
    /connection lost/,
  );
  assert.equal((await stored('identities', 'a')).id, 'a');
  assert.equal((await stored('events', EVENT)).status, 'FAILED');
});

test('limits batches by documents and bytes, and reports progress after each', async () => {
  const small = over(store, { limits: { batch: { documents: 3, bytes: 350 } } });
  const sequences: number[] = [];
  const many = [1, 2, 3, 4, 5, 6, 7].map((n) => identity(`i${n}`));
  const large = [8, 9].map((n) => identity(`i${n}`, { name: 'x'.repeat(300) }));
  const report = await small.importDocuments(OPERATOR, lines(...many, ...large), {
    onProgress: ({ sequence }) => sequences.push(sequence),
    isSeed: true,
  });
  assert.deepEqual(sequences, [3, 6, 7, 8, 9]);
  assert.equal(report.created, 9);
});

test('limits batches of auth users by the length of their lines', async () => {
  const small = over(store, { limits: { batch: { documents: 100, bytes: 4_000 } } });
  const capabilities = Array.from({ length: 10 }, (_, n) => `${n}`.padEnd(250, 'x'));
  const users = [1, 2, 3].map((n) => ({ id: `u${n}`, uid: `u${n}`, capabilities }));
  const written: number[] = [];
  await small.importAuthUsers(OPERATOR, lines(...users), {
    onProgress: ({ created }) => written.push(created),
    isSeed: true,
  });
  assert.deepEqual(written, [1, 2, 3]);
});

test('writes one audit event per import, and none without changes or a caller', async () => {
  await documents.importDocuments(NORA, lines(identity('a'), '{'));
  const event = await stored('events', EVENT);
  assert.deepEqual(
    [event.actor.name, event.action, event.target.name, event.technicalName, event.status],
    ['nora.lind', 'ImportDocuments', 'acme', 'DOCUMENT_IMPORT_PASSED', 'PASSED'],
  );
  assert.deepEqual(event.attributes, {
    ...{ actorId: 'n1', created: 1, updated: 0, unchanged: 0, failed: 1 },
    ...{ remoteAddress: '10.0.0.7', requestId: 'r1' },
  });
  await documents.importDocuments(NORA, lines(identity('a')));
  await documents.importDocuments(OPERATOR, lines(identity('b')), { isSeed: true });
  assert.equal((await store.read.documentCounts(TENANT)).events, 1);
});

test('an import of several batches has an event in the first one, whatever becomes of it', async () => {
  const limits = { batch: { documents: 2, bytes: 100_000 } };
  const five = ['a', 'b', 'c', 'd', 'e'];
  for (const [failing, expected] of [
    [[], ['DOCUMENT_IMPORT_STARTED 2', 'DOCUMENT_IMPORT_PASSED 5']],
    [[2], ['DOCUMENT_IMPORT_STARTED 2', 'DOCUMENT_IMPORT_FAILED 2']],
    // The store is away from the second batch on, as for an import that was killed.
    [[2, 3], ['DOCUMENT_IMPORT_STARTED 2']],
  ] as const) {
    const from = await store.read.lastSequence();
    let writes = 0;
    const faulty = new ForwardingStore(store, {
      write(work) {
        writes += 1;
        if (!(failing as readonly number[]).includes(writes)) return store.write(work);
        return Promise.reject(new ServiceError('unavailable', 'The store is away.'));
      },
    });
    const prefix = `${failing.length}`;
    const importing = over(faulty, {
      limits,
      random: (size) => Buffer.alloc(size, `${prefix}-${writes}`),
    }).importDocuments(OPERATOR, lines(...five.map((id) => identity(`${prefix}${id}`))));
    if (failing.length === 0) await importing;
    else await assert.rejects(importing, { code: 'unavailable' });
    const changes = await store.read.changesAfter(from, 100);
    const events = changes.flatMap(({ index, document }) =>
      index === 'events' ? [JSON.parse(Buffer.from(document?.root ?? []).toString())] : [],
    );
    assert.deepEqual(
      events.map(({ technicalName, attributes }) => `${technicalName} ${attributes.created}`),
      expected,
    );
  }
});

test('writes an audit event for a deletion, and none if nothing was deleted', async () => {
  await documents.importDocuments(OPERATOR, lines(identity('a')), { isSeed: true });
  assert.equal(await documents.remove(NORA, 'identities', 'a'), true);
  assert.equal(await documents.remove(NORA, 'identities', 'a'), false);
  const counts = await store.read.documentCounts(TENANT);
  assert.deepEqual([counts.identities, counts.events], [0, 1]);
  const event = await stored('events', EVENT);
  assert.deepEqual([event.action, event.target.name], ['DeleteDocument', 'a']);
});

test('refuses to delete or overwrite events of the audit trail, but not imported ones', async () => {
  await documents.importDocuments(NORA, lines(identity('a')));
  const written = await stored('events', EVENT);
  await assert.rejects(documents.remove(NORA, 'events', EVENT), { code: 'forbidden' });
  const foreign = { _type: 'event', id: 'foreign', stack: 'oathkeeper', actor: { name: 'ada' } };
  const forged = { ...foreign, id: EVENT };
  const report = await documents.importDocuments(NORA, lines(forged, foreign));
  assert.deepEqual([report.created, report.failed], [1, 1]);
  assert.match(
    report.faults[0]?.reason ?? '',
    new RegExp(`id "${EVENT}" belongs to an event of the audit trail`),
  );
  assert.deepEqual(await stored('events', EVENT), written);
  assert.equal(await documents.remove(NORA, 'events', 'foreign'), true);
});

test('rejects imported events that claim to be recorded by this service', async () => {
  const event = { _type: 'event', actor: { name: 'ada' } };
  const claims = ['cardea', ' CARDEA ', ['x', 'cardea'], [['cardea']]];
  const report = await documents.importDocuments(
    OPERATOR,
    lines(...claims.map((stack, i) => ({ ...event, id: `e${i}`, stack })), {
      ...event,
      ...{ id: 'mine', stack: 'cardea2' },
    }),
  );
  assert.deepEqual([report.created, report.failed], [1, claims.length]);
  assert.match(report.faults[0]?.reason ?? '', /stack "cardea" is reserved/);
});

test('plans queries with own new fields at once, and with those of another process soon', async () => {
  const knows = async (path: string) =>
    (await documents.mappings(TENANT)).identities.fields.has(path);
  assert.equal(await knows('attributes.city'), false);
  await documents.importDocuments(OPERATOR, lines(identity('a', { attributes: { city: 'Oslo' } })));
  assert.equal(await knows('attributes.city'), true);

  const other = await openThrowAwayStore(path);
  const theirs = lines(identity('b', { attributes: { floor: 3 } }));
  await over(other, { random: randomBytes }).importDocuments(OPERATOR, theirs);
  await other.close();
  now += FRESH_MS;
  assert.equal(await knows('attributes.floor'), true);
});

test('plans queries with the fields that an index was built with', async () => {
  await documents.mappings(TENANT);
  const other = await openThrowAwayStore(path);
  const theirs = lines(identity('b', { attributes: { floor: 3 } }));
  await over(other, { random: randomBytes }).importDocuments(OPERATOR, theirs);
  await other.close();
  const built = await documents.mapping(TENANT, 'identities');
  assert.equal(built.fields.get('attributes.floor')?.type, 'long');
  assert.equal((await documents.mappings(TENANT)).identities, built);
});

test('extends the mapping with new fields, also those of another process', async () => {
  const field = async (path: string) =>
    (await documents.mapping(TENANT, 'identities')).fields.get(path);
  assert.equal(await field('attributes.city'), undefined);
  await documents.importDocuments(OPERATOR, lines(identity('a', { attributes: { city: 'Oslo' } })));
  assert.equal((await field('attributes.city'))?.type, 'text');
  const same = await documents.mapping(TENANT, 'identities');
  assert.equal(await documents.mapping(TENANT, 'identities'), same);

  const other = await openThrowAwayStore(path);
  const theirs = lines(identity('b', { attributes: { floor: 3, city: 7 } }));
  await over(other, { random: randomBytes }).importDocuments(OPERATOR, theirs);
  await other.close();
  assert.equal((await field('attributes.floor'))?.type, 'long');
  assert.equal((await field('attributes.city'))?.type, 'text');
  assert.equal(
    (await documents.mapping(TENANT, 'events')).fields.get('attributes.created')?.type,
    'long',
  );
  await assert.rejects(async () => documents.mappings('nobody'), { code: 'not_found' });
});

test('documents of a tenant whose row is damaged are fed with the usual fields, and hold up no others', async () => {
  const unreadable = (tenants: Store['read']['tenants']) => {
    const tenantById = () => Promise.reject(new ServiceError('unavailable', 'damaged'));
    const read = withRecords(store.read, { tenantById, tenants });
    return over(new ForwardingStore(store, { read })).mapping(TENANT, 'identities');
  };
  const { fields } = await unreadable(async () => []);
  assert.ok(fields.has('name'));
  await assert.rejects(
    unreadable(() => store.read.tenants()),
    /damaged/,
    'a store that cannot be read is no damaged tenant',
  );
});

test('counts fields that another process adds during an import against the limit', async () => {
  const limited = over(store, {
    limits: { dynamicFields: 3, batch: { documents: 1, bytes: 1000 } },
  });
  const other = await openThrowAwayStore(path);
  async function* source() {
    yield { line: 1, text: JSON.stringify(identity('a', { attributes: { one: 1 } })) };
    yield { line: 2, text: JSON.stringify(identity('b', { attributes: { two: 'x' } })) };
    const theirs = lines(identity('z', { attributes: { two: 2, three: 3 } }));
    await over(other, { random: randomBytes }).importDocuments(OPERATOR, theirs, { isSeed: true });
    yield { line: 3, text: JSON.stringify(identity('c', { attributes: { four: 4 } })) };
    yield { line: 4, text: JSON.stringify(identity('d', { attributes: { three: 1 } })) };
  }
  const report = await limited.importDocuments(OPERATOR, source(), { isSeed: true });
  await other.close();
  assert.deepEqual([report.created, report.failed], [3, 1]);
  assert.match(report.faults[0]?.reason ?? '', /attributes\.four would exceed the limit of 3/);
  const { fields } = await documents.mapping(TENANT, 'identities');
  const dynamic = [...fields.values()].filter((field) => field.dynamic);
  assert.deepEqual(dynamic.map(({ path, type }) => `${path} ${type}`).sort(), [
    'attributes.one long',
    'attributes.three long',
    'attributes.two text',
  ]);
});

test('rejects a document with an attribute name that is too long, and imports the others', async () => {
  const report = await documents.importDocuments(
    OPERATOR,
    lines(
      identity('i1', { attributes: { ['x'.repeat(501)]: 1 } }),
      identity('i2', { attributes: { ['y'.repeat(502)]: 1 } }),
    ),
  );
  assert.equal(report.created, 1);
  assert.match(report.faults[0]?.reason ?? '', /^attributes\.yyy.*more than 512 characters/);
});

test('rejects a document with 5,000 attribute names, and imports the others', async () => {
  const names = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`a${n}`, n]));
  const source = lines(
    identity('a'),
    identity('b', { attributes: names }),
    identity('c', { attributes: { x: 1 } }),
  );
  const report = await documents.importDocuments(OPERATOR, source);
  assert.deepEqual([report.created, report.failed], [2, 1]);
  assert.match(report.faults[0]?.reason ?? '', /5000 new field names, .* limit of 2000/);
});

test('records the fields of two concurrent imports in one process', async () => {
  const small = over(store, { limits: { batch: { documents: 2, bytes: 1000 } } });
  const run = (prefix: string) =>
    small.importDocuments(
      OPERATOR,
      lines(
        ...Array.from({ length: 9 }, (_, n) =>
          identity(`${prefix}${n}`, { attributes: { [`k${n}`]: prefix } }),
        ),
      ),
    );
  const reports = await Promise.all([run('a'), run('b')]);
  assert.deepEqual(
    reports.map(({ created }) => created),
    [9, 9],
  );
  const { fields } = await documents.mapping(TENANT, 'identities');
  assert.equal([...fields.values()].filter((field) => field.dynamic).length, 9);
});

test('validates, completes and updates auth users', async () => {
  const full = {
    ...{ tenant: 'elsewhere', id: 'u1', uid: 'nora.lind', profile: 'p1', email: 'nora@acme.test' },
    ...{ displayName: 'Nora Lind', alias: 'nora', lastLoginTimestamp: 1_764_000_000_000 },
    capabilities: ['HELPDESK', 'ORG_ADMIN', 'HELPDESK'],
  };
  const source = lines(
    full,
    { id: 'u2', alias: 'sam', capabilities: null, lastUnlockTimestamp: null, extra: 1 },
    { id: 'u3', uid: 'nora.lind' },
    { id: 'u4', uid: 'x', capabilities: ['KING', 7] },
    { id: 'u5', uid: 'y', lastPasswordChangeDate: '' },
    { id: 'u6', uid: 'z', lastLoginTimestamp: '0' },
    { uid: 'nobody' },
    '{"id":"u7","uid":"a","uid":"b"}',
  );
  const report = await documents.importAuthUsers(OPERATOR, source);
  assert.deepEqual([report.created, report.failed], [2, 6]);
  assert.deepEqual(
    report.faults.map(({ line, reason }) => `${line} ${reason}`),
    [
      '3 uid "nora.lind" belongs to the auth user u1',
      '4 capabilities: 7 must be a string that is not empty',
      '5 lastPasswordChangeDate must be an ISO 8601 date-time or null',
      '6 lastLoginTimestamp must be epoch milliseconds, an integer',
      '7 id is missing',
      '8 the member uid appears twice',
    ],
  );
  const nora = await store.read.authUser(TENANT, 'u1');
  assert.deepEqual([nora?.tenant, nora?.capabilities], ['acme', ['HELPDESK', 'ORG_ADMIN']]);
  const sam = await store.read.authUser(TENANT, 'u2');
  assert.deepEqual(
    [sam?.uid, sam?.displayName, sam?.capabilities, sam?.email, sam?.lastLoginTimestamp],
    ['sam', 'sam', [], null, 0],
  );
  assert.equal((await documents.importAuthUsers(OPERATOR, lines(full))).unchanged, 1);
});

test('keeps unknown levels, and lists at most a hundred of them as warnings', async () => {
  const user = (n: number, capabilities: unknown) => ({ id: `w${n}`, uid: `w${n}`, capabilities });
  const long = 'x'.repeat(257);
  const many = Array.from({ length: 7 }, (_, n) => `own-${n}`);
  const report = await documents.importAuthUsers(
    OPERATOR,
    lines(
      user(1, ['HELPDESK', 'KING']),
      user(2, many),
      user(3, ['HELPDESK']),
      user(4, [long]),
      user(5, ['']),
      user(6, ['a\u0007']),
      user(
        7,
        Array.from({ length: 501 }, (_, n) => `level-${n}`),
      ),
    ),
  );
  assert.deepEqual([report.created, report.failed, report.warned], [3, 4, 2]);
  assert.deepEqual(
    report.warnings.map(({ line, reason }) => `${line} ${reason}`),
    [
      '1 capabilities: "KING" is not known and grants nothing here; kept as imported',
      '2 capabilities: "own-0", "own-1", "own-2", "own-3", "own-4" and 2 more are not known and grant nothing here; kept as imported',
    ],
  );
  assert.deepEqual(
    report.faults.map(({ line, reason }) => `${line} ${reason.replace(/x{9,}/, 'x…')}`),
    [
      '4 capabilities: "x…… is longer than 256 characters',
      '5 capabilities: "" must be a string that is not empty',
      '6 capabilities: "a\\u0007" has a control character',
      '7 capabilities: more than 500 of them',
    ],
  );
  assert.deepEqual((await store.read.authUser(TENANT, 'w1'))?.capabilities, ['HELPDESK', 'KING']);
  const crowd = Array.from({ length: 150 }, (_, n) => user(1_000 + n, ['KING']));
  const { warned, warnings } = await documents.importAuthUsers(OPERATOR, lines(...crowd));
  assert.deepEqual([warned, warnings.length, warnings[99]?.line], [150, 100, 100]);
});

test('refuses to remove ORG_ADMIN from its last holder by an import', async () => {
  const admin = (id: string, capabilities: string[]) => ({ id, uid: id, capabilities });
  await documents.importAuthUsers(
    OPERATOR,
    lines(admin('a', ['ORG_ADMIN']), admin('b', ['ORG_ADMIN'])),
  );
  const source = lines(admin('a', []), admin('b', ['HELPDESK']));
  const report = await documents.importAuthUsers(OPERATOR, source);
  assert.deepEqual([report.updated, report.failed], [1, 1]);
  assert.match(report.faults[0]?.reason ?? '', /ORG_ADMIN from the last user/);
  assert.deepEqual((await store.read.authUser(TENANT, 'b'))?.capabilities, ['ORG_ADMIN']);
});
