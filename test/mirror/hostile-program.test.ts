// suite: slow
// What `cardea mirror` prints of a hostile remote tenant, over real connections: sentences, exit
// code 1, and no character that a terminal would obey.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { commandLine } from '../support/command-line.ts';

const EVIL = '\u001b[2K\r\nacme mirror complete\u009b1A\u202e';
/** All but the line breaks of lines. */
const RAW = /(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;
const PAGE = 250;

interface Search {
  readonly indices?: readonly string[];
  readonly searchAfter?: readonly string[];
  readonly sort?: readonly string[];
}

/** What the tenant answers, as JSON; tests change it. */
let tokenAnswer: { status: number; body: unknown };
let identities: (after: string) => readonly object[];
let total: string;

function identity(number: number, members: object = {}): object {
  return {
    ...{ _type: 'identity', id: `i${String(number).padStart(9, '0')}`, name: `user${number}` },
    ...{ created: '2024-01-01T00:00:00.000Z', modified: '2025-01-01T00:00:00.000Z', ...members },
  };
}

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const send = (status: number, body: unknown) => {
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
  };
  if (request.url === '/oauth/token') return send(tokenAnswer.status, tokenAnswer.body);
  const { indices = [], searchAfter = [] } = JSON.parse(Buffer.concat(chunks).toString()) as Search;
  const isListed = indices[0] === 'identities';
  if (request.url === '/v2024/search/count') {
    response.writeHead(204, { 'x-total-count': isListed ? total : '0' }).end();
    return;
  }
  return send(200, isListed ? identities(searchAfter[0] ?? '') : []);
}

const directory = mkdtempSync(join(tmpdir(), 'cardea-mirror-program-'));
let server: Server;
let url: string;
before(async () => {
  server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => {
  server.close();
  rmSync(directory, { recursive: true, force: true });
});
beforeEach(() => {
  const claims = Buffer.from(JSON.stringify({ org: 'acme', pod: 'pod' })).toString('base64url');
  tokenAnswer = { status: 200, body: { access_token: `e30.${claims}.x` } };
  identities = () => [];
  total = '300';
});

async function run(name: string, flags: readonly string[]) {
  const source = flags.includes('--status') ? [] : ['--from', url, '--rate', 'off'];
  const args = ['mirror', ...source, '--data-dir', join(directory, name), ...flags];
  const env = { SAIL_CLIENT_ID: 'id', SAIL_CLIENT_SECRET: 's', CARDEA_ALLOW_PRIVATE_URLS: 'on' };
  const line = commandLine(args, { env });
  const code = await line.ended;
  const [out, err] = [line.out(), line.err()];
  assert.doesNotMatch(out + err, RAW);
  return { code, out, err };
}

const TOKENS: readonly (readonly [name: string, status: number, body: unknown, said: RegExp])[] = [
  ['HTML', 200, '<html>Sign in</html>', /answered 200 with no access token: is the base URL right/],
  ['a line break', 200, { access_token: 'a\r\nb' }, /with an access token that no HTTP header can/],
  ['null', 200, null, /answered 200 with no access token/],
  ['an error', 400, { error: EVIL }, /answered 400: \\u001b\[2K\\u000d\\u000aacme mirror comp/],
];
for (const [name, status, body, said] of TOKENS) {
  test(`the token endpoint answers with ${name}: one sentence, without a stack`, async () => {
    tokenAnswer = { status, body };
    const { code, out, err } = await run('token', []);
    assert.deepEqual([code, out], [1, '']);
    assert.match(err, said);
    const lines = err.trimEnd().split('\n');
    assert.equal(lines.filter((line) => /error|answered/i.test(line)).length, 1, err);
    assert.doesNotMatch(err, /\bat .*:\d+:\d+/);
  });
}

test('a list without an end: exit code 1, the reason, and the same with --status', async () => {
  identities = (after) => {
    const number = after === '' ? 0 : Number(after.slice(1));
    return Array.from({ length: PAGE }, (_, i) => identity(number + i + 1));
  };
  const { code, err, out } = await run('endless', []);
  assert.equal(code, 1, err);
  const reason =
    /identities: the remote tenant counts 300 documents, but has listed 10750 and goes/;
  assert.match(err, reason);
  assert.doesNotMatch(err, /\bcomplete, /);
  assert.match(out, /10,500 created/);
  const status = await run('endless', ['--status']);
  assert.match(status.out, /not complete yet/);
  assert.match(status.out, /identities: 10,500 here, \? there; copy at 10,750 of 300\n/);
  assert.match(status.out, reason);
});

test('what is refused is named by kind and example, escaped: in the run, --json and --status', async () => {
  const documents = [
    identity(0, { id: `i0${EVIL}` }),
    ...[1, 2].map((number) => identity(number, { _type: 'role' })),
    identity(3),
  ];
  total = '4';
  identities = (after) => (after === '' ? documents : []);
  const { code, err } = await run('refused', []);
  assert.equal(code, 0, err);
  assert.match(err, /refused: 3 of identities, such as i0\\u001b.*: id has a control character\n/);
  const again = await run('refused', ['--json', '--full']);
  const report = JSON.parse(again.out) as { refused: { id: string }[]; faults: string[] };
  assert.ok(report.refused.length > 0);
  for (const text of [...report.faults, ...report.refused.flatMap((one) => Object.values(one))]) {
    assert.doesNotMatch(String(text), RAW);
  }
  const status = await run('refused', ['--status']);
  assert.match(status.out, /identities: 1 here/);
  assert.match(
    status.out,
    /refused: identities i000000001: _type "role" is not that of identities/,
  );
  assert.match(status.out, /refused: identities i0\\u001b\[2K\\u000d\\u000aacme mirror complete/);
});
