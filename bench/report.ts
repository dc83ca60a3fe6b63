// Writes results as Markdown: one table of queries and one of the figures measured once, each ratio
// with its aim (a ratio above 1 is in Cardea's favour).
import { CEILINGS } from './ceilings.ts';
import { type Holds, holdLines } from './hold.ts';
import { cpuMsPerRequest, type Load, percentile, perSecond } from './load.ts';
import type { Responsiveness } from './responsiveness.ts';
import type { Cell, SystemName } from './workload.ts';

/** One system under one connection and under eight. */
export interface Loads {
  readonly one: Load;
  readonly eight: Load;
}

/** The result of a cell; without `opensearch` if Cardea ran alone. */
export interface CellResult {
  readonly cell: Cell;
  readonly matches: Readonly<Partial<Record<SystemName, number | null>>>;
  readonly loads: Readonly<Partial<Record<SystemName, Loads>>>;
}

/** Figures that are measured once for each system. */
export interface Once {
  readonly indexSeconds: number;
  readonly indexCpuSeconds: number;
  readonly startSeconds: number;
  readonly residentMib: number;
  readonly diskMib: number;
}

export interface Results {
  readonly documents: number;
  readonly bytes: number;
  readonly cells: readonly CellResult[];
  readonly once: Readonly<Partial<Record<SystemName, Once>>>;
  readonly responsiveness: Responsiveness;
  readonly holds: Holds | null;
  readonly ceilings: readonly Load[];
  /** The share of the machine's CPU that other programs used during the cells, 0 to 1. */
  readonly othersShare: number;
}

/** Aims of the figures measured once, as ratios above 1 even if less is better. */
const AT_LEAST: Readonly<Record<keyof Once, number | null>> = {
  indexSeconds: 5,
  indexCpuSeconds: null,
  startSeconds: 10,
  residentMib: 2,
  diskMib: null,
};
const LARGE_PAGE_TIMES = 5;
/** From this number of documents, memory has an absolute limit instead of a ratio. */
const LARGE_INDEX = 1_000_000;
const LARGE_INDEX_MIB_MAX = 2_048;

/** @param about machine, date and commit, one line each */
export function markdownReport(results: Results, about: readonly string[]): string {
  const { documents, bytes, responsiveness } = results;
  const { lightMs, heavyMs } = responsiveness;
  return [
    `# ${grouped(documents)} documents`,
    '',
    ...about.map((line) => `- ${line}`),
    `- ${(bytes / 2 ** 20).toFixed(0)} MiB of JSON, ${(bytes / documents / 1000).toFixed(1)} KB each`,
    `- other programs took ${(results.othersShare * 100).toFixed(0)} % of the machine during the run`,
    '',
    ...cellTable(results.cells),
    '',
    ...onceTable(results),
    '',
    `GET /health every 5 ms beside one heavy aggregation a second: p50 ${percentile(lightMs, 0.5).toFixed(2)}, p99 ` +
      `${percentile(lightMs, 0.99).toFixed(2)}, longest ${percentile(lightMs, 1).toFixed(2)} ms ` +
      `(the aggregation: ${percentile(heavyMs, 0.5).toFixed(2)} ms).`,
    '',
    ...(results.holds === null ? [] : ['```', ...holdLines(results.holds), '```', '']),
    ...CEILINGS.flatMap((name, at) => {
      const load = results.ceilings[at];
      return load === undefined
        ? []
        : [`${name} alone, 1 KB POST, 8 connections: ${grouped(perSecond(load))} req/s.`];
    }),
    '',
  ].join('\n');
}

/** A row of the table, also printed during the run. */
export function cellRow({ cell, matches, loads }: CellResult): string {
  const { cardea, opensearch } = loads;
  const { workload, label, atLeast, isLargePage } = cell;
  const start = [workload.name, label, matchesText(matches), ...figuresOf(cardea)];
  if (cardea === undefined || opensearch === undefined) return row(start);
  const atOne = perSecond(cardea.one) / perSecond(opensearch.one);
  const atEight = perSecond(cardea.eight) / perSecond(opensearch.eight);
  const cpu = cpuMsPerRequest(opensearch.eight) / cpuMsPerRequest(cardea.eight);
  const p50 = percentile(opensearch.one.timesMs, 0.5) / percentile(cardea.one.timesMs, 0.5);
  const isMet =
    atLeast === null ? null : atEight >= atLeast && (!isLargePage || p50 >= LARGE_PAGE_TIMES);
  return row([
    ...start,
    ...figuresOf(opensearch),
    ...[atOne, atEight, p50, cpu].map((ratio) => ratio.toFixed(2)),
    ...aimed(atLeast, isMet),
  ]);
}

function cellTable(cells: readonly CellResult[]): string[] {
  const figures = ['p50 ms', 'p99 ms', 'req/s, 1', 'req/s, 8', 'CPU ms'];
  const head = ['Query', '', 'Found', ...figures.map((name) => `Cardea ${name}`)];
  if (cells.some(({ loads }) => loads.opensearch !== undefined)) {
    head.push(...figures.map((name) => `OpenSearch ${name}`));
    head.push('× at 1', '× at 8', '× p50', '× CPU', 'aim', '');
  }
  return [row(head), row(head.map(() => '---')), ...cells.map(cellRow)];
}

function figuresOf(loads: Loads | undefined): string[] {
  if (loads === undefined) return ['', '', '', '', ''];
  const { one, eight } = loads;
  return [
    percentile(one.timesMs, 0.5).toFixed(2),
    percentile(one.timesMs, 0.99).toFixed(2),
    grouped(perSecond(one)),
    grouped(perSecond(eight)),
    cpuMsPerRequest(eight).toFixed(2),
  ];
}

function matchesText({ cardea, opensearch }: CellResult['matches']): string {
  if (cardea === undefined || cardea === null) return '';
  const differs = opensearch !== undefined && opensearch !== null && opensearch !== cardea;
  return differs ? `${grouped(cardea)} ≠ ${grouped(opensearch)}` : grouped(cardea);
}

function onceTable({ once, documents, bytes }: Results): string[] {
  const { cardea, opensearch } = once;
  const line = (
    name: string,
    figure: keyof Once,
    format: (value: number) => string,
  ): readonly string[] => {
    const ours = cardea?.[figure];
    const theirs = opensearch?.[figure];
    if (ours === undefined) return [];
    if (theirs === undefined) return [row([name, format(ours), '', '', '', ''])];
    const ratio = theirs / ours;
    const atLeast = AT_LEAST[figure];
    const start = [name, format(ours), format(theirs), ratio.toFixed(2)];
    if (figure === 'residentMib' && documents >= LARGE_INDEX) {
      const isMet = ours <= LARGE_INDEX_MIB_MAX;
      return [row([...start, `≤ ${grouped(LARGE_INDEX_MIB_MAX)} MiB`, verdict(isMet)])];
    }
    const isMet = atLeast === null ? null : ratio >= atLeast;
    return [row([...start, ...aimed(atLeast, isMet)])];
  };
  const ofRaw = (mib: number) =>
    `${mib.toFixed(0)} MiB (${((mib * 2 ** 20) / bytes).toFixed(2)} ×)`;
  return [
    row(['', 'Cardea', 'OpenSearch', '×', 'aim', '']),
    row(['---', '---', '---', '---', '---', '---']),
    ...line('indexing (Cardea: import, durable; OpenSearch: bulk)', 'indexSeconds', (seconds) => {
      return `${grouped(documents / seconds)} documents/s`;
    }),
    ...line('CPU of indexing', 'indexCpuSeconds', (cpu) => {
      return `${((cpu * 1000) / documents).toFixed(2)} s for 1,000 documents`;
    }),
    ...line('start to first search', 'startSeconds', (seconds) => `${seconds.toFixed(2)} s`),
    ...line('resident memory after the run', 'residentMib', (mib) => `${mib.toFixed(0)} MiB`),
    ...line('disk (of raw)', 'diskMib', ofRaw),
  ];
}

function aimed(atLeast: number | null, isMet: boolean | null): string[] {
  if (atLeast === null || isMet === null) return ['', ''];
  return [`≥ ${atLeast}`, verdict(isMet)];
}

function verdict(isMet: boolean): string {
  return isMet ? 'met' : '**missed**';
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function grouped(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
