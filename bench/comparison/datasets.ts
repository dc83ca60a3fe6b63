// The documents of the datasets besides the company: identities with 500 rows of access each, and
// the small company of each of five tenants. They are cut from the corpus.
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { type Corpus, corpusLines } from '../corpus.ts';
import { type Dataset, TENANTS } from '../questions/question.ts';
import type { Cell } from './cell.ts';

const HEAVY_ROWS = 500;
/** One heavy identity for so many documents of the corpus; each is as large as 50. */
const DOCUMENTS_PER_HEAVY = 250;
/** The share of the corpus in each of the five tenants. */
const TENANT_SHARE = 1 / 20;

type Document = Record<string, unknown> & { readonly access?: readonly object[] };

/** Writes the datasets that the cells need into a folder. */
export async function writeDatasets(
  folder: string,
  corpus: Corpus,
  cells: readonly Cell[],
): Promise<Map<Dataset, Corpus>> {
  const needed = new Set(cells.flatMap(({ kind }) => kind.datasets ?? []));
  const datasets = new Map<Dataset, Corpus>();
  if (needed.has('heavy')) {
    datasets.set('heavy', await writeLines(join(folder, 'heavy.ndjson'), heavyLines(corpus)));
  }
  if (TENANTS.some((tenant) => needed.has(tenant))) {
    const small = await writeLines(join(folder, 'tenant.ndjson'), sampleLines(corpus));
    for (const tenant of TENANTS) datasets.set(tenant, small);
  }
  return datasets;
}

/** The first identities of a corpus. */
export async function readIdentities(corpus: Corpus, count: number): Promise<Document[]> {
  const identities: Document[] = [];
  for await (const line of corpusLines(corpus)) {
    if (!isIdentity(line)) continue;
    identities.push(JSON.parse(line) as Document);
    if (identities.length === count) break;
  }
  return identities;
}

async function* heavyLines(corpus: Corpus): AsyncGenerator<string> {
  const count = Math.ceil(corpus.documents / DOCUMENTS_PER_HEAVY);
  const rows = await differentRows(corpus);
  const identities = await readIdentities(corpus, count);
  for (const [n, identity] of identities.entries()) {
    const access = Array.from({ length: HEAVY_ROWS }, (_, at) => rows[(n + at * 7) % rows.length]);
    yield JSON.stringify({ ...identity, access, accessCount: HEAVY_ROWS });
  }
}

/** The rows of access of all identities, each once. */
async function differentRows(corpus: Corpus): Promise<object[]> {
  const rows = new Map<unknown, object>();
  for await (const line of corpusLines(corpus)) {
    if (!isIdentity(line)) continue;
    const { access = [] } = JSON.parse(line) as Document;
    for (const row of access) rows.set((row as { id: unknown }).id, row);
  }
  return [...rows.values()];
}

async function* sampleLines(corpus: Corpus): AsyncGenerator<string> {
  const every = Math.round(1 / TENANT_SHARE);
  let count = 0;
  for await (const line of corpusLines(corpus)) {
    if (count % every === 0) yield line;
    count += 1;
  }
}

async function writeLines(file: string, lines: AsyncIterable<string>): Promise<Corpus> {
  const out = createWriteStream(file);
  let documents = 0;
  let bytes = 0;
  for await (const line of lines) {
    documents += 1;
    bytes += Buffer.byteLength(line) + 1;
    if (!out.write(`${line}\n`)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'finish');
  return { file, documents, bytes };
}

function isIdentity(line: string): boolean {
  return line.startsWith('{"_type":"identity"');
}
