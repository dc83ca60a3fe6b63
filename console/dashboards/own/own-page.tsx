// The dashboard of a user: shown, and edited by those who may change it.
import { useState } from 'preact/hooks';
import {
  createDashboard,
  deleteDashboard,
  getDashboard,
  replaceDashboard,
  type TaggedDashboard,
} from '../../api/dashboards-api.ts';
import { type ApiFault, asFault } from '../../api/fault.ts';
import { FaultNotice, Waiting } from '../../ui/notice.tsx';
import { go, replace } from '../../ui/route.ts';
import { useLoad } from '../../ui/use-load.ts';
import { DashboardHead } from '../dashboard-head.tsx';
import { copyOf, type Draft, definitionOf, draftOf } from './draft.ts';
import { OwnEditor } from './own-editor.tsx';
import { OwnView } from './own-view.tsx';

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
    setDraft(null);
    setFault(null);
    if (isNew) replace(`/dashboard/${dashboard.id}`);
  };
  const save = (edited: Draft) =>
    attempt(async () => {
      onSaved(await replaceDashboard(dashboard.id, definitionOf(edited), etag));
      close();
    });
  if (draft !== null) {
    return (
      <OwnEditor
        draft={draft}
        fault={fault}
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
    <OwnView
      dashboard={dashboard}
      fault={fault}
      onEdit={() => setDraft(draftOf(dashboard))}
      onDelete={() =>
        attempt(async () => {
          await deleteDashboard(dashboard.id);
          go('/dashboard');
        })
      }
      onCopy={() =>
        attempt(async () => {
          const created = await createDashboard(copyOf(dashboard));
          go(`/dashboard/${created.dashboard.id}`);
        })
      }
    />
  );
}
