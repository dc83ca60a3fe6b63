import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { BufferPool } from '../../../json/buffer-pool.ts';
import { Connections, type Origin } from './connections.ts';

const TLS = 'test/api/tls';
const TYPE = 'application/json';

/** Echoes the method, path, chosen fields and body. */
const echo: RequestListener = (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { method, url, headers } = request;
    const body = Buffer.concat(chunks).toString();
    const text = JSON.stringify({ method, url, authorization: headers.authorization, body });
    response.writeHead(200, { 'content-length': Buffer.byteLength(text) });
    response.end(text);
  });
};

interface Fixture {
  readonly connections: Connections;
  /** The number of connections that the server has accepted. */
  accepted(): number;
}

interface Addressed {
  readonly scheme?: string;
  /** The user and the path. */
  readonly rest?: string;
  readonly tls?: Origin['tls'];
  readonly now?: () => number;
}

async function connectedTo(
  t: TestContext,
  server: Server,
  { scheme = 'http', rest = '', tls, now }: Addressed = {},
): Promise<Fixture> {
  let accepted = 0;
  server.on('connection', () => {
    accepted += 1;
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const [user = '', path = ''] = rest.split('/');
  const url = new URL(`${scheme}://${user}localhost:${port}/${path}`);
  const origin = tls === undefined ? { url } : { url, tls };
  const connections = new Connections(origin, new BufferPool(), now);
  t.after(() => {
    connections.close();
    server.closeAllConnections();
    server.close();
  });
  return { connections, accepted: () => accepted };
}

async function answerOf(connections: Connections, path: string, body: string | Buffer) {
  const { body: answer } = await connections.send('POST', path, body, TYPE).answer;
  const parsed = JSON.parse(String(answer.bytes)) as Record<string, string>;
  answer.release();
  return parsed;
}

test('sends one request after the other on a connection, and several at once on several', async (t) => {
  const { connections, accepted } = await connectedTo(t, createServer(echo));
  for (const body of ['ä', Buffer.from('bytes'), 'x'.repeat(300_000), '']) {
    const answer = await answerOf(connections, '/a?b=c', body);
    assert.deepEqual(answer, { method: 'POST', url: '/a?b=c', body: String(body) });
  }
  assert.equal(accepted(), 1);
  const bodies = Array.from({ length: 5 }, (_, at) => `${at}`.repeat(100_000));
  const answers = await Promise.all(bodies.map((body) => answerOf(connections, '/', body)));
  assert.deepEqual(
    answers.map(({ body }) => body),
    bodies,
  );
  assert.equal(accepted(), 5);
});

test('sends the user, the password and the path of the address', async (t) => {
  const { connections } = await connectedTo(t, createServer(echo), { rest: 'me:p%40ss@/search' });
  const { url, authorization = '' } = await answerOf(connections, '/_msearch', '{}');
  assert.equal(url, '/search/_msearch');
  const [, encoded = ''] = authorization.split(' ');
  assert.equal(Buffer.from(encoded, 'base64').toString(), 'me:p@ss');
});

test('checks the certificate of a server with TLS', async (t) => {
  const [cert, key] = ['cert.pem', 'key.pem'].map((name) => readFileSync(`${TLS}/${name}`));
  const server = createSecureServer({ cert, key }, echo);
  const trusted = await connectedTo(t, server, { scheme: 'https', tls: { ca: cert } });
  const long = 'x'.repeat(300_000);
  for (let time = 0; time < 2; time += 1) {
    assert.equal((await answerOf(trusted.connections, '/', long))['body'], long);
  }
  assert.equal(trusted.accepted(), 1);
  const { port } = server.address() as AddressInfo;
  const url = new URL(`https://localhost:${port}`);
  const untrusting = new Connections({ url }, new BufferPool());
  await assert.rejects(untrusting.send('POST', '/', '', TYPE).answer, /self.signed/);
});

test('closes the connection of a request that is aborted, and of no other', async (t) => {
  const waiting: Socket[] = [];
  let arrived = () => {};
  const server = createServer((request, response) => {
    if (request.url !== '/slow') return echo(request, response);
    waiting.push(request.socket);
    return arrived();
  });
  const { connections, accepted } = await connectedTo(t, server);
  const sendSlow = async () => {
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const sent = connections.send('POST', '/slow', '', TYPE);
    await arrival;
    return sent;
  };
  const earlier = connections.send('POST', '/', 'a', TYPE);
  await earlier.answer;
  const first = await sendSlow();
  const second = await sendSlow();
  assert.equal(accepted(), 2);
  earlier.abort(); // its connection has another request now
  second.abort();
  await assert.rejects(second.answer, /closed/);
  await once(waiting[1] as Socket, 'close');
  assert.equal(waiting[0]?.closed, false);
  first.abort();
  await assert.rejects(first.answer, /closed/);
  assert.equal((await answerOf(connections, '/', 'again'))['body'], 'again');
});

test('opens a new connection after the server closed the last one', async (t) => {
  const server = createServer((request, response) => {
    if (request.url === '/last') response.setHeader('connection', 'close');
    echo(request, response);
  });
  const { connections, accepted } = await connectedTo(t, server);
  await answerOf(connections, '/last', '');
  const connected = once(server, 'connection');
  await answerOf(connections, '/', '');
  assert.equal(accepted(), 2);
  const [socket] = (await connected) as [Socket];
  const closed = once(socket, 'close');
  socket.end();
  await closed; // not before the client has closed its side
  await answerOf(connections, '/', '');
  assert.equal(accepted(), 3);
});

test('sends a request again if a connection that was used before ends without an answer', async (t) => {
  const refused = new Set<Socket>();
  const server = createServer((request, response) => {
    if (refused.has(request.socket)) return void request.socket.destroy();
    refused.add(request.socket);
    return echo(request, response);
  });
  const { connections, accepted } = await connectedTo(t, server);
  for (const body of ['a', 'b', 'c']) {
    assert.equal((await answerOf(connections, '/', body))['body'], body);
  }
  assert.equal(accepted(), 3);
});

test('sends a request only once if its connection ends without an answer after a while', async (t) => {
  let now = 0;
  const served: string[] = [];
  const server = createServer((request, response) => {
    served.push(request.url ?? '');
    if (request.url !== '/slow') return echo(request, response);
    now += 1_001;
    return void request.socket.destroy();
  });
  const { connections, accepted } = await connectedTo(t, server, { now: () => now });
  await answerOf(connections, '/', '');
  await assert.rejects(
    connections.send('POST', '/slow', '', TYPE).answer,
    /before the answer|RESET/,
  );
  assert.deepEqual(served, ['/', '/slow']);
  assert.equal(accepted(), 1);
  assert.equal((await answerOf(connections, '/', 'again'))['body'], 'again');
});

test('sends a request only once on a new connection', async (t) => {
  const server = createServer((request) => void request.socket.destroy());
  const { connections, accepted } = await connectedTo(t, server);
  await assert.rejects(connections.send('POST', '/', '', TYPE).answer, /before the answer|RESET/);
  assert.equal(accepted(), 1);
});

test('sends a request again neither after a part of its answer nor after it was aborted', async (t) => {
  let arrived = () => {};
  const arrival = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const server = createServer((request, response) => {
    if (request.url === '/silent') return arrived();
    if (request.url !== '/part') return echo(request, response);
    response.writeHead(200, { 'content-length': 100 });
    response.write('half');
    setImmediate(() => request.socket.destroy());
  });
  const { connections, accepted } = await connectedTo(t, server);
  await answerOf(connections, '/', '');
  await assert.rejects(connections.send('POST', '/part', '', TYPE).answer, /before the answer/);
  assert.equal(accepted(), 1);
  await answerOf(connections, '/', '');
  const silent = connections.send('POST', '/silent', '', TYPE);
  await arrival;
  silent.abort();
  await assert.rejects(silent.answer, /closed/);
  assert.equal(accepted(), 2);
});

test('rejects an answer that is cut off, and requests to a server that does not listen', async (t) => {
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-length': 100 });
    response.write('half');
    setImmediate(() => request.socket.destroy());
  });
  const { connections } = await connectedTo(t, server);
  await assert.rejects(connections.send('POST', '/', '', TYPE).answer, /before the answer/);
  server.closeAllConnections();
  server.close();
  await assert.rejects(connections.send('POST', '/', '', TYPE).answer, /ECONNREFUSED/);
});
