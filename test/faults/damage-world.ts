// A small company with a record of every kind, and all that a service answers about it, for tests
// that damage its store.
import assert from 'node:assert/strict';
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { type Cardea, compose } from '../../src/compose/compose.ts';
import { parseConfig } from '../../src/config/config.ts';
import { commandLine } from '../support/command-line.ts';
import { makeDemo, moveLogIn } from '../support/demo-data.ts';

type Json = Record<string, unknown>;

/** What a service answers: JSON by the name of what was asked and, in lists, by id. */
export type Answers = ReadonlyMap<string, string>;

/** Credentials of the company, in its file. */
interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly apiKey: string;
}

const INDEXES = 'identities roles accessprofiles entitlements events accountactivities'.split(' ');

/** Events of the requests for tokens with which questions begin; a damaged signing key is replaced then. */
const ALL_BUT_SIGN_INS =
  'NOT technicalName:AUTHENTICATION_REQUEST_PASSED AND NOT technicalName:SIGNING_KEY_CREATE_PASSED';

/** Lists of records with ids or names. */
const LISTS: readonly string[] = [
  ...['/admin/v1/auth-users?limit=250', '/v3/personal-access-tokens', '/v3/oauth-clients'],
  ...['/v2024/saved-searches', '/v2024/scheduled-searches', '/admin/v1/dashboards'],
  ...['/admin/v1/views', '/admin/v1/api-keys'],
  ...[
    ...['profile_types', 'ne_attributes', 'ne_attribute_options', 'users', 'roles'],
    ...['user_roles', 'user_profiles', 'user_managers', 'risk_levels', 'profiles'],
    'advanced_search',
  ].map((name) => `/api/${name}?limit=100`),
];

/** Records that are also read one by one: the path of one by that of its list. */
const SINGLE: Readonly<Record<string, string>> = {
  '/admin/v1/auth-users?limit=250': '/v3/auth-users/',
  '/v2024/saved-searches': '/v2024/saved-searches/',
  '/admin/v1/dashboards': '/admin/v1/dashboards/',
  '/api/profiles?limit=100': '/api/profiles/',
  '/api/users?limit=100': '/api/users/',
};

/** Members that a use of the service changes, not damage. */
const VOLATILE = ['lastUsed', 'last_used', 'currentLoginTimestamp', 'lastLoginTimestamp'];

/** Settings, such as the URL of another store, as environment variables. */
export type Env = Readonly<Record<string, string>>;

/** Runs a command line on a data directory. */
export async function run(dataDir: string, ...args: string[]) {
  return runWith({}, dataDir, ...args);
}

/** Runs a command line on a data directory, with settings. */
export async function runWith(env: Env, dataDir: string, ...args: string[]) {
  const line = commandLine([...args, '--data-dir', dataDir], { env });
  return { code: await line.ended, out: line.out(), err: line.err() };
}

/** A running service, with the lines of its log. */
export interface Served {
  readonly cardea: Cardea;
  readonly url: string;
  readonly log: readonly string[];
}

/** Serves a data directory; its store is checked after a second. @throws ServiceError if it cannot be opened */
export async function serve(dataDir: string, env: Env = {}): Promise<Served> {
  const config = parseConfig({
    ...env,
    ...{ CARDEA_PORT: '0', CARDEA_DATA_DIR: dataDir, CARDEA_STORE_CHECK_SECONDS: '1' },
  });
  const log: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      log.push(String(chunk));
      done();
    },
  });
  const cardea = await compose(config, { log: pino(sink) });
  try {
    return { cardea, url: (await cardea.start()).url, log };
  } catch (error) {
    await cardea.stop();
    throw error;
  }
}

/** Creates the company. */
export async function createCompany(dataDir: string, env: Env = {}): Promise<void> {
  await makeDemo(dataDir, ['--identities', '12', '--profiles', '12'], env);
  const { cardea, url } = await serve(dataDir, env);
  try {
    const { call } = await callerOf(url, dataDir);
    const create = async (path: string, body: object): Promise<Json> => {
      const { status, body: created } = await call('POST', path, body);
      assert.ok(status < 300, `${path}: ${JSON.stringify(created)}`);
      return created as Json;
    };
    for (const n of [1, 2, 3]) {
      const search = {
        indices: ['identities'],
        query: `attributes.department:Sales OR name:x${n}`,
      };
      const saved = await create('/v2024/saved-searches', { ...search, name: `Saved ${n}` });
      const schedule = { type: 'MONTHLY', hours: { type: 'LIST', values: [String(n)] } };
      const days = { type: 'LIST', values: ['1'] };
      await create('/v2024/scheduled-searches', {
        ...{ savedSearchId: saved['id'], schedule: { ...schedule, days } },
        recipients: [{ type: 'IDENTITY', id: 'nobody' }],
      });
      const tile = { title: `Tile ${n}`, kind: 'number', width: 1, alarmAbove: n, search };
      await create('/admin/v1/dashboards', { name: `Dashboard ${n}`, tiles: [tile] });
      await create('/admin/v1/views', { name: `view${n}`, indices: { identities: `name:x${n}` } });
      await create('/v3/personal-access-tokens', { name: `Token ${n}`, scope: ['sp:search:read'] });
      await create('/admin/v1/api-keys', { name: `Key ${n}`, scope: 'read' });
      await create('/v3/oauth-clients', {
        ...{ name: `Client ${n}`, description: `Text ${n}`, accessTokenValiditySeconds: 600 },
        ...{ grantTypes: ['CLIENT_CREDENTIALS'], accessType: 'OFFLINE', enabled: true },
      });
    }
    await cardea.indexer.waitFor(await cardea.store.read.lastSequence(), 60_000);
  } finally {
    await cardea.stop();
  }
  if (existsSync(join(dataDir, 'cardea.db'))) await moveLogIn(dataDir);
}

/** Copies a stopped data directory. */
export function copyOf(template: string, dataDir: string, withIndex: boolean): void {
  cpSync(template, dataDir, { recursive: true });
  if (!withIndex) rmSync(join(dataDir, 'index'), { recursive: true, force: true });
}

export type Call = (method: string, path: string, body?: unknown) => Promise<Answer>;
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Calls with the credentials of the company; `login` is what the request for a token answered. */
export async function callerOf(
  url: string,
  dataDir: string,
): Promise<{ readonly login: Answer; readonly call: Call }> {
  const text = readFileSync(join(dataDir, 'credentials.json'), 'utf8');
  const { clientId, clientSecret, apiKey } = JSON.parse(text) as Credentials;
  const login = await answerOf(
    fetch(`${url}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        ...{ grant_type: 'client_credentials' },
        ...{ client_id: clientId, client_secret: clientSecret },
      }),
    }),
  );
  const { access_token: token } = Object(login.body) as { access_token?: string };
  const call: Call = (method, path, body) =>
    answerOf(
      fetch(`${url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${path.startsWith('/api/') ? apiKey : token}`,
          ...(body === undefined ? {} : { 'content-type': contentTypeOf(body) }),
        },
        ...(body === undefined
          ? {}
          : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    );
  return { login, call };
}

/** An array is a JSON Patch, a text the lines of an import. */
function contentTypeOf(body: unknown): string {
  if (typeof body === 'string') return 'application/x-ndjson';
  return Array.isArray(body) ? 'application/json-patch+json' : 'application/json';
}

async function answerOf(response: Promise<Response>): Promise<Answer> {
  const answer = await response;
  const text = await answer.text();
  try {
    return { status: answer.status, body: text === '' ? null : JSON.parse(text) };
  } catch {
    return { status: answer.status, body: text };
  }
}

/** What a service answered, and what it refused: a sentence by the name of what was asked. */
export interface Questions {
  readonly answers: Answers;
  readonly refusals: ReadonlyMap<string, string>;
}

/**
 * Asks for everything.
 * @param names what is read one by one; of the lists themselves if omitted
 */
export async function askAll(
  url: string,
  dataDir: string,
  names?: Iterable<string>,
): Promise<Questions> {
  const answers = new Map<string, string>();
  const refusals = new Map<string, string>();
  const { login, call } = await callerOf(url, dataDir);
  const refuse = (name: string, { status, body }: Answer) =>
    refusals.set(name, `${status} ${JSON.stringify(body)}`);
  const put = (name: string, value: unknown) => answers.set(name, JSON.stringify(stable(value)));
  if (login.status !== 200) {
    refuse('login', login);
    return { answers, refusals };
  }
  const single = new Set<string>();
  for (const index of INDEXES) {
    const body = {
      indices: [index],
      query: { query: ALL_BUT_SIGN_INS },
      sort: ['id'],
      includeNested: true,
    };
    const found = await call('POST', '/v3/search?limit=250', body);
    if (found.status !== 200) {
      refuse(`search ${index}`, found);
      continue;
    }
    for (const hit of found.body as Json[]) {
      put(`search ${index} ${hit['id']}`, hit);
      single.add(`GET /v3/search/${index}/${hit['id']}`);
    }
  }
  for (const path of LISTS) {
    const listed = await call('GET', path);
    // An empty list of profile management is an error there.
    if (listed.status !== 200) {
      refuse(`list ${path}`, listed);
      continue;
    }
    for (const record of recordsIn(listed.body)) {
      const id = String(record['id'] ?? record['name']);
      put(`list ${path} ${id}`, record);
      if (SINGLE[path] !== undefined) single.add(`GET ${SINGLE[path]}${id}`);
    }
  }
  for (const name of names ?? single) {
    if (!name.startsWith('GET ')) continue;
    const answer = await call('GET', name.slice(4));
    if (answer.status === 200) put(name, answer.body);
    else refuse(name, answer);
  }
  return { answers, refusals };
}

/** The records of a list: all of the body, or the one array among its members. */
function recordsIn(body: unknown): readonly Json[] {
  const list = Array.isArray(body) ? body : Object.values(Object(body)).find(Array.isArray);
  return (list ?? []) as Json[];
}

/** A copy without members that change by themselves, and with sorted ones. */
function stable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stable);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !VOLATILE.includes(name))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, stable(member)]),
  );
}
