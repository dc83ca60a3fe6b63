// suite: slow
// What values, arguments and other servers say never reaches a terminal as they wrote it: every
// command that prints some of it, on data that are full of controls.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pino } from 'pino';
import { openOffline } from '../../src/compose/compose.ts';
import { parseConfig } from '../../src/config/config.ts';
import { setUpMirror } from '../../src/service/mirrors/mirror-setup.ts';
import { openConnection } from '../../src/store/sqlite/sqlite-driver.ts';
import { commandLine } from '../support/command-line.ts';

/** A title, colours, a cleared screen by C1, an overwritten line, a forged one, reordered text. */
const HOSTILE =
  'x\u001b]0;t\u0007\u001b[31m\u009b2J\u0085\u007f\rdone\r\nok\u202e\u2066\u200f\u061c\u2028y';
/** As much of it as names of credentials may have. */
const REORDERED = 'x\u202e\u2066\u200f\u061c\u2028y';
/** What a terminal obeys, besides the line breaks of the command itself. */
const OBEYED = /[^\P{Cc}\n\t\r]|\r(?!\n)|[\p{Bidi_Control}\u2028]/u;

const directory = mkdtempSync(join(tmpdir(), 'cardea-hostile-'));
const dataDir = join(directory, 'data');
const damaged = join(directory, 'damaged');
const mirrored = join(directory, 'mirrored');
after(() => rmSync(directory, { recursive: true, force: true }));

/** A remote service that refuses every request with hostile texts, or warns of its rows. */
const remote = createServer((request, response) => {
  request.resume();
  if (request.url === '/oauth/token') {
    response.end('{"access_token":"t","expires_in":720}');
  } else if (request.url?.includes('count=') === true && !request.url.includes('limit=7')) {
    response.setHeader('warning', '299 cardea "look\u009b2J here"');
    const row = { name: HOSTILE };
    response.end(
      request.url.includes('format=csv') ? `name\r\n"${HOSTILE}"\r\n` : `${JSON.stringify(row)}\n`,
    );
  } else {
    const text = { text: `no ${HOSTILE}` };
    response.writeHead(400).end(JSON.stringify({ messages: [text], causes: [text, text] }));
  }
});
let remoteUrl: string;

before(async () => {
  remote.listen(0, '127.0.0.1');
  await once(remote, 'listening');
  remoteUrl = `http://127.0.0.1:${(remote.address() as AddressInfo).port}`;
  for (const path of [dataDir, damaged]) {
    await sound(['tenant', 'create', 'acme', '--data-dir', path]);
  }
  const roles = join(directory, 'roles.ndjson');
  const role = { _type: 'role', id: `r${REORDERED}`, name: HOSTILE, description: HOSTILE };
  writeFileSync(roles, JSON.stringify(role));
  for (const path of [dataDir, damaged]) await sound(['import', roles, '--data-dir', path]);
  const users = join(directory, 'users.ndjson');
  const user = { id: 'u1', uid: REORDERED, displayName: HOSTILE, capabilities: ['HELPDESK'] };
  writeFileSync(users, JSON.stringify(user));
  await sound(['import', '--auth-users', users, '--data-dir', dataDir]);
  for (const args of [
    ['pat', 'create', '--owner', 'admin', '--name', REORDERED],
    ['client', 'create', '--name', REORDERED],
    ['api-key', 'create', '--name', REORDERED],
    ['view', 'create', 'v', '--show', 'roles=*', '--description', HOSTILE],
  ]) {
    await sound([...args, '--data-dir', dataDir]);
  }
  await addMirror();
  const connection = await openConnection(join(damaged, 'cardea.db'), 60_000);
  connection.exec("update document set root = x'0102' where id like 'r%'");
  connection.close();
});
after(() => remote.close());

async function sound(args: readonly string[]): Promise<void> {
  const line = commandLine(args);
  assert.equal(await line.ended, 0, line.err());
}

/** A mirror whose last run failed with the words of the remote tenant. */
async function addMirror(): Promise<void> {
  const config = parseConfig({ CARDEA_DATA_DIR: mirrored });
  const data = await openOffline(config, { log: pino({ level: 'silent' }) }, 'store');
  const sources = { source: 'https://a.test/', profilesSource: null, authUsers: 'none' };
  const { id } = await setUpMirror(data.store, { name: 'copied', pod: null, ...sources });
  const counts = { created: 0, updated: 0, unchanged: 0, deleted: 0, refused: 1 };
  const [began, ended] = ['2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z'];
  await data.store.write(async (records) => {
    const mirror = await records.mirror(id);
    assert.ok(mirror);
    const run = {
      began,
      ended,
      outcome: 'failed',
      error: `answered 400: ${HOSTILE}`,
      counts,
    } as const;
    await records.putMirror({ ...mirror, runs: [run] });
    await records.putMirrorPart(id, {
      ...{ name: 'roles', walk: null, copiedAt: null, newest: null, sweptAt: null, there: 1 },
      ...{ totals: counts, refusals: [{ id: HOSTILE, reason: HOSTILE }] },
      ...{ refusedIds: [], shrinking: null },
    });
  });
  await data.close();
}

interface Case {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly dataDir?: string;
}

const OF_REMOTE = { SAIL_CLIENT_ID: 'a', SAIL_CLIENT_SECRET: 'b', CARDEA_ALLOW_PRIVATE_URLS: 'on' };
const bad = join(directory, `bad\u001b[31m${REORDERED}.ndjson`);
writeFileSync(bad, `{"_type":"role","id":${JSON.stringify(HOSTILE)},"name":7}\n{"${HOSTILE}`);

/** Commands that print lines, tables or CSV. */
const LINES: Readonly<Record<string, Case>> = {
  'search as a table': { args: ['search', '*', '--index', 'roles'] },
  'search as CSV': { args: ['search', '*', '--index', 'roles', '--csv', '--columns', 'name'] },
  'a header of search': {
    args: ['search', '*', '--index', 'roles', '--columns', `name=${HOSTILE}`],
  },
  'a query that is wrong': { args: ['search', `name:"${HOSTILE}`] },
  'a field that is unknown': { args: ['search', `"${HOSTILE}" AND ${REORDERED}:1`, '--table'] },
  'user list': { args: ['user', 'list'] },
  'user list as CSV': { args: ['user', 'list', '--csv'] },
  'user show': { args: ['user', 'show', 'u1'] },
  'a user that is unknown': { args: ['user', 'show', HOSTILE] },
  'a user that is disabled': { args: ['user', 'disable', 'u1'] },
  'pat list': { args: ['pat', 'list'] },
  'client list': { args: ['client', 'list'] },
  'api-key list': { args: ['api-key', 'list'] },
  'view list': { args: ['view', 'list'] },
  'a view that is unknown': { args: ['view', 'show', HOSTILE] },
  'lines of an import': { args: ['import', bad] },
  'a file that is missing': { args: ['import', `/none/${HOSTILE}`] },
  'a directory of an export': { args: ['export', '--to', join(directory, `e${HOSTILE}`)] },
  'a setting': { args: ['serve', '--port', HOSTILE] },
  'a flag that is unknown': { args: ['serve', `--${HOSTILE}`] },
  'a command that is unknown': { args: [HOSTILE] },
  'a document that doctor names': { args: ['doctor'], dataDir: damaged },
  'the status of a mirror': { args: ['mirror', '--status'], dataDir: mirrored },
  'a remote tenant that refuses a mirror': {
    args: ['mirror', '--from', 'REMOTE', '--name', 'other'],
    env: OF_REMOTE,
    dataDir: mirrored,
  },
  'a remote service that refuses a search': {
    args: ['search', '*', '--server', 'REMOTE', '--limit', '7', '--csv'],
    env: OF_REMOTE,
  },
  'rows of a remote service, as a table': {
    args: ['search', '*', '--server', 'REMOTE', '--table'],
    env: OF_REMOTE,
  },
  'rows of a remote service, as CSV': {
    args: ['search', '*', '--server', 'REMOTE', '--csv'],
    env: OF_REMOTE,
  },
};

/** Commands that print JSON. */
const JSON_LINES: Readonly<Record<string, Case>> = {
  search: { args: ['search', '*', '--index', 'roles', '--json', '--columns', 'name'] },
  'search by lines': { args: ['search', '*', '--index', 'roles', '--ndjson', '--columns', 'name'] },
  'rows of a remote service': {
    args: ['search', '*', '--server', 'REMOTE', '--ndjson'],
    env: OF_REMOTE,
  },
  'user list': { args: ['user', 'list', '--json'] },
  'user show': { args: ['user', 'show', 'u1', '--json'] },
  'pat list': { args: ['pat', 'list', '--json'] },
  'client list': { args: ['client', 'list', '--json'] },
  'api-key list': { args: ['api-key', 'list', '--json'] },
  'view show': { args: ['view', 'show', 'v'] },
  import: { args: ['import', bad, '--json'] },
  doctor: { args: ['doctor', '--json'], dataDir: damaged },
  'mirror --status': { args: ['mirror', '--status', '--json'], dataDir: mirrored },
};

async function run({ args, env = {}, dataDir: path = dataDir }: Case, isTerminal: boolean) {
  const words = args.map((word) => (word === 'REMOTE' ? remoteUrl : word));
  const line = commandLine(words, {
    env: { CARDEA_DATA_DIR: path, ...env },
    isTerminal,
    columns: 200,
  });
  await line.ended;
  return { out: line.out(), err: line.err() };
}

describe('on a terminal nothing is obeyed', () => {
  for (const [what, command] of Object.entries({ ...LINES, ...prefixed(JSON_LINES) })) {
    test(what, async () => {
      const { out, err } = await run(command, true);
      assert.doesNotMatch(out + err, OBEYED);
      // Under a query, characters without a column are blanks, so that the mark is in its place.
      if (what !== 'a query that is wrong') assert.match(out + err, /\\u(001b|202e|009b)/);
    });
  }
});

function prefixed(cases: Readonly<Record<string, Case>>): Record<string, Case> {
  return Object.fromEntries(Object.entries(cases).map(([what, one]) => [`${what} as JSON`, one]));
}

describe('elsewhere JSON is escaped too, and means the same', () => {
  for (const [what, command] of Object.entries(JSON_LINES)) {
    test(what, async () => {
      const { out } = await run(command, false);
      assert.doesNotMatch(out, OBEYED);
      const lines = out
        .trim()
        .split('\n')
        .map((line) => JSON.stringify(JSON.parse(line)));
      const texts = [HOSTILE, REORDERED].map((text) => JSON.stringify(text).slice(1, -1));
      assert.ok(
        texts.some((text) => lines.some((line) => line.includes(text))),
        out,
      );
    });
  }
});

test('lines are escaped wherever they go: a log or a file may be read on a terminal later', async () => {
  for (const what of ['the status of a mirror', 'user list', 'lines of an import'] as const) {
    const { out, err } = await run(LINES[what] ?? assert.fail(), false);
    assert.doesNotMatch(out + err, OBEYED, what);
  }
});

test('CSV into a pipe or a file has the values as they are', async () => {
  const own = await run(LINES['search as CSV'] ?? assert.fail(), false);
  assert.equal(own.out, `name\r\n"${HOSTILE}"\r\n`);
  const ofRemote = await run(LINES['rows of a remote service, as CSV'] ?? assert.fail(), false);
  assert.equal(ofRemote.out, `name\r\n"${HOSTILE}"\r\n`);
  assert.match(ofRemote.err, /^warning: look.*\\u009b2J here\n/);
});

test('commands write to nothing but the terminal of their context', () => {
  const sources = readdirSync('src/cli', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && name !== 'main.ts')
    .map((name) => [name, readFileSync(join('src/cli', name), 'utf8')] as const);
  assert.ok(sources.length > 50);
  const others = sources.filter(([, text]) =>
    /process\.std(out|err)|console\.|\bdestination\(|writeSync\(/.test(text),
  );
  assert.deepEqual(
    others.map(([name]) => name),
    [],
  );
});
