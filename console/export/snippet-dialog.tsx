// A dialog with the current search as code to copy.
import { useState } from 'preact/hooks';
import { SERVICE } from '../api/connection.ts';
import { elementRowsBody, searchBody } from '../model/search-body.ts';
import type { SearchState } from '../model/search-state.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { rowsSnippet, SNIPPET_LABELS, type SnippetKind, snippet } from './snippets.ts';

const KINDS = Object.keys(SNIPPET_LABELS) as SnippetKind[];

export function SnippetDialog({ state, onClose }: { state: SearchState; onClose: () => void }) {
  const [kind, setKind] = useState<SnippetKind>('curl');
  const isRows = state.rows !== null;
  const body = isRows ? elementRowsBody(state) : searchBody(state);
  const text =
    isRows && kind === 'curl' ? rowsSnippet(body, SERVICE.href) : snippet(kind, body, SERVICE.href);
  // The published clients have no call for rows.
  const kinds = isRows ? KINDS.filter((one) => one === 'curl' || one === 'body') : KINDS;
  return (
    <Dialog title="Copy search as" onClose={onClose}>
      <fieldset class="choice">
        <legend class="unseen">Format</legend>
        {kinds.map((one) => (
          <label class="choice-option" key={one}>
            <input
              type="radio"
              name="snippet"
              checked={one === kind}
              onChange={() => setKind(one)}
            />
            <span>{SNIPPET_LABELS[one]}</span>
          </label>
        ))}
      </fieldset>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be focusable */}
      <pre class="code" tabIndex={0}>
        {text}
      </pre>
      <CopyButton text={text} />
    </Dialog>
  );
}
