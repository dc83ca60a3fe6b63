// What stands where something else could not: nothing found, a fault, or not there yet. A fault is told in the
// service's own words, with what can be done about it.
import type { ComponentChildren } from 'preact';
import type { ApiFault, FaultKind } from '../api/fault.ts';
import { Icon, type IconName } from './icon.tsx';

/** An empty place, and why it is empty. */
export function Empty({
  icon = 'search',
  title,
  children,
}: {
  icon?: IconName;
  title: string;
  children?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <Icon name={icon} size={28} />
      <p class="empty-title">{title}</p>
      {children !== undefined && <div class="empty-text">{children}</div>}
    </div>
  );
}

/** A fault where content would be. */
export function FaultNotice({ fault, again }: { fault: ApiFault; again?: () => void }) {
  return (
    <div class="notice notice-bad" role="alert">
      <Icon name="alert" />
      <div class="notice-body">
        <p class="notice-title">{TITLES[fault.kind]}</p>
        <p>{fault.message}</p>
        {fault.causes.map((cause) => (
          <pre class="notice-cause" key={cause}>
            {cause}
          </pre>
        ))}
        {fault.trackingId !== null && <p class="quiet">Tracking id {fault.trackingId}</p>}
        {again !== undefined && MAY_PASS.has(fault.kind) && (
          <button type="button" class="button" onClick={again}>
            Try again
          </button>
        )}
        {fault.kind === 'away' && <p class="quiet">It is tried again by itself.</p>}
      </div>
    </div>
  );
}

/** Grey lines for what is on its way. */
export function Waiting({ lines = 5, label = 'Loading' }: { lines?: number; label?: string }) {
  return (
    <div class="waiting" role="status" aria-label={label}>
      {Array.from({ length: lines }, (_, line) => (
        <span class="waiting-line" key={line} style={{ width: `${90 - ((line * 23) % 45)}%` }} />
      ))}
    </div>
  );
}

/** What may go well another time though nothing is asked differently. */
const MAY_PASS: ReadonlySet<FaultKind> = new Set(['busy', 'defect', 'changed']);

const TITLES: Readonly<Record<FaultKind, string>> = {
  'signed-out': 'Not signed in',
  forbidden: 'Your level does not open this',
  missing: 'There is nothing here',
  changed: 'Somebody else changed it meanwhile',
  refused: 'The service refused that',
  busy: 'Too many requests at once',
  away: 'The service cannot be reached',
  defect: 'Something went wrong in the service',
};
