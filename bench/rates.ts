// Requests a second over several connections, measured with wrk: this build, an earlier one and OpenSearch with
// the same documents and questions, in turn. See README.md for the flags.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { wireRequest } from './client.ts';
import { AskedBefore, type Cell, cellName, selectCells } from './comparison/cell.ts';
import { median } from './comparison/figures.ts';
import { countHits } from './comparison/hits.ts';
import type { Side, SideName } from './comparison/side.ts';
import { withSides } from './comparison/sides.ts';
import { writeCorpus } from './corpus.ts';
import { cpuSecondsOfAll, measuredOn, residentMib } from './process-figures.ts';
import { QUESTION_KINDS } from './questions/other-questions.ts';
import type { Question } from './questions/question.ts';
import { QuestionSource } from './questions/question-source.ts';
import { readVocabulary } from './questions/vocabulary.ts';
import { runWrk, type WrkFigures } from './wrk.ts';

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    save: { type: 'boolean', default: false },
    opensearch: { type: 'boolean', default: false },
    build: { type: 'string' },
    threads: { type: 'string' },
    'against-threads': { type: 'string' },
    documents: { type: 'string' },
    questions: { type: 'string' },
    rounds: { type: 'string' },
    connections: { type: 'string', default: '8,32' },
    cell: { type: 'string', multiple: true, default: [] },
    seed: { type: 'string', default: '11' },
  },
});
const documents = Number(flags.documents ?? (flags.quick ? 2_000 : 30_000));
/** Different questions of each measurement: a cell needs them for all numbers of connections and rounds. */
const questions = Number(flags.questions ?? (flags.quick ? 50 : 6_000));
const rounds = Number(flags.rounds ?? (flags.quick ? 1 : 3));
const connections = flags.connections.split(',').map(Number);
const CELLS = [
  ...['field AND field AND NOT field (10)', 'field AND field AND NOT field (250)'],
  ...['count', 'terms on a query'],
];
/** Questions of each cell whose numbers of hits are compared between the sides. */
const COMPARED = 12;

/** The settings of a side with this number of threads. */
const withThreads = (count: string | undefined) =>
  count === undefined ? {} : { CARDEA_THREADS: count };
const against = flags['against-threads'];

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const work = mkdtempSync(join(tmpdir(), 'cardea-bench-rates-'));

interface Measured extends WrkFigures {
  readonly cpuMs: number;
}
interface Row {
  readonly cell: string;
  readonly connections: number;
  readonly sides: ReadonlyMap<SideName, Measured>;
}

try {
  await main();
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function main(): Promise<void> {
  const cells = selectCells(QUESTION_KINDS, flags.cell.length === 0 ? CELLS : flags.cell);
  const corpus = await writeCorpus(join(work, 'documents.ndjson'), documents);
  const source = new QuestionSource(await readVocabulary(corpus), Number(flags.seed));
  const options = {
    ...{ root, folder: work, profiles: null },
    baseline: flags.build ?? (against === undefined ? null : root),
    settings: { cardea: withThreads(flags.threads), baseline: withThreads(against) },
    opensearch: flags.opensearch ? ('started' as const) : ('none' as const),
    backend: 'embedded' as const,
  };
  const text = await withSides(options, async (started) => {
    const sides = started.map(({ side }) => side);
    for (const side of sides) {
      await side.import(corpus);
      await side.serve();
      await side.untilMerged();
    }
    const rows: Row[] = [];
    const askedBefore = new AskedBefore();
    for (const cell of cells) rows.push(...(await measureCell(cell, sides, source, askedBefore)));
    return report(rows, sides);
  });
  console.log(text);
  const date = new Date().toISOString().slice(0, 10);
  if (flags.save) {
    writeFileSync(join(root, 'bench', 'results', `${date}-rates-${documents}.md`), text);
  }
}

async function measureCell(
  cell: Cell,
  sides: readonly Side[],
  source: QuestionSource,
  askedBefore: AskedBefore,
): Promise<Row[]> {
  const take = (count: number): Question[] => {
    const taken = source.take(cell.kind, cell.size, count);
    askedBefore.add(taken);
    return taken;
  };
  await compareHits(cell, sides, take(COMPARED));
  const warmUp = take(Math.ceil(questions / 3));
  for (const side of sides) await measure(side, warmUp, 8);
  const rows: Row[] = [];
  for (const count of connections) {
    const measured = new Map<SideName, Measured[]>(sides.map(({ name }) => [name, []]));
    for (let round = 0; round < rounds; round += 1) {
      const asked = take(questions);
      const from = round % sides.length;
      for (const side of [...sides.slice(from), ...sides.slice(0, from)]) {
        measured.get(side.name)?.push(await measure(side, asked, count));
      }
    }
    const medians = [...measured].map(([name, list]) => [name, medianOf(list)] as const);
    const row = { cell: cellName(cell), connections: count, sides: new Map(medians) };
    process.stderr.write(`${lineOf(row, sides)}\n`);
    rows.push(row);
  }
  return rows;
}

async function measure(side: Side, asked: readonly Question[], count: number): Promise<Measured> {
  const to = await side.address('company');
  const requests = asked.map((question) => wireRequest(to, question[side.system]));
  const before = cpuSecondsOfAll(side.pids());
  const figures = await runWrk(requests, { port: to.port, connections: count, folder: work });
  const cpuMs = ((cpuSecondsOfAll(side.pids()) - before) * 1000) / requests.length;
  return { ...figures, cpuMs };
}

/** @throws Error if the builds of Cardea find different numbers of documents */
async function compareHits(cell: Cell, sides: readonly Side[], sample: readonly Question[]) {
  const ours = sides.filter(({ system }) => system === 'cardea');
  for (const question of sample) {
    const counts: number[] = [];
    for (const side of ours) {
      const to = await side.address('company');
      counts.push(await countHits(to, question.cardea, 'cardea'));
    }
    if (new Set(counts).size > 1) {
      const { body } = question.cardea;
      throw new Error(`${cellName(cell)}: ${counts.join(' and ')} hits of ${JSON.stringify(body)}`);
    }
  }
}

function medianOf(list: readonly Measured[]): Measured {
  const of = (name: keyof Measured) => median(list.map((one) => one[name]));
  return { perSecond: of('perSecond'), p50Ms: of('p50Ms'), p99Ms: of('p99Ms'), cpuMs: of('cpuMs') };
}

function lineOf({ cell, connections: count, sides }: Row, all: readonly Side[]): string {
  const [first, ...others] = all.map(({ name }) => sides.get(name));
  const figures = [...sides.values()].map(
    ({ perSecond, p50Ms, p99Ms, cpuMs }) =>
      `${perSecond.toFixed(0)} | ${p50Ms.toFixed(2)} | ${p99Ms.toFixed(2)} | ${cpuMs.toFixed(3)}`,
  );
  const ratios = others.map((other) =>
    ((first?.perSecond ?? 0) / (other?.perSecond ?? 1)).toFixed(2),
  );
  return `| ${[cell, count, ...figures, ...ratios].join(' | ')} |`;
}

function report(rows: readonly Row[], sides: readonly Side[]): string {
  const others = sides.slice(1).map(({ name }) => name);
  const heads = sides.flatMap(({ name }) => [`${name}: req/s`, 'p50 ms', 'p99 ms', 'CPU ms']);
  const columns = ['Cell', 'connections', ...heads, ...others.map((name) => `× ${name}`)];
  const means = others.map((name) => {
    const logs = rows.map(({ sides: measured }) =>
      Math.log((measured.get('cardea')?.perSecond ?? 1) / (measured.get(name)?.perSecond ?? 1)),
    );
    return `geometric mean of × ${name}: ${Math.exp(logs.reduce((sum, log) => sum + log, 0) / logs.length).toFixed(2)}`;
  });
  const memory = sides.map(
    (side) =>
      `${side.name} ${side
        .pids()
        .reduce((sum, pid) => sum + residentMib(pid), 0)
        .toFixed(0)} MiB`,
  );
  return [
    '# Requests a second with wrk',
    '',
    ...measuredOn(root),
    `- ${documents} documents; ${questions} different questions for each of ${rounds} rounds, medians, in turn; seed ${flags.seed}`,
    ...(flags.threads === undefined ? [] : [`- this build with CARDEA_THREADS=${flags.threads}`]),
    ...(flags.build === undefined ? [] : ['- baseline is an earlier build']),
    ...(against === undefined ? [] : [`- baseline has CARDEA_THREADS=${against}`]),
    `- resident at the end: ${memory.join(', ')}`,
    ...means.map((line) => `- ${line}`),
    '',
    `| ${columns.join(' | ')} |`,
    `|${'---|'.repeat(columns.length)}`,
    ...rows.map((row) => lineOf(row, sides)),
    '',
  ].join('\n');
}
