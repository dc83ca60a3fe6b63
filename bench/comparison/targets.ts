// What Cardea aims at, as ratios to OpenSearch in one run, and whether a run reached it. All ratios
// are above 1 in Cardea's favour.
import type { CellResult } from './cell.ts';
import { type Figures, geometricMean, ratios } from './figures.ts';
import type { Backend, Results } from './results.ts';

/** A figure without a number has no target besides the floor. */
type CellTarget = Partial<Figures>;

const SMALL_PAGE: CellTarget = { p50Ms: 4, p99Ms: 2, cpuMs: 2.5 };
const LARGE_PAGE: CellTarget = { p50Ms: 4, p99Ms: 2, cpuMs: 3 };
const AGGREGATION: CellTarget = { p50Ms: 5, cpuMs: 3 };
const LARGE_PAGE_SIZE = 250;
/** No cell is below this at any percentile. */
const FLOOR: CellTarget = { p50Ms: 1.3, p99Ms: 1.3 };

/**
 * On OpenSearch no cell is below half of its speed, and a question takes OpenSearch at most 1.15 times
 * the CPU of a user's own.
 */
const ON_OPENSEARCH: CellTarget = { p50Ms: 0.5, searchCpuMs: 0.87 };
/** On OpenSearch: geometric means of all cells, and of aggregations. */
const MEAN_ON_OPENSEARCH: CellTarget = { p50Ms: 0.8, perSecond: 0.75 };
const AGGREGATIONS_ON_OPENSEARCH: CellTarget = { p50Ms: 0.75 };

/** The targets of questions that were not asked before. */
export function cellTarget(
  { group, size }: Pick<CellResult, 'group' | 'size'>,
  backend: Backend,
): CellTarget {
  if (backend === 'opensearch') return ON_OPENSEARCH;
  if (group === 'aggregation') return { ...FLOOR, ...AGGREGATION };
  if (group === 'page') {
    return { ...FLOOR, ...(size === LARGE_PAGE_SIZE ? LARGE_PAGE : SMALL_PAGE) };
  }
  return FLOOR;
}

export const FIGURE_LABELS: Readonly<Record<keyof Figures, string>> = {
  p50Ms: 'p50',
  p99Ms: 'p99',
  perSecond: 'req/s',
  cpuMs: 'CPU',
  searchCpuMs: 'CPU of OpenSearch',
};

/** The targets that a cell misses, such as `p50 ≥ 4`; null without OpenSearch. */
export function missedTargets(result: CellResult, backend: Backend): readonly string[] | null {
  const { cardea, opensearch } = result.sides;
  if (cardea === undefined || opensearch === undefined) return null;
  const reached = ratios(cardea.different, opensearch.different);
  return Object.entries(cellTarget(result, backend)).flatMap(([name, least]) => {
    const figure = name as keyof Figures;
    return reached[figure] >= least ? [] : [`${FIGURE_LABELS[figure]} ≥ ${least}`];
  });
}

/** One line of the list of targets. */
export interface Verdict {
  readonly target: string;
  readonly measured: string;
  readonly isMet: boolean;
}

/** All targets that the run allows to judge; none without OpenSearch. */
export function verdicts(results: Results): Verdict[] {
  const backend = results.backend ?? 'embedded';
  const others = backend === 'opensearch' ? onOpenSearch(results) : serviceVerdicts(results);
  return [...cellVerdicts(results.cells, backend), ...others];
}

function cellVerdicts(cells: readonly CellResult[], backend: Backend): Verdict[] {
  const groups: readonly (readonly [string, (cell: CellResult) => boolean])[] = [
    ['pages of 10', ({ group, size }) => group === 'page' && size !== LARGE_PAGE_SIZE],
    ['pages of 250', ({ group, size }) => group === 'page' && size === LARGE_PAGE_SIZE],
    ['aggregations', ({ group }) => group === 'aggregation'],
    ['lookups and mixtures', ({ group }) => group === 'lookup' || group === 'mixture'],
  ];
  return groups.flatMap(([name, belongs]) => {
    const judged = cells.filter(belongs).filter((cell) => missedTargets(cell, backend) !== null);
    const [first] = judged;
    if (first === undefined) return [];
    const target = Object.entries(cellTarget(first, backend))
      .map(([figure, least]) => `${FIGURE_LABELS[figure as keyof Figures]} ≥ ${least}`)
      .join(', ');
    const met = judged.filter((cell) => missedTargets(cell, backend)?.length === 0).length;
    return [
      {
        target: `${name}, different questions: ${target}`,
        measured: `${met} of ${judged.length} cells`,
        isMet: met === judged.length,
      },
    ];
  });
}

function serviceVerdicts({ services, bytes }: Results): Verdict[] {
  const { cardea, opensearch } = services;
  if (cardea === undefined) return [];
  const rawMib = bytes / 2 ** 20;
  const diskTimes = (cardea.disk.storeMib + cardea.disk.indexMib) / rawMib;
  return [
    ...(opensearch === undefined
      ? []
      : [
          atLeast('import, durable', opensearch.import.seconds / cardea.import.seconds, 4),
          atLeast('start to first search', opensearch.startSeconds / cardea.startSeconds, 12),
        ]),
    atMost('first search after an import', cardea.firstSearchMs / 1000, 1, 's'),
    atMost('disk, store and index', diskTimes, 1.5, '× raw'),
    atMost('CPU of an empty start', cardea.emptyStart.cpuSeconds, 0.5, 's'),
  ];
}

/** What Cardea on OpenSearch costs beyond OpenSearch with a user's own index. */
function onOpenSearch({ cells, imports }: Results): Verdict[] {
  const { cardea, opensearch } = imports ?? {};
  const aggregations = cells.filter(({ group }) => group === 'aggregation');
  const ofCells = [
    ...meanVerdicts('all cells', cells, MEAN_ON_OPENSEARCH),
    ...meanVerdicts('aggregations', aggregations, AGGREGATIONS_ON_OPENSEARCH),
  ];
  if (cardea === undefined || opensearch === undefined) return ofCells;
  const diskTimes = cardea.disk.indexMib / opensearch.disk.indexMib;
  return [
    ...ofCells,
    atLeast('import, durable', opensearch.import.seconds / cardea.import.seconds, 0.8),
    atMost('disk of the index', diskTimes, 1.3, "× a user's own"),
  ];
}

function meanVerdicts(name: string, cells: readonly CellResult[], target: CellTarget): Verdict[] {
  const reached = cells.flatMap(({ sides: { cardea, opensearch } }) =>
    cardea === undefined || opensearch === undefined
      ? []
      : [ratios(cardea.different, opensearch.different)],
  );
  if (reached.length === 0) return [];
  const means = geometricMean(reached);
  return Object.entries(target).map(([figure, least]) => {
    const of = figure as keyof Figures;
    return atLeast(`${name}, geometric mean of ${FIGURE_LABELS[of]}`, means[of], least);
  });
}

function atMost(target: string, value: number, most: number, unit: string): Verdict {
  return {
    target: `${target} at most ${most} ${unit}`,
    measured: `${value.toFixed(2)} ${unit}`,
    isMet: value <= most,
  };
}

function atLeast(target: string, ratio: number, least: number): Verdict {
  return { target: `${target} ≥ ${least}`, measured: ratio.toFixed(2), isMet: ratio >= least };
}
