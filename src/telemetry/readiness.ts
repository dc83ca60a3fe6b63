// Whether this node can serve, and what an operator should look at although it can: what `/ready` answers
// and metrics show.
// Invariant: anybody may read it, so errors, which may name hosts and tenants, are only in the log.
import { ServiceError } from '../errors.ts';
import type { DamageWatch } from '../service/documents/damage-watch.ts';
import type { SearchBackend } from '../service/ports/search-backend.ts';
import type { Store, StoreInconsistency } from '../service/ports/store.ts';
import { type DiskSpace, diskWarning } from './disk-space.ts';
import type { Log } from './log.ts';
import type { NodeCondition } from './scrape.ts';

/** What the readiness of a node is derived from. */
export interface ReadinessParts {
  readonly store: Store;
  readonly backend: SearchBackend;
  readonly indexer: {
    /** `error`: why feeding fails; null: it does not. */
    status(): { readonly applied: number; readonly error: string | null };
    waitFor(sequence: number, timeoutMs: number): Promise<void>;
  };
  /** Shared counts of several nodes; null: each counts for itself. */
  readonly counts: { readonly connected: boolean; probe(): Promise<void> } | null;
  readonly clock: { now(): number };
  /** How far the clock may be from that of the store before tokens suffer. */
  readonly clockSkewMs: number;
  /**
   * Last sequence of the store at the start; not ready until it is searchable, as searches would
   * miss acknowledged documents.
   */
  readonly atOpening: number;
  /** Work of the server that may fail without ending it. */
  readonly background: readonly { readonly warning: string | null }[];
  disk(): DiskSpace | null;
  /** What is unusual about this server on purpose, such as the powers for tests. */
  notices?(): readonly string[];
  /** The faults of the store that the last background check found. */
  storeFaults(): readonly string[];
  /** The derived rows that are not as computed, as that check found. */
  wrongRows(): readonly StoreInconsistency[];
  readonly watch: Pick<DamageWatch, 'damaged' | 'unnamed' | 'damagedTrails'>;
  readonly log: Pick<Log, 'warn'>;
}

const NO_TENANT =
  'There is no tenant: create one with cardea tenant create, or check CARDEA_DATA_DIR and CARDEA_STORE_URL.';
const SEE_LOG = 'the log of this node says why.';
/** Errors of feeding that anybody may read about, in our own words. */
const FEEDING_FAULTS: readonly (readonly [error: RegExp, sentence: string])[] = [
  [/maximum shards open/, 'OpenSearch has reached its limit of shards (maximum shards open).'],
  [/read-only|flood-stage/, 'a disk of OpenSearch is nearly full (flood-stage watermark).'],
];

/** What a node says of itself while it serves. */
export interface NodeReadiness {
  /** Why it is not ready, in sentences that anybody may read; none: it is. */
  unreadyReasons(): Promise<readonly string[]>;
  condition(): Promise<NodeCondition>;
  warnings(): Promise<readonly string[]>;
  lastSequence(): Promise<number>;
  waitUntilSearchable(sequence: number, timeoutMs: number): Promise<void>;
}

/** The readiness that the parts of a node add up to. */
export function readinessOf(parts: ReadinessParts): NodeReadiness {
  const { store, backend, indexer } = parts;
  const checks = new PartChecks(parts.log);
  let hasTenant = false;
  let { atOpening } = parts;
  /** What must be searchable: less than at the opening once the store was restored to an older state. */
  const target = async () => {
    if (indexer.status().applied < atOpening) {
      const last = await store.read.lastSequence().catch(() => atOpening);
      atOpening = Math.min(atOpening, last);
    }
    return atOpening;
  };
  const pingStore = () =>
    checks.faultOf(
      'The store',
      store.ping().then(() => null),
    );
  const unreadyReasons = async (storeFault: string | null) => {
    const searchFault = await checks.faultOf('The search', backend.unreadyReason());
    const faults = [storeFault, searchFault].filter((fault) => fault !== null);
    return [...faults, ...indexFaults(indexer.status(), await target())];
  };
  return {
    unreadyReasons: async () => unreadyReasons(await pingStore()),
    async condition() {
      const [storeFault, search] = await Promise.all([
        pingStore(),
        backend.ping().then(
          () => true,
          () => false,
        ),
      ]);
      const ready = (await unreadyReasons(storeFault)).length === 0;
      return { ready, store: storeFault === null, search };
    },
    async warnings() {
      // A tenant stays, so the store is not asked again.
      hasTenant ||= (await store.read.tenants()).length > 0;
      return [...(hasTenant ? [] : [NO_TENANT]), ...(await warningsOf(parts))];
    },
    lastSequence: () => store.read.lastSequence(),
    waitUntilSearchable: (sequence, timeoutMs) => indexer.waitFor(sequence, timeoutMs),
  };
}

/** Checks parts of a node, and logs each error once: probes come every second. */
class PartChecks {
  readonly #log: ReadinessParts['log'];
  /** The last error of each part that failed. */
  readonly #logged = new Map<string, string>();

  constructor(log: ReadinessParts['log']) {
    this.#log = log;
  }

  /** Why a part is not ready, in a sentence that anybody may read; null: it is. */
  faultOf(part: string, check: Promise<string | null>): Promise<string | null> {
    return check.then(
      (reason) => {
        this.#logged.delete(part);
        return reason;
      },
      (error: Error) => {
        const isOurs = error instanceof ServiceError;
        if (this.#logged.get(part) !== error.message) {
          const causes = isOurs ? error.details.causes : undefined;
          this.#log.warn({ err: error, causes }, `${part} does not answer`);
        }
        this.#logged.set(part, error.message);
        return isOurs ? error.message : `${part} does not answer; ${SEE_LOG}`;
      },
    );
  }
}

/** Why the index is not ready: it cannot be fed, or searches would miss acknowledged documents. */
function indexFaults(
  { error, applied }: { readonly error: string | null; readonly applied: number },
  target: number,
): readonly string[] {
  const faults: string[] = [];
  if (error !== null) {
    const known = FEEDING_FAULTS.find(([pattern]) => pattern.test(error));
    faults.push(`The search index cannot be fed: ${known?.[1] ?? SEE_LOG}`);
  }
  if (applied < target) {
    faults.push(`The search index is ${target - Math.max(0, applied)} changes behind.`);
  }
  return faults;
}

/** What an operator should look at although the node is ready. */
async function warningsOf(parts: ReadinessParts): Promise<readonly string[]> {
  const { backend, counts, background } = parts;
  const warnings: string[] = [...(parts.notices?.() ?? []), ...(backend.warnings?.() ?? [])];
  const full = diskWarning(parts.disk());
  if (full !== null) warnings.push(full);
  const [fault] = parts.storeFaults();
  if (fault !== undefined) {
    warnings.push(`The store is damaged, see cardea doctor, or restore a backup: ${fault}`);
  }
  const wrong = parts.wrongRows().map(({ table }) => table);
  if (wrong.length > 0) {
    warnings.push(
      `Rows of ${wrong.join(', ')}, which are derived from records, are damaged: run cardea doctor --repair.`,
    );
  }
  const [named, unnamed] = [(await parts.watch.damaged()).length, await parts.watch.unnamed()];
  if (named > 0) {
    const damaged = named + unnamed;
    const all = unnamed === 0 ? 'them' : `${named} of them, cardea doctor --json names all`;
    warnings.push(
      `${damaged === 1 ? '1 document is' : `${damaged} documents are`} damaged in the store and set aside: the log of this node${unnamed === 0 ? ' and cardea doctor name' : ' names'} ${all}.`,
    );
  }
  const trails = await parts.watch.damagedTrails();
  if (trails > 0) {
    warnings.push(
      `${trails === 1 ? 'The audit trail of 1 tenant is' : `The audit trails of ${trails} tenants are`} damaged: the log of this node and cardea doctor say how.`,
    );
  }
  const aheadMs = await clockAhead(parts);
  if (Math.abs(aheadMs) > parts.clockSkewMs) warnings.push(clockWarning(aheadMs));
  if (counts !== null && !counts.connected) await counts.probe();
  if (counts?.connected === false) {
    warnings.push('Redis does not answer: this node counts requests and wrong secrets for itself.');
  }
  warnings.push(...background.flatMap(({ warning }) => warning ?? []));
  return warnings;
}

/**
 * Milliseconds that this process's clock is ahead of the store's, which all nodes share; 0 without
 * one.
 */
async function clockAhead({ store, clock }: ReadinessParts): Promise<number> {
  const before = clock.now();
  const storeTime = await store.now();
  return storeTime === null ? 0 : (before + clock.now()) / 2 - storeTime;
}

function clockWarning(aheadMs: number): string {
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  const which = aheadMs > 0 ? 'ahead of' : 'behind';
  return `The clock of this node is ${seconds} s ${which} that of the database; tokens and the times of audit events use it.`;
}
