// Serialises pipelined requests (RFC 9112 section 9.3.2), which Node emits all at once. A request
// reaches the listener only after the previous response has been delivered, one per turn of the
// event loop. So a connection holds at most one place, and requests whose connection breaks before
// their turn leave nothing to clean up.
// Invariant: the waiting requests of one connection hold at most WAITING_BYTES_MAX.
import type { IncomingMessage, RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** Memory of the waiting requests of one connection; a connection with more is closed. */
export const WAITING_BYTES_MAX = 128 * 1024;
/** Memory that Node holds for a request and its response, without the header texts. */
export const REQUEST_BYTES = 4 * 1024;

/** Wraps a listener so that it gets the requests of a connection one at a time. */
export function onePerConnection(listener: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, number>();
  return (request, response) => {
    // Node assigns the socket to a response when the previous one has been delivered.
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
      // Node has not yet emitted `close` for the previous response.
      setImmediate(() => {
        if (!response.destroyed) listener(request, response);
      });
    });
  };
}

/** Memory of a waiting request. Node limits how much of the body it reads ahead. */
function sizeOf({ url = '', rawHeaders }: IncomingMessage): number {
  return rawHeaders.reduce((sum, text) => sum + text.length, REQUEST_BYTES + url.length);
}
