// The client of bench/hostile.ts, in its own thread, so that the main thread only runs the service.
import { Agent, request } from 'node:http';
import { parentPort } from 'node:worker_threads';
import type { HostileRequest } from './hostile-requests.ts';

/** Message to the client: a request to send `times` times at once. */
export interface Order extends Omit<HostileRequest, 'name'> {
  readonly url: string;
  readonly token: string;
}

/** Message from the client. */
export interface Delivery {
  /** Number of responses by status. */
  readonly statuses: Readonly<Record<number, number>>;
  /** Time until the last response was read. */
  readonly tookMs: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: 1000 });

parentPort?.on('message', async (order: Order) => {
  const began = performance.now();
  const answers = await Promise.all(Array.from({ length: order.times }, () => send(order)));
  const statuses: Record<number, number> = {};
  for (const status of answers) statuses[status] = (statuses[status] ?? 0) + 1;
  const delivery: Delivery = { statuses, tookMs: performance.now() - began };
  parentPort?.postMessage(delivery);
});

/**
 * Sends a request, reads the whole response, and returns its status; 0 if the connection is lost.
 */
function send({ url, token, method, path, accept, body }: Order): Promise<number> {
  return new Promise((resolve) => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(accept !== '' && { accept }),
      ...(body !== '' && {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      }),
    };
    const call = request(`${url}${path}`, { method, headers, agent }, (response) => {
      response.resume();
      response.on('error', () => resolve(0));
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    call.on('error', () => resolve(0));
    call.end(body);
  });
}
