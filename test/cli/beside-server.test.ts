// suite: slow
// Commands beside a server: they ask it by the socket of its data directory, without credentials, whether
// it serves in one thread or in several; who may not ask it, and servers that are gone or of another version.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { compose } from '../../src/compose/compose.ts';
import { SOCKET } from '../../src/compose/local-socket.ts';
import { parseConfig } from '../../src/config/config.ts';
import { commandLine } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { USER, userCommandLine } from '../support/user-process.ts';

const DOCUMENTS = [
  ...Array.from({ length: 700 }, (_, n) => ({ _type: 'role', id: `r${n}`, name: `Role ${n}` })),
  { _type: 'identity', id: 'i1', name: 'Ada', attributes: { department: 'Sales' } },
  { _type: 'identity', id: 'i2', name: 'Bob', attributes: { department: 'Finance' } },
];
const VIEW = ['--show', 'identities=attributes.department:Sales', '--show', 'roles=*'];

/** Those that look, or change nothing that a second run would refuse. */
const COMMANDS: readonly (readonly string[])[] = [
  ['search', '*', '--count'],
  ['view', 'test', 'sales'],
  ['export', '--query', '*', '--to', 'NEW'],
  ['field', 'list'],
  ['user', 'list'],
  ['pat', 'list'],
  ['reindex'],
];

const folder = mkdtempSync(join(tmpdir(), 'cardea-beside-'));
after(() => rmSync(folder, { recursive: true, force: true }));

async function run(dataDir: string, args: readonly string[], stdin: readonly Buffer[] = []) {
  const line = commandLine([...args, '--data-dir', dataDir], { stdin });
  const code = await line.ended;
  return { code, out: line.out(), err: line.err() };
}

async function ok(dataDir: string, args: readonly string[], stdin: readonly Buffer[] = []) {
  const { code, out, err } = await run(dataDir, args, stdin);
  assert.equal(code, 0, `${args.join(' ')}: ${err}${out}`);
  return out;
}

let names = 0;
/** The command, with a name for each directory that it creates. */
function named(command: readonly string[]): readonly string[] {
  return command.map((word) => (word === 'NEW' ? join(folder, `new-${names++}`) : word));
}

/** Data of a tenant with a user and a view. */
async function newData(name: string): Promise<string> {
  const dataDir = join(folder, name);
  await ok(dataDir, ['tenant', 'create', 'acme']);
  const lines = DOCUMENTS.map((document) => JSON.stringify(document)).join('\n');
  await ok(dataDir, ['import', '-'], [Buffer.from(lines)]);
  await ok(dataDir, ['view', 'create', 'sales', ...VIEW]);
  return dataDir;
}

/** Serves data in this process. */
async function serve(dataDir: string, options: { threads?: number; version?: string } = {}) {
  const config = parseConfig({ CARDEA_DATA_DIR: dataDir, CARDEA_PORT: '0' });
  const server = await compose(config, {
    ...{ log: pino({ level: 'silent' }), version: '0.0.0', ...options },
  });
  const { url } = await server.start();
  await server.threads.untilServing();
  return { url, stop: () => server.stop(), services: server.services };
}

for (const threads of [1, 2]) {
  describe(`beside a server of ${threads} threads`, () => {
    let dataDir: string;
    let server: Awaited<ReturnType<typeof serve>>;
    before(async () => {
      dataDir = await newData(`threads-${threads}`);
      server = await serve(dataDir, { threads });
    });
    after(() => server.stop());

    const CASES: readonly (readonly [args: readonly string[], out: RegExp])[] = [
      [['search', '*', '--count'], /^2\n$/],
      [
        ['search', '*', '--index', 'roles', '--columns', 'id', '--sort', 'id'],
        /^(\{"id":"r\d+"\}\n){700}$/,
      ],
      [['search', '*', '--rows', 'accounts', '--tenant', 'acme', '--count'], /^0\n$/],
      [
        ['field', 'list', '--index', 'identities'],
        /^identities {2}attributes\.department {2}text {2}2 documents .*\n$/,
      ],
      [['field', 'set', 'identities', 'attributes.department', 'text'], /department {2}text {2}2/],
      [['view', 'test', 'sales'], /events {2}0\nidentities {2}1\nroles {2}700\n$/],
      [
        [
          'export',
          '--query',
          'name:ada OR name:role',
          '--to',
          join(folder, `out-${threads}`),
          '--json',
        ],
        /"identities":1,[\s\S]*"roles":700/,
      ],
      [
        ['user', 'create', '--uid', 'eve', '--capability', 'ORG_ADMIN'],
        / eve {2}enabled {2}ORG_ADMIN\n/,
      ],
      [['user', 'disable', 'eve'], /^$/],
      [['pat', 'create', '--owner', 'admin', '--name', 'nightly'], /SAIL_CLIENT_SECRET=/],
      [['backup', join(folder, `backup-${threads}`)], /is intact/],
      [
        ['doctor'],
        /lock +a server runs on this directory: process \d+\nok +search index +up to date with the store \([\d,]+\), 7\d\d documents equal\n$/,
      ],
      [['doctor', '--repair'], /search index +up to date/],
      [['reindex'], /^The search index is complete: [\d,]+ changes/],
      [['search', '*', '--index', 'roles', '--count'], /^700\n$/],
    ];
    for (const [args, out] of CASES) {
      test(`cardea ${args.slice(0, 3).join(' ')} needs no credentials`, async () => {
        assert.match(await ok(dataDir, args), out);
      });
    }

    test('the audit trail names the user of the system who ran a command', async () => {
      const columns = ['--columns', 'actor.name,target.name,attributes.localUser'];
      const args = ['search', 'operation:DISABLE', '--index', 'events', '--csv', ...columns];
      const user = process.getuid?.() ?? '';
      await eventually(async () => {
        assert.match(await ok(dataDir, args), new RegExp(`\\r\\ncardea,eve,'?${user}\\r\\n$`));
      });
    });

    test('the index of another search than that of the server is not filled', async () => {
      const elsewhere = ['--search-url', 'http://user:word@127.0.0.1:1'];
      const { code, err } = await run(dataDir, ['reindex', ...elsewhere]);
      assert.equal(code, 2);
      assert.match(
        err,
        /is embedded, and that of these settings is http:\/\/127\.0\.0\.1:1\/: stop the server first/,
      );
    });

    test('a query that is wrong, and a view that does not exist, are told as without a server', async () => {
      const { code, err } = await run(dataDir, ['search', 'a AND (']);
      assert.equal(code, 2);
      assert.match(err, /a AND \(\n *\^\n$/);
      const exported = await run(dataDir, ['export', '--query', 'a AND (', '--to', dataDir]);
      assert.equal(exported.code, 2);
      assert.equal((await run(dataDir, ['view', 'test', 'none'])).code, 1);
    });

    test('the port that everybody can reach has nothing of it', async () => {
      for (const path of ['/local/server', '/local/index/refill', '/v2024/search/rows']) {
        const answer = await fetch(`${server.url}${path}`, {
          ...{ method: 'POST', body: '{}' },
          headers: { authorization: 'Bearer acme', 'content-type': 'application/json' },
        });
        await answer.text();
        assert.ok(answer.status === 404 || answer.status === 401, `${path} ${answer.status}`);
      }
    });

    test('the socket has search and fields alone, and no tokens', async () => {
      for (const [path, status] of [
        ['/local/server', 200],
        ['/oauth/token', 404],
        ['/admin/v1/status', 404],
        ['/console/', 404],
      ] as const) {
        const asked = request({ socketPath: join(dataDir, SOCKET), path, agent: false }).end();
        const [answer] = await once(asked, 'response');
        answer.resume();
        assert.equal(answer.statusCode, status, path);
      }
    });
  });
}

test('a server that stops takes its socket with it, and commands use the directory', async () => {
  const dataDir = await newData('stopped');
  const server = await serve(dataDir);
  assert.equal(lstatSync(join(dataDir, SOCKET)).mode & 0o777, 0o600);
  await server.stop();
  assert.equal(existsSync(join(dataDir, SOCKET)), false);
  assert.equal(await ok(dataDir, ['search', '*', '--count']), '2\n');
});

test('a server that was killed leaves a socket on which nobody is asked, until the next takes it', async () => {
  const dataDir = await newData('killed');
  const main = fileURLToPath(import.meta.resolve('../../src/cli/main.js'));
  const args = [main, 'serve', '--data-dir', dataDir, '--port', '0', '--log-level', 'silent'];
  const killed = spawn(process.execPath, args, { stdio: 'ignore' });
  const ended = once(killed, 'exit');
  await eventually(() => assert.ok(lstatSync(join(dataDir, SOCKET)).isSocket()));
  killed.kill('SIGKILL');
  await ended;
  assert.ok(lstatSync(join(dataDir, SOCKET)).isSocket());
  assert.equal(await ok(dataDir, ['search', '*', '--count']), '2\n');
  for (const command of [...COMMANDS, ['backup', 'NEW']]) await ok(dataDir, named(command));
  assert.match(await ok(dataDir, ['doctor']), /no server runs on this directory/);
  const server = await serve(dataDir);
  try {
    assert.match(await ok(dataDir, ['doctor']), /a server runs on this directory: process/);
  } finally {
    await server.stop();
  }
});

test('a server of another version is named, and its data are left alone', async () => {
  const dataDir = await newData('version');
  const server = await serve(dataDir, { version: '9.9.9' });
  try {
    for (const command of COMMANDS) {
      const { code, err } = await run(dataDir, named(command));
      assert.equal(code, 2, command.join(' '));
      assert.match(
        err,
        /The server on .* \(process \d+\) is Cardea 9\.9\.9, and this is 0\.0\.0: use the cardea of its version, or restart it with this one\./,
      );
    }
    const { code, out } = await run(dataDir, ['doctor']);
    assert.equal(code, 1);
    assert.match(out, /fault +store +The server on .* is Cardea 9\.9\.9/);
    // Only copies the file, whatever serves it.
    await ok(dataDir, named(['backup', 'NEW']));
  } finally {
    await server.stop();
  }
});

test('a user whom the directory lets in is refused by the socket', async () => {
  const dataDir = await newData('private');
  const server = await serve(dataDir);
  try {
    chmodSync(folder, 0o755);
    chmodSync(dataDir, 0o777);
    const isOther = process.getuid?.() !== USER;
    // Without root there is no other user: then nobody may use the socket.
    if (!isOther) chmodSync(join(dataDir, SOCKET), 0);
    const own = "is another user's: run this as its owner";
    const refusals: (readonly [readonly string[], string])[] = [];
    for (const command of COMMANDS) refusals.push([command, `private ${own}`]);
    if (isOther) refusals.push([['backup', 'NEW'], 'cardea.db cannot be used: permission denied']);
    for (const [command, refusal] of refusals) {
      const line = userCommandLine([...named(command), '--data-dir', dataDir]);
      assert.equal(await line.ended, 2, line.err());
      assert.match(line.err(), new RegExp(`^error: \\S+${refusal}`));
    }
  } finally {
    chmodSync(dataDir, 0o700);
    await server.stop();
  }
});

test('what is in the place of the socket is left there: the server says so, and commands too', async () => {
  const dataDir = await newData('misplaced');
  writeFileSync(join(dataDir, SOCKET), 'mine');
  const server = await serve(dataDir);
  try {
    const { warnings } = (await (await fetch(`${server.url}/ready`)).json()) as {
      warnings: string[];
    };
    assert.match(warnings.join(), /cannot ask this server.*something else is in its place/);
    const { code, err } = await run(dataDir, ['search', '*']);
    assert.equal(code, 2);
    assert.match(
      err,
      /Another process has the search of .*: try again when it has ended or serves/,
    );
  } finally {
    await server.stop();
  }
  assert.equal(readFileSync(join(dataDir, SOCKET), 'utf8'), 'mine');
});

test('a directory whose path is longer than a socket may be has one', async () => {
  const dataDir = await newData('x'.repeat(120));
  const server = await serve(dataDir);
  try {
    assert.equal(await ok(dataDir, ['search', '*', '--count']), '2\n');
  } finally {
    await server.stop();
  }
  assert.equal(existsSync(join(dataDir, SOCKET)), false);
});

test('an index that is written to meanwhile has no fault', async () => {
  const dataDir = await newData('written');
  const server = await serve(dataDir);
  let isOver = false;
  const writing = (async () => {
    for (let n = 0; !isOver; n++) {
      const role = { _type: 'role', id: `r${n % 700}`, name: `Role ${n}`, description: `${n}` };
      await ok(dataDir, ['import', '-'], [Buffer.from(JSON.stringify(role))]);
    }
  })();
  try {
    for (let check = 0; check < 3; check++) {
      assert.match(
        await ok(dataDir, ['doctor']),
        /ok +search index +(?:up to date with the store|every byte is as it was written)/,
      );
    }
  } finally {
    isOver = true;
    await writing;
    await server.stop();
  }
});

test('a command that is stopped leaves the server to fill its index', async () => {
  const dataDir = await newData('interrupted');
  const server = await serve(dataDir);
  try {
    const line = commandLine(['reindex', '--data-dir', dataDir]);
    line.interrupt();
    assert.equal(await line.ended, 130);
    await eventually(async () => {
      assert.equal(await ok(dataDir, ['search', '*', '--index', 'roles', '--count']), '700\n');
    });
  } finally {
    await server.stop();
  }
});
