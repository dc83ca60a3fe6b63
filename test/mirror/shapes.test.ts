// suite: slow
// A remote tenant that answers what a Cardea never would, as public services have been seen to do:
// unknown members, null arrays, larger pages than asked for, packed answers, odd errors.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { commandLine } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';

type Row = Readonly<Record<string, unknown>> & { readonly id: string };
interface SearchBody {
  readonly indices?: readonly string[];
  readonly query: { readonly query: string };
  readonly sort?: readonly string[];
  readonly searchAfter?: readonly string[];
  readonly queryResultFilter?: unknown;
}

const directory = mkdtempSync(join(tmpdir(), 'cardea-mirror-shapes-'));
after(() => rmSync(directory, { recursive: true, force: true }));

const ENVELOPE = { _version: 'v7', pod: 'se01-useast1', org: 'acme' };

function identity(number: number, members: object = {}): Row {
  const id = `2c91${String(number).padStart(28, '0')}`;
  return {
    ...{ id, name: `user${number}`, displayName: `User ${number}` },
    ...{ created: '2024-01-01T00:00:00Z', modified: '2024-06-01T00:00:00Z' },
    ...{ synced: '2024-06-02T00:00:00.123Z', ...members, _type: 'identity', ...ENVELOPE },
  };
}

/** What the stub answers; tests change it. */
let documents: Record<string, Row[]>;
let answer: (body: SearchBody, rows: readonly Row[]) => unknown;
let requests: number;
/** The name that the token says. */
let org: string;
/** Whether the stub refuses all searches. */
let isForbidden: boolean;
/** Whether the stub has auth users: one for each identity. */
let hasUsers: boolean;
/** Bodies of searches that were answered. */
let searches: SearchBody[];

function search(body: SearchBody): readonly Row[] {
  const { indices = [], query, searchAfter = [] } = body;
  const [index = 'identities'] = indices;
  const [after = ''] = searchAfter;
  const ids = [...query.query.matchAll(/"([^"]+)"/g)].map(([, id]) => id);
  const rows = (documents[index] ?? []).filter(({ id }) => id > after);
  return ids.length === 0 ? rows : rows.filter(({ id }) => ids.includes(id));
}

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const send = (status: number, value: unknown, headers: Record<string, string> = {}) => {
    const body = gzipSync(typeof value === 'string' ? value : JSON.stringify(value));
    response.writeHead(status, { 'content-encoding': 'gzip', ...headers }).end(body);
  };
  requests += 1;
  if (request.url === '/oauth/token') {
    const claims = Buffer.from(JSON.stringify({ org, pod: 'se01-useast1' }));
    return send(200, { access_token: `e30.${claims.toString('base64url')}.x`, expires_in: 749 });
  }
  if (isForbidden) return send(403, { messages: [{ text: 'Forbidden' }] });
  const [, user] = /^\/v3\/auth-users\/(.+)$/.exec(request.url ?? '') ?? [];
  if (user !== undefined) {
    return hasUsers ? send(200, { id: user, uid: user }) : send(404, { detailCode: '404' });
  }
  const body = JSON.parse(text) as SearchBody;
  searches.push(body);
  const rows = search(body);
  if (request.url === '/v2024/search/count') {
    response.writeHead(204, { 'x-total-count': String(rows.length) }).end();
    return;
  }
  if (body.sort?.[0]?.startsWith('-') === true) return send(200, rows.slice(0, 1));
  return send(200, answer(body, rows));
}

let server: Server;
let url: string;
before(async () => {
  server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => server.close());
beforeEach(() => {
  documents = { identities: Array.from({ length: 7 }, (_, i) => identity(i)) };
  answer = (_body, rows) => rows.slice(0, 3);
  requests = 0;
  org = 'acme';
  isForbidden = false;
  hasUsers = true;
  searches = [];
});

function start(name: string, flags: readonly string[] = []) {
  const dataDir = join(directory, name);
  const args = [
    'mirror',
    '--from',
    url,
    '--data-dir',
    dataDir,
    '--rate',
    'off',
    '--json',
    ...flags,
  ];
  return commandLine(args, {
    env: {
      ...{ SAIL_CLIENT_ID: 'id', SAIL_CLIENT_SECRET: 'secret', CARDEA_ALLOW_PRIVATE_URLS: 'on' },
    },
  });
}

async function mirror(name: string, flags: readonly string[] = []) {
  const line = start(name, flags);
  const code = await line.ended;
  return { code, err: line.err(), report: line.out() === '' ? null : JSON.parse(line.out()) };
}

/** The mirrored identities as they are stored. */
async function stored(name: string): Promise<Record<string, unknown>[]> {
  const store = await openSqliteStore({ path: join(directory, name, 'cardea.db') });
  try {
    const tenant = await store.read.tenantByName('acme');
    assert.ok(tenant !== null);
    assert.equal(tenant.pod, 'se01-useast1');
    const range = { after: null, upTo: null };
    const ids = await store.read.mirroredIds(tenant.id, 'identities', range, 1_000);
    const all = await Promise.all(
      ids.map((id) => store.read.document(tenant.id, 'identities', id)),
    );
    return all.map((one) => JSON.parse(Buffer.from(one?.root ?? []).toString()));
  } finally {
    await store.close();
  }
}

test('keeps unknown members, and takes null arrays for empty ones', async () => {
  documents['identities'] = [
    identity(1, { access: null, accounts: null, apps: [], quantumState: { spin: [1, 2] } }),
    identity(2, { attributes: { nickname: null, shoeSize: 43 }, tags: null, manager: null }),
  ];
  const { code, report } = await mirror('members');
  assert.deepEqual([code, report.counts.created, report.counts.refused], [0, 2, 0]);
  const [first, second] = await stored('members');
  assert.deepEqual(first?.['quantumState'], { spin: [1, 2] });
  assert.deepEqual(second?.['attributes'], { nickname: null, shoeSize: 43 });
  assert.equal(second?.['manager'], null);
  const verified = await mirror('members', ['--verify', '--sample', 'all']);
  assert.deepEqual([verified.code, verified.report.equal], [0, true], verified.err);
});

test('walks on by ids whatever the size of the pages', async () => {
  answer = (_body, rows) => rows.slice(0, 1 + (requests % 5));
  const { code, report } = await mirror('pages');
  assert.deepEqual([code, report.counts.created], [0, 7]);
  answer = (_body, rows) => rows;
  const larger = await mirror('pages', ['--full', '--sweep-every', '0s']);
  assert.deepEqual([larger.code, larger.report.counts.unchanged], [0, 7]);
});

test('reports a document that cannot be stored, keeps the others, and tries it again', async () => {
  documents['identities']?.splice(3, 1, identity(3, { created: 'soon' }));
  const { code, report } = await mirror('refused');
  assert.deepEqual([code, report.counts.created, report.counts.refused], [0, 6, 1]);
  const status = async () => {
    const line = commandLine(['mirror', '--status', '--data-dir', join(directory, 'refused')], {});
    assert.equal(await line.ended, 0);
    return line.out();
  };
  assert.match(await status(), /refused: identities 2c910+3: created must be an ISO 8601 date/);
  documents['identities']?.splice(3, 1, identity(3));
  const again = await mirror('refused', ['--full']);
  assert.deepEqual([again.code, again.report.counts.created], [0, 1]);
  assert.doesNotMatch(await status(), /refused: identities/);
});

test('does not walk in circles when searchAfter is ignored', async () => {
  answer = () => documents['identities']?.slice(0, 3);
  const { code, report } = await mirror('circle');
  assert.equal(code, 1);
  const [, , last] = documents['identities'] ?? [];
  assert.match(
    report.faults.join(),
    new RegExp(`identities: expected ids after ${last?.id}, but the remote tenant listed 2c910+,`),
  );
});

test('deletes nothing when the ids have another order, or when they still exist', async () => {
  assert.equal((await mirror('order')).code, 0);
  answer = (_body, rows) => [...rows].reverse();
  const disorder = await mirror('order', ['--sweep-every', '0s']);
  assert.deepEqual([disorder.code, disorder.report.counts.deleted], [1, 0]);
  assert.match(
    disorder.report.faults.join(),
    /identities: .* does not list ids in ascending order/,
  );
  // What is new arrives all the same.
  documents['identities']?.push(identity(8));
  const again = await mirror('order', ['--sweep-every', '0s']);
  assert.deepEqual([again.code, again.report.counts.created], [1, 1]);
  // A page that lacks a document, which exists when it is asked for.
  answer = (body, rows) =>
    /"/.test(body.query.query) ? rows : rows.filter(({ id }) => !id.endsWith('4'));
  const lacking = await mirror('order', ['--sweep-every', '0s']);
  assert.deepEqual([lacking.code, lacking.report.counts.deleted], [0, 0], lacking.err);
  documents['identities']?.splice(4, 1);
  const gone = await mirror('order', ['--sweep-every', '0s']);
  assert.deepEqual([gone.code, gone.report.counts.deleted], [0, 1]);
});

test('does not take over a name that leads out of the data directory', async () => {
  org = '../../outside';
  const { code, err } = await mirror('outside');
  assert.equal(code, 1);
  assert.match(
    err,
    /"\.\.\/\.\.\/outside" cannot be the name of a tenant here: choose one with --name/,
  );
  const named = await mirror('outside', ['--name', 'inside']);
  assert.deepEqual([named.code, named.report.tenant], [0, 'inside'], named.err);
});

/** The JSON lines of a mirror that keeps running. */
function reportsOf(line: { out(): string }): { outcome: string; counts: { created: number } }[] {
  return line
    .out()
    .split('\n')
    .slice(0, -1)
    .map((text) => JSON.parse(text));
}

test('keeps watching a tenant that refuses its requests, and copies it once that ends', async () => {
  isForbidden = true;
  const watch = start('watched', ['--watch', '1s', '--full']);
  const outcomes = () => reportsOf(watch).map(({ outcome }) => outcome);
  await eventually(() => assert.deepEqual(outcomes().slice(0, 2), ['failed', 'failed']));
  isForbidden = false;
  await eventually(() => assert.equal(outcomes().at(-1), 'complete', watch.err()));
  // --full concerns the first complete run.
  const complete = () => outcomes().filter((outcome) => outcome === 'complete').length;
  await eventually(() => assert.ok(complete() >= 2));
  searches = [];
  const before = complete();
  await eventually(() => assert.ok(complete() >= before + 2));
  assert.ok(searches.some(({ query }) => query.query.includes('modified:[')));
  // Nothing takes the place of the runs: a comparison may come at any time.
  const verified = await mirror('watched', ['--verify']);
  assert.deepEqual([verified.code, verified.report.equal], [0, true], verified.err);
  watch.interrupt();
  assert.equal(await watch.ended, 0, watch.err());
});

test('verifies a mirror of the auth users of a file without the file, and changes no choice', async () => {
  const file = join(directory, 'ids.txt');
  writeFileSync(file, '');
  assert.equal((await mirror('file', ['--auth-users', file])).code, 0);
  const verified = await mirror('file', ['--verify']);
  assert.deepEqual([verified.code, verified.report?.equal], [0, true], verified.err);
  const other = await mirror('file', ['--verify', '--name', 'acme', '--from', 'https://b.example']);
  assert.equal(other.code, 1);
  assert.match(other.err, /Tenant acme mirrors http.*, not https:\/\/b\.example\//);
  const next = await mirror('file');
  assert.match(next.err, /--auth-users is missing: the mirror reads those of a file/);
});

/** The first identities, as many as a search must find to be believed. */
function manyIdentities(): void {
  documents = { identities: Array.from({ length: 120 }, (_, i) => identity(i)) };
}

/** Searches that name ids. */
const namesIds = ({ query }: SearchBody) => query.query.startsWith('id:');

test('asks again for an empty page that comes before the announced number of documents', async () => {
  let isEmpty = true;
  answer = ({ searchAfter = [] }, rows) => {
    if (searchAfter.length === 0 || !isEmpty) return rows.slice(0, 3);
    isEmpty = false;
    return [];
  };
  const { code, report } = await mirror('empty-page');
  assert.deepEqual([code, report.counts.created, isEmpty], [0, 7, false]);
});

test('does not take a search that lists a few of many documents for the end', async () => {
  manyIdentities();
  answer = ({ searchAfter = [] }, rows) => (searchAfter.length === 0 ? rows.slice(0, 3) : []);
  const short = await mirror('short');
  assert.deepEqual([short.code, short.report.counts.created], [1, 3]);
  assert.match(
    short.report.faults.join(),
    /identities: .* counts 120 documents but listed only 3;/,
  );
  answer = (_body, rows) => rows.slice(0, 50);
  const whole = await mirror('short');
  assert.deepEqual([whole.code, whole.report.counts.created], [0, 117]);
});

test('does not delete most documents when the search stops to list and to find them', async () => {
  manyIdentities();
  answer = (_body, rows) => rows.slice(0, 50);
  assert.equal((await mirror('blank')).report.counts.created, 120);
  // It counts and copies them all the same.
  answer = (body, rows) => {
    if (body.queryResultFilter === undefined) return rows;
    return namesIds(body) ? [] : rows.slice(0, 20).filter(({ id }) => id < identity(20).id);
  };
  const blank = await mirror('blank', ['--sweep-every', '0s']);
  assert.deepEqual([blank.code, blank.report.counts.deleted], [1, 0]);
  assert.match(
    blank.report.faults.join(),
    /identities: the remote tenant shows less than half of 120/,
  );
  answer = (_body, rows) => rows;
  const whole = await mirror('blank', ['--sweep-every', '0s']);
  assert.deepEqual(
    [whole.code, whole.report.counts.deleted, whole.report.counts.created],
    [0, 0, 0],
  );
});

test('keeps the auth users when all of them seem to be gone', async () => {
  documents = { identities: Array.from({ length: 12 }, (_, i) => identity(i)) };
  const users = ['--auth-users', 'all', '--sweep-every', '0s'];
  assert.equal((await mirror('users', users)).report.counts.created, 24);
  hasUsers = false;
  const gone = await mirror('users', users);
  assert.deepEqual([gone.code, gone.report.counts.deleted], [1, 0]);
  assert.match(
    gone.report.faults.join(),
    /auth-users: the remote tenant shows less than half of 12/,
  );
  const allowed = await mirror('users', [...users, '--allow-shrinking']);
  assert.deepEqual([allowed.code, allowed.report.counts.deleted], [0, 12]);
});

test('copies all auth users in the run that asks for them after those of a file', async () => {
  const file = join(directory, 'one.txt');
  writeFileSync(file, `${identity(3).id}\n`);
  const one = await mirror('more', ['--auth-users', file]);
  assert.deepEqual([one.code, one.report.counts.created], [0, 8]);
  const all = await mirror('more', ['--auth-users', 'all']);
  assert.deepEqual([all.code, all.report.counts.created], [0, 6], 'the others');
});

test('counts a difference once, however the stretches of a sample overlap', async () => {
  manyIdentities();
  answer = (_body, rows) => rows.slice(0, 50);
  assert.equal((await mirror('stretches')).report.counts.created, 120);
  documents['identities'] =
    documents['identities']?.map((row) => ({ ...row, name: 'Other' })) ?? [];
  for (let i = 0; i < 8; i++) {
    const { code, report } = await mirror('stretches', ['--verify', '--sample', '100']);
    const ids = report.differences.map(({ id }: { id: string }) => id);
    assert.deepEqual([code, new Set(ids).size], [1, ids.length]);
    const [identities] = report.parts.filter(({ part }: { part: string }) => part === 'identities');
    assert.equal(identities.compared, report.differing);
    assert.ok(identities.compared > 0 && identities.compared <= 120);
  }
});
