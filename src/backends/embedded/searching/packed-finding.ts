// A finding on its way from one thread to the other. The rows of a page go as a few arrays of numbers, for every object costs
// the receiver as much as a row costs it to read.
import { JsonText } from '../../../identity/json/json-text.ts';
import type { SortValue } from '../../../query/query.ts';
import type { FoundPage, FoundRow } from './found-page.ts';
import type { OpenTarget } from './open-target.ts';
import type { Finding } from './question.ts';

interface PackedPage {
  /** By row of the page three numbers: the target, the view, the row. */
  readonly places: Int32Array;
  /** NaN: none. null: no row has one. */
  readonly scores: Float64Array | null;
  /** The sort values of all rows, one after the other. */
  readonly sorts: readonly SortValue[];
  readonly elements: readonly (readonly number[])[] | null;
  readonly total: number | null;
  /** JSON. */
  readonly aggregations: Uint8Array | null;
}

export type PackedFinding =
  | { readonly kind: 'page'; readonly page: PackedPage }
  | { readonly kind: 'plain'; readonly finding: Exclude<Finding, { readonly kind: 'search' }> };

/** @param targets those that were asked; the receiver has them in the same order */
export function packFinding(finding: Finding, targets: readonly OpenTarget[]): PackedFinding {
  if (finding.kind !== 'search') return { kind: 'plain', finding };
  const { rows, total, aggregations } = finding.page;
  const numbers = new Map(targets.map(({ index }, at) => [index, at]));
  const places = new Int32Array(rows.length * 3);
  const scores = rows.some(({ score }) => score !== null) ? new Float64Array(rows.length) : null;
  rows.forEach(({ index, view, row, score }, at) => {
    places[3 * at] = numbers.get(index) ?? -1;
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

export function unpackFinding(packed: PackedFinding, targets: readonly OpenTarget[]): Finding {
  if (packed.kind === 'plain') return packed.finding;
  const { aggregations, total } = packed.page;
  const page: FoundPage = {
    rows: unpackRows(packed.page, targets),
    total,
    ...(aggregations !== null && { aggregations: new JsonText(aggregations) }),
  };
  return { kind: 'search', page };
}

function unpackRows(
  { places, scores, sorts, elements }: PackedPage,
  targets: readonly OpenTarget[],
): FoundRow[] {
  const count = places.length / 3;
  const keys = sorts.length / count;
  const rows: FoundRow[] = [];
  for (let at = 0; at < count; at++) {
    const target = targets[places[3 * at] ?? -1];
    if (target === undefined) throw new Error('A row of no target');
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
