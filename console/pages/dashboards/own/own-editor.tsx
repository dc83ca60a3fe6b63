// Edits the dashboard of a user: name, sharing, and the tiles, which are moved with the buttons above
// them or by dragging. A save sends the whole dashboard.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { TileDefinition } from '../../../api/dashboard.ts';
import type { ApiFault } from '../../../api/fault.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { FaultNotice } from '../../../ui/notice.tsx';
import { ShareChoice } from '../../../ui/share-choice.tsx';
import { type Draft, type DraftTile, moveTile, putTile, removeTile } from './draft.ts';
import { EditBar } from './edit-bar.tsx';
import { titleOf } from './own-tile.ts';
import { OwnTile } from './own-tiles.tsx';
import { NEW_TILE, TileForm } from './tile-form.tsx';

/** The tile in the form; `new`: a new one; null: none. */
export type EditedTile = DraftTile | 'new' | null;

export interface OwnEditorProps {
  readonly draft: Draft;
  readonly tile: EditedTile;
  readonly fault: ApiFault | null;
  readonly onChange: (draft: Draft) => void;
  readonly onTile: (tile: EditedTile) => void;
  readonly onSave: () => void;
  readonly onCancel: () => void;
  /** Discards the draft for what somebody else has saved. */
  readonly onReload: () => void;
}

export function OwnEditor(props: OwnEditorProps) {
  const { draft, tile, fault, onChange, onTile, onSave, onCancel, onReload } = props;
  return (
    <div class="page dashboards">
      <EditorHead
        draft={draft}
        onChange={onChange}
        onAdd={() => onTile('new')}
        onCancel={onCancel}
        onSave={onSave}
      />
      {fault !== null && <FaultNotice fault={fault} />}
      {fault?.kind === 'changed' && (
        <button type="button" class="button" onClick={onReload}>
          Discard my changes and reload
        </button>
      )}
      <EditedTiles draft={draft} onChange={onChange} onEdit={onTile} />
      {tile !== null && (
        <Dialog
          title={tile === 'new' ? 'Add a tile' : `Edit ${titleOf(tile.definition)}`}
          onClose={() => onTile(null)}
        >
          <TileForm
            tile={tile === 'new' ? NEW_TILE : tile.definition}
            submit={tile === 'new' ? 'Add' : 'Done'}
            onSubmit={async (definition) => {
              onChange(putTile(draft, tile === 'new' ? null : tile.key, definition));
              return () => onTile(null);
            }}
            onCancel={() => onTile(null)}
          />
        </Dialog>
      )}
    </div>
  );
}

function EditorHead({
  draft,
  onChange,
  onAdd,
  onCancel,
  onSave,
}: Pick<OwnEditorProps, 'draft' | 'onChange' | 'onCancel' | 'onSave'> & { onAdd: () => void }) {
  return (
    <header class="dashboard-head dashboard-edit">
      <h1>Edit dashboard</h1>
      <div class="buttons">
        <button type="button" class="button" onClick={onAdd}>
          <Icon name="plus" size={16} /> Add tile
        </button>
        <button type="button" class="button" onClick={onCancel}>
          Cancel
        </button>
        <button
          type="button"
          class="button button-main"
          disabled={draft.name.trim() === ''}
          onClick={onSave}
        >
          Save
        </button>
      </div>
      <label class="field dashboard-name">
        Name
        <input
          value={draft.name}
          maxLength={120}
          onInput={({ currentTarget }) => onChange({ ...draft, name: currentTarget.value })}
        />
      </label>
      <ShareChoice
        shared={draft.shared}
        hint="They see the saved searches of its owner in it, and what their own rights allow."
        onChange={(shared) => onChange({ ...draft, shared })}
      />
    </header>
  );
}

function EditedTiles({
  draft,
  onChange,
  onEdit,
}: {
  draft: Draft;
  onChange: (draft: Draft) => void;
  onEdit: (tile: DraftTile) => void;
}) {
  const { tiles } = draft;
  const container = useRef<HTMLDivElement>(null);
  const [dragged, setDragged] = useState<number | null>(null);
  const [target, setTarget] = useState<number | null>(null);
  const [moved, setMoved] = useState<{ key: number; by: -1 | 1 } | null>(null);
  // Moving an element takes the focus from it.
  useLayoutEffect(() => {
    if (moved === null) return;
    const action = moved.by === 1 ? 'Move later' : 'Move earlier';
    const tile = container.current?.querySelector(`[data-tile="${moved.key}"]`);
    tile?.querySelector<HTMLElement>(`[data-action="${action}"]`)?.focus();
  }, [moved]);
  const position = (key: number) => tiles.findIndex((tile) => tile.key === key);
  const move = (key: number, by: -1 | 1) => {
    onChange(moveTile(draft, key, position(key) + by));
    setMoved({ key, by });
  };
  const change = ({ key, definition }: DraftTile, changed: Partial<TileDefinition>) =>
    onChange(putTile(draft, key, { ...definition, ...changed }));
  return (
    <>
      <p class="unseen" role="status">
        {moved !== null && `Moved to position ${position(moved.key) + 1} of ${tiles.length}`}
      </p>
      <div class="own-tiles" ref={container}>
        {tiles.map((tile) => (
          // biome-ignore lint/a11y/noStaticElementInteractions: the buttons of the bar move the tile, too
          <div
            class="own-tile"
            key={tile.key}
            data-tile={tile.key}
            data-width={tile.definition.width}
            data-dragged={dragged === tile.key}
            data-target={target === tile.key && dragged !== tile.key}
            draggable
            onDragStart={(event) => {
              event.dataTransfer?.setData('text/plain', titleOf(tile.definition));
              setDragged(tile.key);
            }}
            onDragOver={(event) => {
              if (dragged === null) return;
              event.preventDefault();
              setTarget(tile.key);
            }}
            onDrop={(event) => {
              event.preventDefault();
              if (dragged !== null) onChange(moveTile(draft, dragged, position(tile.key)));
            }}
            onDragEnd={() => {
              setDragged(null);
              setTarget(null);
            }}
          >
            <OwnTile tile={tile}>
              <EditBar
                title={titleOf(tile.definition)}
                width={tile.definition.width}
                onMove={(by) => move(tile.key, by)}
                onWidth={(width) => change(tile, { width })}
                onEdit={() => onEdit(tile)}
                onRemove={() => onChange(removeTile(draft, tile.key))}
              />
            </OwnTile>
          </div>
        ))}
      </div>
    </>
  );
}
