// The parts of the search page that show saved searches. Their code is loaded on first use.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { mayUser } from '../../../api/rights.ts';
import { session } from '../../../api/session.ts';
import type { SearchState } from '../../../model/search-state.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { lazy } from '../../../ui/lazy.tsx';
import { useCell } from '../../../ui/use-cell.ts';
import { useMedia } from '../../../ui/use-media.ts';
import { savedShown, showSaved } from './saved-shown.ts';

const SavedPanel = lazy(async () => (await import('./saved-panel.tsx')).SavedPanel);
const SavedBar = lazy(async () => (await import('./saved-bar.tsx')).SavedBar);
const NewSearch = lazy(async () => (await import('./save-dialog.tsx')).NewSearch);

/** Up to this width, the saved searches are a drawer over the page, or a sheet. */
const DRAWER = '(max-width: 1180px)';
const SHEET = '(max-width: 640px)';

/** The saved searches of a search page. */
export interface SavedParts {
  /** The button that opens and closes the list; null: the user may not see any. */
  readonly toggle: ComponentChildren;
  /** The list at the side; null while it is closed or over the page. */
  readonly side: ComponentChildren;
  /** The name of the opened search and what can be done with it; null without one. */
  readonly bar: ComponentChildren;
  /** Dialogs. */
  readonly dialogs: ComponentChildren;
  /** Opens the dialog that saves the search; null: the user may not. */
  readonly onSave: (() => void) | null;
}

export function useSavedParts(state: SearchState): SavedParts {
  const user = useCell(session);
  const isShown = useCell(savedShown);
  const isDrawer = useMedia(DRAWER);
  const isSheet = useMedia(SHEET);
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const [version, setVersion] = useState(0);
  const onChange = () => setVersion((before) => before + 1);
  const mayRead = mayUser(user, 'saved-search:read');
  if (!mayRead) return { toggle: null, side: null, bar: null, dialogs: null, onSave: null };
  const isOpen = isDrawer ? isDrawerOpen : isShown;
  const open = isDrawer ? setDrawerOpen : showSaved;
  const panel = <SavedPanel state={state} version={version} onOpen={() => setDrawerOpen(false)} />;
  return {
    toggle: <Toggle isOpen={isOpen} onOpen={() => open(!isOpen)} />,
    side:
      isOpen && !isDrawer ? (
        <aside class="saved-side" aria-label="Saved searches">
          {panel}
        </aside>
      ) : null,
    bar: state.saved !== null && (
      <SavedBar
        key={state.saved}
        id={state.saved}
        state={state}
        version={version}
        onChange={onChange}
      />
    ),
    dialogs: (
      <>
        {isDrawer && isDrawerOpen && (
          <Dialog
            title="Saved searches"
            shape={isSheet ? 'sheet' : 'drawer'}
            onClose={() => setDrawerOpen(false)}
          >
            {panel}
          </Dialog>
        )}
        {isSaving && (
          <NewSearch state={state} onChange={onChange} onClose={() => setSaving(false)} />
        )}
      </>
    ),
    onSave: mayUser(user, 'saved-search:manage') ? () => setSaving(true) : null,
  };
}

function Toggle({ isOpen, onOpen }: { isOpen: boolean; onOpen: () => void }) {
  return (
    <button
      type="button"
      class="button saved-toggle"
      title="Saved searches"
      aria-expanded={isOpen}
      onClick={onOpen}
    >
      <Icon name="bookmark" size={16} /> <span class="saved-toggle-label">Saved searches</span>
    </button>
  );
}
