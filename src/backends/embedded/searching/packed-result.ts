// Results in a form that can be sent between threads. The rows of a page become a few arrays of
// numbers, as each object costs the receiver as much as reading a row.
import type { HitRow } from '../../../engine/hits/hit-merge.ts';
import { JsonText } from '../../../json/json-text.ts';
import type { SortValue } from '../../../query/query.ts';
import type { OpenTarget } from './open-target.ts';
import type { PageRows } from './page-rows.ts';
import type { QueryPhaseResult } from './query-request.ts';

interface PackedPage {
  /** For each row of the page three numbers: target, view, row. */
  readonly places: Int32Array;
  /** NaN: no score. null: no row has one. */
  readonly scores: Float64Array | null;
  /** The sort values of all rows, concatenated. */
  readonly sorts: readonly SortValue[];
  readonly elements: readonly (readonly number[])[] | null;
  readonly total: number | null;
  /** JSON. */
  readonly aggregations: Uint8Array | null;
}

export type PackedResult =
  | { readonly kind: 'page'; readonly page: PackedPage }
  | {
      readonly kind: 'plain';
      readonly result: Exclude<QueryPhaseResult, { readonly kind: 'search' }>;
    };

/** @param targets the targets of the job; the receiver has them in the same order */
export function packResult(result: QueryPhaseResult, targets: readonly OpenTarget[]): PackedResult {
  if (result.kind !== 'search') return { kind: 'plain', result };
  const { rows, total, aggregations } = result.page;
  const targetNumbers = new Map(targets.map(({ index }, at) => [index, at]));
  const places = new Int32Array(rows.length * 3);
  const scores = rows.some(({ score }) => score !== null) ? new Float64Array(rows.length) : null;
  rows.forEach(({ index, view, row, score }, at) => {
    places[3 * at] = targetNumbers.get(index) ?? -1;
    places[3 * at + 1] = view;
    places[3 * at + 2] = row;
    if (scores !== null) scores[at] = score ?? Number.NaN;
  });
  const page = {
    ...{ places, scores, total },
    sorts: rows.flatMap(({ sort }) => sort),
    elements: rows.some(({ elements }) => elements !== null)
      ? rows.map(({ elements }) => elements ?? [])
      : null,
    aggregations: aggregations?.bytes ?? null,
  };
  return { kind: 'page', page };
}

export function unpackResult(
  packed: PackedResult,
  targets: readonly OpenTarget[],
): QueryPhaseResult {
  if (packed.kind === 'plain') return packed.result;
  const { aggregations, total } = packed.page;
  const page: PageRows = {
    rows: unpackRows(packed.page, targets),
    total,
    ...(aggregations !== null && { aggregations: new JsonText(aggregations) }),
  };
  return { kind: 'search', page };
}

function unpackRows(
  { places, scores, sorts, elements }: PackedPage,
  targets: readonly OpenTarget[],
): HitRow[] {
  const count = places.length / 3;
  const keys = sorts.length / count;
  const rows: HitRow[] = [];
  for (let at = 0; at < count; at++) {
    const target = targets[places[3 * at] ?? -1];
    if (target === undefined) throw new Error('A row without a target');
    const score = scores?.[at] ?? Number.NaN;
    rows.push({
      index: target.index,
      view: places[3 * at + 1] ?? -1,
      row: places[3 * at + 2] ?? -1,
      score: Number.isNaN(score) ? null : score,
      sort: keys === 0 ? NO_VALUES : sorts.slice(at * keys, (at + 1) * keys),
      elements: elements?.[at] ?? null,
    });
  }
  return rows;
}

const NO_VALUES: readonly SortValue[] = [];
