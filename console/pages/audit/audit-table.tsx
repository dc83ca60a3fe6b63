// The rows of recorded events: when, who, what, on which object, and what changed in brief.

import { firstText, instantText } from '../../model/document-value.ts';
import type { Document } from '../../model/wire.ts';
import { TableFrame, TableHead } from '../../ui/table-frame.tsx';
import { Status } from '../../ui/values/status.tsx';
import { actionText, changedNames } from './event-changes.ts';

/** Names of changed members in a row; the detail has all. */
const NAMES_SHOWN = 4;

export function AuditTable({
  events,
  onShow,
}: {
  events: readonly Document[];
  onShow: (event: Document) => void;
}) {
  return (
    <TableFrame label="Recorded events">
      <TableHead labels={['Time', 'Actor', 'Action', 'Status', 'Target', 'Changed']} />
      <tbody>
        {events.map((event) => (
          <tr key={firstText(event, 'id')}>
            <td class="moment">
              <button
                type="button"
                class="link-button"
                aria-label={`Details of ${actionText(firstText(event, 'action'))} at ${timeText(event)}`}
                onClick={() => onShow(event)}
              >
                {timeText(event)}
              </button>
            </td>
            <td class="cell-name">{firstText(event, 'actor.name') || '–'}</td>
            <td class="moment">{actionText(firstText(event, 'action'))}</td>
            <td>
              <Status word={firstText(event, 'status')} />
            </td>
            <td class="cell-name">{firstText(event, 'target.name') || '–'}</td>
            <td class="cell-name">{namesText(event)}</td>
          </tr>
        ))}
      </tbody>
    </TableFrame>
  );
}

function timeText(event: Document): string {
  const created = firstText(event, 'created');
  return `${instantText(created)}${created.slice(16, 19)}`;
}

function namesText(event: Document): string {
  const names = changedNames(event);
  const more = names.length - NAMES_SHOWN;
  return names.slice(0, NAMES_SHOWN).join(', ') + (more > 0 ? `, ${more} more` : '') || '–';
}
