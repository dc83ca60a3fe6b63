// The socket in the data directory by which commands reach the server that runs on it. Whoever can
// connect has the rights of the operator, so only the owner of the directory can: a Unix socket of mode
// 0600; on Windows a named pipe, which others can only read.
// Invariant: nothing in its place is followed or removed but a socket on which nobody listens.
import { createHash } from 'node:crypto';
import { closeSync, lstatSync, openSync, unlinkSync } from 'node:fs';
import { connect, type Server } from 'node:net';
import { join, resolve } from 'node:path';

/** The name of the socket in the data directory. */
export const SOCKET = 'cardea.sock';

/** Where a server listens, and commands connect. */
export interface SocketAddress {
  readonly path: string;
  /** Frees it; the path may lead nowhere then. */
  close(): void;
}

/** The bytes of a path that every system takes: `sun_path` of macOS without its end. */
const PATH_BYTES_MAX = 103;

/**
 * The address of the socket of a data directory, which exists.
 * @returns null if its path is too long for this system
 */
export function socketAddress(dataDir: string): SocketAddress | null {
  const close = () => {};
  if (process.platform === 'win32') {
    const name = createHash('sha256').update(resolve(dataDir).toLowerCase()).digest('hex');
    return { path: `\\\\.\\pipe\\cardea-${name.slice(0, 32)}`, close };
  }
  const path = join(resolve(dataDir), SOCKET);
  if (Buffer.byteLength(path) <= PATH_BYTES_MAX) return { path, close };
  if (process.platform !== 'linux') return null;
  // A descriptor of the directory is a short name for it.
  const directory = openSync(dataDir, 'r');
  return {
    path: `/proc/self/fd/${directory}/${SOCKET}`,
    close: () => closeSync(directory),
  };
}

/**
 * Makes a server listen on the socket of a data directory.
 * @returns how to stop; or why it cannot listen there, a clause
 */
export async function listenOnSocket(
  server: Server,
  dataDir: string,
): Promise<SocketAddress | string> {
  const address = socketAddress(dataDir);
  if (address === null) return 'its path is too long for a socket on this system';
  const fault = (await clearDead(address.path)) ?? (await listenPrivately(server, address.path));
  if (fault === null) return address;
  address.close();
  return fault;
}

/** Removes a socket whose server was killed. @returns what else is there */
async function clearDead(path: string): Promise<string | null> {
  if (process.platform === 'win32') return null;
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return null;
  if (!found.isSocket()) return 'something else is in its place: move it away';
  const code = await new Promise<string | null>((settle) => {
    const socket = connect(path, () => {
      socket.destroy();
      settle(null);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => settle(error.code ?? ''));
  });
  if (code === null) return 'another server listens there';
  if (code !== 'ECONNREFUSED') return code;
  unlinkSync(path);
  return null;
}

/** @returns why it cannot listen */
function listenPrivately(server: Server, path: string): Promise<string | null> {
  return new Promise((settle) => {
    const fail = (error: NodeJS.ErrnoException) => settle(error.code ?? error.message);
    server.once('error', fail);
    // The socket is made within this call: it is never there with another mode.
    const mask = process.umask(0o177);
    server.listen(path, () => {
      server.off('error', fail);
      settle(null);
    });
    process.umask(mask);
  });
}
