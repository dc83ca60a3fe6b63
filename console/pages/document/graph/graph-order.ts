// The order of the nodes in each column of an access graph, chosen so that few edges cross: the
// barycentre heuristic of Sugiyama, Tagawa and Toda (1981).
import { byName, compareTexts, type Item, type Neighbours } from './graph-items.ts';
import { inversionsOf, mean } from './sequences.ts';

/** How often the columns are ordered. */
const SWEEPS = 6;

/**
 * Orders columns by the mean position of the neighbours, alternately from both sides, and keeps the
 * order with the fewest crossings.
 */
export function order(columns: Item[][], before: Neighbours, after: Neighbours): void {
  const position = new Map<string, number>();
  const number = (column: readonly Item[]) => {
    for (const [at, { key }] of column.entries()) position.set(key, at / column.length);
  };
  const sort = (layer: number, near: Neighbours) => {
    const column = columns[layer] ?? [];
    const ranks = new Map(
      column.map((item) => {
        const places = near(item).map(({ key }) => position.get(key) ?? 0);
        return [item.key, mean(places, position.get(item.key))];
      }),
    );
    sortByRank(column, ranks);
    number(column);
  };
  for (const column of columns) number(column);
  let best = columns.map((column) => [...column]);
  let fewest = Number.POSITIVE_INFINITY;
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    if (sweep % 2 === 0) for (const layer of [1, 2, 3]) sort(layer, before);
    else for (const layer of [2, 1, 0]) sort(layer, after);
    const crossings = crossingsOf(columns, after);
    if (crossings >= fewest) continue;
    fewest = crossings;
    best = columns.map((column) => [...column]);
  }
  for (const [layer, column] of best.entries()) columns[layer] = column;
}

/** The number of pairs of edges between neighbouring columns that cross. */
function crossingsOf(columns: readonly (readonly Item[])[], after: Neighbours): number {
  return columns.reduce((sum, column, layer) => {
    const places = new Map((columns[layer + 1] ?? []).map(({ key }, at) => [key, at]));
    const ends = column.flatMap((item) =>
      after(item)
        .map(({ key }) => places.get(key) ?? 0)
        .sort((one, other) => one - other),
    );
    return sum + inversionsOf(ends);
  }, 0);
}

/** Sorts clusters by their mean rank, and inside by rank and name. */
function sortByRank(column: Item[], ranks: ReadonlyMap<string, number>): void {
  const rankOf = (item: Item) => ranks.get(item.key) ?? 0;
  const byCluster = new Map<string, number[]>();
  for (const item of column) {
    const list = byCluster.get(item.cluster);
    if (list === undefined) byCluster.set(item.cluster, [rankOf(item)]);
    else list.push(rankOf(item));
  }
  const clusterRank = new Map([...byCluster].map(([cluster, list]) => [cluster, mean(list)]));
  const rankOfCluster = (item: Item) => clusterRank.get(item.cluster) ?? 0;
  column.sort(
    (one, other) =>
      rankOfCluster(one) - rankOfCluster(other) ||
      compareTexts(one.cluster, other.cluster) ||
      Number(one.isLast) - Number(other.isLast) ||
      rankOf(one) - rankOf(other) ||
      byName(one, other),
  );
}
