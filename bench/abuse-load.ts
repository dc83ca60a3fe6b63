// What an abusive tenant does, all of it at once and again and again until it is stopped. Runs as a process of its own
// (`node abuse-load.js PORT TOKEN CONNECTIONS KIND…`), so that it does not delay who measures; it begins when it is started, ends
// with the first message that it gets, and answers that with its counts.
import { connect, type Socket } from 'node:net';
import type { Address } from './client.ts';

/** What became of it. */
export interface AbuseCounts {
  requests: number;
  /** Answered with 2xx. */
  served: number;
  /** Answered with anything else. */
  refused: number;
  connections: number;
  /** Ended by the server. */
  closed: number;
}

interface AbuseOptions {
  /** How many idle connections it tries to hold. */
  readonly connections: number;
  /** Kinds of abuse; empty for all. */
  readonly only: readonly string[];
}

/** Connections that do one thing each; a connection that ends is opened again. */
const STALLED_TOKENS = 200;
const STALLED_CHANGES = 200;
const STALLED_IMPORTS = 50;
const UNREAD_ANSWERS = 60;
const AGGREGATIONS = 40;
const CHANGES = 20;
const GUESSES = 10;
/** How soon an ended connection is opened again. */
const AGAIN_MS = 100;
const LARGE_PAGE = 2_000;
const GUESS = 'grant_type=client_credentials&client_id=guess&client_secret=guess';

class Abuse {
  readonly #to: Address;
  readonly #counts: AbuseCounts = { requests: 0, served: 0, refused: 0, connections: 0, closed: 0 };
  readonly #sockets = new Set<Socket>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #isOver = false;

  private constructor(to: Address) {
    this.#to = to;
  }

  static start(to: Address, { connections, only }: AbuseOptions): Abuse {
    const abuse = new Abuse(to);
    const kinds: Readonly<Record<string, () => void>> = {
      tokens: () => abuse.#stalled(STALLED_TOKENS, abuse.#tokenHead(16_000)),
      bodies: () =>
        abuse.#stalled(STALLED_CHANGES, abuse.#head('POST', '/v3/personal-access-tokens', 100_000)),
      imports: () =>
        abuse.#stalled(STALLED_IMPORTS, abuse.#head('POST', '/admin/v1/documents', 1_000_000)),
      unread: () => abuse.#unread(UNREAD_ANSWERS),
      aggregations: () => abuse.#busy(AGGREGATIONS, (at) => abuse.#aggregation(at)),
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

  /** Ends all connections. */
  stop(): AbuseCounts {
    this.#isOver = true;
    for (const timer of this.#timers) clearTimeout(timer);
    for (const socket of this.#sockets) socket.destroy();
    return this.#counts;
  }

  /** Bodies of which all but the last byte is sent. */
  #stalled(count: number, head: string): void {
    const length = Number(/Content-Length: (\d+)/.exec(head)?.[1]);
    for (let n = 0; n < count; n += 1) {
      this.#keep((socket) => {
        this.#counts.requests += 1;
        socket.write(head + ' '.repeat(length - 1));
      });
    }
  }

  /** Pages that are asked for and not read. */
  #unread(count: number): void {
    const page = this.#request('POST', `/v3/search?limit=${LARGE_PAGE}`, {
      indices: ['identities'],
      query: { query: '*' },
    });
    for (let n = 0; n < count; n += 1) {
      this.#keep((socket) => {
        this.#counts.requests += 1;
        socket.write(page);
        socket.pause();
      });
    }
  }

  /** Requests that follow one another as soon as they are answered. */
  #busy(count: number, request: (at: number) => string): void {
    let sent = 0;
    for (let n = 0; n < count; n += 1) {
      this.#keep((socket) => {
        const send = () => {
          this.#counts.requests += 1;
          sent += 1;
          socket.write(request(sent));
        };
        socket.on('data', (chunk) => {
          if (!/^HTTP\/1\.1 /.test(chunk.toString('latin1', 0, 9))) return;
          // As a script without patience would: at once, though the answer names a time.
          setTimeout(send, 1);
        });
        send();
      });
    }
  }

  /** Connections that have asked once and are kept. */
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

  /** A connection that is opened again when it ends. */
  #keep(use: (socket: Socket) => void): void {
    const again = () => {
      this.#counts.connections += 1;
      this.#open(use).once('close', () => this.#later(again));
    };
    again();
  }

  #open(use: (socket: Socket) => void): Socket {
    const socket = connect({
      ...{ port: this.#to.port, host: '127.0.0.1' },
      // Not the address of the first tenant, as it would not be elsewhere. macOS has to be given it first.
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
      if (!this.#isOver) this.#counts.closed += 1;
    });
    return socket;
  }

  #later(work: () => void): void {
    if (this.#isOver) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      work();
    }, AGAIN_MS);
    this.#timers.add(timer);
  }

  /** Each differs, so that none comes from memory. */
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

const [port, token = '', connections, ...only] = process.argv.slice(2);
const abuse = Abuse.start(
  { port: Number(port), token },
  { connections: Number(connections), only },
);
process.once('message', () => {
  process.send?.(abuse.stop(), () => process.disconnect());
});
