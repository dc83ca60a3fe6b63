// Measures several processes of Cardea on one machine, on one PostgreSQL and one OpenSearch, as
// behind a balancer: clients spread their connections over them. The CPU of each part per request
// tells what a larger machine, or several, would reach. See README.md for the flags.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startOpenSearch } from '../test/support/opensearch.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { Cardea } from './cardea.ts';
import { type Address, Connection, wireRequest } from './client.ts';
import { median } from './comparison/figures.ts';
import { writeCorpus } from './corpus.ts';
import { percentile } from './load.ts';
import { cpuSecondsOfAll } from './process-figures.ts';
import { QUESTION_KINDS } from './questions/other-questions.ts';
import type { Question, QuestionKind } from './questions/question.ts';
import { QuestionSource } from './questions/question-source.ts';
import { readVocabulary, type Vocabulary } from './questions/vocabulary.ts';
import { resetUsers, UserChanges } from './user-changes.ts';

const { values: flags } = parseArgs({
  options: {
    save: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    documents: { type: 'string' },
    seconds: { type: 'string' },
    rounds: { type: 'string' },
  },
});
const documents = Number(flags.documents ?? (flags.quick ? 1_000 : 20_000));
const seconds = Number(flags.seconds ?? (flags.quick ? 1 : 6));
const rounds = Number(flags.rounds ?? (flags.quick ? 1 : 3));
const PROCESSES = flags.quick ? [1, 2] : [1, 2, 4];
const CONNECTIONS = flags.quick ? 4 : 32;
/** Different questions of a measurement; of those that take less time some come twice. */
const QUESTIONS = flags.quick ? 100 : 1_500;
/** Kinds of questions, with their page size. */
const KINDS: readonly (readonly [name: string, size: number])[] = [
  ['field AND NOT field', 10],
  ['free text, 2 words, 13 fields', 250],
  ['nested, filter, terms on a query', 0],
  ['get by id', 0],
];
const CHANGES = 'change an auth user';

/** CPU seconds of each part. */
type Usage = Readonly<Record<'cardea' | 'postgres' | 'opensearch', number>>;

interface Figures {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Milliseconds per request. */
  readonly cpuMs: Usage;
}

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const work = mkdtempSync(join(tmpdir(), 'cardea-processes-'));
const postgres = await startPostgres({ fsync: 'on', shared_buffers: '256MB' });
const openSearch = await startOpenSearch({ heapGib: 1 });
const nodes: Cardea[] = [];
/** Of the next questions: each measurement has others. */
let seed = 1;
try {
  const corpus = await writeCorpus(join(work, 'documents.ndjson'), documents);
  const vocabulary = await readVocabulary(corpus);
  const first = await Cardea.create({
    ...{ root, folder: join(work, 'node-0'), nodeFlags: [] },
    search: { url: openSearch.url, prefix: 'processes' },
    storeUrl: await postgres.database('processes'),
  });
  nodes.push(first);
  progress(`importing ${documents} documents`);
  await first.import(corpus.file);
  const results = new Map<number, ReadonlyMap<string, Figures>>();
  for (const count of PROCESSES) {
    while (nodes.length < count) {
      nodes.push(await first.anotherNode(join(work, `node-${nodes.length}`)));
    }
    for (const node of nodes) node.spawn();
    for (const node of nodes) await node.untilReady();
    await resetUsers(await first.address());
    results.set(count, await measureAll(vocabulary));
    for (const node of nodes) await node.stop();
  }
  const text = report(results);
  console.log(text);
  if (flags.save) save(text);
} finally {
  for (const node of nodes) await node.stop();
  await openSearch.stop();
  await postgres.stop();
  rmSync(work, { recursive: true, force: true });
}

async function measureAll(vocabulary: Vocabulary): Promise<ReadonlyMap<string, Figures>> {
  const figures = new Map<string, Figures>();
  const take = (kind: QuestionKind, size: number) =>
    new QuestionSource(vocabulary, seed++).take(kind, size, QUESTIONS);
  for (const [name, size] of KINDS) {
    const kind = kindOf(name);
    const label = size === 0 ? name : `${name} (${size})`;
    figures.set(label, await measureRounds(() => questionLoad(take(kind, size))));
    progress(`${nodes.length} processes, ${label}: ${line(figures.get(label))}`);
  }
  figures.set(CHANGES, await measureRounds(changeLoad));
  progress(`${nodes.length} processes, ${CHANGES}: ${line(figures.get(CHANGES))}`);
  return figures;
}

function kindOf(name: string): QuestionKind {
  const kind = QUESTION_KINDS.find((one) => one.name === name);
  if (kind === undefined) throw new Error(`There is no kind of question called ${name}`);
  return kind;
}

/** Returns the next request of a connection. */
type NextRequest = (to: Address) => Buffer;

/** @returns the requests of connection `at` */
type Load = (at: number) => NextRequest;

function questionLoad(questions: readonly Question[]): Load {
  let next = 0;
  return () => (to) => {
    const question = questions[next++ % questions.length] as Question;
    return wireRequest(to, question.cardea);
  };
}

function changeLoad(): Load {
  return (at) => {
    const changes = new UserChanges(at, CONNECTIONS);
    return (to) => changes.next(to);
  };
}

/** The medians of the rounds, after one that warms up. */
async function measureRounds(load: () => Load): Promise<Figures> {
  const all: Figures[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const figures = await measure(load());
    if (round > 0) all.push(figures);
  }
  const of = (read: (figures: Figures) => number) => median(all.map(read));
  return {
    perSecond: of(({ perSecond }) => perSecond),
    p50Ms: of(({ p50Ms }) => p50Ms),
    p99Ms: of(({ p99Ms }) => p99Ms),
    cpuMs: {
      cardea: of(({ cpuMs }) => cpuMs.cardea),
      postgres: of(({ cpuMs }) => cpuMs.postgres),
      opensearch: of(({ cpuMs }) => cpuMs.opensearch),
    },
  };
}

async function measure(load: Load): Promise<Figures> {
  const addresses = await Promise.all(nodes.map((node) => node.address()));
  const timesMs: number[] = [];
  const before = usage();
  const start = performance.now();
  const until = start + seconds * 1000;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async (_, at) => {
      const to = addresses[at % addresses.length] as Address;
      const next = load(at);
      const connection = await Connection.open(to.port);
      while (performance.now() < until) {
        const began = performance.now();
        await connection.send(next(to));
        timesMs.push(performance.now() - began);
      }
      connection.close();
    }),
  );
  const after = usage();
  const perRequest = (part: keyof Usage) => ((after[part] - before[part]) * 1000) / timesMs.length;
  return {
    perSecond: (timesMs.length * 1000) / (performance.now() - start),
    p50Ms: percentile(timesMs, 0.5),
    p99Ms: percentile(timesMs, 0.99),
    cpuMs: {
      cardea: perRequest('cardea'),
      postgres: perRequest('postgres'),
      opensearch: perRequest('opensearch'),
    },
  };
}

function usage(): Usage {
  return {
    cardea: cpuSecondsOfAll(nodes.map(({ pid }) => pid)),
    postgres: cpuSecondsOfAll([postgres.pid()]),
    opensearch: cpuSecondsOfAll([openSearch.pid()]),
  };
}

function line(figures: Figures | undefined): string {
  if (figures === undefined) return '';
  const { perSecond, p50Ms, p99Ms } = figures;
  return `${perSecond.toFixed(0)} (${p50Ms.toFixed(1)} / ${p99Ms.toFixed(1)})`;
}

function cpuLine({ cpuMs }: Figures): string {
  return [cpuMs.cardea, cpuMs.postgres, cpuMs.opensearch]
    .map((value) => value.toFixed(2))
    .join(' + ');
}

function report(results: ReadonlyMap<number, ReadonlyMap<string, Figures>>): string {
  const counts = [...results.keys()];
  const [fewest] = results.values();
  const rows = [...(fewest?.keys() ?? [])].map((label) => {
    const figures = counts.map((count) => results.get(count)?.get(label));
    const cpu = figures.map((one) => (one === undefined ? '' : cpuLine(one)));
    return `| ${[label, ...figures.map(line), ...cpu].join(' | ')} |`;
  });
  const heads = counts.map((count) => (count === 1 ? '1 process' : `${count} processes`));
  return [
    '# Several processes on one machine',
    '',
    `- ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, Node ${process.version}`,
    `- ${cpus().length} × ${cpus()[0]?.model ?? 'unknown CPU'}, load ${loadavg()[0]?.toFixed(1)}: client, Cardea, PostgreSQL 17 (with fsync) and OpenSearch 3.3 (1 GiB of heap) on one machine`,
    `- ${documents} documents, ${CONNECTIONS} connections spread over the processes, medians of ${rounds} rounds of ${seconds} s`,
    '- requests a second (p50 / p99 in ms); CPU in ms of a request: Cardea + PostgreSQL + OpenSearch',
    '',
    `| | ${heads.join(' | ')} | ${heads.map((head) => `CPU, ${head}`).join(' | ')} |`,
    `| --- |${[...counts, ...counts].map(() => ' --- |').join('')}`,
    ...rows,
    '',
  ].join('\n');
}

function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}

function save(text: string): void {
  const folder = join(root, 'bench', 'results');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${new Date().toISOString().slice(0, 10)}-processes.md`), text);
}
