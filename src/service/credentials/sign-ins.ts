// Sign-ins in the audit trail: one event per token request with a known credential, successful or
// not, in the credential's tenant. A grant that writes anyway records its event in its own
// transaction (signInEvent). Other events are queued here and written in batches, so that a known
// id takes no longer to refuse than an unknown one, and neither guessing nor busy API clients cause
// a transaction each.
// Invariant: the queue is bounded; dropped events are counted, and the count is recorded.
import type { RequestOrigin } from '../../auth/caller.ts';
import { type Clock, systemClock } from '../../auth/clock.ts';
import {
  type AuditEvent,
  type EventContext,
  newEvent,
  recordAuditEvents,
} from '../audit/audit-event.ts';
import type { Store } from '../ports/store.ts';

/** A token request with a known credential. */
export interface SignIn {
  readonly tenantId: string;
  /** A personal access token, or an API client. */
  readonly kind: 'pat' | 'client';
  /** Name of the personal access token or API client. */
  readonly name: string;
  readonly clientId: string;
  /** The owner of the personal access token; null after a failure and for API clients. */
  readonly user: { readonly id: string; readonly uid: string } | null;
  /** The reason of a failure, or null after a success. */
  readonly reason: 'secret' | 'ended' | 'grant' | null;
  readonly origin: RequestOrigin;
}

/** The audit event of a sign-in. */
export function signInEvent(
  { kind, name, clientId, user, reason, origin }: SignIn,
  time: Omit<EventContext, 'actor'>,
): AuditEvent {
  const actor = { name: user?.uid ?? name, id: user?.id ?? clientId, origin };
  return newEvent(
    { ...time, actor },
    {
      act: `${reason === null ? 'USE' : 'REFUSE'}_${kind === 'pat' ? 'TOKEN' : 'CLIENT'}`,
      target: name,
      status: reason === null ? 'PASSED' : 'FAILED',
      attributes: { clientId, ...(reason === null ? {} : { reason }) },
    },
  );
}

const DELAY_MS = 500;
/** Delay after a failed write. */
const RETRY_MS = 2_000;
const PENDING_MAX = 1_000;

/** A queue of sign-in events that are written in batches. */
export class SignIns {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #onFault: (error: unknown) => void;
  #pending: { readonly tenantId: string; readonly event: AuditEvent }[] = [];
  #omitted = 0;
  #timer: NodeJS.Timeout | null = null;

  /** @param onFault called when the events could not be written; they are retried */
  constructor(store: Store, onFault: (error: unknown) => void, clock: Clock = systemClock) {
    this.#store = store;
    this.#onFault = onFault;
    this.#clock = clock;
  }

  enqueue(signIn: SignIn): void {
    if (this.#pending.length >= PENDING_MAX) {
      this.#omitted++;
      return;
    }
    const event = signInEvent(signIn, { now: this.#clock.now() });
    this.#pending.push({ tenantId: signIn.tenantId, event });
    this.#schedule(DELAY_MS);
  }

  /** Writes the pending events. */
  async flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const batch = this.#pending;
    const omitted = this.#omitted;
    if (batch.length === 0) return;
    this.#pending = [];
    this.#omitted = 0;
    const failed = new Set<string>();
    // A write for each tenant: the trail of one may be damaged.
    const writes = [...byTenant(batch, omitted)].map(([tenantId, events]) =>
      this.#store
        .write((records) => recordAuditEvents(records, tenantId, events))
        .catch((error) => {
          failed.add(tenantId);
          this.#onFault(error);
        }),
    );
    await Promise.all(writes);
    if (failed.size === 0) return;
    const all = [...batch.filter(({ tenantId }) => failed.has(tenantId)), ...this.#pending];
    this.#pending = all.slice(0, PENDING_MAX);
    this.#omitted += all.length - this.#pending.length;
    // The event that would have told of them was not written.
    if (failed.has(batch.at(-1)?.tenantId ?? '')) this.#omitted += omitted;
    this.#schedule(RETRY_MS);
  }

  /** Writes the pending events once more and stops retrying. */
  async close(): Promise<void> {
    await this.flush();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #schedule(ms: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      void this.flush();
    }, ms).unref();
  }
}

/** Groups the events by tenant, in order; the last event carries the number of dropped ones. */
function byTenant(
  pending: readonly { readonly tenantId: string; readonly event: AuditEvent }[],
  omitted: number,
): Map<string, AuditEvent[]> {
  const tenants = new Map<string, AuditEvent[]>();
  for (const [at, { tenantId, event }] of pending.entries()) {
    const events = tenants.get(tenantId) ?? [];
    tenants.set(tenantId, events);
    const last = omitted > 0 && at === pending.length - 1;
    events.push(last ? { ...event, attributes: { ...event.attributes, omitted } } : event);
  }
  return tenants;
}
