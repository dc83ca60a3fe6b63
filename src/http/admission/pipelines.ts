// Requests that a client sends before it has read the answers to earlier ones (pipelining, RFC 9112 section 9.3.2). Node
// emits all of them at once and queues their answers. Here a request is handed to the listener only when the answer before it
// has been delivered, one in a turn of the event loop: a connection works on one request at a time, so it holds at most one
// place, and requests whose connection breaks before their turn leave nothing to clean up.
// Invariant: what waits for its turn on one connection holds no more than WAITING_BYTES_MAX.
import type { IncomingMessage, RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** Memory of the requests of one connection that wait for their turn; with more it is closed. */
export const WAITING_BYTES_MAX = 128 * 1024;
/** What Node holds for a request and its response, without the texts of its headers. */
export const REQUEST_BYTES = 4 * 1024;

/** A listener that is given the requests of a connection one at a time. */
export function onePerConnection(listener: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, number>();
  return (request, response) => {
    // Node gives a response the socket when the one before it has been delivered.
    if (response.socket !== null) {
      listener(request, response);
      return;
    }
    const { socket } = request;
    if (socket.destroyed) return;
    const size = sizeOf(request);
    const bytes = (waiting.get(socket) ?? 0) + size;
    if (bytes > WAITING_BYTES_MAX) {
      socket.destroy();
      return;
    }
    waiting.set(socket, bytes);
    response.once('socket', () => {
      waiting.set(socket, (waiting.get(socket) ?? 0) - size);
      // Node has not yet emitted `close` for the response before this one.
      setImmediate(() => {
        if (!response.destroyed) listener(request, response);
      });
    });
  };
}

/** Bytes that a request holds while it waits. Node bounds what it reads of the body ahead. */
function sizeOf({ url = '', rawHeaders }: IncomingMessage): number {
  return rawHeaders.reduce((sum, text) => sum + text.length, REQUEST_BYTES + url.length);
}
