// Keeps idle connections open for a moment when the server stops. A client that sends requests one
// after the other may send the next one just before it learns of the stop; on a connection that is
// closed at once, that request would be reset. Responses of a stopping server carry
// `Connection: close`, so busy connections end by themselves.
import type { Server } from 'node:http';

/** Idle connections are closed when no request has arrived for this long. */
const QUIET_MS = 50;
/** They are closed after this long in any case. */
const QUIET_MS_MAX = 1_000;

/**
 * Makes a server that is about to stop close its idle connections later. Call it before
 * `server.close()`, which then refuses new connections at once and waits for the open ones.
 */
export function closeIdleLater(server: Server): void {
  const closeIdle = server.closeIdleConnections.bind(server);
  // Node and Fastify call it when the server stops.
  server.closeIdleConnections = () => {};
  const startedAt = performance.now();
  let lastRequestAt = startedAt;
  server.on('request', () => {
    lastRequestAt = performance.now();
  });
  const closeIfQuiet = () => {
    const now = performance.now();
    if (now - lastRequestAt < QUIET_MS && now - startedAt < QUIET_MS_MAX) return;
    clearInterval(timer);
    closeIdle();
  };
  // Between a timer and an immediate Node reads what has arrived, also after a long turn.
  const timer = setInterval(() => setImmediate(closeIfQuiet), QUIET_MS / 2);
  server.once('close', () => clearInterval(timer));
}
