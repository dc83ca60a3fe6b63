// The dashboard of a user as it is read: its tiles, and what may be done with it.
import { useState } from 'preact/hooks';
import type { Dashboard } from '../../../api/dashboard.ts';
import type { ApiFault } from '../../../api/fault.ts';
import { mayUser } from '../../../api/rights.ts';
import { session } from '../../../api/session.ts';
import { kindOf } from '../../../model/kinds.ts';
import { QUICK_RANGES, quickRangeOf, spanLabel } from '../../../model/quick-ranges.ts';
import type { SearchState } from '../../../model/search-state.ts';
import { Confirm } from '../../../ui/confirm.tsx';
import { Icon, type IconName } from '../../../ui/icon.tsx';
import { Empty, FaultNotice } from '../../../ui/notice.tsx';
import { replace } from '../../../ui/route.ts';
import { useCell } from '../../../ui/use-cell.ts';
import { ExportMenu } from '../export/export-menu.tsx';
import { DashboardHead } from '../parts/dashboard-head.tsx';
import { indexOf } from '../tile/tile-search.ts';
import { draftOf } from './draft.ts';
import { ownTile } from './own-tile.ts';
import { OwnTiles } from './own-tiles.tsx';

export interface OwnViewProps {
  readonly dashboard: Dashboard;
  /** The time range of documents with a time line; null: all time. */
  readonly span: SearchState['span'];
  /** Why the last action failed. */
  readonly fault: ApiFault | null;
  readonly onEdit: () => void;
  readonly onDelete: () => void;
  readonly onCopy: () => void;
}

export function OwnView({ dashboard, span, fault, onEdit, onDelete, onCopy }: OwnViewProps) {
  const [isDeleting, setDeleting] = useState(false);
  const { id, name, shared } = dashboard;
  const mayManage = mayUser(useCell(session), 'dashboard:manage');
  const mayChange = dashboard.mayChange && mayManage;
  const { tiles } = draftOf(dashboard);
  const exported = tiles
    .map(({ key, definition }) => ownTile(definition, key, span))
    .filter((tile) => tile !== null);
  return (
    <div class="page dashboards">
      <DashboardHead title={name} hint={useSharing(dashboard)} current={id}>
        {hasTimeLine(dashboard) && <RangeSelect id={id} span={span} />}
        {exported.length > 0 && <ExportMenu title={name} tiles={exported} />}
        {mayChange ? (
          <>
            <Action icon="pencil" label="Edit" onClick={onEdit} />
            <Action
              icon="trash"
              label="Delete"
              tone="link-danger"
              onClick={() => setDeleting(true)}
            />
          </>
        ) : (
          mayManage && <Action icon="copy" label="Make a copy" onClick={onCopy} />
        )}
      </DashboardHead>
      {fault !== null && <FaultNotice fault={fault} />}
      {tiles.length > 0 ? (
        <OwnTiles tiles={tiles} span={span} />
      ) : (
        <Empty icon="chart" title="No tiles yet">
          <p>A tile shows a search as a number, as values, over time or as rows.</p>
          {mayChange && (
            <button type="button" class="button button-main" onClick={onEdit}>
              Add tiles
            </button>
          )}
        </Empty>
      )}
      {isDeleting && (
        <Confirm
          title={`Delete ${name}?`}
          sentence={`The dashboard is deleted${shared ? ' for all users' : ''}. Saved searches stay.`}
          onConfirm={onDelete}
          onClose={() => setDeleting(false)}
        />
      )}
    </div>
  );
}

function hasTimeLine({ tiles }: Dashboard): boolean {
  return tiles.some(({ search }) => search !== null && kindOf(indexOf(search)).timeline !== null);
}

const OTHER_RANGE = 'dates';

/** The time range of the page, which stays relative in its address. */
function RangeSelect({ id, span }: { id: string; span: SearchState['span'] }) {
  const quick = quickRangeOf(span);
  const isOther = span !== null && quick === undefined;
  const choose = (label: string) => {
    if (label === OTHER_RANGE) return;
    const range = QUICK_RANGES.find((one) => one.label === label)?.span;
    const parameters = range === undefined ? '' : `?in=${range.from}|${range.to}`;
    replace(`/dashboard/${id}${parameters}`);
  };
  return (
    <label class="select">
      <span class="unseen">Time range of events and activities</span>
      <select
        value={isOther ? OTHER_RANGE : (quick?.label ?? '')}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      >
        <option value="">All time</option>
        {isOther && <option value={OTHER_RANGE}>{spanLabel(span)}</option>}
        {QUICK_RANGES.map(({ label }) => (
          <option key={label} value={label}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}

function Action({
  icon,
  label,
  tone = '',
  onClick,
}: {
  icon: IconName;
  label: string;
  tone?: '' | 'link-danger';
  onClick: () => void;
}) {
  return (
    <button type="button" class={`button ${tone}`} onClick={onClick}>
      <Icon name={icon} size={16} /> <span class="menu-label">{label}</span>
    </button>
  );
}

/** Says who shares a dashboard and who sees it; null for a private one. */
function useSharing({ shared, owner }: Dashboard): string | null {
  const userId = useCell(session)?.identityId ?? null;
  if (owner.id !== userId) return `Shared by ${owner.name ?? 'a deleted user'}`;
  return shared ? 'Shared with all users of the tenant' : null;
}
