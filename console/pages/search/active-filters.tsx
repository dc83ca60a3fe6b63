// The filters of a search as chips; a click removes one.

import { filterText } from '../../model/filter-text.ts';
import { kindOf, labelOf } from '../../model/kinds.ts';
import { spanLabel } from '../../model/quick-ranges.ts';
import {
  isNarrowed,
  moreFiltersOf,
  NO_FILTERS,
  type SearchState,
  toggleExcludedValue,
  toggleFacetValue,
  type ValuesByField,
} from '../../model/search-state.ts';
import { Icon } from '../../ui/icon.tsx';
import { shownValue } from './facet-values.tsx';

export interface ActiveFiltersProps {
  readonly state: SearchState;
  readonly onState: (state: SearchState) => void;
}

interface Chip {
  readonly key: string;
  readonly text: string;
  readonly isExcluded: boolean;
  readonly without: SearchState;
}

export function ActiveFilters({ state, onState }: ActiveFiltersProps) {
  if (!isNarrowed(state)) return null;
  return (
    <div class="chosen">
      {chipsOf(state).map(({ key, text, isExcluded, without }) => (
        <button
          type="button"
          class={isExcluded ? 'chip chip-not' : 'chip'}
          key={key}
          title="Remove filter"
          onClick={() => onState(without)}
        >
          <span class="unseen">Remove filter</span> {text} <Icon name="close" size={12} />
        </button>
      ))}
      <button
        type="button"
        class="link-button"
        onClick={() => onState({ ...state, ...NO_FILTERS })}
      >
        Clear all
      </button>
    </div>
  );
}

/** The number of filters of a state. */
export function filterCount(state: SearchState): number {
  return chipsOf(state).length;
}

function chipsOf(state: SearchState): Chip[] {
  const { facets } = kindOf(state.index);
  const label = (field: string) =>
    facets.find((facet) => facet.field === field)?.label ?? labelOf(field);
  const pairs = (values: ValuesByField) =>
    Object.entries(values).flatMap(([field, list]) => list.map((value) => ({ field, value })));
  const { span } = state;
  return [
    ...pairs(state.facetFilters).map(({ field, value }) => ({
      key: `is ${field} ${value}`,
      text: `${label(field)}: ${shownValue(value)}`,
      isExcluded: false,
      without: toggleFacetValue(state, field, value),
    })),
    ...pairs(state.excluded).map(({ field, value }) => ({
      key: `not ${field} ${value}`,
      text: `${label(field)}: not ${shownValue(value)}`,
      isExcluded: true,
      without: toggleExcludedValue(state, field, value),
    })),
    ...(span === null
      ? []
      : [
          {
            key: 'span',
            text: spanLabel(span),
            isExcluded: false,
            without: { ...state, span: null },
          },
        ]),
    ...moreChips(state, label),
  ];
}

function moreChips(state: SearchState, label: (field: string) => string): Chip[] {
  const more = moreFiltersOf(state);
  const chips = Object.entries(more).map(([field, filter]): Chip => {
    const { [field]: _, ...others } = more;
    return {
      key: `filter ${field}`,
      text: `${label(field)}: ${filterText(filter)}`,
      isExcluded: (filter as { exclude?: unknown } | null)?.exclude === true,
      without: { ...state, moreFilters: others },
    };
  });
  if (state.wordFields === null) return chips;
  const text = `Words in: ${state.wordFields.map(labelOf).join(', ')}`;
  const without = { ...state, wordFields: null };
  return [...chips, { key: 'words', text, isExcluded: false, without }];
}
