// cardea search: on a running server, on one that has only the vendor's search, and on a data directory; forms,
// exit codes, and what is wrong with a command line.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { commandLine } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { type RunningService, startService } from '../support/service.ts';

const PEOPLE = Array.from({ length: 600 }, (_, n) => ({
  _type: 'identity',
  id: `p${String(n).padStart(4, '0')}`,
  name: `person${n % 7}`,
  displayName: n === 0 ? 'Åsa "The\u001b[31mRed" 山田' : `Person ${n}`,
  accountCount: n,
  attributes: { department: n % 3 === 0 ? 'Sales' : 'Støtte', 'cost.center': `c${n}` },
  manager: n % 2 === 0 ? null : { id: 'p0000', displayName: 'Åsa' },
  accounts: Array.from({ length: n % 4 }, (_account, at) => ({
    id: `a${n}-${at}`,
    name: `account ${n}-${at}`,
    source: { name: at === 0 ? 'Payroll' : 'Directory' },
    privileged: (n + at) % 2 === 0,
    disabled: at === 1,
    created: `2025-0${1 + (n % 9)}-01T00:00:00Z`,
    accountAttributes: { level: String(at), lastLogin: `2025-0${1 + (n % 9)}-01T00:00:00Z` },
  })),
}));

let service: RunningService;
/** The service as the vendor's: without rows, and refusing a request now and then. */
let vendor: { readonly server: Server; readonly url: string; readonly paths: string[] };

before(async () => {
  service = await startService();
  await service.addDocuments([...PEOPLE, { _type: 'role', id: 'r1', name: 'Clerk' }]);
  vendor = await vendorOf(service.url);
});
after(async () => {
  vendor.server.close();
  await service.stop();
});

async function vendorOf(origin: string) {
  const paths: string[] = [];
  const server = createServer((incoming, outgoing) => {
    const path = incoming.url ?? '';
    paths.push(path);
    if (path.includes('/search/rows')) {
      incoming.resume();
      outgoing.writeHead(404).end('{"messages":[{"text":"Nothing here."}]}');
      return;
    }
    if (paths.length % 4 === 0) {
      incoming.resume();
      outgoing.writeHead(429, { 'retry-after': '0' }).end();
      return;
    }
    const sent = request(
      `${origin}${path}`,
      { method: incoming.method, headers: incoming.headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      },
    );
    incoming.pipe(sent);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, paths, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const environment = (url: string) => ({
  SAIL_BASE_URL: url,
  SAIL_CLIENT_ID: service.clientId,
  SAIL_CLIENT_SECRET: service.clientSecret,
});

async function run(
  args: readonly string[],
  options: { url?: string; isTerminal?: boolean; columns?: number } = {},
) {
  const { url = service.url, ...terminal } = options;
  const env = { ...environment(url), CARDEA_DATA_DIR: join(service.dataDir, 'elsewhere') };
  const line = commandLine(['search', ...args], { env, ...terminal });
  const code = await line.ended;
  return { code, out: line.out(), err: line.err() };
}

const objects = (text: string) =>
  text
    .split('\n')
    .slice(0, -1)
    .map((one) => JSON.parse(one) as Record<string, unknown>);

describe('cardea search on a server', () => {
  test('prints NDJSON of all rows into a pipe', async () => {
    const { code, out, err } = await run(['attributes.department:Sales', '--columns', 'id,name']);
    assert.equal(code, 0, err);
    assert.equal(err, '');
    const expected = PEOPLE.filter(({ attributes }) => attributes.department === 'Sales');
    assert.deepEqual(
      objects(out),
      expected.map(({ id, name }) => ({ id, name })),
    );
  });

  test('prints one CSV line per matching element, with columns of its document', async () => {
    const { code, out } = await run([
      ...['@accounts(privileged:true AND source.name:Payroll)', '--rows', 'accounts', '--csv'],
      ...['--columns', 'displayName=Owner, manager.displayName=Manager, @accounts.name'],
      ...['--sort', '-accountCount', '--limit', '2'],
    ]);
    assert.equal(code, 0);
    assert.equal(
      out,
      'Owner,Manager,accounts.name\r\nPerson 598,,account 598-0\r\nPerson 594,,account 594-0\r\n',
    );
  });

  test('prints a table on a terminal, with control characters escaped, cut to its width', async () => {
    const columns = ['--columns', 'displayName,accountCount,attributes.department'];
    const { code, out, err } = await run(['*', ...columns, '--limit', '3'], {
      isTerminal: true,
      columns: 70,
    });
    assert.equal(code, 0, err);
    assert.deepEqual(out.split('\n'), [
      'Display name                 Account count  Department',
      '───────────────────────────  ─────────────  ──────────',
      'Åsa "The\\u001b[31mRed" 山田              0  Sales',
      'Person 1                                 1  Støtte',
      'Person 2                                 2  Støtte',
      '',
    ]);
    assert.equal(err, '3 of 600 rows; --limit all prints all.\n');
    const narrow = await run(['*', ...columns], { isTerminal: true, columns: 30 });
    for (const line of narrow.out.split('\n')) assert.ok(line.length <= 30, line);
    assert.equal(narrow.out.split('\n').length, 103);
    assert.match(narrow.err, /^100 of 600 rows/);
    const none = await run(['nothing:at', '--table']);
    assert.match(none.err, /warning: No requested index has a field "nothing"[\s\S]*0 rows\.\n$/);
  });

  test('prints a JSON array, and numbers of rows', async () => {
    const { out } = await run(['id:p0001', '--json', '--columns', 'id']);
    assert.deepEqual(JSON.parse(out), [{ id: 'p0001' }]);
    assert.equal((await run(['*', '--count'])).out, '600\n');
    assert.equal((await run(['*', '--count', '--rows', 'accounts'])).out, '900\n');
    assert.equal((await run(['--index', 'roles,identities', '--count'])).out, '601\n');
  });
});

describe('cardea search on a service without rows', () => {
  const CASES: readonly (readonly string[])[] = [
    ['attributes.department:Sales', '--columns', 'id,displayName,attributes.cost.center'],
    ['@accounts(privileged:true AND disabled:false)', '--rows', 'accounts', '--csv'],
    ['@accounts(accountAttributes.level:[1 TO 2])', '--rows', 'accounts', '--sort', '-name'],
    ['@accounts(source.name:Dir*) OR name:person3', '--rows', 'accounts'],
    ['@accounts(privileged:true)', '--rows', 'accounts', '--all-elements', '--limit', '77'],
    ['*', '--index', 'roles,identities', '--json'],
    ['*', '--sort', '-accounts.name', '--limit', '300', '--columns', 'id'],
    ['*', '--rows', 'accounts', '--count'],
    ['*', '--count'],
  ];
  for (const args of CASES) {
    test(`prints what a server with rows prints: ${args.join(' ')}`, async () => {
      const expected = await run(args);
      const actual = await run(args, { url: vendor.url });
      assert.equal(actual.code, 0, actual.err);
      assert.equal(actual.out, expected.out);
    });
  }

  test('asks for pages of 250, and obeys Retry-After', async () => {
    const limits = vendor.paths.flatMap((path) => /search\?limit=(\d+)/.exec(path)?.[1] ?? []);
    assert.deepEqual([...new Set(limits)], ['250']);
    const { err } = await run(['*'], { url: vendor.url });
    assert.match(err, /\/v2024\/search answered 429; trying again in 1 s/);
  });
});

test('Ctrl-C ends a search that waits for the service, with exit code 130', async () => {
  const busy = createServer((incoming, outgoing) => {
    incoming.resume();
    outgoing.writeHead(429, { 'retry-after': '250' }).end();
  });
  await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve));
  try {
    const url = `http://127.0.0.1:${(busy.address() as AddressInfo).port}`;
    const line = commandLine(['search', '*'], { env: environment(url) });
    await eventually(() => assert.match(line.err(), /trying again in 250 s/));
    line.interrupt();
    assert.equal(await line.ended, 130);
  } finally {
    busy.close();
  }
});

test('cardea search reads a data directory that no server uses', async () => {
  const world = await startService();
  await world.addDocuments(PEOPLE.slice(0, 40));
  await world.cardea.stop();
  try {
    const args = ['search', '@accounts(disabled:true)', '--rows', 'accounts', '--data-dir'];
    const line = commandLine([...args, world.dataDir, '--columns', 'id,@accounts.id']);
    assert.equal(await line.ended, 0, line.err());
    assert.equal(objects(line.out()).length, 20);
    const bad = commandLine(['search', 'a AND (', '--data-dir', world.dataDir]);
    assert.equal(await bad.ended, 2);
    assert.match(bad.err(), /a AND \(\n.*\^/);
  } finally {
    rmSync(world.dataDir, { recursive: true, force: true });
  }
});

describe('a wrong command line', () => {
  const CASES: readonly (readonly [args: readonly string[], code: number, message: RegExp])[] = [
    [['a AND ('], 2, /error: .*\n?.*a AND \(/],
    [['*', '--columns', 'displayNam'], 2, /columns\[0\].*did you mean "displayName"\?/],
    [['*', '--rows', 'acounts'], 2, /rows: "acounts".*did you mean "accounts"/],
    [['*', '--index', 'people'], 2, /indices\[0\]: "people" is none of/],
    [['*', '--csv', '--json'], 2, /--csv and --json cannot be combined/],
    [['*', '--limit', 'many'], 2, /--limit must be a number of rows, or all/],
    [['*', '--server', 'acme'], 2, /--server must be a URL/],
    [['*', '--server', 'http://127.0.0.1:1'], 1, /Could not fetch http:\/\/127\.0\.0\.1:1: /],
    [['*', 'more'], 2, /"more" is one argument too many/],
  ];
  for (const [args, code, message] of CASES) {
    test(`ends with ${code}: ${args.join(' ')}`, async () => {
      const ended = await run(args);
      assert.match(ended.err, message);
      assert.equal(ended.code, code);
      assert.equal(ended.out, '');
    });
  }

  test('without data, server or credentials says what to do', async () => {
    const nowhere = commandLine(['search', '*', '--data-dir', '/tmp/no-such-cardea']);
    assert.equal(await nowhere.ended, 2);
    assert.match(nowhere.err(), /no data in \/tmp\/no-such-cardea.*--server.*cardea demo/);
    const bare = commandLine(['search', '*', '--server', 'https://acme.api.identitynow.com']);
    assert.equal(await bare.ended, 2);
    assert.match(bare.err(), /SAIL_CLIENT_ID is not set[\s\S]*SAIL_CLIENT_SECRET is not set/);
    const wrong = commandLine(['search', '*'], {
      env: { ...environment(service.url), SAIL_CLIENT_SECRET: 'wrong' },
    });
    assert.equal(await wrong.ended, 1);
    assert.ok(!wrong.err().includes(service.clientSecret));
  });
});
