// Exports the audit trail to one target, at least once. The position is stored and advances after a
// confirmed delivery, so a failure or a crash repeats events but never loses them. Of several nodes
// on one store, the holder of a lease exports; if clocks differ and two nodes export, events arrive
// twice.
// Invariant: one delivery at a time, in the order of commits.

import { BackgroundLoop } from '../../scheduling/background-loop.ts';
import type { AuditExport, StoredAuditEvent } from '../../service/ports/audit-records.ts';
import type { Store } from '../../service/ports/store.ts';
import type { Log } from '../../telemetry/log.ts';
import type { ExportTarget } from './export-target.ts';

export interface ExporterOptions {
  /** Name of this process, unique among those that share the store. */
  readonly owner: string;
  readonly log: Log;
  readonly clock: { now(): number };
  /** Milliseconds between checks for new events. */
  readonly pollMs?: number;
  /** Delay after the first of several failures; doubles with each one, up to retryMsMax. */
  readonly retryMs?: number;
  readonly retryMsMax?: number;
  /** Length of the lease, which each move of the position renews. */
  readonly leaseMs?: number;
}

/** Most events of one delivery, and most characters of their text. */
const BATCH_EVENTS = 500;
const BATCH_CHARACTERS = 1024 * 1024;
/** Time for the delivery under way when the process stops. */
const STOP_MS = 2_000;

export class AuditExporter {
  readonly #store: Store;
  readonly #target: ExportTarget;
  readonly #options: Required<ExporterOptions>;
  readonly #loop = new BackgroundLoop();
  /** Of the delivery under way. */
  #cancel = new AbortController();
  /** Deliveries that failed since the last one that succeeded. */
  #failures = 0;

  constructor(store: Store, target: ExportTarget, options: ExporterOptions) {
    this.#store = store;
    this.#target = target;
    this.#options = {
      pollMs: 1_000,
      retryMs: 1_000,
      retryMsMax: 60_000,
      leaseMs: 30_000,
      ...options,
    };
  }

  /** Why events are not exported, in one sentence; null: they are. */
  get warning(): string | null {
    return this.#failures === 0
      ? null
      : 'Events of the audit trail could not be exported; the log says why.';
  }

  start(): void {
    const { log, pollMs, retryMs: firstRetryMs, retryMsMax } = this.#options;
    const target = this.#target.name;
    const exportNext = async () => {
      const delivered = await this.exportBatch();
      if (this.#failures > 0 && delivered > 0)
        log.info({ target }, 'The audit trail is exported again');
      this.#failures = 0;
      return delivered === 0 ? pollMs : 0;
    };
    this.#loop.repeat(0, exportNext, (err) => {
      const retryMs = Math.min(firstRetryMs * 2 ** this.#failures++, retryMsMax);
      log.warn(
        { err, target, retryMs },
        'Events of the audit trail could not be exported; the delivery is repeated',
      );
      return retryMs;
    });
  }

  /**
   * Waits a moment for the delivery under way, and releases the lease. The next start repeats a
   * delivery that has not ended by then.
   */
  async stop(): Promise<void> {
    const timer = setTimeout(() => this.#cancel.abort(), STOP_MS);
    await this.#loop.stop();
    clearTimeout(timer);
    await this.#release().catch((err: unknown) => {
      this.#options.log.warn({ err }, 'The lease of the audit export could not be released');
    });
  }

  /**
   * Delivers the next events, if there are any and no other process exports them.
   * @returns the number of delivered events
   */
  async exportBatch(): Promise<number> {
    const position = await this.#store.read.auditExport(this.#target.name);
    if (this.#isLeasedByOther(position)) return 0;
    const sequence = position?.sequence ?? 0;
    const events = firstBatch(await this.#store.read.auditEventsAfter(sequence, BATCH_EVENTS));
    const last = events.at(-1);
    if (last === undefined || !(await this.#advance(sequence))) return 0;
    const lines = await this.#linesOf(events);
    if (this.#loop.signal.aborted) return 0;
    this.#cancel = new AbortController();
    await this.#target.deliver(lines, this.#cancel.signal);
    await this.#advance(last.sequence);
    return events.length;
  }

  #isLeasedByOther(position: AuditExport | null): boolean {
    if (position === null || position.owner === this.#options.owner) return false;
    const left = position.leaseUntil - this.#options.clock.now();
    // A lease that ends later than any new one would is from a wrong clock.
    return left > 0 && left <= 2 * this.#options.leaseMs;
  }

  /** Takes or renews the lease and advances the position; false if another process has the lease. */
  async #advance(sequence: number): Promise<boolean> {
    const { owner, leaseMs, clock } = this.#options;
    const target = this.#target.name;
    return this.#store.write(async (records) => {
      const position = await records.auditExport(target);
      if (this.#isLeasedByOther(position)) return false;
      await records.setAuditExport({
        ...{ target, owner, leaseUntil: clock.now() + leaseMs },
        sequence: Math.max(position?.sequence ?? 0, sequence),
      });
      return true;
    });
  }

  async #release(): Promise<void> {
    const { name } = this.#target;
    const isHeld = (position: AuditExport | null) =>
      position?.owner === this.#options.owner && position.leaseUntil !== 0;
    if (!isHeld(await this.#store.read.auditExport(name))) return;
    await this.#store.write(async (records) => {
      const position = await records.auditExport(name);
      if (position !== null && isHeld(position)) {
        await records.setAuditExport({ ...position, leaseUntil: 0 });
      }
    });
  }

  /**
   * Formats one JSON object per event. The text of the event is last and verbatim, since it is
   * hashed.
   */
  async #linesOf(events: readonly StoredAuditEvent[]): Promise<string[]> {
    const names = new Map<string, string>();
    const lines: string[] = [];
    for (const { tenantId, number, previousHash, hash, text } of events) {
      let tenant = names.get(tenantId);
      if (tenant === undefined) {
        tenant = (await this.#store.read.tenantById(tenantId))?.name ?? '';
        names.set(tenantId, tenant);
      }
      const chainLink = JSON.stringify({ tenant, tenantId, number, previousHash, hash });
      lines.push(`${chainLink.slice(0, -1)},"event":${text}}`);
    }
    return lines;
  }
}

/** The first events that fit one delivery; at least one if there is any. */
function firstBatch(events: readonly StoredAuditEvent[]): readonly StoredAuditEvent[] {
  let characters = 0;
  const end = events.findIndex(({ text }, i) => {
    characters += text.length;
    return i > 0 && characters > BATCH_CHARACTERS;
  });
  return end === -1 ? events : events.slice(0, end);
}
