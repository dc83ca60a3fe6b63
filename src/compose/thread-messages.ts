// What the main thread and a thread that serves call of each other, and what a thread begins with.
import type { FromIndexReader, IndexList } from '../backends/embedded/indexes/shared-indexes.ts';
import type { Config } from '../config/config.ts';
import type { ProcessCountsData } from '../http/admission/process-counts.ts';
import type { IndexName } from '../query/query.ts';
import type { StoredDocumentKey } from '../service/ports/stored-document.ts';
import type { ActivitySums } from '../service/searching/tenant-activity.ts';
import type { ThreadReport } from '../telemetry/thread-figures.ts';

/** Data of a thread at its start. */
export interface ServingThreadData {
  /** From 2: 1 is the main thread. */
  readonly number: number;
  readonly config: Config;
  readonly version: string;
  /** Its lines go through the log of the main thread, so that none is cut by another. */
  readonly logLevel: string;
  /** Memory of ProcessWrites. */
  readonly writes: SharedArrayBuffer;
  readonly counts: {
    readonly data: ProcessCountsData;
    /** Name of the channel of all threads (ChannelPeers). */
    readonly peers: string;
  };
  /** Memory of ThreadTable. */
  readonly threads: SharedArrayBuffer;
  /** Path of the SharedListener. */
  readonly listener: string;
}

/** The methods of the main thread. */
export type OfMainThread = {
  /** The thread accepts connections. */
  serving(): void;
  /** The thread cannot start, and ends. @param mayPass whether a later start may succeed */
  failed(reason: string, mayPass: boolean): void;
  /** From now on a change counts as searchable only if this thread has it. Resolves when it has all. */
  beginReading(): Promise<void> | undefined;
  /** Lines of its log. */
  log(lines: string): void;
  /** A message about the indexes that it searches. */
  fromReader(message: FromIndexReader): void;
  /** Discards the index of a damaged segment. */
  discardDamaged(segment: string, message: string, tenantId: string): Promise<void>;
  /** OpenSearch has something else than was fed. */
  untrue(document: StoredDocumentKey): void;
  /** Documents were imported as they are: the index should have them. */
  unchanged(tenantId: string, index: IndexName, ids: readonly string[]): void;
  /** The thread came upon damage of the store. */
  damagedDocument(document: StoredDocumentKey): void;
  damagedTrail(tenantId: string): void;
  unreadyReasons(): Promise<readonly string[]>;
  warnings(): Promise<readonly string[]>;
  waitUntilSearchable(sequence: number, timeoutMs: number): Promise<void>;
  nodeStatus(tenantId: string): Promise<object>;
  metrics(): Promise<string>;
  offersSignInCodes(): boolean;
  redeemSignInCode(code: string): string | null;
};

/** The methods of a thread that serves. */
export type OfServingThread = {
  /** A new list of segments. */
  take(list: IndexList): void;
  report(): Promise<ThreadReport>;
  activity(tenantId: string): ActivitySums;
  /** Lets its requests end, and closes what it has. */
  stop(): Promise<void>;
};
