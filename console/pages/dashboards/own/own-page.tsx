// The dashboard of a user: shown, and edited by those who may change it.
import { useRef, useState } from 'preact/hooks';
import {
  createDashboard,
  deleteDashboard,
  getDashboard,
  replaceDashboard,
  type TaggedDashboard,
} from '../../../api/dashboards-api.ts';
import { type ApiFault, asFault } from '../../../api/fault.ts';
import type { SearchState } from '../../../model/search-state.ts';
import { useSingleCall } from '../../../ui/forms/use-single-call.ts';
import { FaultNotice, Waiting } from '../../../ui/notice.tsx';
import { go, replace, whileHere } from '../../../ui/route.ts';
import { useLoad } from '../../../ui/use-load.ts';
import { useUnsaved } from '../../../ui/use-unsaved.ts';
import { DashboardHead } from '../parts/dashboard-head.tsx';
import { copyOf, type Draft, definitionOf, draftOf, isChanged } from './draft.ts';
import { type EditedTile, OwnEditor } from './own-editor.tsx';
import { OwnView } from './own-view.tsx';

export interface OwnPageProps {
  readonly id: string;
  /** The time range of the page; null: all time. */
  readonly span: SearchState['span'];
  /** True right after it was created: it opens in the editor. */
  readonly isNew: boolean;
}

export function OwnPage({ id, span, isNew }: OwnPageProps) {
  const { value, fault, loading, reload } = useLoad(id, (signal) => getDashboard(id, signal));
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
  // What was shown before "Discard my changes and reload" would be edited as if it were the new one.
  if (value === undefined || loading) return <Waiting />;
  return (
    <Shown
      tagged={saved ?? value}
      span={span}
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
  span,
  isNew,
  onSaved,
  onReload,
}: {
  tagged: TaggedDashboard;
  span: SearchState['span'];
  isNew: boolean;
  onSaved: (saved: TaggedDashboard) => void;
  onReload: () => void;
}) {
  const [draft, setDraft] = useState<Draft | null>(() => (isNew ? draftOf(dashboard) : null));
  const [tile, setTile] = useState<EditedTile>(null);
  const latest = useRef({ draft, tile });
  latest.current = { draft, tile };
  const release = useUnsaved(draft !== null && isChanged(draft, dashboard));
  const [fault, setFault] = useState<ApiFault | null>(null);
  const attempt = async (work: () => Promise<void>) => {
    setFault(null);
    try {
      await work();
    } catch (error) {
      setFault(asFault(error));
    }
  };
  const close = () => {
    release();
    setDraft(null);
    setFault(null);
    if (isNew) replace(`/dashboard/${dashboard.id}`);
  };
  const save = useSingleCall((edited: Draft) =>
    attempt(async () => {
      const finish = whileHere(close);
      onSaved(await replaceDashboard(dashboard.id, definitionOf(edited), etag));
      // What was changed meanwhile, or is being filled in, can be saved next.
      const now = latest.current;
      if (now.draft === edited && now.tile === null) finish();
    }),
  );
  const copy = useSingleCall(() =>
    attempt(async () => {
      const goOn = whileHere(go);
      const created = await createDashboard(copyOf(dashboard));
      goOn(`/dashboard/${created.dashboard.id}`);
    }),
  );
  if (draft !== null) {
    return (
      <OwnEditor
        draft={draft}
        tile={tile}
        fault={fault}
        onChange={setDraft}
        onTile={setTile}
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
    <OwnView
      dashboard={dashboard}
      span={span}
      fault={fault}
      onEdit={() => setDraft(draftOf(dashboard))}
      onDelete={() =>
        attempt(async () => {
          const goOn = whileHere(go);
          await deleteDashboard(dashboard.id);
          goOn('/dashboard');
        })
      }
      onCopy={copy}
    />
  );
}
