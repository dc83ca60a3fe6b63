// Compares search without HTTP: our backend in this process with tantivy, Lucene and SQLite FTS5 in
// theirs, on the identities of one corpus. No question comes twice. Ours does more: it returns
// documents, the others only their ids.
// Flags: `--documents N`, `--questions N` of each kind, `--save`.

import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openOffline } from '../src/compose/compose.ts';
import { parseConfig } from '../src/config/config.ts';
import { NearestNames } from '../src/query/mapping/nearest-name.ts';
import { DEFAULT_LIMITS, type PlanContext } from '../src/query/requests/search-request.ts';
import { Deadline } from '../src/scheduling/deadline.ts';
import type { SearchResult } from '../src/service/ports/search-backend.ts';
import { fetchJars, newestJava } from '../test/support/opensearch.ts';
import { planSearch } from '../test/support/query-context.ts';
import { Cardea } from './cardea.ts';
import { type Corpus, corpusLines, writeCorpus } from './corpus.ts';
import { percentile } from './load.ts';
import { Draw } from './questions/draw.ts';
import { readVocabulary } from './questions/vocabulary.ts';
import { FIELDS_22 } from './questions/word-questions.ts';

const TANTIVY = 'tantivy==0.27.0';

interface Kind {
  readonly name: string;
  readonly form: 'words' | 'term' | 'prefix';
  /** Only for a term. */
  readonly field?: string;
  value(draw: Draw): string;
}

/** A kind with its values, all different. */
interface Questions extends Pick<Kind, 'name' | 'form' | 'field'> {
  /** Asked first, without being timed. */
  readonly warmUp: readonly string[];
  readonly values: readonly string[];
}

/** Results by kind. */
type Times = Readonly<Record<string, { readonly found: number; readonly timesMs: number[] }>>;

const KINDS: readonly Kind[] = [
  {
    ...{ name: 'free text, 2 words, 22 fields', form: 'words' },
    value: (draw) => draw.twoWords(draw.person()).join(' '),
  },
  {
    ...{ name: 'term, displayName', form: 'term', field: 'displayName' },
    value: (draw) => draw.nameWord().toLowerCase(),
  },
  {
    ...{ name: 'prefix, 22 fields', form: 'prefix' },
    value: (draw) => draw.prefix(draw.nameWord(), 2, 5),
  },
];
const SEED = 7;
/** Draws in a row that may repeat earlier values before a kind counts as exhausted. */
const TRIES_MAX = 2_000;

const { values: flags } = parseArgs({
  options: {
    documents: { type: 'string', default: '100000' },
    questions: { type: 'string', default: '3000' },
    save: { type: 'boolean', default: false },
  },
});
const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const documents = Number(flags.documents);
const questionsMax = Number(flags.questions);

const work = mkdtempSync(join(tmpdir(), 'cardea-kernels-'));
try {
  await main();
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function main(): Promise<void> {
  const corpus = await writeCorpus(join(work, 'documents.ndjson'), documents);
  const { file } = corpus;
  const folder = join(work, 'data');
  const cardea = await Cardea.create({ root, folder, nodeFlags: [] });
  await cardea.import(file);
  const vocabulary = await readVocabulary(corpus);
  const kinds = KINDS.map((kind) => questionsOf(kind, new Draw(vocabulary, SEED)));
  const task = JSON.stringify({ file, fields: FIELDS_22, kinds });
  const python = pythonWithTantivy();
  const ours = await measureCardea(folder, kinds);
  const lucene = await runLucene(corpus, kinds);
  const text = table(kinds, [
    ['Cardea', ours],
    ['tantivy', runKernel(python, 'tantivy_kernel.py', task)],
    ['Lucene', lucene],
    ['SQLite FTS5', runKernel(python, 'fts5_kernel.py', task)],
  ]);
  console.log(text);
  if (flags.save) {
    const date = new Date().toISOString().slice(0, 10);
    const path = join(root, 'bench', 'results', `${date}-kernels-${documents}.md`);
    writeFileSync(path, text);
  }
}

/** Draws different values, fewer if the documents have no more. */
function questionsOf({ name, form, field, value }: Kind, draw: Draw): Questions {
  const values = new Set<string>();
  for (let tries = 0; values.size < questionsMax * 1.5 && tries < TRIES_MAX; tries += 1) {
    const before = values.size;
    values.add(value(draw));
    if (values.size > before) tries = 0;
  }
  const all = [...values];
  const warmUp = all.splice(0, Math.floor(all.length / 3));
  return { name, form, ...(field !== undefined && { field }), warmUp, values: all };
}

async function measureCardea(dataDir: string, kinds: readonly Questions[]): Promise<Times> {
  const config = parseConfig({ CARDEA_DATA_DIR: dataDir, CARDEA_LOG_LEVEL: 'silent' });
  const opened = await openOffline(config);
  try {
    const { backend, store } = opened;
    const [tenant] = await store.read.tenants();
    if (backend === null || tenant === undefined) throw new Error('The import left nothing');
    // Passed with each search, as in the service; otherwise the backend would read the store.
    const mappings = await opened.documents.mappings(tenant.id);
    const context: PlanContext = {
      mapping: (index) => mappings[index],
      now: Date.now(),
      limits: DEFAULT_LIMITS,
      nearestNames: new NearestNames(),
    };
    const search: Search = ({ query, count }) => {
      const plan = planSearch({ indices: ['identities'], query }, { limit: '10', count }, context);
      return backend.search(tenant.id, plan, { deadline: new Deadline(60_000), mappings });
    };
    const times: Record<string, Times[string]> = {};
    for (const kind of kinds) times[kind.name] = await timeKind(kind, search);
    return times;
  } finally {
    await opened.close();
  }
}

/** Runs a search as the service does below HTTP. */
type Search = (request: {
  readonly query: object;
  readonly count: string;
}) => Promise<SearchResult>;

async function timeKind(kind: Questions, search: Search): Promise<Times[string]> {
  const ask = (value: string, count: string) =>
    search({ query: { query: queryText(kind, value), fields: FIELDS_22 }, count });
  // The warm-up also compiles our code; the other systems but Lucene are compiled ahead of time.
  for (const value of kind.warmUp) await ask(value, 'false');
  const timesMs: number[] = [];
  for (const value of kind.values) {
    const start = performance.now();
    await ask(value, 'false');
    timesMs.push(performance.now() - start);
  }
  const { total } = await ask(kind.values[0] ?? '', 'true');
  return { found: total ?? 0, timesMs };
}

function queryText({ form, field }: Questions, value: string): string {
  switch (form) {
    case 'words':
      return value;
    case 'term':
      return `${field}:${value}`;
    case 'prefix':
      return `${value}*`;
  }
}

/** Creates a virtual environment with tantivy on first use. */
function pythonWithTantivy(): string {
  const home = join(root, '.cache', 'bench-python');
  const python = join(home, 'bin', 'python');
  if (!existsSync(python)) run('python3', ['-m', 'venv', home]);
  run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', TANTIVY]);
  return python;
}

function runKernel(python: string, program: string, task: string): Times {
  return JSON.parse(run(python, [join(root, 'bench', 'kernels', program)], task)) as Times;
}

/** Runs Lucene from the JARs of OpenSearch, over a file of one line per identity. */
async function runLucene(corpus: Corpus, kinds: readonly Questions[]): Promise<Times> {
  const flat = join(work, 'identities.tsv');
  const out = createWriteStream(flat);
  for await (const line of corpusLines(corpus)) {
    const document = JSON.parse(line) as Record<string, unknown>;
    if (document['_type'] !== 'identity') continue;
    if (!out.write(`${FIELDS_22.map((field) => flatText(document, field)).join('\t')}\n`)) {
      await once(out, 'drain');
    }
  }
  out.end();
  await once(out, 'finish');
  const lines = kinds.flatMap(({ name, form, field, warmUp, values }) =>
    [...warmUp.map((value) => ['warm-up', value]), ...values.map((value) => ['timed', value])].map(
      ([phase, value]) => [name, form, field ?? '', phase, value].join('\t'),
    ),
  );
  const program = join(root, 'bench', 'kernels', 'LuceneKernel.java');
  const java = ['-Xmx2g', '--class-path', `${fetchJars()}/*`, program, flat, FIELDS_22.join(',')];
  return JSON.parse(run(newestJava(), java, `${lines.join('\n')}\n`)) as Times;
}

function flatText(document: Record<string, unknown>, field: string): string {
  let value: unknown = document;
  for (const name of field.split('.')) {
    value =
      typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : '';
  }
  const text = Array.isArray(value) ? value.join(' ') : String(value ?? '');
  return text.replace(/[\t\r\n]/g, ' ');
}

function run(command: string, args: readonly string[], input = ''): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    input,
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
  });
  if (status === 0) return stdout;
  throw new Error(`${command} ${args.join(' ')} failed: ${error?.message ?? stderr}`);
}

function table(
  kinds: readonly Questions[],
  systems: readonly (readonly [name: string, times: Times])[],
): string {
  const [core] = cpus();
  const at = (times: Times, name: string, share: number) =>
    percentile(times[name]?.timesMs ?? [], share);
  const rows = kinds.map(({ name, values }) => {
    const [ours] = systems.map(([, times]) => times);
    const cells = systems.flatMap(([, times], number) => {
      const ratio = (share: number) =>
        number === 0
          ? ''
          : ` (${(at(times, name, share) / at(ours as Times, name, share)).toFixed(1)} ×)`;
      const shares = [0.5, 0.99].map((share) => at(times, name, share).toFixed(3) + ratio(share));
      return [...shares, `${times[name]?.found ?? 0}`];
    });
    return [name, String(values.length), ...cells];
  });
  const head = [
    ...['Kind', 'Questions'],
    ...systems.flatMap(([name]) => [`${name} p50 ms`, 'p99 ms', 'found by the first']),
  ];
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    `# Kernels, ${documents} documents, ${new Date().toISOString().slice(0, 10)}`,
    '',
    `${cpus().length} × ${core?.model ?? 'unknown CPU'}, Node ${process.version}, ${TANTIVY}, Lucene 10 of OpenSearch's JARs; load ${loadavg()[0]?.toFixed(1)}.`,
    'The ten best of the identities; no question comes twice; words are cut a little differently by each. × of Cardea.',
    '',
    line(head),
    line(head.map(() => '---')),
    ...rows.map(line),
    '',
  ].join('\n');
}
