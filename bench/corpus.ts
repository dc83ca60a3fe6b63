// What is searched: the demo company of a fixed seed as it was on a fixed day. Six documents in ten are identities with
// their accounts and access, three are events, one is of the other four types; 3.7 KB each on average. They are
// written one by one, so memory stays small whatever their number.
// Invariant: the same number of documents gives the same bytes, whenever and wherever.
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { demoDocuments } from '../src/demo/documents.ts';

/** The day that workloads mean when they name dates. */
const NOW = Date.UTC(2026, 0, 1);
const SEED = 7;
/** A company has more documents than people; the stream is cut where enough are written. */
const IDENTITY_SHARE = 0.62;
const SAMPLE_EVERY = 50;

export interface Corpus {
  /** Lines of JSON, each with its `_type`. */
  readonly file: string;
  readonly documents: number;
  readonly bytes: number;
  /** Ids of some identities. */
  readonly ids: readonly string[];
}

/** Writes a corpus of so many documents. */
export async function writeCorpus(file: string, documents: number): Promise<Corpus> {
  const out = createWriteStream(file);
  const ids: string[] = [];
  let count = 0;
  let bytes = 0;
  for (const document of corpusDocuments(documents)) {
    const line = `${JSON.stringify(document)}\n`;
    bytes += Buffer.byteLength(line);
    if (document['_type'] === 'identity' && count % SAMPLE_EVERY === 0) {
      ids.push(String(document['id']));
    }
    if (!out.write(line)) await once(out, 'drain');
    count += 1;
  }
  out.end();
  await once(out, 'finish');
  return { file, documents: count, bytes, ids };
}

function* corpusDocuments(documents: number): Generator<Record<string, unknown>> {
  const identities = Math.ceil(documents * IDENTITY_SHARE);
  let count = 0;
  for (const document of demoDocuments({ seed: SEED, identities, now: NOW })) {
    if (count === documents) return;
    yield document;
    count += 1;
  }
}

/** The lines of a corpus that was written. */
export function corpusLines({ file }: Corpus): AsyncIterable<string> {
  return createInterface({ input: createReadStream(file), crlfDelay: Infinity });
}
