// Persistent connections that read answers into the memory where they stay. Node's own client copies
// each piece twice and makes a dozen objects for a request: as much work as all the rest of a small
// search.
// Invariant: one request at a time on a connection; one that failed or was aborted is closed, which
// also ends the work in OpenSearch.
import { connect, isIP, type NetConnectOpts, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectSecurely } from 'node:tls';
import type { BufferPool } from '../../../json/buffer-pool.ts';
import type { AnswerMemory } from '../../../service/ports/search-backend.ts';
import { AnswerReader, type HttpAnswer } from './answer-reader.ts';

/** A request, and how to stop waiting for its answer. */
export interface SentRequest {
  /**
   * Rejects with an Error if the connection fails or is aborted, and with the error of the memory
   * if it has no room for the body.
   */
  readonly answer: Promise<HttpAnswer>;
  abort(): void;
}

/** Where connections lead, and what every request has. */
export interface Origin {
  readonly url: URL;
  /** Certificates that are trusted besides those of Node. */
  readonly tls?: Pick<ConnectionOptions, 'ca'>;
}

const FREE_MAX = 256;
const PROBE_MS = 1_000;
/** A free connection that the server was about to close ends within this time. */
const CLOSING_MS = 1_000;

export class Connections {
  readonly #origin: Origin;
  readonly #pool: BufferPool;
  readonly #now: () => number;
  /** What each head ends with. */
  readonly #fields: string;
  readonly #prefix: string;
  /** The one that was used last is the last. */
  readonly #free: Connection[] = [];
  readonly #all = new Set<Connection>();
  #isClosed = false;

  /** @param now a clock in milliseconds */
  constructor(origin: Origin, pool: BufferPool, now: () => number = () => performance.now()) {
    const { url } = origin;
    this.#origin = origin;
    this.#pool = pool;
    this.#now = now;
    this.#prefix = url.pathname.replace(/\/$/, '');
    this.#fields = `host: ${url.host}\r\nuser-agent: cardea\r\n${credentialsOf(url)}`;
  }

  /**
   * Sends a request on a free connection or a new one. The server may be about to close a free one:
   * if it ends at once, before any byte of the answer, the request is sent once more on a new one.
   * One that ends later may have ended because of the request.
   * @param path with the query, encoded
   * @param type of the body
   * @param memory counts a large answer before it is read
   */
  send(
    method: string,
    path: string,
    body: string | Buffer,
    type: string,
    memory?: AnswerMemory,
  ): SentRequest {
    const head = `${method} ${this.#prefix}${path} HTTP/1.1\r\n${this.#fields}content-type: ${type}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`;
    const free = this.#free.pop();
    if (free === undefined) return this.#open().send(head, body, memory);
    const end = this.#now() + CLOSING_MS;
    let sent = free.send(head, body, memory);
    let isAborted = false;
    const answer = sent.answer.catch((error: unknown) => {
      if (isAborted || this.#isClosed || free.isAnswering || this.#now() > end) throw error;
      sent = this.#open().send(head, body, memory);
      return sent.answer;
    });
    const abort = () => {
      isAborted = true;
      sent.abort();
    };
    return { answer, abort };
  }

  close(): void {
    this.#isClosed = true;
    for (const connection of this.#all) connection.close();
  }

  #open(): Connection {
    const connection = new Connection(this.#origin, this.#pool, {
      free: () => {
        if (this.#free.length < FREE_MAX) this.#free.push(connection);
        else connection.close();
      },
      closed: () => {
        this.#all.delete(connection);
        const at = this.#free.indexOf(connection);
        if (at !== -1) this.#free.splice(at, 1);
      },
    });
    this.#all.add(connection);
    return connection;
  }
}

interface ConnectionEvents {
  /** It can take another request. */
  free(): void;
  /** It can take no other request; may be called several times. */
  closed(): void;
}

interface Waiting {
  resolve(answer: HttpAnswer): void;
  reject(error: Error): void;
}

class Connection {
  readonly #socket: Socket;
  readonly #reader: AnswerReader;
  readonly #events: ConnectionEvents;
  #waiting: Waiting | null = null;
  #isAnswering = false;

  constructor(origin: Origin, pool: BufferPool, events: ConnectionEvents) {
    const reader = new AnswerReader(pool);
    this.#reader = reader;
    this.#events = events;
    const callback = (count: number): boolean => {
      this.#take(count);
      return true;
    };
    this.#socket = socketTo(origin, { buffer: () => reader.place(), callback });
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.on('end', () => {
      this.#events.closed();
      const answer = this.#reader.end();
      if (answer !== null) this.#answer(answer);
    });
    this.#socket.on('close', () => {
      this.#fail(new Error('The connection was closed before the answer was complete'));
    });
  }

  /** Whether a byte of the answer to the last request was received. */
  get isAnswering(): boolean {
    return this.#isAnswering;
  }

  send(head: string, body: string | Buffer, memory: AnswerMemory | undefined): SentRequest {
    this.#reader.memory = memory;
    let abort = () => {};
    const answer = new Promise<HttpAnswer>((resolve, reject) => {
      const waiting = { resolve, reject };
      this.#waiting = waiting;
      this.#isAnswering = false;
      // The connection may have another request when this one is aborted.
      abort = () => {
        if (this.#waiting === waiting) this.close();
      };
    });
    this.#socket.ref();
    if (typeof body === 'string') this.#socket.write(head + body);
    else {
      this.#socket.cork();
      this.#socket.write(head, 'latin1');
      this.#socket.write(body);
      this.#socket.uncork();
    }
    return { answer, abort };
  }

  close(): void {
    this.#socket.destroy();
    this.#events.closed();
  }

  #take(count: number): void {
    if (this.#waiting === null) {
      this.close(); // nothing was requested
      return;
    }
    this.#isAnswering = true;
    try {
      const answer = this.#reader.take(count);
      if (answer !== null) this.#answer(answer);
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  #answer(answer: HttpAnswer): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    if (answer.isKeptAlive) {
      this.#socket.unref();
      this.#events.free();
    } else this.close();
    waiting?.resolve(answer);
  }

  #fail(error: Error): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    this.close();
    waiting?.reject(error);
  }
}

type OnRead = NonNullable<NetConnectOpts['onread']>;

function socketTo({ url, tls }: Origin, onread: OnRead): Socket {
  const isSecure = url.protocol === 'https:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port) || (isSecure ? 443 : 80);
  const options = {
    ...{ host, port, onread, noDelay: true },
    ...{ keepAlive: true, keepAliveInitialDelay: PROBE_MS },
  };
  if (!isSecure) return connect(options);
  return connectSecurely({ ...options, ...tls, servername: isIP(host) === 0 ? host : '' });
}

/** The header field of the user and password in a URL; empty without them. */
function credentialsOf({ username, password }: URL): string {
  if (username === '' || password === '') return '';
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `authorization: Basic ${Buffer.from(credentials).toString('base64')}\r\n`;
}
