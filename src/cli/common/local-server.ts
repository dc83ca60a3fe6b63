// The server that runs on a data directory, as commands ask it by the socket there: with the rights of
// the operator, and without credentials.
// Invariant: a command opens no SQLite store that a server of another version has; a backup only copies it.
import { lstatSync } from 'node:fs';
import { request } from 'node:http';
import { type SocketAddress, socketAddress } from '../../compose/local-socket.ts';
import type { Config } from '../../config/config.ts';
import { ServiceClient } from '../../remote/service-client.ts';
import {
  LOCAL_PATHS,
  type LocalLine,
  type LocalServerName,
  type ServedIndex,
} from '../../service/searching/local-serving.ts';
import { CommandError, type Context, UsageError } from './context.ts';
import { objectsIn } from './json-lines.ts';
import type { Progress } from './terminal.ts';

type Asking = Pick<Context, 'terminal' | 'stop'>;

/** Milliseconds in which a server says who it is: it may be busy. */
const ANSWER_MS = 10_000;
/** The host of all requests, which nothing reads. */
const BASE_URL = 'http://localhost';
/** The tenant of requests that are about none. */
const NO_TENANT = '-';
/** Nobody serves: no socket, or one that a killed server has left. */
const NOBODY: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ECONNREFUSED', 'ENOTSOCK']);
const REFUSED: ReadonlySet<string> = new Set(['EACCES', 'EPERM']);

export class LocalServer {
  readonly name: LocalServerName;
  readonly #address: SocketAddress;
  readonly #context: Asking;
  readonly #clients: ServiceClient[] = [];

  constructor(name: LocalServerName, address: SocketAddress, context: Asking) {
    this.name = name;
    this.#address = address;
    this.#context = context;
  }

  /**
   * A client of the operator.
   * @param views names of views that it looks through
   */
  client(tenantId: string, views: readonly string[] = []): ServiceClient {
    const { terminal, stop } = this.#context;
    const token = [tenantId, ...views.map(encodeURIComponent)].join('/');
    const client = new ServiceClient(
      { baseUrl: BASE_URL, credentials: { token } },
      {
        ...{ allowPrivateAddresses: true, repeated: 'postponed', signal: stop.signal },
        socketPath: this.#address.path,
        onRetry: (reason, waitMs) =>
          terminal.note(`${reason}; trying again in ${Math.ceil(waitMs / 1_000)} s`),
      },
    );
    this.#clients.push(client);
    return client;
  }

  /** Checks the index. @throws CommandError */
  checkIndex(): Promise<ServedIndex> {
    return this.#work(LOCAL_PATHS.checkIndex, 'Comparing', 'documents');
  }

  /** Fills the index again, also if the command is stopped meanwhile. @throws CommandError */
  refillIndex(): Promise<{ readonly sequence: number }> {
    return this.#work(LOCAL_PATHS.refillIndex, 'Indexing', 'changes');
  }

  /** Closes the connections. */
  end(): void {
    for (const client of this.#clients) client.end();
    this.#address.close();
  }

  async #work<Result>(path: string, step: string, unit: string): Promise<Result> {
    const accept = 'application/x-ndjson';
    let bar: Progress | null = null;
    try {
      const { body } = await this.client(NO_TENANT).stream({ method: 'POST', path, accept });
      for await (const line of objectsIn<LocalLine<Result>>(body)) {
        if ('result' in line) return line.result;
        if ('fault' in line) throw new CommandError(line.fault);
        const [done, total] = line.progress;
        if (total === 0) continue;
        bar ??= this.#context.terminal.progress(step, total, unit);
        bar.update(done);
      }
    } catch (error) {
      this.#context.stop.check();
      throw error;
    } finally {
      bar?.end();
    }
    throw new CommandError('The server has ended meanwhile.');
  }
}

/**
 * Finds the server of a data directory.
 * @param version of this program
 * @returns null if nobody serves there
 * @throws UsageError if it is of another version, or this user may not ask it; CommandError if it does
 * not answer
 */
export async function findServer(
  { dataDir, store }: Pick<Config, 'dataDir' | 'store'>,
  context: Asking & Pick<Context, 'version'>,
): Promise<LocalServer | null> {
  const address = addressOf(dataDir);
  if (address === null) return null;
  try {
    const name = await nameAt(address.path);
    if (isSame(name.version, context.version)) return new LocalServer(name, address, context);
    // There nodes of several versions share the store during an upgrade.
    if (store.kind === 'postgres') return null;
    throw new UsageError([
      `The server on ${dataDir} (process ${name.process}) is Cardea ${name.version}, and this is ${context.version}: use the cardea of its version, or restart it with this one.`,
    ]);
  } catch (error) {
    address.close();
    if (error instanceof UsageError) throw error;
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (NOBODY.has(code)) return null;
    if (REFUSED.has(code)) throw refused(dataDir);
    throw new CommandError(`The server on ${dataDir} does not answer: ${message}.`);
  }
}

/** Builds without a version are not told apart. */
function isSame(version: string, own: string): boolean {
  return version === own || [version, own].includes('unknown');
}

/** null: there is no socket. @throws UsageError if this user may not look */
function addressOf(dataDir: string): SocketAddress | null {
  try {
    const address = socketAddress(dataDir);
    const isSocket =
      process.platform === 'win32' ||
      (address !== null && lstatSync(address.path, { throwIfNoEntry: false })?.isSocket() === true);
    if (isSocket) return address;
    address?.close();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (REFUSED.has(code)) throw refused(dataDir);
    if (!NOBODY.has(code)) throw error;
  }
  return null;
}

function refused(dataDir: string): UsageError {
  return new UsageError([
    `${dataDir} is another user's: run this as its owner, who alone may use the data and ask their server.`,
  ]);
}

/** Asks a server who it is. */
function nameAt(socketPath: string): Promise<LocalServerName> {
  return new Promise((resolve, reject) => {
    const options = { socketPath, path: LOCAL_PATHS.server, agent: false, timeout: ANSWER_MS };
    const asked = request(options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.once('error', reject);
      response.once('end', () => {
        try {
          const { version, process, search } = JSON.parse(text) as LocalServerName;
          resolve({ version: String(version), process: Number(process), search: String(search) });
        } catch {
          reject(new Error(`it says ${response.statusCode}`));
        }
      });
    });
    asked.once('timeout', () => asked.destroy(new Error(`nothing in ${ANSWER_MS / 1_000} s`)));
    asked.once('error', reject);
    asked.end();
  });
}
