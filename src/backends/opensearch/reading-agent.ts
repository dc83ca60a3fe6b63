// An agent whose connections read into one buffer. Node allocates 64 KiB for each piece that
// arrives, outside of its heap; a page of 250 documents has twenty of them, and V8 collects all
// garbage after a few such pages: 40 % of the CPU of the service.
// Invariant: a piece is valid until the next turn of the event loop, so its reader copies it.
import { Agent, type AgentOptions, type ClientRequestArgs } from 'node:http';
import { createConnection, type Socket } from 'node:net';

const BUFFER_BYTES = 256 * 1024;

export class ReadingAgent extends Agent {
  /** Ticks and promises run between two reads of any connections, so they can share it. */
  readonly #buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);

  constructor(options: AgentOptions) {
    super(options);
  }

  override createConnection(options: ClientRequestArgs): Socket {
    const callback = (length: number, buffer: Uint8Array): boolean =>
      socket.emit('data', (buffer as Buffer).subarray(0, length)) || true;
    const onread = { buffer: this.#buffer, callback };
    const socket = createConnection({ ...(options as { port: number }), onread });
    return socket;
  }
}
