// The values of one facet, in a group that collapses. Further values can be searched by the start
// of a word. The group is open or closed for as long as the page is open.
import { useState } from 'preact/hooks';
import { aggregate } from '../../api/search-api.ts';
import type { Facet } from '../../model/kinds.ts';
import { facetsBody } from '../../model/search-body.ts';
import { excludedValues, type SearchState, selectedValues } from '../../model/search-state.ts';
import type { AggregationResult, Bucket } from '../../model/wire.ts';
import { Icon } from '../../ui/icon.tsx';
import { useOneStop } from '../../ui/keyboard/one-stop.ts';
import { useTypedWords } from '../../ui/typing/typing-pause.ts';
import { useLoad } from '../../ui/use-load.ts';

export interface FacetValuesProps {
  readonly state: SearchState;
  readonly facet: Facet;
  readonly result: AggregationResult | undefined;
  readonly onSelect: (value: string) => void;
  readonly onExclude: (value: string) => void;
  /** null: the facet shows more values already. */
  readonly onMore: (() => void) | null;
}

interface Count {
  readonly value: string;
  readonly count: number;
}

const FOUND_MAX = 20;
/** Arrow keys move through the values, and from a value to the button that excludes it. */
const VALUE_CONTROLS = 'input[type=checkbox], button';
const VALUE_ROWS = '.facet-value, :scope > .link-button';

export function FacetValues({
  state,
  facet,
  result,
  onSelect,
  onExclude,
  onMore,
}: FacetValuesProps) {
  const [words, setWords] = useState('');
  const selected = selectedValues(state, facet.field);
  const excluded = excludedValues(state, facet.field);
  const matching = useMatchingValues(state, facet, words);
  const stop = useOneStop<HTMLFieldSetElement>(VALUE_CONTROLS, VALUE_ROWS);
  const frequent = countsOf(result);
  const shown = words.trim() === '' ? frequent : (matching ?? []);
  const chosen = [...selected, ...excluded];
  const missing = chosen.filter((value) => !shown.some((one) => one.value === value));
  const counts = [...shown, ...missing.map((value) => ({ value, count: 0 }))];
  const hasMore = (result?.sum_other_doc_count ?? 0) > 0;
  if (counts.length === 0 && words === '') return null;
  const most = Math.max(1, ...counts.map(({ count }) => count));
  return (
    <details class="facet" open>
      <summary>
        <span class="facet-title">{facet.label}</span>
        {chosen.length > 0 && <span class="facet-chosen">{chosen.length}</span>}
        <Icon name="chevron" size={14} />
      </summary>
      <fieldset {...stop}>
        <legend class="unseen">{facet.label}</legend>
        {onMore === null && (
          <input
            class="facet-search"
            type="search"
            aria-label={`Find a value of ${facet.label}`}
            placeholder="Find a value"
            value={words}
            onInput={({ currentTarget }) => setWords(currentTarget.value)}
          />
        )}
        {counts.map(({ value, count }) => (
          <FacetValue
            key={value}
            value={value}
            count={count}
            share={count / most}
            isSelected={selected.includes(value)}
            isExcluded={excluded.includes(value)}
            onSelect={() => onSelect(value)}
            onExclude={() => onExclude(value)}
          />
        ))}
        {words !== '' && matching?.length === 0 && <p class="quiet">No such value</p>}
        {onMore !== null && hasMore && words === '' && (
          <button type="button" class="link-button" onClick={onMore}>
            Show more
          </button>
        )}
      </fieldset>
    </details>
  );
}

interface FacetValueProps extends Count {
  /** Between 0 and 1, of the most frequent value. */
  readonly share: number;
  readonly isSelected: boolean;
  readonly isExcluded: boolean;
  readonly onSelect: () => void;
  readonly onExclude: () => void;
}

function FacetValue(props: FacetValueProps) {
  const { value, count, share, isSelected, isExcluded, onSelect, onExclude } = props;
  const label = isExcluded ? 'Include' : 'Exclude';
  return (
    <div class="facet-value" data-excluded={isExcluded}>
      <span class="facet-bar" style={{ width: `${100 * share}%` }} />
      <label>
        <input type="checkbox" checked={isSelected} onChange={onSelect} />
        <span class="facet-name" title={value}>
          {shownValue(value)}
        </span>
        <span class="facet-count">{count.toLocaleString('en')}</span>
      </label>
      <button
        type="button"
        class="facet-exclude"
        aria-label={`${label} ${shownValue(value)}`}
        aria-pressed={isExcluded}
        title={label}
        onClick={onExclude}
      >
        <Icon name="exclude" size={14} />
      </button>
    </div>
  );
}

/** The values with a word that starts like `words`; null while they load or without words. */
function useMatchingValues(
  state: SearchState,
  facet: Facet,
  words: string,
): readonly Count[] | null {
  const start = useTypedWords(words);
  const body =
    start === '' ? null : facetsBody(state, [facet], () => FOUND_MAX, facet.field, start);
  const { value } = useLoad(body === null ? null : JSON.stringify(body), async (signal) => {
    const { facet0 } = await aggregate(body ?? {}, signal);
    return countsOf(facet.nested === undefined ? facet0 : facet0?.values);
  });
  return value ?? null;
}

function countsOf(result: AggregationResult | undefined): Count[] {
  return (result?.buckets ?? []).map((bucket) => ({
    value: textOf(bucket),
    count: bucket.documents?.doc_count ?? bucket.doc_count,
  }));
}

function textOf({ key, key_as_string }: Bucket): string {
  return key_as_string ?? String(key);
}

/** A facet value as a word: Yes and No for booleans. */
export function shownValue(value: string): string {
  if (value === 'true') return 'Yes';
  if (value === 'false') return 'No';
  return value === '' ? '(empty)' : value;
}
