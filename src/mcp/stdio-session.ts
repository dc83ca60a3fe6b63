// A session over standard input and output, for an assistant that starts this program. It ends with
// its input.
// Invariant: nothing but messages of the protocol is written to the output.
import { Readable, Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { assistantServer } from './assistant-server.ts';
import type { SearchAccess } from './search-access.ts';

export interface Streams {
  readonly input: AsyncIterable<Uint8Array>;
  write(text: string): void;
  /** Reports a defect to the person that looks after the assistant. */
  note(text: string): void;
}

/**
 * Serves until the input has ended and all calls are answered, or `stopped` resolves.
 */
export async function serveStdio(
  access: SearchAccess,
  version: string,
  { input, write, note }: Streams,
  stopped: Promise<void>,
): Promise<void> {
  const stdin = Readable.from(input, { objectMode: false });
  const stdout = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      write(chunk.toString());
      done();
    },
  });
  const server = assistantServer(access, version, (error) =>
    note(error instanceof Error ? (error.stack ?? error.message) : String(error)),
  );
  const inputEnded = new Promise<void>((resolve) => {
    stdin.once('end', resolve);
    stdin.once('close', resolve);
  });
  const transport = new StdioServerTransport(stdin, stdout);
  await server.connect(transport);
  const calls = new OpenCalls(transport);
  await Promise.race([inputEnded.then(() => calls.answered()), stopped]);
  await server.close();
  stdin.destroy();
}

/** Counts the requests of a connected transport that have no answer yet. */
class OpenCalls {
  #open = 0;
  #onAnswered: (() => void) | null = null;

  constructor(transport: StdioServerTransport) {
    const { onmessage } = transport;
    const send = transport.send.bind(transport);
    transport.onmessage = (message) => {
      if ('method' in message && 'id' in message) this.#open += 1;
      onmessage?.(message);
    };
    transport.send = async (message) => {
      await send(message);
      if ('method' in message || !('id' in message)) return;
      this.#open -= 1;
      if (this.#open === 0) this.#onAnswered?.();
    };
  }

  /** Resolves when all are answered. */
  answered(): Promise<void> {
    if (this.#open === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onAnswered = resolve;
    });
  }
}
