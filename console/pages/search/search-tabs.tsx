// The tabs of the document types, each with the number of documents that the query finds there.
import { useEffect, useRef } from 'preact/hooks';
import { aggregate } from '../../api/search-api.ts';
import { visibleTypes } from '../../api/views/sight.ts';
import { KINDS } from '../../model/kinds.ts';
import { tabsBody } from '../../model/search-body.ts';
import { defaultSearch, printSearch, type SearchState } from '../../model/search-state.ts';
import { useCell } from '../../ui/use-cell.ts';
import { useLoad } from '../../ui/use-load.ts';

/** @param total of the current type; null while it loads */
export function SearchTabs({ state, total }: { state: SearchState; total: number | null }) {
  const { value, fault } = useLoad(`tabs ${state.query}`, (signal) =>
    aggregate(tabsBody(state.query), signal),
  );
  const types = useCell(visibleTypes) ?? [];
  const shown = useRef<HTMLAnchorElement>(null);
  // On a narrow screen the tabs scroll, so make the current one visible.
  useEffect(() => shown.current?.scrollIntoView({ inline: 'nearest', block: 'nearest' }), []);
  const counts = new Map(
    (value?.['types']?.buckets ?? []).map(({ key, doc_count }) => [String(key), doc_count]),
  );
  return (
    <nav class="tabs" aria-label="Types">
      {KINDS.filter(({ index }) => types.includes(index)).map(({ index, type, plural }) => {
        const isShown = index === state.index;
        const counted = isShown ? total : value === undefined ? null : (counts.get(type) ?? 0);
        return (
          <a
            key={index}
            ref={isShown ? shown : null}
            href={`#${printSearch({ ...defaultSearch(index), query: state.query })}`}
            aria-current={isShown ? 'page' : undefined}
          >
            {plural}
            {counted !== null && <span class="tab-count">{counted.toLocaleString('en')}</span>}
            {counted === null && fault === null && <span class="tab-count">…</span>}
          </a>
        );
      })}
    </nav>
  );
}
