// An abusive tenant: runs several kinds of abuse at once until it is stopped. Runs in its own
// process (`node abuse-load.js PORT TOKEN IDLE AGGREGATIONS KIND…`), so that it does not delay the
// measuring client. Starts at once, stops at the first message, and replies with its counts.
import { connect, type Socket } from 'node:net';
import type { Address } from './client.ts';

/** Counts of requests and connections. */
export interface AbuseCounts {
  requests: number;
  /** Answered with 2xx. */
  served: number;
  /** Answered with anything else. */
  refused: number;
  connections: number;
  /** Closed by the server. */
  closed: number;
}

interface AbuseOptions {
  /** The number of idle connections to open. */
  readonly connections: number;
  /** Connections that ask for aggregations, one after the other. */
  readonly aggregations: number;
  /** Kinds of abuse; empty for all. */
  readonly only: readonly string[];
}

/** Connections for each kind of abuse; a closed connection is opened again. */
const STALLED_TOKENS = 200;
const STALLED_CHANGES = 200;
const STALLED_IMPORTS = 50;
const UNREAD_ANSWERS = 60;
const CHANGES = 20;
const GUESSES = 10;
/** Delay before a closed connection is opened again. */
const REOPEN_MS = 100;
const LARGE_PAGE = 2_000;
const GUESS = 'grant_type=client_credentials&client_id=guess&client_secret=guess';

class Abuse {
  readonly #to: Address;
  readonly #counts: AbuseCounts = { requests: 0, served: 0, refused: 0, connections: 0, closed: 0 };
  readonly #sockets = new Set<Socket>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #isStopped = false;

  private constructor(to: Address) {
    this.#to = to;
  }

  static start(to: Address, { connections, aggregations, only }: AbuseOptions): Abuse {
    const abuse = new Abuse(to);
    const kinds: Readonly<Record<string, () => void>> = {
      tokens: () => abuse.#stalled(STALLED_TOKENS, abuse.#tokenHead(16_000)),
      bodies: () =>
        abuse.#stalled(STALLED_CHANGES, abuse.#head('POST', '/v3/personal-access-tokens', 100_000)),
      imports: () =>
        abuse.#stalled(STALLED_IMPORTS, abuse.#head('POST', '/admin/v1/documents', 1_000_000)),
      unread: () => abuse.#unread(UNREAD_ANSWERS),
      aggregations: () => abuse.#busy(aggregations, (at) => abuse.#aggregation(at)),
      changes: () =>
        abuse.#busy(CHANGES, () => abuse.#request('POST', '/v3/personal-access-tokens', {})),
      guesses: () => abuse.#busy(GUESSES, () => abuse.#tokenHead(GUESS.length) + GUESS),
      idle: () => abuse.#idle(connections),
    };
    for (const [kind, begin] of Object.entries(kinds)) {
      if (only.length === 0 || only.includes(kind)) begin();
    }
    return abuse;
  }

  /** Closes all connections. */
  stop(): AbuseCounts {
    this.#isStopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
    for (const socket of this.#sockets) socket.destroy();
    return this.#counts;
  }

  /** Sends bodies without their last byte. */
  #stalled(count: number, head: string): void {
    const length = Number(/Content-Length: (\d+)/.exec(head)?.[1]);
    for (let n = 0; n < count; n += 1) {
      this.#keepOpen((socket) => {
        this.#counts.requests += 1;
        socket.write(head + ' '.repeat(length - 1));
      });
    }
  }

  /** Requests pages and does not read them. */
  #unread(count: number): void {
    const page = this.#request('POST', `/v3/search?limit=${LARGE_PAGE}`, {
      indices: ['identities'],
      query: { query: '*' },
    });
    for (let n = 0; n < count; n += 1) {
      this.#keepOpen((socket) => {
        this.#counts.requests += 1;
        socket.write(page);
        socket.pause();
      });
    }
  }

  /** Sends the next request as soon as one is answered. */
  #busy(count: number, request: (at: number) => string): void {
    let sent = 0;
    for (let n = 0; n < count; n += 1) {
      this.#keepOpen((socket) => {
        const send = () => {
          this.#counts.requests += 1;
          sent += 1;
          socket.write(request(sent));
        };
        socket.on('data', (chunk) => {
          if (!/^HTTP\/1\.1 /.test(chunk.toString('latin1', 0, 9))) return;
          // Ignores Retry-After, as an impatient script would.
          setTimeout(send, 1);
        });
        send();
      });
    }
  }

  /** Opens connections that send one request and stay open. */
  #idle(count: number): void {
    const opened = { count: 0 };
    const open = () => {
      for (let n = 0; n < 200 && opened.count < count; n += 1) {
        opened.count += 1;
        this.#counts.connections += 1;
        this.#open((socket) => socket.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n'));
      }
      if (opened.count < count) this.#later(open);
    };
    open();
  }

  /** Opens a connection, and opens it again when it closes. */
  #keepOpen(use: (socket: Socket) => void): void {
    const reopen = () => {
      this.#counts.connections += 1;
      this.#open(use).once('close', () => this.#later(reopen));
    };
    reopen();
  }

  #open(use: (socket: Socket) => void): Socket {
    const socket = connect({
      ...{ port: this.#to.port, host: '127.0.0.1' },
      // Not the address of the first tenant, as in production. macOS would need an alias for it.
      ...(process.platform === 'linux' && { localAddress: '127.0.0.2' }),
    });
    this.#sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      const status = /^HTTP\/1\.1 (\d)/.exec(chunk.toString('latin1', 0, 12))?.[1];
      if (status === '2') this.#counts.served += 1;
      else if (status !== undefined) this.#counts.refused += 1;
    });
    socket.once('connect', () => use(socket));
    socket.once('close', () => {
      this.#sockets.delete(socket);
      if (!this.#isStopped) this.#counts.closed += 1;
    });
    return socket;
  }

  #later(work: () => void): void {
    if (this.#isStopped) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      work();
    }, REOPEN_MS);
    this.#timers.add(timer);
  }

  /** Each one differs, so that no cache can answer it. */
  #aggregation(at: number): string {
    return this.#request('POST', '/v3/search/aggregate', {
      indices: ['identities'],
      query: { query: `NOT name:nobody${at}` },
      aggregationsDsl: {
        departments: {
          terms: { field: 'attributes.department', size: 500 },
          aggs: { names: { cardinality: { field: 'name.exact' } } },
        },
      },
    });
  }

  #request(method: string, path: string, body: object): string {
    const text = JSON.stringify(body);
    return this.#head(method, path, text.length) + text;
  }

  #head(method: string, path: string, length: number): string {
    return `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${this.#to.token}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
  }

  #tokenHead(length: number): string {
    return `POST /oauth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${length}\r\n\r\n`;
  }
}

const [port, token = '', connections, aggregations, ...only] = process.argv.slice(2);
const abuse = Abuse.start(
  { port: Number(port), token },
  { connections: Number(connections), aggregations: Number(aggregations), only },
);
process.once('message', () => {
  process.send?.(abuse.stop(), () => process.disconnect());
});
