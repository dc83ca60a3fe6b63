// The dashboard of a user: shown, and edited by those who may change it.
import { useState } from 'preact/hooks';
import {
  createDashboard,
  deleteDashboard,
  getDashboard,
  replaceDashboard,
  type TaggedDashboard,
} from '../../api/dashboards-api.ts';
import { session } from '../../api/session.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Empty, FaultNotice, Waiting } from '../../ui/notice.tsx';
import { go, replace } from '../../ui/route.ts';
import { useAttempt } from '../../ui/use-attempt.ts';
import { useCell } from '../../ui/use-cell.ts';
import { useLoad } from '../../ui/use-load.ts';
import { DashboardHead } from '../dashboard-head.tsx';
import { ExportMenu } from '../export/export-menu.tsx';
import { copyOf, type Draft, definitionOf, draftOf } from './draft.ts';
import { OwnEditor } from './own-editor.tsx';
import { ownTile } from './own-tile.ts';
import { OwnTiles } from './own-tiles.tsx';

/** @param isNew true right after it was created: it opens in the editor */
export function OwnPage({ id, isNew }: { id: string; isNew: boolean }) {
  const { value, fault, reload } = useLoad(id, (signal) => getDashboard(id, signal));
  const [saved, setSaved] = useState<TaggedDashboard | null>(null);
  if (fault !== null) {
    return (
      <div class="page dashboards">
        <DashboardHead title="Dashboard" current={id} />
        <FaultNotice fault={fault} reload={reload} />
        <p>
          <a href="#/dashboard">Open the built-in dashboard</a>
        </p>
      </div>
    );
  }
  if (value === undefined) return <Waiting />;
  return (
    <Shown
      tagged={saved ?? value}
      isNew={isNew}
      onSaved={setSaved}
      onReload={() => {
        setSaved(null);
        reload();
      }}
    />
  );
}

function Shown({
  tagged: { dashboard, etag },
  isNew,
  onSaved,
  onReload,
}: {
  tagged: TaggedDashboard;
  isNew: boolean;
  onSaved: (saved: TaggedDashboard) => void;
  onReload: () => void;
}) {
  const [draft, setDraft] = useState<Draft | null>(() => (isNew ? draftOf(dashboard) : null));
  const [isDeleting, setDeleting] = useState(false);
  const { refusal, attempt } = useAttempt(() => {});
  const sharing = useSharing(dashboard);
  const close = () => {
    setDraft(null);
    if (isNew) replace(`/dashboard/${dashboard.id}`);
  };
  const save = (edited: Draft) =>
    attempt(async () => {
      onSaved(await replaceDashboard(dashboard.id, definitionOf(edited), etag));
      close();
    });
  const remove = () =>
    attempt(async () => {
      await deleteDashboard(dashboard.id);
      go('/dashboard');
    });
  const copy = () =>
    attempt(async () => {
      const created = await createDashboard(copyOf(dashboard));
      go(`/dashboard/${created.dashboard.id}`);
    });
  const tiles = draftOf(dashboard).tiles;
  const exported = tiles
    .map(({ key, definition }) => ownTile(definition, key))
    .filter((tile) => tile !== null);
  if (draft !== null) {
    return (
      <OwnEditor
        draft={draft}
        fault={refusal}
        onChange={setDraft}
        onSave={() => save(draft)}
        onCancel={close}
        onReload={() => {
          close();
          onReload();
        }}
      />
    );
  }
  return (
    <div class="page dashboards">
      <DashboardHead title={dashboard.name} hint={sharing} current={dashboard.id}>
        {exported.length > 0 && <ExportMenu title={dashboard.name} tiles={exported} />}
        {dashboard.mayChange ? (
          <>
            <button type="button" class="button" onClick={() => setDraft(draftOf(dashboard))}>
              <Icon name="pencil" size={16} /> <span class="menu-label">Edit</span>
            </button>
            <button type="button" class="button link-danger" onClick={() => setDeleting(true)}>
              <Icon name="trash" size={16} /> <span class="menu-label">Delete</span>
            </button>
          </>
        ) : (
          <button type="button" class="button" onClick={copy}>
            <Icon name="copy" size={16} /> <span class="menu-label">Make a copy</span>
          </button>
        )}
      </DashboardHead>
      {refusal !== null && <FaultNotice fault={refusal} />}
      {tiles.length === 0 ? (
        <Empty icon="chart" title="No tiles yet">
          <p>A tile shows a search as a number, as values, over time or as rows.</p>
          {dashboard.mayChange && (
            <button
              type="button"
              class="button button-main"
              onClick={() => setDraft(draftOf(dashboard))}
            >
              Add tiles
            </button>
          )}
        </Empty>
      ) : (
        <OwnTiles tiles={tiles} />
      )}
      {isDeleting && (
        <Confirm
          title={`Delete ${dashboard.name}?`}
          sentence={
            dashboard.shared
              ? 'The dashboard is deleted for all users. Saved searches stay.'
              : 'The dashboard is deleted. Saved searches stay.'
          }
          onConfirm={remove}
          onClose={() => setDeleting(false)}
        />
      )}
    </div>
  );
}

/** Who shares a dashboard with whom; null: nobody. */
function useSharing({ shared, owner }: TaggedDashboard['dashboard']): string | null {
  const userId = useCell(session)?.identityId ?? null;
  if (owner.id !== userId) return `Shared by ${owner.name ?? 'a deleted user'}`;
  return shared ? 'Shared with all users of the tenant' : null;
}
