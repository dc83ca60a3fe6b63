// An agent whose connections read into one buffer. Node allocates 64 KiB for each piece that
// arrives, outside of its heap, however short the piece is; a page of 250 documents has many of
// them, and V8 collects all garbage after a few such pages: 40 % of the CPU of the service.
// Invariant: no answer has bytes of another one: Node's parser copies what it takes from a piece
// before the next one is read.
import { Agent, type AgentOptions, type ClientRequestArgs } from 'node:http';
import { createConnection, type Socket } from 'node:net';

const BUFFER_BYTES = 256 * 1024;

export class ReadingAgent extends Agent {
  /** Shared by all connections, since each piece is parsed before the next one is read. */
  readonly #buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);

  constructor(options: AgentOptions) {
    super(options);
  }

  override createConnection(options: ClientRequestArgs): Socket {
    const callback = (length: number, buffer: Uint8Array): boolean =>
      socket.emit('data', buffer.subarray(0, length)) || true;
    const onread = { buffer: this.#buffer, callback };
    const socket = createConnection({ ...(options as { port: number }), onread });
    return socket;
  }
}
