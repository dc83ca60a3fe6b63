// Placeholders for missing content: no results, a fault, or loading. A fault shows the messages of
// the service and, if it helps, a button to retry.
import type { ComponentChildren } from 'preact';
import type { ApiFault, FaultKind } from '../api/fault.ts';
import { Icon, type IconName } from './icon.tsx';
import type { Load } from './use-load.ts';

/** An empty state with its reason. */
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

/**
 * A fault in place of content.
 * @param reload repeats the request, as the page does by itself once the service can be reached;
 *   without it, nothing does
 */
export function FaultNotice({ fault, reload }: { fault: ApiFault; reload?: () => void }) {
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
        {fault.trackingId !== null && <p class="quiet">Tracking ID {fault.trackingId}</p>}
        {reload !== undefined && RETRYABLE.has(fault.kind) && (
          <button type="button" class="button" onClick={reload}>
            Try again
          </button>
        )}
        {reload !== undefined && fault.kind === 'unavailable' && (
          <p class="quiet">Retrying automatically.</p>
        )}
        {NEXT_STEPS[fault.kind]}
      </div>
    </div>
  );
}

/** A load in place of its value: why it failed, or that the first value is loading. */
export function LoadNotice({
  value,
  fault,
  reload,
  ...waiting
}: Pick<Load<unknown>, 'value' | 'fault' | 'reload'> & WaitingProps) {
  if (fault !== null) return <FaultNotice fault={fault} reload={reload} />;
  return value === undefined ? <Waiting {...waiting} /> : null;
}

interface WaitingProps {
  readonly lines?: number;
  /** What a screen reader says. */
  readonly label?: string;
}

/** Grey lines while content is loading. */
export function Waiting({ lines = 5, label = 'Loading' }: WaitingProps) {
  return (
    <div class="waiting" role="status" aria-label={label}>
      {Array.from({ length: lines }, (_, line) => (
        <span class="waiting-line" key={line} style={{ width: `${90 - ((line * 23) % 45)}%` }} />
      ))}
    </div>
  );
}

/** Faults for which the same request may succeed later. */
const RETRYABLE: ReadonlySet<FaultKind> = new Set(['busy', 'defect', 'changed']);

const NEXT_STEPS: Partial<Record<FaultKind, ComponentChildren>> = {
  missing: (
    <p>
      It may have been deleted, or the link may be incomplete. <a href="#/search">Search for it</a>
    </p>
  ),
  forbidden: (
    <p class="quiet">
      Ask an administrator for the capability that is needed, or sign in as another user.
    </p>
  ),
};

const TITLES: Readonly<Record<FaultKind, string>> = {
  'signed-out': 'Not signed in',
  forbidden: 'You do not have permission',
  missing: 'Not found',
  changed: 'Changed by someone else',
  refused: 'The request was refused',
  busy: 'Too many requests',
  unavailable: 'The service cannot be reached',
  defect: 'Something went wrong',
};
