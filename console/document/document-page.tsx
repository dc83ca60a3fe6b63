// The page of one document: its members, its arrays, related documents, and its JSON.
import { useEffect, useMemo } from 'preact/hooks';
import type { IndexName } from '../../src/query/query.ts';
import { readDocument } from '../api/search-api.ts';
import type { Document } from '../api/wire.ts';
import type { PageProps } from '../page-props.ts';
import { firstText, valuesAt } from '../search/document-value.ts';
import { kindNamed, labelOf } from '../search/kinds.ts';
import '../style/document.css';
import { CopyButton } from '../ui/copy-button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Empty, FaultNotice, Waiting } from '../ui/notice.tsx';
import { useLoad } from '../ui/use-load.ts';
import { arraySections, holderSections } from './access-sections.tsx';
import { Facts } from './facts.tsx';
import { identitySections } from './identity-sections.tsx';
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
  if (!isNamed) return <Empty title="Document not found">The link may be incomplete.</Empty>;
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
  const sections = useMemo(() => sectionsOf(index, document), [index, document]);
  const current = sections.find(({ name }) => name === tab) ?? sections[0];
  const id = firstText(document, 'id');
  const title = firstText(document, 'displayName', 'name', 'action', 'id');
  return (
    <article class="document">
      <header class="document-head">
        <p class="quiet">{what}</p>
        <h1>{title}</h1>
        <p class="document-sub">
          {firstText(document, 'attributes.jobTitle', 'description', 'email', 'technicalName')}
        </p>
        <div class="chips">
          <Flags document={document} />
        </div>
        <div class="buttons">
          <button type="button" class="button" onClick={() => history.back()}>
            <Icon name="back" size={16} /> Back
          </button>
          <CopyButton text={id} label="Copy ID" />
          {index === 'identities' && (
            <a class="button" href={`#/users/${encodeURIComponent(id)}`}>
              <Icon name="shield" size={16} /> Capabilities
            </a>
          )}
        </div>
      </header>
      <nav class="tabs" aria-label="Sections">
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

const FLAGS = [
  'inactive',
  'disabled',
  'locked',
  'protected',
  'isManager',
  'privileged',
  'requestable',
  'enabled',
];
const WARNING = new Set(['inactive', 'disabled', 'locked', 'privileged']);

function Flags({ document }: { document: Document }) {
  const status = firstText(document, 'attributes.cloudLifecycleState', 'status');
  return (
    <>
      {status !== '' && <span class="chip">{status}</span>}
      {FLAGS.filter((flag) => document[flag] === true).map((flag) => (
        <span key={flag} class={WARNING.has(flag) ? 'chip chip-warn' : 'chip'}>
          {labelOf(flag)}
        </span>
      ))}
    </>
  );
}

function sectionsOf(index: IndexName, document: Document): Section[] {
  const overview: Section = {
    name: 'overview',
    label: 'Overview',
    Body: () => <Overview document={document} />,
  };
  const raw: Section = { name: 'json', label: 'JSON', Body: () => <Json document={document} /> };
  const own =
    index === 'identities'
      ? identitySections(document)
      : [...arraySections(document), ...holderSections(index, document)];
  return [overview, ...own, raw];
}

function Overview({ document }: { document: Document }) {
  const [attributes] = valuesAt(document, 'attributes');
  const hasAttributes = typeof attributes === 'object' && attributes !== null;
  return (
    <>
      <Facts of={document} omit={['attributes', 'description']} />
      {hasAttributes && Object.keys(attributes).length > 0 && (
        <>
          <h2>Attributes</h2>
          <Facts of={attributes as Document} />
        </>
      )}
    </>
  );
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
