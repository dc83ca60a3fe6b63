// The trail of sign-ins that failed: one event each, in the tenant that the credential belongs to. They are written a moment
// later and several at a time, so that a known id takes no longer to refuse than an unknown one, and so that a flood of
// guesses costs few transactions.
// Invariant: memory is bounded; what is more than fits is counted and told, not kept.
import { randomBytes } from 'node:crypto';
import { type Clock, systemClock } from '../auth/clock.ts';
import { newId } from '../auth/secrets.ts';
import { type AuditEvent, recordAuditEvent } from './audit-event.ts';
import type { Store } from './store.ts';

/** A sign-in that failed with a credential that is known. */
export interface SignInFailure {
  readonly tenantId: string;
  /** Of the personal access token, or of the API client. */
  readonly name: string;
  readonly clientId: string;
  readonly reason: 'secret' | 'ended' | 'grant';
  readonly remoteAddress: string;
}

const DELAY_MS = 100;
/** After a store that could not write. */
const RETRY_MS = 2_000;
const PENDING_MAX = 1_000;

export class SignInFailures {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #onFault: (error: unknown) => void;
  #pending: { readonly tenantId: string; readonly event: AuditEvent }[] = [];
  #omitted = 0;
  #timer: NodeJS.Timeout | null = null;

  /** @param onFault hears why they could not be written; they are tried again */
  constructor(store: Store, onFault: (error: unknown) => void, clock: Clock = systemClock) {
    this.#store = store;
    this.#onFault = onFault;
    this.#clock = clock;
  }

  note({ tenantId, name, clientId, reason, remoteAddress }: SignInFailure): void {
    if (this.#pending.length >= PENDING_MAX) {
      this.#omitted++;
      return;
    }
    const event: AuditEvent = {
      id: newId(randomBytes),
      created: new Date(this.#clock.now()).toISOString(),
      actor: name,
      target: name,
      type: 'AUTH',
      action: 'RequestToken',
      operation: 'REQUEST',
      status: 'FAILED',
      technicalName: 'AUTHENTICATION_REQUEST_FAILED',
      attributes: { clientId, reason, remoteAddress },
    };
    this.#pending.push({ tenantId, event });
    this.#later(DELAY_MS);
  }

  /** Writes what is pending now. */
  async flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const written = this.#pending;
    const omitted = this.#omitted;
    if (written.length === 0) return;
    this.#pending = [];
    this.#omitted = 0;
    try {
      await this.#store.write(async (records) => {
        for (const [at, { tenantId, event }] of written.entries()) {
          const last = at === written.length - 1 && omitted > 0;
          const attributes = last ? { ...event.attributes, omitted } : event.attributes;
          await recordAuditEvent(records, tenantId, { ...event, attributes });
        }
      });
    } catch (error) {
      this.#pending = [...written, ...this.#pending].slice(0, PENDING_MAX);
      this.#omitted += omitted;
      this.#later(RETRY_MS);
      this.#onFault(error);
    }
  }

  /** Writes what is pending, if that is still possible. */
  async close(): Promise<void> {
    await this.flush();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #later(ms: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      void this.flush();
    }, ms).unref();
  }
}
