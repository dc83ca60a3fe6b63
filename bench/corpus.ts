// The documents of the benchmark: the demo company with a fixed seed on a fixed day. Six in ten are
// identities with accounts and access, three are events, one is of the other four types; 3.7 KB
// each on average. They are streamed to the file, so memory use does not depend on their number.
// Invariant: the same number of documents gives the same bytes on every machine.
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { demoDocuments } from '../src/demo/documents.ts';

/** The current day of the company, which the dates of workloads refer to. */
const NOW = Date.UTC(2026, 0, 1);
const SEED = 7;
/** More than the real share, so that there are enough documents; the stream is cut after them. */
const IDENTITY_SHARE = 0.62;

export interface Corpus {
  /** Lines of JSON, each with its `_type`. */
  readonly file: string;
  readonly documents: number;
  readonly bytes: number;
}

/** Writes a corpus with the given number of documents. */
export async function writeCorpus(file: string, documents: number): Promise<Corpus> {
  const out = createWriteStream(file);
  let count = 0;
  let bytes = 0;
  for (const document of corpusDocuments(documents)) {
    const line = `${JSON.stringify(document)}\n`;
    bytes += Buffer.byteLength(line);
    if (!out.write(line)) await once(out, 'drain');
    count += 1;
  }
  out.end();
  await once(out, 'finish');
  return { file, documents: count, bytes };
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

/** Reads the lines of a corpus. */
export function corpusLines({ file }: Corpus): AsyncIterable<string> {
  return createInterface({ input: createReadStream(file), crlfDelay: Infinity });
}
