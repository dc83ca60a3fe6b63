// A round-robin load balancer: sends each request to the next node, or to the one after it if a
// node accepts no connection. It has no health checks or retries.
// Invariant: a request reaches only one node; if that node fails before it responds, the request
// fails.
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

export interface RoundRobin {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  stop(): Promise<void>;
}

/** The address of a node. */
export interface NodeAddress {
  readonly host: string;
  readonly port: number;
}

/** @param nodes called for each request, since a restarted node has another port */
export async function startRoundRobin(nodes: () => readonly NodeAddress[]): Promise<RoundRobin> {
  let turn = 0;
  const server = createServer((incoming, outgoing) => {
    const all = nodes();
    const first = turn++;
    pass(
      incoming,
      outgoing,
      all.map((_, at) => all[(first + at) % all.length] as NodeAddress),
    );
  });
  // The nodes apply their own timeouts.
  server.requestTimeout = 0;
  server.headersTimeout = 0;
  // By default connections end after 5 s without a request, or just as one arrives.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function pass(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  [node, ...others]: readonly NodeAddress[],
): void {
  if (node === undefined) {
    outgoing.writeHead(502).end();
    return;
  }
  const { host, port } = node;
  const socket = connect({ port, host, noDelay: true });
  const refused = () => pass(incoming, outgoing, others);
  socket.once('error', refused);
  socket.once('connect', () => {
    socket.removeListener('error', refused);
    forward(incoming, outgoing, socket);
  });
}

function forward(incoming: IncomingMessage, outgoing: ServerResponse, socket: Socket): void {
  const sent = request({
    createConnection: () => socket,
    method: incoming.method,
    path: incoming.url,
    headers: [...endToEnd(incoming.rawHeaders), 'connection', 'close'],
  });
  const breakOff = () => {
    outgoing.destroy();
    socket.destroy();
  };
  sent.on('error', breakOff);
  sent.on('response', (answer) => {
    outgoing.sendDate = false;
    outgoing.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEnd(answer.rawHeaders));
    answer.on('error', breakOff);
    answer.pipe(outgoing);
  });
  outgoing.on('close', () => {
    if (!outgoing.writableFinished) socket.destroy();
    // A node may answer before it has read the body. The rest must be read, or the next request on
    // this connection would never be.
    incoming.unpipe(sent);
    incoming.resume();
  });
  incoming.pipe(sent);
}

/** Alternating names and values, without hop-by-hop headers. */
function endToEnd(rawHeaders: readonly string[]): string[] {
  return rawHeaders.filter((_, at) => {
    const name = rawHeaders[at - (at % 2)]?.toLowerCase();
    return name !== 'connection' && name !== 'keep-alive' && name !== 'expect';
  });
}
