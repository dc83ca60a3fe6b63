// The HTTP client of the benchmark. It shares the machine with the server, so it does as little as
// possible: persistent connections over bare sockets, requests built beforehand, and responses
// counted but not parsed. Each connection reads into one buffer, since a new one for each chunk
// would cost as much as the server spends on a large response.
// Invariant: one request at a time on a connection; a response other than 2xx is an error.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** The target of requests. */
export interface Address {
  readonly port: number;
  /** The bearer token; null if none is needed. */
  readonly token: string | null;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** Sent as JSON; a string is sent unchanged, as NDJSON. */
  readonly body?: object | string;
  /** The type of the body, if it is another one. */
  readonly type?: string;
}

export interface HttpAnswer {
  readonly status: number;
  /** Header lines, unparsed. */
  readonly head: string;
  /** Bytes of head and body. */
  readonly bytes: number;
  /** Only if requested. */
  readonly body: Buffer | null;
}

/** Encodes a request. */
export function wireRequest(to: Address, { method, path, body, type }: HttpRequest): Buffer {
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const byDefault = typeof body === 'string' ? 'application/x-ndjson' : 'application/json';
  const head = [
    `${method} ${encodeURI(path)} HTTP/1.1`,
    `host: 127.0.0.1:${to.port}`,
    ...(to.token === null ? [] : [`authorization: Bearer ${to.token}`]),
    ...(body === undefined
      ? []
      : [`content-type: ${type ?? byDefault}`, `content-length: ${Buffer.byteLength(text)}`]),
    '\r\n',
  ];
  return Buffer.from(head.join('\r\n') + text);
}

/** Sends one request on a new connection, and reads the body. */
export async function ask(to: Address, request: HttpRequest): Promise<HttpAnswer> {
  const connection = await Connection.open(to.port);
  try {
    return await connection.send(wireRequest(to, request), true);
  } finally {
    connection.close();
  }
}

interface Waiting {
  resolve(answer: HttpAnswer): void;
  reject(error: Error): void;
  readonly keep: Buffer[] | null;
}

/** Read buffer: the most that the kernel returns at a time. */
const READ_BYTES = 256 * 1024;
const HEAD_END = Buffer.from('\r\n\r\n');
const LAST_CHUNK = Buffer.from('0\r\n\r\n');

/** A persistent connection. */
export class Connection {
  readonly #socket: Socket;
  #waiting: Waiting | null = null;
  /** Bytes received before the head was complete. */
  #early: Buffer | null = null;
  #head = '';
  #status = 0;
  #bytes = 0;
  /** Length of the whole response; -1: unknown yet; infinite: chunked. */
  #expected = -1;

  private constructor(port: number) {
    const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
    const callback = (length: number) => {
      this.#take(buffer.subarray(0, length));
      return true;
    };
    this.#socket = connect({
      ...{ port, host: '127.0.0.1', noDelay: true },
      onread: { buffer, callback },
    });
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.on('close', () => this.#fail(new Error('The server closed the connection')));
  }

  static async open(port: number): Promise<Connection> {
    const connection = new Connection(port);
    await once(connection.#socket, 'connect');
    return connection;
  }

  /** @throws Error for a response other than 2xx, with its body, and if the connection is lost */
  send(request: Buffer, keepBody = false): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      if (this.#socket.destroyed) {
        reject(new Error('The server closed the connection'));
        return;
      }
      this.#waiting = { resolve, reject, keep: keepBody ? [] : null };
      this.#early = null;
      this.#bytes = 0;
      this.#expected = -1;
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  /** @param chunk a view of the read buffer, which is overwritten after the call */
  #take(chunk: Buffer): void {
    const waiting = this.#waiting;
    // Data without a request would be taken for the next response.
    if (waiting === null) {
      this.close();
      return;
    }
    let fresh = chunk;
    if (this.#expected === -1) {
      fresh = this.#early === null ? chunk : Buffer.concat([this.#early, chunk]);
      const end = fresh.indexOf(HEAD_END);
      if (end === -1) {
        this.#early = Buffer.from(fresh);
        return;
      }
      this.#readHead(fresh.toString('latin1', 0, end), end + HEAD_END.length);
    }
    waiting.keep?.push(Buffer.from(fresh));
    this.#bytes += fresh.length;
    const whole = Number.isFinite(this.#expected)
      ? this.#bytes >= this.#expected
      : fresh.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK);
    if (whole) this.#finish(waiting);
  }

  #readHead(head: string, length: number): void {
    this.#head = head;
    this.#status = Number(head.slice(9, 12));
    const body = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (body !== undefined) this.#expected = length + Number(body);
    else if (/\r\ntransfer-encoding: *chunked/i.test(head)) this.#expected = Infinity;
    else this.#expected = length;
  }

  #finish(waiting: Waiting): void {
    this.#waiting = null;
    const bytes = waiting.keep === null ? null : Buffer.concat(waiting.keep);
    const body = bytes === null ? null : bytes.subarray(bytes.indexOf(HEAD_END) + HEAD_END.length);
    const answer = { status: this.#status, head: this.#head, bytes: this.#bytes, body };
    if (this.#status >= 200 && this.#status < 300) waiting.resolve(answer);
    else {
      const text = body?.toString('utf8').slice(0, 500) ?? '';
      waiting.reject(new Error(`The server answered ${this.#status} ${text}`));
    }
  }

  #fail(error: Error): void {
    this.#waiting?.reject(error);
    this.#waiting = null;
  }
}
