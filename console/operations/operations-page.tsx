// Running the service: how it is, what it holds, tokens to make and take back, and files to import.
import { unreadyReasons } from '../api/admin-api.ts';
import { aggregate } from '../api/search-api.ts';
import { instantText } from '../search/document-value.ts';
import { KINDS } from '../search/kinds.ts';
import { printSearch, wholeOf } from '../search/search-state.ts';
import '../style/operations.css';
import { Icon } from '../ui/icon.tsx';
import { FaultNotice, Waiting } from '../ui/notice.tsx';
import { useLoad } from '../ui/use-load.ts';
import { ImportPanel } from './import-panel.tsx';
import { TokensPanel } from './tokens-panel.tsx';

export function OperationsPage() {
  return (
    <div class="page">
      <h1>Operations</h1>
      <Readiness />
      <Holdings />
      <ImportPanel />
      <TokensPanel />
    </div>
  );
}

function Readiness() {
  const { value, fault, again } = useLoad('ready', unreadyReasons);
  return (
    <section class="tile" aria-label="Readiness">
      {fault !== null && <FaultNotice fault={fault} again={again} />}
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

/** How many documents there are, and how fresh: when the latest of each type was synchronised. */
function Holdings() {
  const { value, fault, again } = useLoad('holdings', (signal) =>
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
  if (fault !== null) return <FaultNotice fault={fault} again={again} />;
  if (value === undefined) return <Waiting />;
  const buckets = new Map(
    (value['types']?.buckets ?? []).map((bucket) => [String(bucket.key), bucket]),
  );
  return (
    <section class="related" aria-label="Documents">
      <h2>Documents</h2>
      <div class="table-frame">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Type</th>
              <th scope="col">Searchable</th>
              <th scope="col">Latest synchronised (UTC)</th>
            </tr>
          </thead>
          <tbody>
            {KINDS.map(({ index, type, plural }) => {
              const bucket = buckets.get(type) as
                | { doc_count: number; latest?: { value: number | null } }
                | undefined;
              const latest = bucket?.latest?.value ?? null;
              return (
                <tr key={index}>
                  <td>
                    <a href={`#${printSearch(wholeOf(index))}`}>{plural}</a>
                  </td>
                  <td>{(bucket?.doc_count ?? 0).toLocaleString('en')}</td>
                  <td>{latest === null ? '–' : instantText(new Date(latest).toISOString())}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </section>
  );
}
