// A sample of documents as a view shows them, before it is saved: found by its query, without the
// fields that it hides, by the rule of the service.
import { useState } from 'preact/hooks';
import type { IndexName } from '../../../src/query/query.ts';
import { HiddenFields } from '../../../src/query/visibility/hidden-fields.ts';
import { search } from '../../api/search-api.ts';
import { firstText } from '../../model/document-value.ts';
import { KINDS, type Kind } from '../../model/kinds.ts';
import type { Document } from '../../model/wire.ts';
import { FaultNotice, Waiting } from '../../ui/notice.tsx';
import { useTypedWords } from '../../ui/typing/typing-pause.ts';
import { useLoad } from '../../ui/use-load.ts';
import { queryOf, type ViewDraft } from './draft.ts';

const SAMPLE_SIZE = 5;

export function ViewSample({ types, hide }: Pick<ViewDraft, 'types' | 'hide'>) {
  const [chosen, setChosen] = useState<IndexName>('identities');
  const shown = KINDS.filter(({ index }) => types[index].shows !== 'nothing');
  const kind = shown.find(({ index }) => index === chosen) ?? shown[0];
  return (
    <section class="tile view-sample" aria-label="Sample">
      <header class="page-head">
        <h2>Sample</h2>
        {kind !== undefined && (
          <label class="select">
            <span class="unseen">Type of the sample</span>
            <select
              value={kind.index}
              onChange={({ currentTarget }) => setChosen(currentTarget.value as IndexName)}
            >
              {shown.map(({ index, plural }) => (
                <option key={index} value={index}>
                  {plural}
                </option>
              ))}
            </select>
          </label>
        )}
      </header>
      {kind === undefined ? (
        <p class="quiet">The view shows nothing yet. Choose documents of a type.</p>
      ) : (
        <Documents
          key={kind.index}
          kind={kind}
          query={queryOf(types[kind.index]) ?? ''}
          hide={hide}
        />
      )}
    </section>
  );
}

interface DocumentsProps {
  readonly kind: Kind;
  readonly query: string;
  readonly hide: readonly string[];
}

function Documents({ kind, query, hide }: DocumentsProps) {
  const typed = useTypedWords(query);
  const { value, fault, key } = useLoad(typed === '' ? null : typed, (signal) =>
    search(
      { indices: [kind.index], query: { query: typed }, sort: [kind.sort, 'id'] },
      { limit: SAMPLE_SIZE },
      signal,
    ),
  );
  if (query === '') return <p class="quiet">Type a query to see what it shows.</p>;
  // The field of the query says what is wrong with it.
  if (fault?.kind === 'refused') return <p class="quiet">The query has an error.</p>;
  if (fault !== null) return <FaultNotice fault={fault} />;
  if (value === undefined) return <Waiting />;
  if (value.hits.length === 0) {
    return <p class="quiet">No {kind.plural.toLowerCase()} match the query.</p>;
  }
  const hidden = new HiddenFields(hide);
  return (
    <div class="view-documents" data-stale={key !== query}>
      {value.hits.map((hit, at) => (
        <Shown
          key={String(hit['id'])}
          document={hidden.visibleMembers(hit, '')}
          isOpen={at === 0}
        />
      ))}
    </div>
  );
}

function Shown({ document, isOpen }: { document: Document; isOpen: boolean }) {
  return (
    <details open={isOpen}>
      <summary>{firstText(document, 'displayName', 'name', 'id')}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be focusable */}
      <pre class="code" tabIndex={0}>
        {JSON.stringify(document, null, 2)}
      </pre>
    </details>
  );
}
