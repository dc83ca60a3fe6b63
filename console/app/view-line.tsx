// The line above every page that says through which view the tenant is seen, and, for somebody who
// only looks through it, leads back.

import { isRestricted } from '../api/rights.ts';
import { ownSession, seenView } from '../api/session.ts';
import { leaveView } from '../api/views/look-through-view.ts';
import { Icon } from '../ui/icon.tsx';
import { useCell } from '../ui/use-cell.ts';

export function ViewLine() {
  const own = useCell(ownSession);
  const seen = useCell(seenView);
  if (own === null) return null;
  if (seen !== null) {
    return (
      <div class="view-line view-line-seen" role="status">
        <Icon name="view" size={16} />
        <p>
          You see the console as the view <strong>{seen.view}</strong> shows it, in this tab.
        </p>
        <button type="button" class="button" onClick={leaveView}>
          Leave the view
        </button>
      </div>
    );
  }
  if (!isRestricted(own)) return null;
  const names = own.views ?? [];
  return (
    <div class="view-line" role="status">
      <Icon name="view" size={16} />
      <p>
        You see what the {names.length === 1 ? 'view' : 'views'} <strong>{listText(names)}</strong>{' '}
        {names.length === 1 ? 'shows' : 'show together'}.
      </p>
    </div>
  );
}

function listText(names: readonly string[]): string {
  return new Intl.ListFormat('en').format(names);
}
