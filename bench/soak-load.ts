// The mixed load of the soak test. Searches are sent at a fixed rate, whether or not the last one
// was answered, so that a slow server gets no less load; writes change, delete and restore
// documents.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Cardea } from './cardea.ts';
import { type Address, Connection, type HttpRequest, wireRequest } from './client.ts';
import type { Corpus } from './corpus.ts';
import { MIXED_QUESTIONS } from './questions/other-questions.ts';
import { QuestionSource } from './questions/question-source.ts';
import { readVocabulary } from './questions/vocabulary.ts';

/** Requests that are sent in turn. */
export interface Mix {
  readonly reads: readonly HttpRequest[];
  /** Infinite. */
  readonly writes: Iterator<HttpRequest, never>;
}

export interface Pace {
  readonly seconds: number;
  readonly readsPerSecond: number;
  readonly writesPerSecond: number;
}

/** Latencies from the scheduled time of a request to its response. */
export interface MixedTimes {
  readonly readMs: readonly number[];
  readonly writeMs: readonly number[];
}

const SEED = 7;
/** Different searches, which are repeated after them. */
const READS = 5_000;
const READERS = 8;
const CAPACITY_SECONDS = 10;
const WRITTEN_DOCUMENTS = 2_000;
/** Well below the lifetime of a token. */
const TOKEN_SECONDS = 60;
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

/** Questions of all kinds about the corpus, and writes of its first documents. */
export async function mixOf(corpus: Corpus): Promise<Mix> {
  const source = new QuestionSource(await readVocabulary(corpus), SEED);
  const reads = source.take(MIXED_QUESTIONS, 0, READS).map(({ cardea }) => cardea);
  const documents: Record<string, unknown>[] = [];
  const lines = createInterface({ input: createReadStream(corpus.file), crlfDelay: Infinity });
  for await (const line of lines) {
    documents.push(JSON.parse(line) as Record<string, unknown>);
    if (documents.length === WRITTEN_DOCUMENTS) break;
  }
  lines.close();
  return { reads, writes: writesOf(documents) };
}

/** Measures the maximum rate of searches during the writes. */
export async function readCapacity(
  cardea: Cardea,
  mix: Mix,
  writesPerSecond: number,
): Promise<number> {
  const to = await cardea.address();
  const wires = mix.reads.map((read) => wireRequest(to, read));
  const until = performance.now() + CAPACITY_SECONDS * 1000;
  let answered = 0;
  const reading = inParallel(to, READERS, async (connection) => {
    while (performance.now() < until) {
      answered += 1;
      await connection.send(inTurn(wires, answered));
    }
  });
  const writing = writeStream(to, mix, CAPACITY_SECONDS, writesPerSecond);
  await Promise.all([reading, paced(to, writing, () => {})]);
  return answered / CAPACITY_SECONDS;
}

/** Runs the mixed load. @throws Error for a response other than 2xx */
export async function mixedLoad(cardea: Cardea, mix: Mix, pace: Pace): Promise<MixedTimes> {
  const readMs: number[] = [];
  const writeMs: number[] = [];
  for (let left = pace.seconds; left > 0; left -= TOKEN_SECONDS) {
    const to = await cardea.address();
    const seconds = Math.min(left, TOKEN_SECONDS);
    const wires = mix.reads.map((read) => wireRequest(to, read));
    const reads: Stream = {
      ...{ connections: READERS, seconds, perSecond: pace.readsPerSecond },
      request: (at) => inTurn(wires, at),
    };
    await Promise.all([
      paced(to, reads, (ms) => readMs.push(ms)),
      paced(to, writeStream(to, mix, seconds, pace.writesPerSecond), (ms) => writeMs.push(ms)),
    ]);
  }
  return { readMs, writeMs };
}

/** Uses one connection, so that a document is restored after its deletion. */
function writeStream(to: Address, { writes }: Mix, seconds: number, perSecond: number): Stream {
  const request = () => wireRequest(to, writes.next().value);
  return { connections: 1, seconds, perSecond, request };
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

/** Requests at a fixed rate; one that finds no free connection is sent as soon as there is one. */
interface Stream {
  readonly connections: number;
  readonly seconds: number;
  readonly perSecond: number;
  request(at: number): Buffer;
}

async function paced(
  to: Address,
  { connections, seconds, perSecond, request }: Stream,
  record: (ms: number) => void,
): Promise<void> {
  const start = performance.now();
  const count = Math.floor(seconds * perSecond);
  let next = 0;
  await inParallel(to, connections, async (connection) => {
    while (next < count) {
      const at = next;
      next += 1;
      const due = start + (at / perSecond) * 1000;
      const waitMs = due - performance.now();
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      // Timers are up to a millisecond late, which must not count for the server.
      const from = waitMs > 0 ? performance.now() : due;
      await connection.send(request(at));
      record(performance.now() - from);
    }
  });
}

async function inParallel(
  to: Address,
  count: number,
  work: (connection: Connection) => Promise<void>,
): Promise<void> {
  const connections = await Promise.all(
    Array.from({ length: count }, () => Connection.open(to.port)),
  );
  try {
    await Promise.all(connections.map(work));
  } finally {
    for (const connection of connections) connection.close();
  }
}

function inTurn(requests: readonly Buffer[], at: number): Buffer {
  const request = requests[at % requests.length];
  if (request === undefined) throw new Error('No requests');
  return request;
}
