// The states of a node at one scrape. They are read once and before the metrics are rendered:
// rendering reads all metrics at the same time, so one metric would count the requests of another.
// Invariant: a store or a search that does not answer delays a scrape by PROBE_MS at most.
import { within } from '../scheduling/abort.ts';
import type { PoolFigures } from '../service/ports/store.ts';
import type { DiskSpace } from './disk-space.ts';
import type { Lag } from './index-lag.ts';
import type { ThreadReport } from './thread-figures.ts';

/** Whether the node can serve, and whether its parts answer. */
export interface NodeCondition {
  /** True if `/ready` is 200. */
  readonly ready: boolean;
  readonly store: boolean;
  readonly search: boolean;
}

/** The last background check of the store. */
export interface StoreCheckFigures {
  /** Epoch milliseconds; 0: none yet. */
  readonly checkedAt: number;
  readonly faults: number;
}

/** The mirrors of all tenants together. */
export interface MirrorFigures {
  readonly mirrors: number;
  /** Mirrors whose last run failed. */
  readonly failing: number;
  /** The greatest age of a complete copy; null if there is none. */
  readonly lagSeconds: number | null;
}

/** Sources of the states. */
export interface ScrapeSources {
  pools(): readonly PoolFigures[];
  lag(): Promise<Lag>;
  condition(): Promise<NodeCondition>;
  mirrors(): Promise<MirrorFigures>;
  /** What each thread that serves counts. */
  reports(): Promise<readonly ThreadReport[]>;
  /** The number of damaged documents that are known. */
  damagedDocuments(): Promise<number>;
  /** Epoch milliseconds when the store was found to be restored to an older state; 0: never. */
  storeRestored(): number;
  disk(): DiskSpace | null;
  /** Epoch milliseconds of the last backup, 0 for none; null if the store has its own tools. */
  lastBackup(): number | null;
  /** Epoch milliseconds of the last scheduled backup that failed, 0 for none; null: none are scheduled. */
  backupFailed(): number | null;
  /** null if the store is not checked. */
  storeCheck(): StoreCheckFigures | null;
  /** Epoch milliseconds of the end of the TLS certificate in use; null without TLS. */
  certificateExpires(): number | null;
}

/** States that are null if they cannot be read in time. */
type Probed = 'lag' | 'mirrors' | 'damagedDocuments';

/** The states; null: unknown. */
export type Scrape = {
  readonly [State in keyof ScrapeSources]:
    | Awaited<ReturnType<ScrapeSources[State]>>
    | (State extends Probed ? null : never);
};

/** Less than the usual timeout of a scrape, 10 s. */
const PROBE_MS = 3_000;
const UNKNOWN: NodeCondition = { ready: false, store: false, search: false };

/** Reads all states. */
export async function takeScrape(sources: ScrapeSources, probeMs = PROBE_MS): Promise<Scrape> {
  // First, because the other sources take connections.
  const pools = sources.pools();
  const [lag, condition, mirrors, damagedDocuments, reports] = await Promise.all([
    inTime(sources.lag(), probeMs, null),
    inTime(sources.condition(), probeMs, UNKNOWN),
    inTime(sources.mirrors(), probeMs, null),
    inTime(sources.damagedDocuments(), probeMs, null),
    inTime(sources.reports(), probeMs, []),
  ]);
  return {
    pools,
    lag,
    condition,
    mirrors,
    damagedDocuments,
    reports,
    storeRestored: sources.storeRestored(),
    disk: sources.disk(),
    lastBackup: sources.lastBackup(),
    backupFailed: sources.backupFailed(),
    storeCheck: sources.storeCheck(),
    certificateExpires: sources.certificateExpires(),
  };
}

/** The result of `work`, or `otherwise` if it fails or takes too long. */
function inTime<T, U>(work: Promise<T>, ms: number, otherwise: U): Promise<T | U> {
  const late = () => otherwise;
  return within(ms, work.catch(late), late);
}
