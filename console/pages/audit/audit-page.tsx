// The page Audit: the recorded events of the tenant, newest first, with filters. A row opens the
// detail with the values before and after. The address holds the filters.
import { useEffect, useState } from 'preact/hooks';
import { aggregate, search } from '../../api/search-api.ts';
import { cursorOf } from '../../model/paging.ts';
import type { AggregationResult, Document } from '../../model/wire.ts';
import type { PageProps } from '../../ui/page-props.ts';
import '../../style/administration.css';
import '../../style/audit.css';
import { Empty, FaultNotice, Waiting } from '../../ui/notice.tsx';
import { replace } from '../../ui/route.ts';
import { useAttempt } from '../../ui/use-attempt.ts';
import { useLoad } from '../../ui/use-load.ts';
import { AuditExport } from './audit-export.tsx';
import { AuditFilters } from './audit-filters.tsx';
import {
  AUDIT_SORT,
  type AuditState,
  auditBody,
  isFiltered,
  printAudit,
  readAudit,
  VALUES_BODY,
} from './audit-search.ts';
import { AuditTable } from './audit-table.tsx';
import { EventDrawer } from './event-drawer.tsx';

const PAGE_SIZE = 50;

export function AuditPage({ route }: PageProps) {
  const state = readAudit(route.parameters);
  const change = (members: Partial<AuditState>) => replace(printAudit({ ...state, ...members }));
  const values = useLoad('audit values', (signal) => aggregate(VALUES_BODY, signal));
  return (
    <div class="page">
      <div class="audit-head">
        <h1>Audit</h1>
        <AuditExport state={state} />
      </div>
      <AuditFilters
        state={state}
        actors={valuesOf(values.value?.['actors'])}
        actions={valuesOf(values.value?.['actions'])}
        onChange={change}
      />
      <Events state={state} key={printAudit(state)} />
      <p class="quiet">
        Events are searchable copies of the recorded trail, which nobody can change unnoticed:
        verify it on the machine of the service with <code>cardea audit verify</code>.
      </p>
    </div>
  );
}

function valuesOf(result: AggregationResult | undefined): readonly string[] {
  return (result?.buckets ?? []).map(({ key }) => String(key)).sort();
}

function Events({ state }: { state: AuditState }) {
  const [events, setEvents] = useState<readonly Document[]>([]);
  const [shown, setShown] = useState<Document | null>(null);
  const body = auditBody(state);
  const { value, fault, reload } = useLoad(printAudit(state), (signal) =>
    search({ ...body, sort: AUDIT_SORT }, { limit: PAGE_SIZE, count: 'exact' }, signal),
  );
  useEffect(() => setEvents(value?.hits ?? []), [value]);
  const { refusal, attempt } = useAttempt(() => {});
  const loadMore = async () => {
    const last = events.at(-1);
    if (last === undefined) return;
    const searchAfter = cursorOf(last, AUDIT_SORT);
    const page = await search({ ...body, sort: AUDIT_SORT, searchAfter }, { limit: PAGE_SIZE });
    setEvents([...events, ...page.hits]);
  };
  if (fault !== null) return <FaultNotice fault={fault} reload={reload} />;
  if (value === undefined) return <Waiting />;
  if (value.total === 0) return <NoEvents state={state} />;
  return (
    <>
      <p class="quiet" role="status">
        <strong class="list-total">{value.total.toLocaleString('en')}</strong> event
        {value.total === 1 ? '' : 's'}; times are in UTC
      </p>
      <AuditTable events={events} onShow={setShown} />
      {refusal !== null && <FaultNotice fault={refusal} />}
      {events.length < value.total && (
        <div class="buttons">
          <button type="button" class="button" onClick={() => void attempt(loadMore)}>
            Show more
          </button>
        </div>
      )}
      {shown !== null && <EventDrawer event={shown} onClose={() => setShown(null)} />}
    </>
  );
}

function NoEvents({ state }: { state: AuditState }) {
  if (!isFiltered(state)) {
    return (
      <Empty icon="audit" title="No events yet">
        Changes of auth users, tokens, clients and profiles appear here, with who made them.
      </Empty>
    );
  }
  return (
    <Empty icon="audit" title="No matching events">
      <a
        class="button"
        href={`#${printAudit({ ...readAudit(new URLSearchParams()), kind: 'all' })}`}
      >
        Clear all filters
      </a>
    </Empty>
  );
}
