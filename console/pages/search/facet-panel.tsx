// The facets of a search: the most frequent values of some fields, with document counts. A click
// selects a value or removes it; the button after it excludes the value. Values of one facet are
// alternatives, so the counts of a facet ignore its own selection.
import { useState } from 'preact/hooks';
import { aggregate } from '../../api/search-api.ts';
import { type Facet, facetsOf } from '../../model/kinds.ts';
import { facetsBody } from '../../model/search-body.ts';
import {
  excludedValues,
  type SearchState,
  selectedValues,
  toggleExcludedValue,
  toggleFacetValue,
} from '../../model/search-state.ts';
import type { AggregationResult } from '../../model/wire.ts';
import { FaultNotice, Waiting } from '../../ui/notice.tsx';
import { useLoad } from '../../ui/use-load.ts';
import { FacetValues } from './facet-values.tsx';
import { useShown } from './query/use-fields.ts';

const COLLAPSED_SIZE = 6;
const EXPANDED_SIZE = 50;

export function FacetPanel({
  state,
  onState,
}: {
  state: SearchState;
  onState: (state: SearchState) => void;
}) {
  const { facets: fields } = useShown(state.index);
  const facets = facetsOf(state.index, fields);
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set());
  const sizes = (facet: Facet) => (expanded.has(facet.field) ? EXPANDED_SIZE : COLLAPSED_SIZE);
  const { index, query, facetFilters, excluded, span, moreFilters, wordFields } = state;
  const filters = [facetFilters, excluded, span, moreFilters, wordFields];
  const key = JSON.stringify([index, query, filters, [...expanded], fields]);
  const { value, fault, reload } = useLoad(key, (signal) =>
    loadFacets(state, facets, sizes, signal),
  );
  if (fault !== null && fault.kind !== 'refused')
    return <FaultNotice fault={fault} reload={reload} />;
  if (value === undefined)
    return fault === null ? <Waiting lines={12} label="Loading facets" /> : null;
  return (
    <>
      {facets.map((facet) => (
        <FacetValues
          key={`${index} ${facet.field}`}
          state={state}
          facet={facet}
          result={value.get(facet.field)}
          onSelect={(chosen) => onState(toggleFacetValue(state, facet.field, chosen))}
          onExclude={(chosen) => onState(toggleExcludedValue(state, facet.field, chosen))}
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

async function loadFacets(
  state: SearchState,
  facets: readonly Facet[],
  sizes: (facet: Facet) => number,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, AggregationResult | undefined>> {
  const isFiltered = ({ field }: Facet) =>
    selectedValues(state, field).length + excludedValues(state, field).length > 0;
  const unfiltered = facets.filter((facet) => !isFiltered(facet));
  const groups = [
    ...(unfiltered.length === 0 ? [] : [{ group: unfiltered, excluded: null as string | null }]),
    ...facets.filter(isFiltered).map((facet) => ({ group: [facet], excluded: facet.field })),
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
