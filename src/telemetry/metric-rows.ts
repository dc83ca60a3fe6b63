// The metrics of a process besides those of requests (request-metrics.ts): what each is read from at a scrape.
// Invariant: label values are fixed words or names of parts, never input of tenants or callers.
// A metric without labels always has a value, NaN if it is unknown; one that is to be absent has a label.
import type { BackendFigures } from '../service/ports/search-backend.ts';
import type { RequestValues } from './request-metrics.ts';
import type { Scrape, ScrapeSources } from './scrape.ts';
import { cachesOf, type ThreadReport } from './thread-figures.ts';

/** Sources that are read at a scrape. */
export interface MetricSources extends ScrapeSources {
  readonly version: string;
  /** True if this process feeds the search. */
  feeds(): boolean;
  /** Threads that have died since the start, and those that do not run now. */
  threads(): ThreadsFigures;
  /** null if the search is not in this process. */
  backend(): BackendFigures | null;
  /** Rows that this process has purged, by kind. */
  purged(): Readonly<Record<string, number>>;
  /** null: no other program can change the index. */
  mended(): MendedFigures | null;
  /** True if nodes count together now; null without Redis. */
  countsTogether(): boolean | null;
}

/** What is known of threads besides their reports. */
export interface ThreadsFigures {
  readonly died: number;
  readonly hung: number;
  /** What threads counted that have died. */
  readonly past: readonly RequestValues[];
}

/** What was mended of an index that other programs can change. */
export interface MendedFigures {
  /** Documents since the start, by how they were found. */
  readonly mended: Readonly<Record<string, number>>;
  /** Epoch milliseconds of the last comparison with the store by this process; 0: none. */
  readonly comparedAt: number;
}

/** A value, with the label values that it is for. */
type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

/** A metric; it is a counter if its name ends in `_total`, otherwise a gauge. */
export type MetricRow = readonly [
  name: string,
  help: string,
  labels: readonly string[],
  read: (scrape: Scrape, sources: MetricSources) => readonly Sample[],
];

/** The only sample of a metric without labels. */
const one = (value: number | null | undefined): readonly Sample[] => [[{}, value ?? Number.NaN]];

/** The only sample of a metric that is absent while it is unknown; `unit`: by what it is divided. */
const ifKnown = (
  labels: Sample[0],
  value: number | null | undefined,
  unit = 1,
): readonly Sample[] => (value === null || value === undefined ? [] : [[labels, value / unit]]);

const MS = 1_000;
const SQLITE = { store: 'sqlite' };

const OF_NODE: readonly MetricRow[] = [
  ['cardea_ready', '1 if /ready answers 200', [], ({ condition }) => one(condition.ready ? 1 : 0)],
  [
    'cardea_reachable',
    '1 if this part answers',
    ['part'],
    ({ condition }) => [
      [{ part: 'store' }, condition.store ? 1 : 0],
      [{ part: 'search' }, condition.search ? 1 : 0],
    ],
  ],
  [
    'cardea_index_lag_changes',
    'Changes of the store that are not searchable yet',
    [],
    ({ lag }) => one(lag?.changes),
  ],
  [
    'cardea_index_lag_seconds',
    'Age of the oldest change that is not searchable yet, to a second',
    [],
    ({ lag }) => one(lag?.seconds),
  ],
  [
    'cardea_store_connections',
    'Connections to PostgreSQL: open, idle, and the number of requests that wait for one',
    ['pool', 'state'],
    ({ pools }) =>
      pools.flatMap(({ pool, ...figures }) =>
        (['open', 'idle', 'waiting'] as const).map(
          (state): Sample => [{ pool, state }, figures[state]],
        ),
      ),
  ],
  [
    'cardea_tls_certificate_expires_timestamp_seconds',
    'When the TLS certificate in use ends; absent without TLS',
    ['use'],
    ({ certificateExpires }) => ifKnown({ use: 'api' }, certificateExpires, MS),
  ],
  // Absent where there is no mirror, so that no alert is about them.
  [
    'cardea_mirrors',
    'Mirrors of remote tenants, by the outcome of their last run; absent without mirrors',
    ['state'],
    ({ mirrors }) =>
      mirrors === null || mirrors.mirrors === 0
        ? []
        : [
            [{ state: 'failing' }, mirrors.failing],
            [{ state: 'well' }, mirrors.mirrors - mirrors.failing],
          ],
  ],
  [
    'cardea_mirror_lag_seconds',
    'Age of the oldest complete copy of a remote tenant; absent without one',
    ['of'],
    ({ mirrors }) => ifKnown({ of: 'oldest' }, mirrors?.lagSeconds),
  ],
  [
    'cardea_damaged_documents',
    'Damaged documents of the store that are set aside, as far as this node has read them',
    [],
    ({ damagedDocuments }) => one(damagedDocuments),
  ],
  [
    'cardea_store_restored_timestamp_seconds',
    'When this node last found that the store was restored to an older state, 0 for never',
    [],
    ({ storeRestored }) => one(storeRestored / MS),
  ],
  [
    'cardea_disk_free_bytes',
    'Free bytes on the disk of the data directory',
    [],
    ({ disk }) => one(disk?.free),
  ],
  [
    'cardea_disk_size_bytes',
    'Size of the disk of the data directory',
    [],
    ({ disk }) => one(disk?.size),
  ],
  [
    'cardea_last_backup_timestamp_seconds',
    'When a backup was last completed, 0 for never; absent with PostgreSQL',
    ['store'],
    ({ lastBackup }) => ifKnown(SQLITE, lastBackup, MS),
  ],
  [
    'cardea_last_backup_failure_timestamp_seconds',
    'When a scheduled backup last failed since the start, 0 for never; absent without CARDEA_BACKUP_DIR',
    ['store'],
    ({ backupFailed }) => ifKnown(SQLITE, backupFailed, MS),
  ],
  [
    'cardea_store_check_timestamp_seconds',
    'When every page of the store was last checked, 0 for never; absent with PostgreSQL',
    ['store'],
    ({ storeCheck }) => ifKnown(SQLITE, storeCheck?.checkedAt, MS),
  ],
  [
    'cardea_store_faults',
    'Faults that this check found; absent with PostgreSQL',
    ['store'],
    ({ storeCheck }) => ifKnown(SQLITE, storeCheck?.faults),
  ],
];

const ofThread = (
  name: string,
  help: string,
  value: (figures: ThreadReport['figures']) => number,
): MetricRow => [
  name,
  help,
  ['thread'],
  ({ reports }) =>
    reports.map(({ figures }) => [{ thread: String(figures.thread) }, value(figures)]),
];

const OF_THREADS: readonly MetricRow[] = [
  ofThread(
    'cardea_thread_requests_total',
    'Requests that a thread has answered since its start',
    ({ requests }) => requests,
  ),
  ofThread(
    'cardea_thread_event_loop_lag_seconds',
    'By how much the event loop of a thread was late, 99th percentile since the last scrape',
    ({ loopLagMs }) => loopLagMs / MS,
  ),
  ofThread('cardea_thread_heap_bytes', 'JavaScript objects of a thread', (of) => of.heapBytes),
  ofThread(
    'cardea_thread_minor_collections_total',
    'Young garbage collections of a thread',
    ({ collections }) => collections.minor,
  ),
  ofThread(
    'cardea_thread_major_collections_total',
    'Old garbage collections of a thread',
    ({ collections }) => collections.major,
  ),
  [
    'cardea_thread_deaths_total',
    'Threads that have died and were started again',
    [],
    (_, sources) => one(sources.threads().died),
  ],
  [
    'cardea_threads_hung',
    'Threads that have not run for 10 s',
    [],
    (_, sources) => one(sources.threads().hung),
  ],
];

const ofCache = (
  name: string,
  help: string,
  figure: 'bytes' | 'bytesMax' | 'hits' | 'misses',
): MetricRow => [
  name,
  help,
  ['cache'],
  ({ reports }) => cachesOf(reports).map(({ cache, ...figures }) => [{ cache }, figures[figure]]),
];

const OF_INDEX: readonly MetricRow[] = [
  [
    'cardea_segments',
    'Segments of the embedded search',
    ['index'],
    (_, sources) =>
      (sources.backend()?.indexes ?? []).map(({ index, segments }) => [{ index }, segments]),
  ],
  [
    'cardea_documents',
    'Documents in segments: live, and deleted but not yet merged away',
    ['index', 'state'],
    (_, sources) =>
      (sources.backend()?.indexes ?? []).flatMap(({ index, live, deleted }): Sample[] => [
        [{ index, state: 'live' }, live],
        [{ index, state: 'deleted' }, deleted],
      ]),
  ],
  ofCache('cardea_cache_bytes', 'Approximate size of a cache', 'bytes'),
  ofCache('cardea_cache_limit_bytes', 'Most bytes of a cache', 'bytesMax'),
  [
    'cardea_merges_total',
    'Merges of segments',
    [],
    (_, sources) => one(sources.backend()?.merges ?? 0),
  ],
  ofCache('cardea_cache_hits_total', 'Lookups that a cache answered', 'hits'),
  ofCache('cardea_cache_misses_total', 'Lookups that a cache missed', 'misses'),
];

/** In the order in which they are rendered. */
export const METRIC_ROWS: readonly MetricRow[] = [
  ['cardea_build_info', '1, with the version', ['version'], (_, { version }) => [[{ version }, 1]]],
  ...OF_NODE,
  [
    'cardea_index_feeder',
    '1 if this process feeds the search',
    [],
    (_, sources) => one(sources.feeds() ? 1 : 0),
  ],
  ...OF_THREADS,
  ...OF_INDEX,
  [
    'cardea_redis_connected',
    '1 while nodes count together in Redis, 0 while each counts for itself; absent without Redis',
    ['use'],
    (_, sources) => {
      const together = sources.countsTogether();
      return together === null ? [] : [[{ use: 'counts' }, together ? 1 : 0]];
    },
  ],
  [
    'cardea_purged_rows_total',
    'Rows that this process purged because of their age: documents, tombstones, expired tokens',
    ['rows'],
    (_, sources) => Object.entries(sources.purged()).map(([rows, count]) => [{ rows }, count]),
  ],
  // Absent with the embedded search, which only this service writes.
  [
    'cardea_index_mended_documents_total',
    'Documents that OpenSearch held otherwise than the store, and that were fed again, by what found them: search, import, comparison',
    ['found_by'],
    (_, sources) =>
      Object.entries(sources.mended()?.mended ?? {}).map(([how, count]) => [
        { found_by: how },
        count,
      ]),
  ],
  [
    'cardea_index_comparison_timestamp_seconds',
    'When this process last compared the indexes with the store, 0 for never; only the node that feeds them does',
    ['search'],
    (_, sources) => ifKnown({ search: 'opensearch' }, sources.mended()?.comparedAt, MS),
  ],
];
