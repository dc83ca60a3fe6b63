// Tables of cells in Markdown: the figures of two sides and their ratios.
import { type CellResult, REPEATED_QUESTIONS } from './cell.ts';
import { type Figures, geometricMean, ratios } from './figures.ts';
import type { Backend } from './results.ts';
import type { SideName } from './side.ts';
import { FIGURE_LABELS, missedTargets } from './targets.ts';

type FigureName = keyof Figures;

/** The figures that a table shows: the CPU of OpenSearch only where Cardea searches in it. */
function shownFigures(cells: readonly CellResult[]): readonly FigureName[] {
  const usesOpenSearch = cells.some(({ sides }) => (sides.cardea?.different.searchCpuMs ?? 0) > 0);
  const names = Object.keys(FIGURE_LABELS) as FigureName[];
  return names.filter((name) => name !== 'searchCpuMs' || usesOpenSearch);
}

export const SIDE_LABELS: Readonly<Record<SideName, string>> = {
  cardea: 'Cardea',
  baseline: 'earlier build',
  opensearch: 'OpenSearch',
};

type Kind = 'different' | 'repeated';

/** What Cardea is compared with; null: nothing. */
export type Reference = 'opensearch' | 'baseline' | null;

/** A table of all cells. */
export function cellTable(
  cells: readonly CellResult[],
  kind: Kind,
  reference: Reference,
  backend: Backend,
): string[] {
  const hasTargets = kind === 'different' && reference === 'opensearch';
  const shown = shownFigures(cells);
  const figures = (name: SideName) =>
    figureHeads(name, shown).map((head) => `${SIDE_LABELS[name]} ${head}`);
  const head = [
    ...['Cell', 'Questions', 'Hits'],
    ...figures('cardea'),
    ...(reference === null ? [] : figures(reference)),
    ...(reference === null ? [] : shown.map((name) => `× ${FIGURE_LABELS[name]}`)),
    ...(hasTargets ? ['missed'] : []),
  ];
  const rows = cells.map((cell) => {
    const start = cellStart(cell, kind, reference, shown);
    const missed = missedTargets(cell, backend) ?? [];
    return row([...start, ...(hasTargets ? [missed.map((text) => `**${text}**`).join(', ')] : [])]);
  });
  return [row(head), row(head.map(() => '---')), ...rows];
}

/** A line on one cell for the console, while the run goes on. */
export function cellLine(cell: CellResult, reference: Reference): string {
  const shown = shownFigures([cell]);
  const repeated = ratioTexts(cell, 'repeated', reference, shown);
  return row([
    ...cellStart(cell, 'different', reference, shown),
    ...(repeated.length === 0 ? [] : [`repeated × ${repeated.join(', ')}`]),
  ]);
}

/** Geometric means of the ratios by group of cells. */
export function meansTable(cells: readonly CellResult[], reference: Reference): string[] {
  if (reference === null) return [];
  const groups: readonly (readonly [string, (cell: CellResult) => boolean])[] = [
    ['pages of 10', ({ size }) => size === 10],
    ['pages of 250', ({ size }) => size === 250],
    ['aggregations', ({ group }) => group === 'aggregation'],
    ['lookups and mixtures', ({ group }) => group === 'lookup' || group === 'mixture'],
    ['all cells', () => true],
  ];
  const shown = shownFigures(cells);
  const head = [
    'Geometric mean',
    'cells',
    ...(['different', 'repeated'] as const).flatMap((kind) =>
      shown.map((name) => `${kind} × ${FIGURE_LABELS[name]}`),
    ),
  ];
  const rows = groups.flatMap(([name, belongs]) => {
    const members = cells.filter(belongs);
    if (members.length === 0) return [];
    const means = (['different', 'repeated'] as const).flatMap((kind) => {
      const list = members.flatMap((cell) => ratiosOf(cell, kind, reference) ?? []);
      return ratioCells(geometricMean(list), shown);
    });
    return [row([name, String(members.length), ...means])];
  });
  return [row(head), row(head.map(() => '---')), ...rows];
}

export function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

export function grouped(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

function cellStart(
  cell: CellResult,
  kind: Kind,
  reference: Reference,
  shown: readonly FigureName[],
): string[] {
  const { name, size, questions, sides } = cell;
  const count = kind === 'different' ? grouped(questions) : String(REPEATED_QUESTIONS);
  return [
    ...[size === 0 ? name : `${name} (${size})`, count, hitsText(cell)],
    ...figureTexts(sides, 'cardea', kind, shown),
    ...(reference === null ? [] : figureTexts(sides, reference, kind, shown)),
    ...ratioTexts(cell, kind, reference, shown),
  ];
}

/** The CPU of OpenSearch is all of that side's own. */
function figureHeads(name: SideName, shown: readonly FigureName[]): string[] {
  const heads = ['p50 / p99 ms', 'req/s', 'CPU ms'];
  return name !== 'opensearch' && shown.includes('searchCpuMs')
    ? [...heads, 'of it OpenSearch']
    : heads;
}

function figureTexts(
  sides: CellResult['sides'],
  name: SideName,
  kind: Kind,
  shown: readonly FigureName[],
): string[] {
  const heads = figureHeads(name, shown);
  const figures = sides[name]?.[kind];
  if (figures === undefined) return heads.map(() => '');
  const { p50Ms, p99Ms, perSecond, cpuMs, searchCpuMs } = figures;
  const latency = `${p50Ms.toFixed(2)} / ${p99Ms.toFixed(2)}`;
  const texts = [latency, grouped(perSecond), cpuMs.toFixed(2), searchCpuMs.toFixed(2)];
  return texts.slice(0, heads.length);
}

function ratioTexts(
  cell: CellResult,
  kind: Kind,
  reference: Reference,
  shown: readonly FigureName[],
): string[] {
  if (reference === null) return [];
  const reached = ratiosOf(cell, kind, reference);
  return reached === null ? shown.map(() => '') : ratioCells(reached, shown);
}

function ratiosOf(cell: CellResult, kind: Kind, reference: SideName): Figures | null {
  const ours = cell.sides.cardea;
  const theirs = cell.sides[reference];
  return ours === undefined || theirs === undefined ? null : ratios(ours[kind], theirs[kind]);
}

/** A ratio of CPU times below the tick of the kernel has no meaning. */
function ratioCells(figures: Figures, shown: readonly FigureName[]): string[] {
  return shown.map((name) => (Number.isFinite(figures[name]) ? figures[name].toFixed(2) : '-'));
}

/** The median of the hits, and the share of questions with hits if it is below 100 %. */
function hitsText({ sides }: CellResult): string {
  const texts = (['cardea', 'opensearch'] as const).flatMap((name) => {
    const hits = sides[name]?.hits;
    if (hits === undefined) return [];
    const share = hits.share === 1 ? '' : ` (${(hits.share * 100).toFixed(0)} % have any)`;
    return [`${grouped(hits.median)}${share}`];
  });
  return [...new Set(texts)].join(' ≠ ');
}
