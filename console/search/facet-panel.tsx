// The facets of a search: the most frequent values of some fields, each with how many documents have it. A click
// narrows the search, another one lets go. Values of one facet widen each other, so its own choice does not count for
// what it shows.
import { useState } from 'preact/hooks';
import { aggregate } from '../api/search-api.ts';
import type { AggregationResult, Bucket } from '../api/wire.ts';
import { FaultNotice, Waiting } from '../ui/notice.tsx';
import { useLoad } from '../ui/use-load.ts';
import { type Facet, kindOf } from './kinds.ts';
import { facetsBody } from './search-body.ts';
import { chosenIn, type SearchState } from './search-state.ts';

const FEW = 6;
const MANY = 50;

export function FacetPanel({
  state,
  onToggle,
}: {
  state: SearchState;
  onToggle: (field: string, value: string) => void;
}) {
  const { facets } = kindOf(state.index);
  const [wide, setWide] = useState<ReadonlySet<string>>(new Set());
  const sizes = (facet: Facet) => (wide.has(facet.field) ? MANY : FEW);
  const { index, query, narrowed, span } = state;
  const key = JSON.stringify([index, query, narrowed, span, [...wide]]);
  const { value, fault, again } = useLoad(key, (signal) => loadFacets(state, sizes, signal));
  if (fault !== null && fault.kind !== 'refused')
    return <FaultNotice fault={fault} again={again} />;
  if (value === undefined)
    return fault === null ? <Waiting lines={12} label="Loading facets" /> : null;
  return (
    <>
      {facets.map((facet) => (
        <FacetValues
          key={facet.field}
          facet={facet}
          result={value.get(facet.field)}
          chosen={chosenIn(state, facet.field)}
          onToggle={(chosen) => onToggle(facet.field, chosen)}
          onMore={wide.has(facet.field) ? null : () => setWide(new Set([...wide, facet.field]))}
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
  /** null: all are shown that are going to be. */
  readonly onMore: (() => void) | null;
}

function FacetValues({ facet, result, chosen, onToggle, onMore }: FacetValuesProps) {
  const found = (result?.buckets ?? []).map((bucket) => ({
    value: textOf(bucket),
    count: countOf(bucket),
  }));
  const gone = chosen.filter((value) => !found.some((bucket) => bucket.value === value));
  const values = [...found, ...gone.map((value) => ({ value, count: 0 }))];
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
          More values
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
  const isOpen = (facet: Facet) => chosenIn(state, facet.field).length > 0;
  const shut = facets.filter((facet) => !isOpen(facet));
  const groups = [
    ...(shut.length === 0 ? [] : [{ group: shut, open: null as string | null }]),
    ...facets.filter(isOpen).map((facet) => ({ group: [facet], open: facet.field })),
  ];
  const answers = await Promise.all(
    groups.map(({ group, open }) => aggregate(facetsBody(state, group, sizes, open), signal)),
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
