import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { ThreadTable } from '../scheduling/shared/thread-table.ts';
import { shareListener } from './shared-listener.ts';

const PROGRAM = `
  import { createServer } from 'node:http';
  import { parentPort, workerData } from 'node:worker_threads';
  const { acceptFrom } = await import(workerData.listener);
  const { ThreadTable } = await import(workerData.table);
  const { name, path, memory, number } = workerData;
  const threads = new ThreadTable(memory, number);
  threads.beat();
  const server = createServer((_request, response) => response.end(name));
  await acceptFrom(path, server, threads);
  parentPort.on('message', (how) => {
    if (how === 'throw') throw new Error('a defect');
    process.exit(0);
  });
  parentPort.postMessage('accepts');
`;

/** What a thread begins with. */
interface Given {
  readonly path: string;
  readonly memory: SharedArrayBuffer;
}

/** Starts a thread that answers with its name. @param number from 1: 0 is the main thread */
async function thread(name: string, number: number, given: Given): Promise<Worker> {
  const listener = new URL('./shared-listener.js', import.meta.url).href;
  const table = new URL('../scheduling/shared/thread-table.js', import.meta.url).href;
  const program = new URL(`data:text/javascript,${encodeURIComponent(PROGRAM)}`);
  const worker = new Worker(program, { workerData: { ...given, name, number, listener, table } });
  await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
  worker.on('error', () => {});
  return worker;
}

async function world(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'cardea-listener-'));
  const server = createServer((_request, response) => response.end('main'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const memory = ThreadTable.memory(4);
  const threads = new ThreadTable(memory, 0);
  const beats = threads.beat();
  const shared = shareListener(server, [join(folder, 'missing'), folder], threads);
  assert.ok(shared !== null);
  const given = { path: shared.path, memory };
  t.after(() => {
    clearInterval(beats);
    shared.close();
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true, force: true });
  });
  const { port } = server.address() as AddressInfo;
  const ask = () =>
    new Promise<string>((resolve, reject) => {
      const options = { port, host: '127.0.0.1', agent: new Agent() };
      const sent = request(options, (response) => {
        response.setEncoding('utf8').on('data', resolve);
      });
      sent.on('error', reject).end();
    });
  /** The names of those that answer, once all have; fails if one never does. */
  const untilAnswer = async (...names: string[]) => {
    const seen = new Set<string>();
    for (let round = 0; round < 500 && seen.size < names.length; round++) {
      for (const name of await Promise.all(Array.from({ length: 20 }, ask))) seen.add(name);
    }
    assert.deepEqual([...seen].sort(), names);
  };
  return { ...{ folder, shared, given, threads, port, untilAnswer } };
}

const ended = (worker: Worker) => new Promise((resolve) => worker.once('exit', resolve));

test('threads accept connections of one address, and one that ends leaves the others listening', async (t) => {
  const { given, threads, untilAnswer } = await world(t);
  const [a, b] = [await thread('a', 1, given), await thread('b', 2, given)];
  await untilAnswer('a', 'b', 'main');
  await a.terminate();
  // Connections for it stay where they were accepted, before and after its end is known.
  await untilAnswer('b', 'main');
  threads.close(1);
  await untilAnswer('b', 'main');
  const again = await thread('again', 1, given);
  await untilAnswer('again', 'b', 'main');
  const ends = [ended(b), ended(again)];
  b.postMessage('throw');
  again.postMessage('exit');
  await Promise.all(ends);
  await untilAnswer('main');
});

test('connections that stay open are spread evenly, whichever thread accepts them', async (t) => {
  const { given, threads, port } = await world(t);
  const workers = [await thread('a', 1, given), await thread('b', 2, given)];
  const sockets = new Set<Socket>();
  const open = async (count: number) => {
    const opened = Array.from({ length: count }, () => connect(port, '127.0.0.1'));
    await Promise.all(opened.map((socket) => once(socket, 'connect')));
    for (const socket of opened) sockets.add(socket);
  };
  /** The name of the thread that serves a connection. */
  const serving = async (socket: Socket) => {
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    return String(answer).split('\n').at(-1) ?? '';
  };
  const servedBy = async () => {
    const names = await Promise.all([...sockets].map(serving));
    return ['a', 'b', 'main'].map((name) => names.filter((one) => one === name).length);
  };
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    await Promise.all(workers.map((worker) => worker.terminate()));
  });
  await open(30);
  assert.deepEqual(await servedBy(), [10, 10, 10]);
  assert.deepEqual(
    [0, 1, 2, 3].map((number) => threads.connections(number)),
    [10, 10, 10, -1],
  );
  // Closed ones make room where they were.
  for (const socket of [...sockets]) {
    if ((await serving(socket)) === 'a') {
      sockets.delete(socket);
      socket.destroy();
    }
  }
  const deadline = performance.now() + 60_000;
  while (threads.connections(1) !== 0 && performance.now() < deadline) await setImmediate();
  await open(13);
  assert.deepEqual(await servedBy(), [11, 11, 11]);
});

test('only this user reaches the pipe, and a close removes it', async (t) => {
  const { folder, shared } = await world(t);
  assert.equal(statSync(dirname(shared.path)).mode & 0o777, 0o700);
  shared.close();
  assert.deepEqual(readdirSync(folder), []);
});

test('where no pipe can be made, nothing is shared', async (t) => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const threads = new ThreadTable(ThreadTable.memory(2), 0);
  assert.equal(shareListener(server, ['/nowhere', join(tmpdir(), 'x'.repeat(200))], threads), null);
});
