// cardea mcp: what it needs, and what an assistant gets when the server or the credentials fail.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { commandLine } from '../support/command-line.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;
before(async () => {
  service = await startService();
});
after(() => service.stop());

const message = (id: number, method: string, params: object) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
const MESSAGES = [
  message(1, 'initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  }),
  message(2, 'tools/call', { name: 'count', arguments: { query: '*', indices: ['events'] } }),
];

interface Answer {
  readonly jsonrpc: string;
  readonly id: number;
  readonly result?: { readonly content?: readonly { readonly text: string }[] };
}

/** The text of the answer to the count, once the session has ended with its input. */
async function counted(env: Record<string, string>, ...args: string[]) {
  const line = commandLine(['mcp', ...args], { env, stdin: input() });
  const code = await line.ended;
  const answers = line
    .out()
    .split('\n')
    .filter((text) => text !== '')
    .map((text) => JSON.parse(text) as Answer);
  const text = answers.find(({ id }) => id === 2)?.result?.content?.[0]?.text ?? '';
  return { code, answers, err: line.err(), text };
}

function* input() {
  yield Buffer.from(MESSAGES.join(''));
}

test('serves with client credentials or an access token, and writes messages alone', async () => {
  const credentials = {
    SAIL_CLIENT_ID: service.clientId,
    SAIL_CLIENT_SECRET: service.clientSecret,
  };
  const first = await counted({ SAIL_BASE_URL: `${service.url}/`, ...credentials });
  assert.equal(first.code, 0, first.err);
  assert.match(first.text, /"total":\d/);
  assert.equal(first.err, '');
  assert.deepEqual(
    first.answers.map(({ jsonrpc, id }) => [jsonrpc, id]),
    [
      ['2.0', 1],
      ['2.0', 2],
    ],
  );
  const token = await service.token();
  const second = await counted({ SAIL_ACCESS_TOKEN: token }, '--server', service.url);
  assert.match(second.text, /"total":\d/);
});

test('tells the assistant what is wrong with the server or the credentials', async () => {
  const wrong = { SAIL_CLIENT_ID: service.clientId, SAIL_CLIENT_SECRET: 'wrong-secret' };
  const refused = await counted(wrong, '--server', service.url);
  assert.match(refused.text, /gave no access token \(40[01]\): check the client id and secret/);
  assert.doesNotMatch(refused.text + refused.err, /wrong-secret/);
  const expired = await counted({ SAIL_ACCESS_TOKEN: 'x' }, '--server', service.url);
  assert.match(expired.text, /answered 401/);
  const nowhere = await counted({ SAIL_ACCESS_TOKEN: 'x' }, '--server', 'http://127.0.0.1:9');
  assert.match(nowhere.text, /Could not fetch http:\/\/127\.0\.0\.1:9: /);
});

test('ends with 2 without credentials, or with a server that is no address', async () => {
  const line = commandLine(['mcp', '--server', 'example.org']);
  assert.equal(await line.ended, 2);
  assert.match(line.err(), /--server must be like https:/);
  assert.match(line.err(), /set SAIL_CLIENT_ID and SAIL_CLIENT_SECRET, or SAIL_ACCESS_TOKEN/);
});
