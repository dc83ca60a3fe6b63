// Compares Cardea as a whole with an OpenSearch that has the same documents, on the same machine.
// The two take turns in each cell, so that other load on the machine affects both. See README.md.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type OpenSearch, startOpenSearch } from '../test/support/opensearch.ts';
import { countMatches } from './answer.ts';
import { Cardea } from './cardea.ts';
import { CEILINGS, measureCeiling } from './ceilings.ts';
import { type Address, ask, type HttpRequest } from './client.ts';
import { type Corpus, writeCorpus } from './corpus.ts';
import { type Holds, measureHolds } from './hold.ts';
import { drive, emptyLoad, type Load } from './load.ts';
import { createIndexes, feed, settle } from './opensearch.ts';
import {
  childrenCpuSeconds,
  cpuSeconds,
  diskMib,
  machineSeconds,
  residentMib,
} from './process-figures.ts';
import {
  type CellResult,
  cellRow,
  type Loads,
  markdownReport,
  type Once,
  type Results,
} from './report.ts';
import { measureResponsiveness } from './responsiveness.ts';
import { type Cell, readCells, type SystemName } from './workload.ts';

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    alone: { type: 'boolean', default: false },
    save: { type: 'boolean', default: false },
    documents: { type: 'string' },
    only: { type: 'string', default: '' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    profile: { type: 'string' },
  },
});
const documents = Number(flags.documents ?? (flags.quick ? 2_000 : 100_000));
const rounds = Number(flags.rounds ?? (flags.quick ? 1 : 2));
/** Duration of one load of one system in one round. */
const seconds = Number(flags.seconds ?? (flags.quick ? 0.05 : 1));
const HEAP_GIB = 1;
const FIRST_SEARCH: HttpRequest = {
  method: 'POST',
  path: '/v2024/search?limit=1',
  body: { indices: ['identities'], query: { query: '*' } },
};

type Indexing = Pick<Once, 'indexSeconds' | 'indexCpuSeconds'>;

/** A running system. */
interface System {
  readonly name: SystemName;
  readonly indexing: Indexing;
  /** Its data folder. */
  readonly folder: string;
  pid(): number;
  address(): Promise<Address>;
  /** Restarts it with its data; returns the seconds until it answers a search. */
  restart(): Promise<number>;
  /** Measures hostile requests and leaves it stopped; only for Cardea. */
  holds?(): Promise<Holds>;
  stop(): Promise<void>;
}

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const work = mkdtempSync(join(tmpdir(), 'cardea-bench-'));
try {
  await main();
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function main(): Promise<void> {
  const corpus = await writeCorpus(join(work, 'documents.ndjson'), documents);
  const sides: System[] = [];
  try {
    sides.push(await startCardea(corpus));
    if (!flags.quick && !flags.alone) sides.push(await startOpenSearchSide(corpus));
    const text = markdownReport(await measure(sides, corpus), about(sides));
    console.log(text);
    if (flags.save) save(text);
  } finally {
    for (const side of sides) await side.stop();
  }
}

async function measure(sides: readonly System[], corpus: Corpus): Promise<Results> {
  const [cardea] = sides;
  if (cardea === undefined) throw new Error('Nothing to measure');
  const cells = readCells(join(root, 'bench', 'workloads'), flags.only, corpus.ids);
  const before = usage(sides);
  const results: CellResult[] = [];
  for (const cell of cells) {
    const result = await measureCell(cell, sides);
    process.stderr.write(`${cellRow(result)}\n`);
    results.push(result);
  }
  const after = usage(sides);
  const responsiveness = await measureResponsiveness(
    await cardea.address(),
    flags.quick ? 0.5 : 10,
  );
  const once: Partial<Record<SystemName, Once>> = {};
  for (const side of sides) {
    const { name, indexing, folder } = side;
    const figures = { residentMib: residentMib(side.pid()), diskMib: diskMib(folder) };
    once[name] = { ...indexing, ...figures, startSeconds: await side.restart() };
  }
  const holds = (await cardea.holds?.()) ?? null;
  const ceilings: Load[] = [];
  for (const name of CEILINGS) ceilings.push(await measureCeiling(name, seconds));
  const { documents: count, bytes } = corpus;
  const othersShare = 1 - (after.ours - before.ours) / (after.busy - before.busy);
  const busyShare = (after.busy - before.busy) / (after.all - before.all);
  return {
    ...{ documents: count, bytes, cells: results, once, responsiveness, holds, ceilings },
    othersShare: Math.max(0, othersShare * busyShare),
  };
}

function usage(sides: readonly System[]) {
  const pids = [process.pid, ...sides.map((side) => side.pid())];
  const ours = pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0);
  return { ...machineSeconds(), ours };
}

async function measureCell(cell: Cell, sides: readonly System[]): Promise<CellResult> {
  const matches: Partial<Record<SystemName, number | null>> = {};
  const loads: Partial<Record<SystemName, Loads>> = {};
  const ready: { side: System; to: Address; requests: Buffer[]; own: Loads }[] = [];
  for (const side of sides) {
    const to = await side.address();
    const requests = cell.requests(to, side.name);
    const own = { one: emptyLoad(), eight: emptyLoad() };
    matches[side.name] = await countMatches(to, cell, side.name);
    loads[side.name] = own;
    ready.push({ side, to, requests, own });
    // Warms up the JIT and the caches.
    await drive(to, requests, { connections: 8, seconds, pid: side.pid() }, emptyLoad());
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const { side, to, requests, own } of ready) {
      const pid = side.pid();
      await drive(to, requests, { connections: 1, seconds, pid }, own.one);
      await drive(to, requests, { connections: 8, seconds, pid }, own.eight);
    }
  }
  return { cell, matches, loads };
}

async function startCardea(corpus: Corpus): Promise<System> {
  const folder = join(work, 'data');
  const nodeFlags =
    flags.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${flags.profile}`];
  const cardea = await Cardea.create({ root, folder, nodeFlags });
  const indexing = await measureIndexing(() => cardea.import(corpus.file), childrenCpuSeconds);
  cardea.spawn();
  await cardea.untilAnswering(() => cardea.address());
  return {
    ...{ name: 'cardea', indexing, folder },
    pid: () => cardea.pid,
    address: () => cardea.address(),
    async restart() {
      const address = await cardea.address();
      await cardea.stop();
      return timed(async () => {
        cardea.spawn();
        await cardea.untilAnswering(() => ask(address, FIRST_SEARCH));
      });
    },
    async holds() {
      await cardea.stop();
      return measureHolds(root, folder, flags.quick ? 1 : 5, async (url) => {
        const { token } = await cardea.address(Number(new URL(url).port));
        return token;
      });
    },
    stop: () => cardea.stop(),
  };
}

async function startOpenSearchSide(corpus: Corpus): Promise<System> {
  const openSearch: OpenSearch = await startOpenSearch({ heapGib: HEAP_GIB });
  const to = { port: Number(new URL(openSearch.url).port), token: null };
  try {
    await createIndexes(to);
    const cpu = () => cpuSeconds(openSearch.pid());
    const indexing = await measureIndexing(() => feed(to, corpus), cpu);
    await settle(to);
    return {
      ...{ name: 'opensearch', indexing, folder: openSearch.folder },
      pid: () => openSearch.pid(),
      address: async () => to,
      restart: () =>
        timed(async () => {
          await openSearch.restart();
          await ask(to, { method: 'GET', path: '/identities/_search?size=1' });
        }),
      stop: () => openSearch.stop(),
    };
  } catch (error) {
    await openSearch.stop();
    throw error;
  }
}

async function measureIndexing(work: () => Promise<void>, cpuNow: () => number): Promise<Indexing> {
  const before = cpuNow();
  const indexSeconds = await timed(work);
  process.stderr.write(`indexed in ${indexSeconds.toFixed(1)} s\n`);
  return { indexSeconds, indexCpuSeconds: cpuNow() - before };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

function about(sides: readonly System[]): string[] {
  const [core] = cpus();
  const gib = (totalmem() / 2 ** 30).toFixed(0);
  const commit = execFileSync('git', ['describe', '--always', '--dirty'], {
    cwd: root,
    encoding: 'utf8',
  });
  const load = loadavg().map((value) => value.toFixed(1));
  return [
    `${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, commit ${commit.trim()}`,
    `${cpus().length} × ${core?.model ?? 'unknown CPU'}, ${gib} GiB, Node ${process.version}; load at the end ${load.join(', ')}`,
    sides.length === 1
      ? 'Cardea alone; client and Cardea on one machine'
      : `OpenSearch 3.3, ${HEAP_GIB} GiB heap, one shard an index; client, Cardea and OpenSearch on one machine`,
    `${rounds} rounds in turn, ${seconds} s of each load in each; p50 and p99 with one connection, CPU with eight`,
  ];
}

function save(text: string): void {
  const folder = join(root, 'bench', 'results');
  mkdirSync(folder, { recursive: true });
  const date = new Date().toISOString().slice(0, 10);
  writeFileSync(join(folder, `${date}-${documents}.md`), text);
}
