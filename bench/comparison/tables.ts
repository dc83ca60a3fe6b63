// Tables of cells in Markdown: the figures of two sides and their ratios.
import { type CellFigures, type CellResult, REPEATED_QUESTIONS } from './cell.ts';
import { type Figures, geometricMean, ratios } from './figures.ts';
import type { Backend } from './results.ts';
import type { SideName } from './side.ts';
import { FIGURE_LABELS, missedTargets } from './targets.ts';

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
  const figures = ['p50 / p99 ms', 'req/s', 'CPU ms'];
  const head = [
    ...['Cell', 'Questions', 'Hits'],
    ...figures.map((name) => `Cardea ${name}`),
    ...(reference === null ? [] : figures.map((name) => `${SIDE_LABELS[reference]} ${name}`)),
    ...(reference === null ? [] : Object.values(FIGURE_LABELS).map((name) => `× ${name}`)),
    ...(hasTargets ? ['missed'] : []),
  ];
  const rows = cells.map((cell) => {
    const start = cellStart(cell, kind, reference);
    const missed = missedTargets(cell, backend) ?? [];
    return row([...start, ...(hasTargets ? [missed.map((text) => `**${text}**`).join(', ')] : [])]);
  });
  return [row(head), row(head.map(() => '---')), ...rows];
}

/** A line on one cell for the console, while the run goes on. */
export function cellLine(cell: CellResult, reference: Reference): string {
  const repeated = ratioTexts(cell, 'repeated', reference);
  return row([
    ...cellStart(cell, 'different', reference),
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
  const head = [
    'Geometric mean',
    'cells',
    ...(['different', 'repeated'] as const).flatMap((kind) =>
      Object.values(FIGURE_LABELS).map((name) => `${kind} × ${name}`),
    ),
  ];
  const rows = groups.flatMap(([name, belongs]) => {
    const members = cells.filter(belongs);
    if (members.length === 0) return [];
    const means = (['different', 'repeated'] as const).flatMap((kind) => {
      const list = members.flatMap((cell) => ratiosOf(cell, kind, reference) ?? []);
      return ratioCells(geometricMean(list));
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

function cellStart(cell: CellResult, kind: Kind, reference: Reference): string[] {
  const { name, size, questions, sides } = cell;
  const count = kind === 'different' ? grouped(questions) : String(REPEATED_QUESTIONS);
  return [
    ...[size === 0 ? name : `${name} (${size})`, count, hitsText(cell)],
    ...figureTexts(sides.cardea, kind),
    ...(reference === null ? [] : figureTexts(sides[reference], kind)),
    ...ratioTexts(cell, kind, reference),
  ];
}

function figureTexts(side: CellFigures | undefined, kind: Kind): string[] {
  if (side === undefined) return ['', '', ''];
  const { p50Ms, p99Ms, perSecond, cpuMs } = side[kind];
  return [`${p50Ms.toFixed(2)} / ${p99Ms.toFixed(2)}`, grouped(perSecond), cpuMs.toFixed(2)];
}

function ratioTexts(cell: CellResult, kind: Kind, reference: Reference): string[] {
  if (reference === null) return [];
  const reached = ratiosOf(cell, kind, reference);
  return reached === null ? ['', '', '', ''] : ratioCells(reached);
}

function ratiosOf(cell: CellResult, kind: Kind, reference: SideName): Figures | null {
  const ours = cell.sides.cardea;
  const theirs = cell.sides[reference];
  return ours === undefined || theirs === undefined ? null : ratios(ours[kind], theirs[kind]);
}

/** A ratio of CPU times below the tick of the kernel has no meaning. */
function ratioCells(figures: Figures): string[] {
  return (Object.keys(FIGURE_LABELS) as (keyof Figures)[]).map((name) =>
    Number.isFinite(figures[name]) ? figures[name].toFixed(2) : '-',
  );
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
