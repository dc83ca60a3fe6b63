// The mixed load of the soak test: clients that ask a new question as soon as the last one is answered,
// and writes at a fixed rate that change, delete and restore documents.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { type Address, ask, Connection, type HttpRequest, wireRequest } from './client.ts';
import type { Corpus } from './corpus.ts';
import { Draw } from './questions/draw.ts';
import { MIXED_QUESTIONS } from './questions/other-questions.ts';
import { readVocabulary } from './questions/vocabulary.ts';

/** Latencies; those of writes from their scheduled time. */
export interface MixedTimes {
  readonly seconds: number;
  readonly readMs: readonly number[];
  readonly writeMs: readonly number[];
}

/** What the process reports of its memory, in MiB. */
export interface Memory {
  readonly heapMib: number;
  readonly externalMib: number;
  readonly cachesMib: Readonly<Record<string, number>>;
}

const SEED = 7;
const WRITTEN_DOCUMENTS = 2_000;
/** One in this number of documents is deleted before it is written. */
const WRITES_PER_DELETION = 10;
const INDEX_OF: Readonly<Record<string, string>> = {
  identity: 'identities',
  event: 'events',
  role: 'roles',
  entitlement: 'entitlements',
  accessprofile: 'accessprofiles',
  accountactivity: 'accountactivities',
};

/** Asks about a corpus, and writes its first documents. */
export class SoakLoad {
  readonly #clients: number;
  readonly #writesPerSecond: number;
  readonly #draw: Draw;
  /** Infinite. */
  readonly #writes: Iterator<HttpRequest, never>;

  private constructor(
    draw: Draw,
    documents: readonly Readonly<Record<string, unknown>>[],
    clients: number,
    writesPerSecond: number,
  ) {
    this.#draw = draw;
    this.#writes = writesOf(documents);
    this.#clients = clients;
    this.#writesPerSecond = writesPerSecond;
  }

  static async of(corpus: Corpus, clients: number, writesPerSecond: number): Promise<SoakLoad> {
    const documents: Record<string, unknown>[] = [];
    const lines = createInterface({ input: createReadStream(corpus.file), crlfDelay: Infinity });
    for await (const line of lines) {
      documents.push(JSON.parse(line) as Record<string, unknown>);
      if (documents.length === WRITTEN_DOCUMENTS) break;
    }
    lines.close();
    const draw = new Draw(await readVocabulary(corpus), SEED);
    return new SoakLoad(draw, documents, clients, writesPerSecond);
  }

  /**
   * Runs the load for some seconds, fewer than the token lives.
   * @throws Error for a response other than 2xx
   */
  async run(to: Address, seconds: number): Promise<MixedTimes> {
    const readMs: number[] = [];
    const writeMs: number[] = [];
    const until = performance.now() + seconds * 1000;
    const reader = async (connection: Connection) => {
      while (performance.now() < until) {
        const { cardea } = MIXED_QUESTIONS.question(this.#draw, 0);
        const request = wireRequest(to, cardea);
        const from = performance.now();
        await connection.send(request);
        readMs.push(performance.now() - from);
      }
    };
    await Promise.all([
      ...Array.from({ length: this.#clients }, () => connected(to, reader)),
      connected(to, (connection) => this.#write(to, connection, seconds, writeMs)),
    ]);
    return { seconds, readMs, writeMs };
  }

  /** Uses one connection, so that a document is restored after its deletion. */
  async #write(
    to: Address,
    connection: Connection,
    seconds: number,
    writeMs: number[],
  ): Promise<void> {
    const start = performance.now();
    for (let written = 0; written < seconds * this.#writesPerSecond; written += 1) {
      const due = start + (written / this.#writesPerSecond) * 1000;
      const waitMs = due - performance.now();
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      // Timers are up to a millisecond late, which must not count for the server.
      const from = waitMs > 0 ? performance.now() : due;
      await connection.send(wireRequest(to, this.#writes.next().value));
      writeMs.push(performance.now() - from);
    }
  }
}

/** Reads the memory of the process from its metrics. */
export async function readMemory(to: Address): Promise<Memory> {
  const { body } = await ask(to, { method: 'GET', path: '/metrics' });
  const text = String(body);
  const mib = (name: string): number => {
    const value = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1];
    if (value === undefined) throw new Error(`No metric ${name}`);
    return Number(value) / 2 ** 20;
  };
  const caches = [...text.matchAll(/^cardea_cache_bytes\{cache="(\w+)"\} (\S+)$/gm)];
  return {
    heapMib: mib('nodejs_heap_size_used_bytes'),
    externalMib: mib('nodejs_external_memory_bytes'),
    cachesMib: Object.fromEntries(
      caches.map(([, name = '', bytes]) => [name, Number(bytes) / 2 ** 20]),
    ),
  };
}

async function connected(
  to: Address,
  work: (connection: Connection) => Promise<void>,
): Promise<void> {
  const connection = await Connection.open(to.port);
  try {
    await work(connection);
  } finally {
    connection.close();
  }
}

/** Changes each document in turn, and deletes some before that. */
function* writesOf(
  documents: readonly Readonly<Record<string, unknown>>[],
): Generator<HttpRequest, never> {
  for (let written = 0; ; written += 1) {
    const document = documents[written % documents.length] ?? {};
    if (written % WRITES_PER_DELETION === 0) {
      const index = INDEX_OF[String(document['_type'])] ?? '';
      yield { method: 'DELETE', path: `/admin/v1/documents/${index}/${String(document['id'])}` };
    }
    const changed = { ...document, description: `written ${written}` };
    yield { method: 'POST', path: '/admin/v1/documents', body: `${JSON.stringify(changed)}\n` };
  }
}
