// Reads and discards the rest of a body whose request has already been answered, for a limited
// time, so that the client can read the response.
import type { IncomingMessage } from 'node:http';

/** Discards the rest of a body, for at most `timeoutMs`. */
export function drain(request: IncomingMessage, timeoutMs: number): void {
  if (request.complete || request.destroyed) return;
  request.unpipe();
  request.resume();
  boundBodyTime(request, timeoutMs);
  linger(request);
}

/** Closes the connection of a request whose body has not arrived after `timeoutMs`. */
function boundBodyTime(request: IncomingMessage, timeoutMs: number): void {
  if (request.complete || request.readableEnded) return;
  const timer = setTimeout(() => request.destroy(), timeoutMs);
  const clear = () => clearTimeout(timer);
  request.once('end', clear).once('close', clear);
}

/**
 * Half-closes the connection while the body still arrives (compare `lingering_close` of nginx).
 * Node closes both directions after the last response; bytes that arrive then cause a reset, and
 * the client may lose the response.
 */
function linger(request: IncomingMessage): void {
  const { socket } = request;
  const closeSoon = socket.destroySoon;
  const release = () => {
    socket.destroySoon = closeSoon;
  };
  socket.destroySoon = () => {
    socket.end();
    request.once('end', () => closeSoon.call(socket));
  };
  request.once('end', release);
}
