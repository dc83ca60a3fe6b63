// suite: slow
// Stops a real process under load: it answers requests in progress, loses no acknowledged change,
// and exits in time.
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openOffline } from '../../src/compose/compose.ts';
import { parseConfig } from '../../src/config/config.ts';
import { CARDEA } from '../support/program.ts';

const data = mkdtempSync(join(tmpdir(), 'cardea-stop-'));
after(() => rmSync(data, { recursive: true, force: true }));

interface Started {
  readonly process: ChildProcess;
  readonly url: string;
}

function start(): Promise<Started> {
  const child = spawn(process.execPath, [CARDEA, 'serve', '--data-dir', data, '--port', '0'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return new Promise((resolve, reject) => {
    let text = '';
    child.stderr.on('data', (chunk) => {
      text += String(chunk);
      const url = /https?:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0];
      if (url !== undefined) resolve({ process: child, url });
    });
    child.on('exit', () => reject(new Error(`It did not start: ${text}`)));
  });
}

async function tokenOf(url: string, clientId: string, clientSecret: string): Promise<string> {
  const answer = await fetch(`${url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
    }),
  });
  return ((await answer.json()) as { access_token: string }).access_token;
}

async function idsAt(url: string, token: string): Promise<Set<string>> {
  const answer = await fetch(`${url}/v2024/search?limit=10000`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      indices: ['roles'],
      query: { query: '*' },
      queryResultFilter: { includes: ['id'] },
    }),
  });
  return new Set(((await answer.json()) as { id: string }[]).map(({ id }) => id));
}

/** The status, or null without a connection; an incomplete response is an error. */
function call(agent: Agent, url: string, token: string, type: string, body: string) {
  return new Promise<number | null>((resolve, reject) => {
    const sent = request(url, {
      agent,
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': type },
    });
    let connected = false;
    sent.on('socket', (socket) => {
      if (!socket.connecting) connected = sent.reusedSocket;
    });
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // A reused connection may just have been closed, or a new one refused; neither request was
      // begun.
      const refused = error.code === 'ECONNREFUSED' || error.code === 'ECONNRESET' || connected;
      if (refused) resolve(null);
      else reject(error);
    });
    sent.on('response', (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
      response.on('error', reject);
    });
    sent.end(body);
  });
}

/** Asserts that the index has all changes of the store, as last committed. */
async function assertIndexed(): Promise<void> {
  const config = parseConfig({ CARDEA_DATA_DIR: data, CARDEA_LOG_LEVEL: 'silent' });
  const { backend, store, close } = await openOffline(config, {}, 'inspection');
  try {
    assert.equal(await backend?.committedSequence(), await store.read.lastSequence());
  } finally {
    await close();
  }
}

test('answers requests in progress and keeps acknowledged changes on SIGTERM under load', {
  timeout: 480_000,
}, async () => {
  const made = execFileSync(process.execPath, [
    CARDEA,
    'tenant',
    'create',
    'acme',
    '--json',
    '--data-dir',
    data,
  ]);
  const { clientId, clientSecret } = JSON.parse(made.toString()) as Record<string, string>;
  const { process: server, url } = await start();
  const token = await tokenOf(url, clientId ?? '', clientSecret ?? '');
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const acknowledged: string[] = [];
  let [stopping, answered] = [false, 0];

  const write = async (worker: number) => {
    for (let n = 0; !stopping; n += 1) {
      const ids = [`w${worker}-${n}-a`, `w${worker}-${n}-b`];
      const lines = ids.map((id) => JSON.stringify({ _type: 'role', id, name: id })).join('\n');
      const status = await call(
        agent,
        `${url}/admin/v1/documents`,
        token,
        'application/x-ndjson',
        lines,
      );
      if (status === 200) acknowledged.push(...ids);
      else assert.ok(status === null || status === 503, String(status));
    }
  };
  const read = async () => {
    while (!stopping) {
      const status = await call(
        agent,
        `${url}/v2024/search?count=true`,
        token,
        'application/json',
        '{"query":{"query":"w* OR *a"}}',
      );
      assert.ok(status === null || status === 200 || status === 503, String(status));
      if (status === 200) answered += 1;
    }
  };
  const load = Promise.all([write(1), write(2), read(), read(), read(), read()]);
  // The exit is checked below.
  while ((acknowledged.length < 100 || answered < 100) && server.exitCode === null) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }

  const ended = once(server, 'exit');
  server.kill('SIGTERM');
  const [code, signal] = await ended;
  stopping = true;
  await load;
  agent.destroy();
  assert.deepEqual([code, signal], [0, null]);
  await assertIndexed();

  const again = await start();
  try {
    const fresh = await tokenOf(again.url, clientId ?? '', clientSecret ?? '');
    // The last ones may be stored but not yet searchable.
    const until = performance.now() + 120_000;
    let lost = acknowledged;
    while (lost.length > 0 && performance.now() < until) {
      const ids = await idsAt(again.url, fresh);
      lost = lost.filter((id) => !ids.has(id));
    }
    assert.deepEqual(lost, []);
  } finally {
    const stopped = once(again.process, 'exit');
    again.process.kill('SIGTERM');
    await stopped;
  }
});
