// What becomes of the rest of a body whose answer is already decided: it is taken and thrown away for a while, so that the
// client gets to read the answer.
import type { IncomingMessage } from 'node:http';

/** Takes what is left of a body, for `timeoutMs` at most. */
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
 * Node closes both ways of a connection behind its last answer, and what still comes of a body is then met with a reset,
 * which overtakes the answer. While the body comes, our way alone is closed (as by `lingering_close` of nginx).
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
