// The head of every dashboard: its name, the menu of all dashboards, and what can be done with it.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { DashboardDefinition, DashboardSummary } from '../../../api/dashboard.ts';
import { createDashboard, listDashboards } from '../../../api/dashboards-api.ts';
import { type ApiFault, asFault } from '../../../api/fault.ts';
import { mayUser } from '../../../api/rights.ts';
import { session } from '../../../api/session.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { useSingleCall } from '../../../ui/forms/use-single-call.ts';
import { Icon } from '../../../ui/icon.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { FaultNotice } from '../../../ui/notice.tsx';
import { go, whileHere } from '../../../ui/route.ts';
import { useCell } from '../../../ui/use-cell.ts';
import { useLoad } from '../../../ui/use-load.ts';

export interface DashboardHeadProps {
  readonly title: string;
  /** Who shares it, or that it is shared. */
  readonly hint?: string | null;
  /** The id of the dashboard; null: the built-in one. */
  readonly current: string | null;
  readonly children?: ComponentChildren;
}

export function DashboardHead({ title, hint = null, current, children }: DashboardHeadProps) {
  const { value: all, fault, reload } = useLoad('dashboards', listDashboards);
  const user = useCell(session);
  const [isNaming, setNaming] = useState(false);
  return (
    <header class="dashboard-head">
      <div class="dashboard-names">
        <h1>{title}</h1>
        {hint !== null && <p class="quiet">{hint}</p>}
      </div>
      <div class="buttons">
        {all !== undefined && (
          <>
            <Menu icon="chart" label="Dashboards">
              {(close) => <DashboardList all={all} current={current} onChoose={close} />}
            </Menu>
            {mayUser(user, 'dashboard:manage') && (
              <button type="button" class="button" onClick={() => setNaming(true)}>
                <Icon name="plus" size={16} /> <span class="menu-label">New dashboard</span>
              </button>
            )}
          </>
        )}
        {children}
      </div>
      {/* Users who may not search have no dashboards of their own. */}
      {fault !== null && fault.kind !== 'forbidden' && (
        <FaultNotice fault={fault} reload={reload} />
      )}
      {isNaming && <NewDashboard onClose={() => setNaming(false)} />}
    </header>
  );
}

function DashboardList({
  all,
  current,
  onChoose,
}: {
  all: readonly DashboardSummary[];
  current: string | null;
  onChoose: () => void;
}) {
  const byName = [...all].sort((one, other) => one.name.localeCompare(other.name, 'en'));
  const userId = useCell(session)?.identityId ?? null;
  const own = byName.filter(({ owner }) => owner.id === userId);
  const shared = byName.filter(({ owner }) => owner.id !== userId);
  const entry = (address: string, id: string | null, name: string, hint: string | null) => (
    <li key={address}>
      <a href={address} aria-current={id === current ? 'page' : undefined} onClick={onChoose}>
        {name} {hint !== null && <span class="quiet">{hint}</span>}
      </a>
    </li>
  );
  return (
    <nav class="dashboard-list" aria-label="Dashboards">
      <ul>{entry('#/dashboard', null, 'Dashboard', 'built in')}</ul>
      {own.length > 0 && <h2>Yours</h2>}
      <ul>
        {own.map(({ id, name, shared: isShared }) =>
          entry(`#/dashboard/${id}`, id, name, isShared ? 'shared' : null),
        )}
      </ul>
      {shared.length > 0 && <h2>Shared with you</h2>}
      <ul>
        {shared.map(({ id, name, owner }) => entry(`#/dashboard/${id}`, id, name, owner.name))}
      </ul>
    </nav>
  );
}

function NewDashboard({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('');
  const [fault, setFault] = useState<ApiFault | null>(null);
  const create = useSingleCall(async () => {
    const definition: DashboardDefinition = { name, shared: false, tiles: [] };
    const goOn = whileHere(go);
    try {
      const { dashboard } = await createDashboard(definition);
      onClose();
      goOn(`/dashboard/${dashboard.id}?new`);
    } catch (error) {
      setFault(asFault(error));
    }
  });
  return (
    <Dialog title="New dashboard" onClose={onClose}>
      <form
        class="tile-form"
        onSubmit={(event) => {
          event.preventDefault();
          create();
        }}
      >
        <label class="field">
          Name
          <input
            value={name}
            maxLength={120}
            required
            autofocus
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
        </label>
        {fault !== null && <FaultNotice fault={fault} />}
        <div class="buttons">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button button-main" disabled={name.trim() === ''}>
            Create
          </button>
        </div>
      </form>
    </Dialog>
  );
}
