// The server for commands on the same machine: an application of its own on the socket of the data
// directory, on the main thread. Whoever can connect is the operator.
import type { Server } from 'node:http';
import type { Caller } from '../auth/caller.ts';
import type { Feeding } from '../backends/indexer.ts';
import type { Config } from '../config/config.ts';
import { searchName } from '../config/search-name.ts';
import { ServiceError } from '../errors.ts';
import { buildLocalApp, type Services } from '../http/app.ts';
import type { HttpSettings } from '../http/options.ts';
import { operatorOf } from '../service/audit/operator-event.ts';
import type { SearchBackend } from '../service/ports/search-backend.ts';
import type { Store } from '../service/ports/store.ts';
import { compareFedIndex } from '../service/searching/index-comparison.ts';
import type { LocalCases, LocalProgress, ServedIndex } from '../service/searching/local-serving.ts';
import { viewsInForce } from '../service/views/views-in-force.ts';
import { listenOnSocket, SOCKET } from './local-socket.ts';

export interface LocalServingParts {
  readonly store: Store;
  readonly backend: SearchBackend;
  readonly indexer: Feeding;
  readonly search: Services['search'];
  readonly fields: Services['fields'];
  /** Of the server that listens for everybody. */
  readonly http: HttpSettings;
}

/** Connections that memory is made for; commands are few. */
const CONNECTIONS = 64;
/** Time for a change to be in the index before it is compared. */
const FED_MS = 30_000;
/** How often a filling index tells how far it is. */
const STEP_MS = 100;

export class LocalServing {
  readonly #config: Pick<Config, 'dataDir' | 'searchUrl'>;
  readonly #parts: LocalServingParts;
  #stop = async (): Promise<void> => {};
  /** Why commands cannot reach this server; null: they can. */
  warning: string | null = null;

  constructor(config: Pick<Config, 'dataDir' | 'searchUrl'>, parts: LocalServingParts) {
    this.#config = config;
    this.#parts = parts;
  }

  /** Listens, or has a warning: commands are no reason not to serve. */
  async start(): Promise<void> {
    const { http, store, search, fields } = this.#parts;
    const { dataDir } = this.#config;
    const app = buildLocalApp(
      {
        verify: (authorization) => operatorBy(store, authorization),
        ...{ search, fields, local: this.#cases() },
      },
      {
        ...http,
        ...{ isLocal: true, maxConnections: CONNECTIONS, tls: null, strictTransport: false },
        ...{ rateLimit: null, rateCounter: null, addressCounter: null, counts: undefined },
        ...{ trustedProxies: [], corsOrigins: [], documentation: false, console: null },
        ...{ meter: null, tracer: null, observer: null },
      },
    );
    await app.ready();
    const address = await listenOnSocket(app.server, dataDir);
    if (typeof address === 'string') {
      await app.close();
      this.warning = `Commands on ${dataDir} cannot ask this server, which has no socket ${SOCKET} there: ${address}.`;
      http.log.warn(this.warning);
      return;
    }
    this.#stop = async () => {
      await closed(app.server, () => app.close());
      address.close();
    };
  }

  stop(): Promise<void> {
    return this.#stop();
  }

  #cases(): LocalCases {
    return {
      version: this.#parts.http.version,
      process: process.pid,
      search: searchName(this.#config),
      checkIndex: (progress) => this.#check(progress),
      refillIndex: (progress) => this.#refill(progress),
    };
  }

  async #check(progress: LocalProgress): Promise<ServedIndex> {
    const { store, backend, indexer } = this.#parts;
    const unready = await backend.unreadyReason();
    if (unready !== null) return { unready };
    await backend.verify?.();
    const fed = (sequence: number) => indexer.waitFor(sequence, FED_MS);
    const comparison = await compareFedIndex(store, backend, fed, progress);
    return { unready, comparison, sequence: await store.read.lastSequence() };
  }

  async #refill(progress: LocalProgress): Promise<{ readonly sequence: number }> {
    const { store, indexer } = this.#parts;
    await indexer.startOver();
    const sequence = await store.read.lastSequence();
    for (;;) {
      const { applied, error } = indexer.status();
      progress(Math.min(applied, sequence), sequence);
      if (error !== null) throw new ServiceError('unavailable', `Indexing fails: ${error}`);
      const isFed = await indexer.waitFor(sequence, STEP_MS).then(
        () => true,
        () => false,
      );
      if (isFed) return { sequence };
    }
  }
}

/** What a token names: `TENANT-ID/VIEW/VIEW`, with `-` for no tenant. */
const TOKEN = /^Bearer ([^/\s]+)((?:\/[^/\s]+)*)$/;

/**
 * The operator, in the tenant and with the views that a token names.
 * @throws ServiceError `token_invalid` if this store has no such tenant
 */
async function operatorBy(
  { read }: Pick<Store, 'read'>,
  authorization: string | undefined,
): Promise<Caller> {
  const [, tenantId = '-', path = ''] = TOKEN.exec(authorization ?? '') ?? [];
  if (tenantId !== '-' && (await read.tenantById(tenantId)) === null) {
    throw new ServiceError('token_invalid', 'The server has another store than the command.');
  }
  const views = path.split('/').slice(1).map(decodeURIComponent);
  return operatorOf(tenantId, await viewsInForce(read, tenantId, views));
}

/** Stops a server that Fastify has not made listen, after the hook that closes idle connections. */
async function closed(server: Server, close: () => Promise<void>): Promise<void> {
  const ended = new Promise((resolve) => server.close(resolve));
  await close();
  await ended;
}
