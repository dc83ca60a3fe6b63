// The page of one document: a card with what matters, its members, its arrays, related documents,
// and its JSON.
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { IndexName } from '../../../src/query/query.ts';
import { readDocument } from '../../api/search-api.ts';
import { visibleTypes } from '../../api/views/sight.ts';
import { firstText } from '../../model/document-value.ts';
import { kindNamed } from '../../model/kinds.ts';
import type { Document } from '../../model/wire.ts';
import type { PageProps } from '../../ui/page-props.ts';
import '../../style/document.css';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Empty, FaultNotice, Waiting } from '../../ui/notice.tsx';
import { useCell } from '../../ui/use-cell.ts';
import { useLoad } from '../../ui/use-load.ts';
import { arraySections, holderSections } from './access-sections.tsx';
import { DocumentHead } from './document-head.tsx';
import { GraphSection } from './graph-section.tsx';
import { identitySections } from './identity-sections.tsx';
import { Overview } from './overview.tsx';
import type { Section } from './section.ts';

export function DocumentPage({ route }: PageProps) {
  const [, indexName = '', id = ''] = route.path;
  const kind = kindNamed(indexName);
  const isNamed = kind !== undefined && id !== '';
  const { value, fault, reload } = useLoad(isNamed ? `${indexName} ${id}` : null, (signal) =>
    readDocument(kind?.index ?? 'identities', id, signal),
  );
  useEffect(() => {
    document.getElementById('main')?.scrollTo(0, 0);
  }, [indexName, id]);
  if (!isNamed)
    return (
      <Empty title="Document not found">
        The link may be incomplete. <a href="#/search">Search</a>
      </Empty>
    );
  if (fault !== null) return <FaultNotice fault={fault} reload={reload} />;
  if (value === undefined || String(value['id']) !== id) return <Waiting lines={8} />;
  return (
    <DocumentView
      index={kind.index}
      what={kind.singular}
      document={value}
      tab={route.parameters.get('tab')}
      key={id}
    />
  );
}

interface DocumentViewProps {
  readonly index: IndexName;
  readonly what: string;
  readonly document: Document;
  readonly tab: string | null;
}

function DocumentView({ index, what, document, tab }: DocumentViewProps) {
  const types = useCell(visibleTypes) ?? [];
  const sections = useMemo(
    () =>
      sectionsOf(index, document).filter(
        ({ about }) => about === undefined || about.some((one) => types.includes(one)),
      ),
    [index, document, types],
  );
  const current = sections.find(({ name }) => name === tab) ?? sections[0];
  const id = firstText(document, 'id');
  const tabs = useRef<HTMLElement>(null);
  // On a narrow screen the tabs scroll, so make the current one visible.
  useEffect(() => {
    const shown = tabs.current?.querySelector('[aria-current]');
    shown?.scrollIntoView({ inline: 'nearest', block: 'nearest' });
  }, [current?.name]);
  return (
    <article class="document">
      <DocumentHead index={index} what={what} document={document} />
      <nav class="tabs" aria-label="Sections" ref={tabs}>
        {sections.map(({ name, label, count }) => (
          <a
            key={name}
            href={`#/document/${index}/${encodeURIComponent(id)}?tab=${name}`}
            aria-current={name === current?.name ? 'page' : undefined}
          >
            {label}
            {count !== undefined && <span class="tab-count">{count}</span>}
          </a>
        ))}
      </nav>
      <div class="document-body">
        {current !== undefined && <current.Body key={current.name} />}
      </div>
    </article>
  );
}

function sectionsOf(index: IndexName, document: Document): Section[] {
  const overview: Section = {
    name: 'overview',
    label: 'Overview',
    Body: () => <Overview index={index} document={document} />,
  };
  const raw: Section = { name: 'json', label: 'JSON', Body: () => <Json document={document} /> };
  const own =
    index === 'identities'
      ? identitySections(document)
      : [
          ...graphSections(index, document),
          ...arraySections(document),
          ...holderSections(index, document),
        ];
  return [overview, ...own, raw];
}

/** The graph of a role, access profile or entitlement. */
function graphSections(index: IndexName, document: Document): Section[] {
  if (index === 'events' || index === 'accountactivities') return [];
  const Body = () => <GraphSection index={index} document={document} />;
  return [{ name: 'graph', label: 'Graph', Body }];
}

function Json({ document }: { document: Document }) {
  const text = JSON.stringify(document, null, 2);
  return (
    <>
      <CopyButton text={text} label="Copy JSON" />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be focusable */}
      <pre class="code" tabIndex={0}>
        {text}
      </pre>
    </>
  );
}
