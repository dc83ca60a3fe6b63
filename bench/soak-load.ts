// The mixed load of the soak: searches come when they are due, whether or not the last one has been answered, so a
// server that becomes slow is not spared; writes change documents, delete them and bring them back.

import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Cardea } from './cardea.ts';
import { type Address, Connection, type HttpRequest, wireRequest } from './client.ts';
import type { Corpus } from './corpus.ts';
import { readCells } from './workload.ts';

/** What is asked and written in turn. */
export interface Mix {
  readonly reads: readonly HttpRequest[];
  /** Without end. */
  readonly writes: Iterator<HttpRequest, never>;
}

export interface Pace {
  readonly seconds: number;
  readonly readsPerSecond: number;
  readonly writesPerSecond: number;
}

/** From when a request was due until its answer was there. */
export interface MixedTimes {
  readonly readMs: readonly number[];
  readonly writeMs: readonly number[];
}

const READERS = 8;
const CAPACITY_SECONDS = 10;
const WRITTEN = 2_000;
/** A token lives for some minutes; this is well within. */
const TOKEN_SECONDS = 60;
/** Of so many documents one is deleted before it is written. */
const WRITES_PER_DELETION = 10;
const INDEX_OF: Readonly<Record<string, string>> = {
  identity: 'identities',
  event: 'events',
  role: 'roles',
  entitlement: 'entitlements',
  accessprofile: 'accessprofiles',
  accountactivity: 'accountactivities',
};

/** Every cell of the workloads once, and documents from the beginning of the corpus. */
export async function mixOf(folder: string, corpus: Corpus): Promise<Mix> {
  const reads = readCells(folder, '', corpus.ids).map((cell) => cell.sample('cardea'));
  const documents: Record<string, unknown>[] = [];
  const lines = createInterface({ input: createReadStream(corpus.file), crlfDelay: Infinity });
  for await (const line of lines) {
    documents.push(JSON.parse(line) as Record<string, unknown>);
    if (documents.length === WRITTEN) break;
  }
  lines.close();
  return { reads, writes: writesOf(documents) };
}

/** Searches of the mix per second, beside the writes, when each connection asks again at once. */
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

/** Loads the server for a while. @throws Error for an answer that is not 2xx */
export async function mixedLoad(cardea: Cardea, mix: Mix, pace: Pace): Promise<MixedTimes> {
  const readMs: number[] = [];
  const writeMs: number[] = [];
  for (let left = pace.seconds; left > 0; left -= TOKEN_SECONDS) {
    const to = await cardea.address();
    const seconds = Math.min(left, TOKEN_SECONDS);
    const wires = mix.reads.map((read) => wireRequest(to, read));
    const reads: Stream = {
      ...{ lines: READERS, seconds, perSecond: pace.readsPerSecond },
      request: (at) => inTurn(wires, at),
    };
    await Promise.all([
      paced(to, reads, (ms) => readMs.push(ms)),
      paced(to, writeStream(to, mix, seconds, pace.writesPerSecond), (ms) => writeMs.push(ms)),
    ]);
  }
  return { readMs, writeMs };
}

/** On one connection, so that a document comes back after it has gone. */
function writeStream(to: Address, { writes }: Mix, seconds: number, perSecond: number): Stream {
  const request = () => wireRequest(to, writes.next().value);
  return { lines: 1, seconds, perSecond, request };
}

/** Each document in turn is changed, and some are deleted before they are written. */
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

/** Requests on a number of connections, each sent when it is due or as soon as one is free. */
interface Stream {
  readonly lines: number;
  readonly seconds: number;
  readonly perSecond: number;
  request(at: number): Buffer;
}

async function paced(
  to: Address,
  { lines, seconds, perSecond, request }: Stream,
  see: (ms: number) => void,
): Promise<void> {
  const start = performance.now();
  const count = Math.floor(seconds * perSecond);
  let next = 0;
  await inParallel(to, lines, async (connection) => {
    while (next < count) {
      const at = next;
      next += 1;
      const due = start + (at / perSecond) * 1000;
      const waitMs = due - performance.now();
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      // A timer is late by up to a millisecond, which is not the server's doing.
      const from = waitMs > 0 ? performance.now() : due;
      await connection.send(request(at));
      see(performance.now() - from);
    }
  });
}

async function inParallel(
  to: Address,
  lines: number,
  work: (connection: Connection) => Promise<void>,
): Promise<void> {
  const connections = await Promise.all(
    Array.from({ length: lines }, () => Connection.open(to.port)),
  );
  try {
    await Promise.all(connections.map(work));
  } finally {
    for (const connection of connections) connection.close();
  }
}

function inTurn(requests: readonly Buffer[], at: number): Buffer {
  const request = requests[at % requests.length];
  if (request === undefined) throw new Error('Nothing to ask');
  return request;
}
