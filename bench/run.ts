// Compares Cardea as a whole with an OpenSearch that has the same documents, with an earlier build,
// or with both, on the same machine. See README.md.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { CEILINGS, measureCeiling } from './ceilings.ts';
import { type ImportFigures, importCompany } from './comparison/after-import.ts';
import {
  AskedBefore,
  type CellResult,
  measureCell,
  selectCells,
  warmUp,
} from './comparison/cell.ts';
import { readIdentities, writeDatasets } from './comparison/datasets.ts';
import { HEAP_GIB } from './comparison/opensearch-side.ts';
import { markdownReport } from './comparison/report.ts';
import type { Backend, LightRequests, Results, ServiceFigures } from './comparison/results.ts';
import type { SideName } from './comparison/side.ts';
import { type StartedSide, withSides } from './comparison/sides.ts';
import { cellLine, type Reference } from './comparison/tables.ts';
import { type Corpus, writeCorpus } from './corpus.ts';
import { type Holds, measureHolds } from './hold.ts';
import { percentile, perSecond } from './load.ts';
import { commitOf, cpuSecondsOfAll, machineSeconds, residentMib } from './process-figures.ts';
import { QUESTION_KINDS } from './questions/other-questions.ts';
import type { Question } from './questions/question.ts';
import { QuestionSource } from './questions/question-source.ts';
import { readVocabulary } from './questions/vocabulary.ts';
import { measureResponsiveness } from './responsiveness.ts';

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    'no-opensearch': { type: 'boolean', default: false },
    backend: { type: 'string', default: 'embedded' },
    build: { type: 'string' },
    cell: { type: 'string', multiple: true, default: [] },
    profile: { type: 'string' },
    save: { type: 'boolean', default: false },
    documents: { type: 'string' },
    questions: { type: 'string' },
    rounds: { type: 'string' },
    seed: { type: 'string', default: '7' },
  },
});
const documents = Number(flags.documents ?? (flags.quick ? 2_000 : 100_000));
const questions = Number(flags.questions ?? (flags.quick ? 36 : 3_000));
const rounds = Number(flags.rounds ?? (flags.quick ? 1 : 3));
const withOpenSearch = !flags.quick && !flags['no-opensearch'];
const backend = backendOf(flags.backend);
/** The cells on OpenSearch: one or two of each kind, as a node serves them beside a user's index. */
const ON_OPENSEARCH = [
  ...['field AND field AND NOT field', 'phrase AND field AND NOT field', 'name:nam*'],
  ...['free text, 2 words, 13 fields', 'displayName:*nam*', 'events by type in a range of days ('],
  ...['nested access, 3 conditions, AND city AND NOT name (', 'sort by name, searchAfter a name'],
  ...['terms on a query', 'cardinality on a query', 'date_histogram on a query'],
  ...['count', 'get by id'],
];
const cellParts = flags.cell.length === 0 && backend === 'opensearch' ? ON_OPENSEARCH : flags.cell;
/** With `--cell`, and on OpenSearch, only imports and cells are measured. */
const isWhole = cellParts.length === 0;
/** Before the first cell on OpenSearch, whose code Java compiles for minutes. */
const WARM_UP_SECONDS = backend === 'opensearch' && !flags.quick ? 60 : 0;
/** Searches during the merges after an import, and documents that cells with writes write. */
const PROBES = flags.quick ? 20 : 600;
const WRITTEN_DOCUMENTS = 2_000;
const PROBE_CELL = 'free text, 2 words, 13 fields (10)';
const CEILING_REQUESTS = flags.quick ? 1_000 : 30_000;

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const work = mkdtempSync(join(tmpdir(), 'cardea-bench-'));
try {
  await main();
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function main(): Promise<void> {
  const cells = selectCells(QUESTION_KINDS, cellParts);
  progress(`writing ${documents} documents`);
  const corpus = await writeCorpus(join(work, 'documents.ndjson'), documents);
  const options = {
    ...{ root, folder: work, baseline: flags.build ?? null, profiles: flags.profile ?? null },
    opensearch: withOpenSearch ? ('started' as const) : ('none' as const),
    backend,
  };
  const results = await withSides(options, (sides) => measure(sides, cells, corpus));
  const text = markdownReport(results);
  console.log(text);
  if (flags.save) save(results, text);
}

async function measure(
  started: readonly StartedSide[],
  cells: ReturnType<typeof selectCells>,
  corpus: Corpus,
): Promise<Results> {
  const sides = started.map(({ side }) => side);
  const source = new QuestionSource(await readVocabulary(corpus), Number(flags.seed));
  const askedBefore = new AskedBefore();
  const probes = takeProbes(source, askedBefore);
  const imports = new Map<SideName, ImportFigures>();
  for (const side of sides) {
    progress(`importing into ${side.name}`);
    const figures = await importCompany(side, corpus, probes);
    imports.set(side.name, figures);
    const { seconds, cpuSeconds } = figures.import;
    progress(
      `${seconds.toFixed(1)} s, CPU ${cpuSeconds.toFixed(1)} s; merges over after ${figures.mergesSeconds.toFixed(1)} s; index of ${figures.disk.indexMib.toFixed(0)} MiB`,
    );
  }
  const datasets = await writeDatasets(work, corpus, cells);
  for (const side of sides) await side.addDatasets(datasets);
  await warmUp(cells, sides, source, WARM_UP_SECONDS);
  const written = await readIdentities(corpus, WRITTEN_DOCUMENTS);
  const before = usage(started);
  const results: CellResult[] = [];
  for (const cell of cells) {
    const cellOptions = { questions, rounds, documents: written };
    const result = await measureCell(cell, sides, source, askedBefore, cellOptions);
    progress(cellLine(result, reference()));
    results.push(result);
  }
  const after = usage(started);
  const othersShare = 1 - (after.ours - before.ours) / (after.busy - before.busy);
  const busyShare = (after.busy - before.busy) / (after.all - before.all);
  return {
    ...{ backend, documents: corpus.documents, bytes: corpus.bytes, cells: results },
    isProfiled: flags.profile !== undefined,
    othersShare: Math.max(0, othersShare * busyShare),
    imports: Object.fromEntries(imports),
    ...(await measureService(started, imports)),
    about: about(),
  };
}

function takeProbes(source: QuestionSource, askedBefore: AskedBefore): Question[] {
  const [cell] = selectCells(QUESTION_KINDS, [PROBE_CELL]);
  if (cell === undefined) return [];
  const probes = source.take(cell.kind, cell.size, PROBES);
  askedBefore.add(probes);
  return probes;
}

type ServiceResults = Pick<Results, 'services' | 'lightRequests' | 'holds' | 'ceilings'>;

/** What is measured once for each side, and of Cardea alone; nothing with `--cell`. */
async function measureService(
  started: readonly StartedSide[],
  imports: ReadonlyMap<SideName, ImportFigures>,
): Promise<ServiceResults> {
  const [cardea] = started;
  if (!isWhole || cardea === undefined) {
    return { services: {}, lightRequests: null, holds: null, ceilings: {} };
  }
  const lightRequests = await measureLightRequests(cardea);
  const services: Partial<Record<SideName, ServiceFigures>> = {};
  for (const { side, emptyStart } of started) {
    const figures = imports.get(side.name);
    if (figures === undefined) continue;
    const memory = side.pids().reduce((sum, pid) => sum + residentMib(pid), 0);
    const startSeconds = await side.restart();
    services[side.name] = { ...figures, emptyStart, startSeconds, residentMib: memory };
  }
  const ceilings: Record<string, number> = {};
  for (const name of CEILINGS) {
    ceilings[name] = perSecond(await measureCeiling(name, CEILING_REQUESTS));
  }
  // They block the thread that searches, which is this process only with the embedded engine.
  const holds = backend === 'embedded' ? await measureHostileRequests(cardea) : null;
  return { services, lightRequests, holds, ceilings };
}

async function measureLightRequests({ side }: StartedSide): Promise<LightRequests> {
  const to = await side.address('company');
  const { lightMs, heavyMs } = await measureResponsiveness(to, flags.quick ? 0.5 : 10);
  return {
    ...{ p50Ms: percentile(lightMs, 0.5), p99Ms: percentile(lightMs, 0.99) },
    ...{ longestMs: percentile(lightMs, 1), heavyMs: percentile(heavyMs, 0.5) },
  };
}

/** Stops Cardea, and measures its data in this process. */
async function measureHostileRequests({ side }: StartedSide): Promise<Holds> {
  const { token } = await side.address('company');
  await side.stop();
  return measureHolds(root, join(work, 'data'), flags.quick ? 1 : 5, async () => token ?? '');
}

function usage(started: readonly StartedSide[]) {
  const self = process.cpuUsage();
  const ours = cpuSecondsOfAll([...new Set(started.flatMap(({ side }) => side.pids()))]);
  return { ...machineSeconds(), ours: ours + (self.user + self.system) / 1e6 };
}

function backendOf(name: string): Backend {
  if (name === 'embedded' || name === 'opensearch') return name;
  throw new Error(`--backend is embedded or opensearch, not ${name}`);
}

function reference(): Reference {
  if (withOpenSearch) return 'opensearch';
  return flags.build === undefined ? null : 'baseline';
}

function about(): string[] {
  const [core] = cpus();
  const gib = (totalmem() / 2 ** 30).toFixed(0);
  const load = loadavg().map((value) => value.toFixed(1));
  return [
    `${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, commit ${commitOf(root)}`,
    `${cpus().length} × ${core?.model ?? 'unknown CPU'}, ${gib} GiB, Node ${process.version}; load at the end ${load.join(', ')}`,
    ...(flags.build === undefined ? [] : [`earlier build: commit ${commitOf(flags.build)}`]),
    withOpenSearch
      ? `OpenSearch 3.3, ${HEAP_GIB} GiB heap, one shard an index; client and all systems on one machine`
      : 'no OpenSearch; client and Cardea on one machine',
    ...(backend === 'opensearch'
      ? [
          `Cardea searches in the same OpenSearch, in indexes of its own; each index was merged to one segment; all sides were warmed up for ${WARM_UP_SECONDS} s; CPU of Cardea includes that of OpenSearch for it`,
        ]
      : []),
    `medians of ${rounds} rounds in turn, ${questions} different questions for each cell, warmed up by ${Math.ceil(questions / 6)} others, seed ${flags.seed}; p50 and p99 with one connection, req/s with eight, CPU of all threads and children of the server with both`,
  ];
}

function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}

function save(results: Results, text: string): void {
  const folder = join(root, 'bench', 'results');
  mkdirSync(folder, { recursive: true });
  const date = new Date().toISOString().slice(0, 10);
  const suffix = backend === 'opensearch' ? '-on-opensearch' : '';
  const name = join(folder, `${date}-${documents}${suffix}`);
  writeFileSync(`${name}.md`, text);
  writeFileSync(`${name}.json`, `${JSON.stringify(results, null, 1)}\n`);
}
