// Lets the threads of a process accept connections at one address. The main thread listens, and hands
// each thread a descriptor of its own of the same socket, through a local pipe, as the cluster module of
// Node does between processes (SCM_RIGHTS): whichever thread is free accepts, and one that ends closes
// its own descriptor only. One that has more connections than another hands a new one over, through the
// same pipes and the main thread: connections that arrive together would often stay with one thread.
// Node has no public interface for this between threads; where its internal one is missing, as on
// Windows, one thread serves. (`reusePort` of Node 22.12 is public, but its kernels divide connections by
// a hash, however busy the threads are, and macOS does not have it.)
// Invariant: a thread that ends, in whatever way, leaves the others listening.
import { mkdtempSync, rmSync } from 'node:fs';
import type { Server, Socket } from 'node:net';
import { join } from 'node:path';
import type { ThreadTable } from '../scheduling/shared/thread-table.ts';

/** A handle of libuv with what is used of it (node: lib/net.js, src/pipe_wrap.cc). */
interface Handle {
  readonly fd: number;
  onconnection: ((error: number, client: Handle) => void) | null;
  onread: ((bytes: ArrayBuffer | undefined) => void) | null;
  pendingHandle: Handle | null;
  bind(path: string): number;
  listen(backlog: number): number;
  open(fd: number): number;
  connect(request: Request, path: string): number;
  readStart(): number;
  writeLatin1String(request: Request, text: string, handle?: Handle): number;
  close(): void;
  unref(): void;
}

interface Request {
  oncomplete: ((status: number) => void) | null;
}

interface PipeWrap {
  readonly Pipe: new (kind: number) => Handle;
  readonly PipeConnectWrap: new () => Request;
  readonly constants: { readonly SERVER: number; readonly IPC: number };
}

interface Bindings {
  readonly pipes: PipeWrap;
  readonly WriteWrap: new () => Request;
}

/** The internal interface of Node; null where it is missing. */
function bindings(): Bindings | null {
  if (process.platform === 'win32') return null;
  try {
    const { binding } = process as unknown as { binding(name: string): unknown };
    const pipes = binding('pipe_wrap') as PipeWrap;
    const { WriteWrap } = binding('stream_wrap') as { WriteWrap: Bindings['WriteWrap'] };
    return { pipes, WriteWrap };
  } catch {
    return null;
  }
}

/** True if threads of this process can accept connections at one address. */
export function canShareListeners(): boolean {
  return bindings() !== null;
}

/** Hands out descriptors of a socket that listens. */
export interface SharedListener {
  /** Where a thread of this process receives its descriptor, by `acceptFrom`. */
  readonly path: string;
  /** Threads that have a descriptor keep it. */
  close(): void;
}

const CONNECTION_BACKLOG = 16;

/**
 * @param folders where a local pipe may be made: the first that takes one
 * @param threads of the main thread
 * @returns null if descriptors cannot be handed to threads here
 */
export function shareListener(
  server: Server,
  folders: readonly string[],
  threads: ThreadTable,
): SharedListener | null {
  const internal = bindings();
  const listening = handleOf(server);
  if (internal === null || listening === null) return null;
  const { Pipe, constants } = internal.pipes;
  const opened = firstDoor(internal.pipes, folders);
  if (opened === null) return null;
  const { door, directory, path } = opened;
  /** By number of the thread, from 0. */
  const carriers = new Map<number, Handle>();
  const sender = (thread: number): Sender | null => {
    const carrier = carriers.get(thread);
    return carrier === undefined ? null : (client) => send(internal, carrier, thread, client);
  };
  const take = balanceConnections(server, threads, sender);
  door.unref();
  door.onconnection = (error, client) => {
    if (error !== 0) return;
    // An accepted pipe cannot carry handles, and one opened over its descriptor can. Only this one is
    // closed, as both have the same descriptor.
    const carrier = new Pipe(constants.IPC);
    carrier.open(client.fd);
    carrier.unref();
    client.unref();
    receive(carrier, {
      hello(thread) {
        carriers.set(thread, carrier);
        void send(internal, carrier, thread, listening);
      },
      handle: take,
      end() {
        for (const [thread, other] of carriers) if (other === carrier) carriers.delete(thread);
      },
    });
  };
  threads.open();
  return {
    path,
    close() {
      threads.close();
      door.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function handleOf(server: Server): Handle | null {
  return (server as unknown as { readonly _handle: Handle | null })._handle;
}

/** Hands over a connection. @returns whether it could, later on */
type Sender = (client: Handle) => Promise<boolean>;

/** What arrives at one end of a pipe between the main thread and another. */
interface Received {
  /** A thread has connected that has this number. */
  hello(thread: number): void;
  /** A handle for a thread. */
  handle(thread: number, handle: Handle): void;
  /** The pipe has ended, and is closed. */
  end(): void;
}

/** A message is one byte, the number of the thread that it is of or for, and may carry a handle. */
function receive(pipe: Handle, { hello, handle, end }: Received): void {
  pipe.onread = (bytes) => {
    const { pendingHandle } = pipe;
    pipe.pendingHandle = null;
    const [thread] = new Uint8Array(bytes ?? new ArrayBuffer(0));
    if (thread === undefined) {
      pipe.close();
      end();
    } else if (pendingHandle == null) {
      hello(thread);
    } else {
      handle(thread, pendingHandle);
    }
  };
  pipe.readStart();
}

/** Sends a handle for a thread. @returns whether it could be sent, later on */
function send(
  { WriteWrap }: Bindings,
  pipe: Handle,
  thread: number,
  handle: Handle,
): Promise<boolean> {
  return new Promise((resolve) => {
    const request = new WriteWrap();
    request.oncomplete = (status) => resolve(status === 0);
    const status = pipe.writeLatin1String(request, String.fromCharCode(thread), handle);
    if (status !== 0) resolve(false);
  });
}

/**
 * Hands connections that the server of this thread accepts to a thread that has fewer.
 * @param sender to a thread; null: there is none at the moment
 * @returns takes a connection that another thread hands over, for this thread or for a third
 */
function balanceConnections(
  server: Server,
  threads: ThreadTable,
  sender: (thread: number) => Sender | null,
): (thread: number, client: Handle) => void {
  const listening = handleOf(server);
  const accept = listening?.onconnection;
  if (listening === null || accept == null) throw new Error('The server does not listen');
  const take = (thread: number, client: Handle): void => {
    const give = thread === threads.own ? null : sender(thread);
    if (give === null) {
      if (thread !== threads.own) threads.keepConnection(thread);
      accept.call(listening, 0, client);
      return;
    }
    void give(client).then((isGiven) => {
      if (isGiven) {
        client.close();
        return;
      }
      threads.keepConnection(thread);
      accept.call(listening, 0, client);
    });
  };
  listening.onconnection = (error, client) => {
    if (error === 0) take(threads.addConnection(), client);
    else accept.call(listening, error, client);
  };
  server.on('connection', (socket: Socket) => {
    socket.once('close', () => threads.removeConnection());
  });
  return take;
}

/** A local pipe to which only this user can connect: mkdtemp makes directories for their owner alone. */
function firstDoor({ Pipe, constants }: PipeWrap, folders: readonly string[]) {
  for (const folder of folders) {
    let directory: string;
    try {
      directory = mkdtempSync(join(folder, 'cardea-'));
    } catch {
      // Read-only, as the root of some containers is.
      continue;
    }
    const path = join(directory, 'listener');
    const door = new Pipe(constants.SERVER);
    // A path that is too long fails as well.
    if (door.bind(path) === 0 && door.listen(CONNECTION_BACKLOG) === 0) {
      return { door, directory, path };
    }
    door.close();
    rmSync(directory, { recursive: true, force: true });
  }
  return null;
}

/**
 * Makes the server of a thread accept connections of a shared listener.
 * @param path of the SharedListener
 * @param threads of this thread; closed before the server is
 */
export function acceptFrom(path: string, server: Server, threads: ThreadTable): Promise<void> {
  const internal = bindings();
  if (internal === null) throw new Error('descriptors cannot be passed to threads here');
  const { Pipe, PipeConnectWrap, constants } = internal.pipes;
  const pipe = new Pipe(constants.IPC);
  // All other threads are reached through the main thread.
  const sender =
    (thread: number): Sender =>
    (client) =>
      send(internal, pipe, thread, client);
  return new Promise((resolve, reject) => {
    const fail = (status: number) => {
      reject(new Error(`The listening socket did not arrive (${status})`));
    };
    let take: ((thread: number, client: Handle) => void) | null = null;
    const listen = (handle: Handle) => {
      server.once('error', reject);
      server.listen(handle, () => {
        server.off('error', reject);
        // Until now it kept the thread alive.
        pipe.unref();
        take = balanceConnections(server, threads, sender);
        threads.open();
        resolve();
      });
    };
    const request = new PipeConnectWrap();
    request.oncomplete = (status) => {
      if (status !== 0) {
        pipe.close();
        fail(status);
        return;
      }
      receive(pipe, {
        hello() {},
        handle: (thread, handle) => (take === null ? listen(handle) : take(thread, handle)),
        end: () => fail(0),
      });
      pipe.writeLatin1String(new internal.WriteWrap(), String.fromCharCode(threads.own));
    };
    const status = pipe.connect(request, path);
    if (status !== 0) {
      pipe.close();
      fail(status);
    }
  });
}
