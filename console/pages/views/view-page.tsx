// The page of one view: its rules, who has it, what it looks like, and its deletion.
import { useState } from 'preact/hooks';
import { type ApiFault, asFault } from '../../api/fault.ts';
import { mayUser } from '../../api/rights.ts';
import { session } from '../../api/session.ts';
import { lookThrough } from '../../api/views/look-through-view.ts';
import type { View } from '../../api/views/view.ts';
import { deleteView, readView, replaceView, viewHolders } from '../../api/views/views-api.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Button } from '../../ui/forms/button.tsx';
import { useSingleCall } from '../../ui/forms/use-single-call.ts';
import { Icon } from '../../ui/icon.tsx';
import { Empty, FaultNotice, LoadNotice } from '../../ui/notice.tsx';
import { go, whileHere } from '../../ui/route.ts';
import { useCell } from '../../ui/use-cell.ts';
import { useLoad } from '../../ui/use-load.ts';
import { Holders } from './holders.tsx';
import { holdersText } from './holders-text.ts';
import { ViewForm } from './view-form.tsx';

export function ViewPage({ name }: { name: string }) {
  const { value, fault, reload } = useLoad(name, (signal) => readView(name, signal));
  const [saved, setSaved] = useState<View | null>(null);
  const view = saved ?? value;
  if (fault?.kind === 'missing') {
    return (
      <Empty icon="view" title="View not found">
        <p>
          It may have been deleted. Who is restricted to it sees nothing, until you create another
          view of this name.
        </p>
        <a class="button" href="#/views">
          Show all views
        </a>
      </Empty>
    );
  }
  return (
    <div class="page">
      <LoadNotice value={value} fault={fault} reload={reload} lines={8} />
      {view !== undefined && <ShownView view={view} onSaved={setSaved} />}
    </div>
  );
}

function ShownView({ view, onSaved }: { view: View; onSaved: (view: View) => void }) {
  const { name } = view;
  const holders = useLoad(`holders of ${name}`, (signal) => viewHolders(name, signal));
  const [fault, setFault] = useState<ApiFault | null>(null);
  const [isDeleting, setDeleting] = useState(false);
  const [isDirty, setDirty] = useState(false);
  const remove = async () => {
    setFault(null);
    const goOn = whileHere(go);
    try {
      await deleteView(name);
      goOn('/views');
    } catch (error) {
      setFault(asFault(error));
    }
  };
  return (
    <>
      <header class="page-head">
        <h1>{name}</h1>
        <div class="buttons">
          <a class="button" href="#/views">
            <Icon name="back" size={16} /> All views
          </a>
          <SeeButton name={name} isDirty={isDirty} onFault={setFault} />
          <button type="button" class="button link-danger" onClick={() => setDeleting(true)}>
            <Icon name="trash" size={16} /> Delete
          </button>
        </div>
      </header>
      {fault !== null && <FaultNotice fault={fault} />}
      <Holders load={holders} name={name} />
      <ViewForm
        view={view}
        onDirty={setDirty}
        onSave={async (definition) => {
          const replaced = await replaceView(definition);
          return () => onSaved(replaced);
        }}
      />
      {isDeleting && (
        <Confirm
          title={`Delete view “${name}”?`}
          sentence={`${holdersText(holders.value)} This cannot be undone.`}
          onConfirm={() => void remove()}
          onClose={() => setDeleting(false)}
        />
      )}
    </>
  );
}

interface SeeButtonProps {
  readonly name: string;
  /** True while the form has changes, which the view does not have yet. */
  readonly isDirty: boolean;
  readonly onFault: (fault: ApiFault | null) => void;
}

function SeeButton({ name, isDirty, onFault }: SeeButtonProps) {
  const mayCreate = mayUser(useCell(session), 'pat:own:manage');
  const see = useSingleCall(async () => {
    onFault(null);
    await lookThrough(name).catch((error: unknown) => onFault(asFault(error)));
  });
  if (!mayCreate) return null;
  return (
    <Button
      class="button"
      isIdle={isDirty}
      title={isDirty ? 'Save the changes first' : 'For an hour at most, in this tab'}
      onClick={see}
    >
      <Icon name="view" size={16} /> See as this view
    </Button>
  );
}
