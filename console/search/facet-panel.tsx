// The facets of a search: the most frequent values of some fields, with document counts. A click
// adds a value to the filters or removes it. Values of one facet are alternatives, so the counts of
// a facet ignore its own selection.
import { useState } from 'preact/hooks';
import { aggregate } from '../api/search-api.ts';
import type { AggregationResult, Bucket } from '../api/wire.ts';
import { FaultNotice, Waiting } from '../ui/notice.tsx';
import { useLoad } from '../ui/use-load.ts';
import { type Facet, kindOf } from './kinds.ts';
import { facetsBody } from './search-body.ts';
import { type SearchState, selectedValues } from './search-state.ts';

const COLLAPSED_SIZE = 6;
const EXPANDED_SIZE = 50;

export function FacetPanel({
  state,
  onToggle,
}: {
  state: SearchState;
  onToggle: (field: string, value: string) => void;
}) {
  const { facets } = kindOf(state.index);
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set());
  const sizes = (facet: Facet) => (expanded.has(facet.field) ? EXPANDED_SIZE : COLLAPSED_SIZE);
  const { index, query, facetFilters, span } = state;
  const key = JSON.stringify([index, query, facetFilters, span, [...expanded]]);
  const { value, fault, reload } = useLoad(key, (signal) => loadFacets(state, sizes, signal));
  if (fault !== null && fault.kind !== 'refused')
    return <FaultNotice fault={fault} reload={reload} />;
  if (value === undefined)
    return fault === null ? <Waiting lines={12} label="Loading facets" /> : null;
  return (
    <>
      {facets.map((facet) => (
        <FacetValues
          key={facet.field}
          facet={facet}
          result={value.get(facet.field)}
          chosen={selectedValues(state, facet.field)}
          onToggle={(chosen) => onToggle(facet.field, chosen)}
          onMore={
            expanded.has(facet.field)
              ? null
              : () => setExpanded(new Set([...expanded, facet.field]))
          }
        />
      ))}
    </>
  );
}

interface FacetValuesProps {
  readonly facet: Facet;
  readonly result: AggregationResult | undefined;
  readonly chosen: readonly string[];
  readonly onToggle: (value: string) => void;
  /** null: the facet is expanded already. */
  readonly onMore: (() => void) | null;
}

function FacetValues({ facet, result, chosen, onToggle, onMore }: FacetValuesProps) {
  const buckets = (result?.buckets ?? []).map((bucket) => ({
    value: textOf(bucket),
    count: countOf(bucket),
  }));
  const missing = chosen.filter((value) => !buckets.some((bucket) => bucket.value === value));
  const values = [...buckets, ...missing.map((value) => ({ value, count: 0 }))];
  if (values.length === 0) return null;
  const most = Math.max(1, ...values.map(({ count }) => count));
  return (
    <fieldset class="facet">
      <legend>{facet.label}</legend>
      {values.map(({ value, count }) => (
        <label class="facet-value" key={value}>
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={() => onToggle(value)}
          />
          <span class="facet-name" title={value}>
            {shownValue(value)}
          </span>
          <span class="facet-count">{count.toLocaleString('en')}</span>
          <span class="facet-bar" style={{ width: `${(100 * count) / most}%` }} />
        </label>
      ))}
      {onMore !== null && (result?.sum_other_doc_count ?? 0) > 0 && (
        <button type="button" class="link-button" onClick={onMore}>
          Show more
        </button>
      )}
    </fieldset>
  );
}

async function loadFacets(
  state: SearchState,
  sizes: (facet: Facet) => number,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, AggregationResult | undefined>> {
  const { facets } = kindOf(state.index);
  const isSelected = (facet: Facet) => selectedValues(state, facet.field).length > 0;
  const unselected = facets.filter((facet) => !isSelected(facet));
  const groups = [
    ...(unselected.length === 0 ? [] : [{ group: unselected, excluded: null as string | null }]),
    ...facets.filter(isSelected).map((facet) => ({ group: [facet], excluded: facet.field })),
  ];
  const answers = await Promise.all(
    groups.map(({ group, excluded }) =>
      aggregate(facetsBody(state, group, sizes, excluded), signal),
    ),
  );
  return new Map(
    groups.flatMap(({ group }, nth) =>
      group.map((facet, at): [string, AggregationResult | undefined] => {
        const result = answers[nth]?.[`facet${at}`];
        return [facet.field, facet.nested === undefined ? result : result?.values];
      }),
    ),
  );
}

function textOf({ key, key_as_string }: Bucket): string {
  return key_as_string ?? String(key);
}

function countOf(bucket: Bucket): number {
  return bucket.documents?.doc_count ?? bucket.doc_count;
}

function shownValue(value: string): string {
  if (value === 'true') return 'Yes';
  if (value === 'false') return 'No';
  return value === '' ? '(empty)' : value;
}
