// The operations page in three parts: the status of the service, its documents with imports, and
// tokens with API keys. Sections for administrators are hidden from other users, whose requests the
// service would refuse.
import { useEffect, useState } from 'preact/hooks';
import { nodeStatus, unreadyReasons } from '../api/admin-api.ts';
import type { IndexStatus } from '../api/node-status.ts';
import { aggregate } from '../api/search-api.ts';
import { session } from '../api/session.ts';
import type { PageProps } from '../page-props.ts';
import { instantText } from '../search/document-value.ts';
import { KINDS } from '../search/kinds.ts';
import { defaultSearch, printSearch } from '../search/search-state.ts';
import '../style/operations.css';
import { bytesText, countText } from '../ui/amount.ts';
import { Icon } from '../ui/icon.tsx';
import { FaultNotice, Waiting } from '../ui/notice.tsx';
import { TableFrame } from '../ui/table-frame.tsx';
import { useCell } from '../ui/use-cell.ts';
import { useLoad } from '../ui/use-load.ts';
import { usePolled } from '../ui/use-polled.ts';
import { ApiKeysPanel } from './api-keys-panel.tsx';
import { ImportPanel } from './import-panel.tsx';
import { MirrorPanel } from './mirror-panel.tsx';
import { type Sample, withSample } from './node-history.ts';
import { NodePanel } from './node-panel.tsx';
import { TokensPanel } from './tokens-panel.tsx';

const POLL_MS = 3_000;

/** The parts of the page, as tabs. */
const PARTS = [
  { name: 'status', label: 'Status' },
  { name: 'data', label: 'Data' },
  { name: 'keys', label: 'Tokens and keys' },
] as const;

export function OperationsPage({ route }: PageProps) {
  const part = PARTS.find(({ name }) => name === route.path[1])?.name ?? 'status';
  const isAdmin = useCell(session)?.levels.includes('ORG_ADMIN') ?? false;
  return (
    <div class="page">
      <h1>Operations</h1>
      <nav class="tabs" aria-label="Operations">
        {PARTS.map(({ name, label }) => (
          <a
            key={name}
            href={`#/operations/${name}`}
            aria-current={name === part ? 'page' : undefined}
          >
            {label}
          </a>
        ))}
      </nav>
      {part === 'status' && (
        <>
          <Readiness />
          {isAdmin && <Node />}
          {isAdmin && <MirrorPanel />}
        </>
      )}
      {part === 'data' && (
        <>
          {isAdmin ? <LiveDocuments /> : <DocumentTable indexes={null} />}
          {isAdmin && <ImportPanel />}
        </>
      )}
      {part === 'keys' && (
        <>
          <TokensPanel />
          {isAdmin && <ApiKeysPanel />}
        </>
      )}
    </div>
  );
}

/** The documents by type, with what only administrators see of the node. */
function LiveDocuments() {
  const { value, fault, reload } = usePolled(nodeStatus, POLL_MS);
  return (
    <>
      {fault !== null && <FaultNotice fault={fault} reload={reload} />}
      <DocumentTable indexes={value?.indexes ?? null} />
    </>
  );
}

function Node() {
  const { value, fault, reload } = usePolled(nodeStatus, POLL_MS);
  const [history, setHistory] = useState<readonly Sample[]>([]);
  useEffect(() => {
    if (value !== undefined) setHistory((before) => withSample(before, value, Date.now() / 1_000));
  }, [value]);
  return (
    <>
      {fault !== null && <FaultNotice fault={fault} reload={reload} />}
      {value !== undefined && <NodePanel status={value} history={history} />}
    </>
  );
}

function Readiness() {
  const { value, fault, reload } = useLoad('ready', unreadyReasons);
  return (
    <section class="tile" aria-label="Readiness">
      {fault !== null && <FaultNotice fault={fault} reload={reload} />}
      {value !== undefined && (
        <p class={value.length === 0 ? 'verdict verdict-good' : 'verdict verdict-bad'}>
          <Icon name={value.length === 0 ? 'check' : 'alert'} size={16} />
          {value.length === 0 ? 'The service is ready' : 'The service is not ready'}
        </p>
      )}
      {value?.map((reason) => (
        <p key={reason}>{reason}</p>
      ))}
    </section>
  );
}

/**
 * Documents by type: their number, and when one was last synchronised.
 * @param indexes index statistics; null if they are not available
 */
function DocumentTable({ indexes }: { indexes: readonly IndexStatus[] | null }) {
  const { value, fault, reload } = useLoad('documents by type', (signal) =>
    aggregate(
      {
        aggregationsDsl: {
          types: {
            terms: { field: '_type', size: 6 },
            aggs: { latest: { max: { field: 'synced' } } },
          },
        },
      },
      signal,
    ),
  );
  if (fault !== null) return <FaultNotice fault={fault} reload={reload} />;
  if (value === undefined) return <Waiting />;
  const buckets = new Map(
    (value['types']?.buckets ?? []).map((bucket) => [String(bucket.key), bucket]),
  );
  return (
    <section class="related" aria-label="Documents">
      <h2>Documents</h2>
      <TableFrame label="Documents by type" size="short">
        <thead>
          <tr>
            <th scope="col">Type</th>
            <th scope="col">Searchable</th>
            {indexes !== null && (
              <>
                <th scope="col" title="Deleted or replaced, not yet removed by a merge">
                  Deleted
                </th>
                <th scope="col">Segments</th>
                <th scope="col">Size</th>
              </>
            )}
            <th scope="col">Last synchronised (UTC)</th>
          </tr>
        </thead>
        <tbody>
          {KINDS.map(({ index, type, plural }) => {
            const bucket = buckets.get(type) as
              | { doc_count: number; latest?: { value: number | null } }
              | undefined;
            const status = indexes?.find((one) => one.index === index);
            const latest = bucket?.latest?.value ?? null;
            return (
              <tr key={index}>
                <td>
                  <a href={`#${printSearch(defaultSearch(index))}`}>{plural}</a>
                </td>
                <td>{(status?.documents ?? bucket?.doc_count ?? 0).toLocaleString('en')}</td>
                {indexes !== null && <IndexCells status={status} />}
                <td>{latest === null ? '–' : instantText(new Date(latest).toISOString())}</td>
              </tr>
            );
          })}
        </tbody>
      </TableFrame>
    </section>
  );
}

function IndexCells({ status }: { status: IndexStatus | undefined }) {
  return (
    <>
      <td>{countText(status === undefined ? 0 : status.deleted)}</td>
      <td>{countText(status === undefined ? 0 : status.segments)}</td>
      <td>{sizeText(status)}</td>
    </>
  );
}

function sizeText(status: IndexStatus | undefined): string {
  if (status === undefined) return '–';
  const { bytesOnDisk, bytesInMemory } = status;
  const inMemory = (bytesInMemory ?? 0) > 0 ? `${bytesText(bytesInMemory ?? 0)} in memory` : null;
  const onDisk = (bytesOnDisk ?? 0) > 0 ? bytesText(bytesOnDisk ?? 0) : null;
  return [onDisk, inMemory].filter((part) => part !== null).join(', ') || '–';
}
