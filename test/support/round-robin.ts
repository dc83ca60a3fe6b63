// A plain round robin over nodes, as the balancer of an installation is: each request goes to the next node, and to the
// one behind it where a node takes no connection. It knows nothing of health, methods or retries.
// Invariant: a request is handed to one node only; one whose node went away without an answer breaks off.
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

export interface RoundRobin {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  stop(): Promise<void>;
}

/** Where a node listens. */
export interface NodeAddress {
  readonly host: string;
  readonly port: number;
}

/** @param nodes asked for with each request, for a node that is started again has another port */
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
  // Bodies, headers and slow clients are for the nodes to judge.
  server.requestTimeout = 0;
  server.headersTimeout = 0;
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
  });
  incoming.pipe(sent);
}

/** Names and values in turn, without those that concern one connection. */
function endToEnd(rawHeaders: readonly string[]): string[] {
  return rawHeaders.filter((_, at) => {
    const name = rawHeaders[at - (at % 2)]?.toLowerCase();
    return name !== 'connection' && name !== 'keep-alive' && name !== 'expect';
  });
}
