// Measures the upper limit of HTTP on this machine: a server that answers a POST of 1 KB with 1 KB
// and does nothing else, with bare node:http and with Fastify. Run with a name and a port, this
// file is that server.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { fastify } from 'fastify';
import { freePort } from './cardea.ts';
import { wireRequest } from './client.ts';
import { emptyLoad, type Load, sendAll } from './load.ts';

export const CEILINGS = ['node:http', 'Fastify'] as const;
type Ceiling = (typeof CEILINGS)[number];

const KILOBYTE = JSON.stringify({ text: 'x'.repeat(1_013) });

/** Measures one of the servers with so many requests over eight connections. */
export async function measureCeiling(name: Ceiling, count: number): Promise<Load> {
  const port = await freePort();
  const program = fileURLToPath(import.meta.url);
  const child = spawn(process.execPath, [program, name, String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await once(child.stdout, 'data');
    const to = { port, token: null };
    const request = wireRequest(to, { method: 'POST', path: '/', body: JSON.parse(KILOBYTE) });
    const requests = Array<Buffer>(count).fill(request);
    const target = { port, pids: [child.pid ?? 0] };
    await sendAll(target, requests, 8, emptyLoad()); // warms up the JIT
    const load = emptyLoad();
    await sendAll(target, requests, 8, load);
    return load;
  } finally {
    child.kill();
    await once(child, 'exit');
  }
}

async function listen(name: Ceiling, port: number): Promise<void> {
  if (name === 'Fastify') {
    const app = fastify();
    app.post('/', (_request, reply) => reply.type('application/json').send(KILOBYTE));
    await app.listen({ port, host: '127.0.0.1' });
    return;
  }
  const headers = { 'content-type': 'application/json', 'content-length': KILOBYTE.length };
  const server = createServer((request, response) => {
    request.on('data', () => {}).on('end', () => response.writeHead(200, headers).end(KILOBYTE));
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , name, port] = process.argv;
  await listen(name as Ceiling, Number(port));
  console.log('listening');
}
