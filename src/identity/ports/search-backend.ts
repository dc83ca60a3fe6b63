// The port to whatever searches: the embedded engine or OpenSearch. It takes a plan and a tenant, never a request.
// Consumers: search.ts (asks) and the indexer (feeds).

import type { DocumentExplanation } from '../../query/explain/plan-clause.ts';
import type { Plan } from '../../query/plan.ts';
import type { IndexName, SortValue } from '../../query/query.ts';
import type { Mappings } from '../documents/mapping-cache.ts';
import type { JsonText } from '../json/json-text.ts';
import type { DocumentChange } from './store.ts';

/** One document found; or, of a plan with `innerHit`, one of its elements. */
export interface Hit {
  readonly index: IndexName;
  readonly id: string;
  /** null where the order does not depend on relevance. */
  readonly score: number | null;
  /** The values of the plan's sort keys. */
  readonly sort: readonly SortValue[];
  /** UTF-8 JSON object: the document without its nested members. */
  readonly root: Uint8Array;
  /** UTF-8 `"name":[…],…` of the nested members; empty when there are none or the plan does not ask for them. */
  readonly nested: Uint8Array;
  /** The nested path that the row is an element of: `root` is then that element alone, `nested` is empty. */
  readonly elementOf?: string;
}

export interface SearchResult {
  readonly hits: readonly Hit[];
  /** Exact, ignoring from, size and searchAfter; null unless the plan tracks it. */
  readonly total: number | null;
  /** What the plan's aggregations come to, as JSON answers have it; there where the plan has some. */
  readonly aggregations?: JsonText;
}

/** A value and how many documents hold it. */
export interface ValueCount {
  readonly value: string;
  readonly count: number;
}

export interface TypeaheadResult {
  /** In the order the plan asks for, at most as many. */
  readonly values: readonly ValueCount[];
  /** Distinct values, however many are returned. */
  readonly total: number;
}

export interface SearchOptions {
  /** Aborted when the client goes away. */
  readonly signal?: AbortSignal;
  /** Milliseconds the query may take. */
  readonly timeoutMs: number;
  /** What the plan was made with; left out, the backend reads the mappings itself. */
  readonly mappings?: Mappings;
  /** Called when a search knows its documents and is about to read them. */
  readonly onFound?: () => void;
}

/** Which document. */
export interface DocumentKey {
  readonly index: IndexName;
  readonly id: string;
}

/** How a backend is inside, over all tenants. */
export interface BackendFigures {
  readonly indexes: readonly {
    readonly index: IndexName;
    readonly segments: number;
    /** Documents that can be found, and those that are gone but not yet merged away. */
    readonly live: number;
    readonly deleted: number;
  }[];
  /** Merges since it was opened, and whether one is under way. */
  readonly merges: number;
  readonly merging: boolean;
  /** Threads that answer what takes long. */
  readonly searchWorkers: number;
  readonly caches: readonly {
    readonly cache: string;
    readonly hits: number;
    readonly misses: number;
    readonly bytes: number;
  }[];
}

/** What there is of one index of one tenant; null: this backend cannot tell. */
export interface IndexHoldings {
  readonly index: IndexName;
  /** Those that can be found. */
  readonly documents: number;
  /** Those that are gone but not yet merged away. */
  readonly deleted: number | null;
  readonly segments: number | null;
  /** Of segments in files. */
  readonly bytesOnDisk: number | null;
  /** Of segments that are not in files yet. */
  readonly bytesInMemory: number | null;
}

/** What a backend must do; test/contract/search-backend.ts holds each one to it. */
export interface SearchBackend {
  /** @throws ServiceError `deadline_exceeded`, `cancelled`, `unavailable` */
  search(tenantId: string, plan: Plan, options: SearchOptions): Promise<SearchResult>;
  /**
   * The values that a plan with `typeahead` asks for: those that complete the text by themselves.
   * @throws as search
   */
  typeahead(tenantId: string, plan: Plan, options: SearchOptions): Promise<TypeaheadResult>;
  /** How many rows the plan's targets have: documents, or elements where there is an `innerHit`. */
  count(tenantId: string, plan: Plan, options: SearchOptions): Promise<number>;
  /**
   * Why a document is among those the plan finds or is not, clause by clause as partsOf (query/explain/plan-clause.ts) has them;
   * its score is the one its hit has. Null where the plan's target of that index has no such document.
   * @throws as search
   */
  explain(
    tenantId: string,
    plan: Plan,
    document: DocumentKey,
    options: SearchOptions,
  ): Promise<DocumentExplanation | null>;
  /** Takes changes in sequence order; searchable when the promise settles and `refresh` has run. Replays are harmless (older versions lose). */
  apply(tenantId: string, changes: readonly DocumentChange[]): Promise<void>;
  /** Makes what was applied searchable. */
  refresh(): Promise<void>;
  /** Makes what was applied durable together with `sequence`, the last change it covers. */
  commit(sequence: number): Promise<void>;
  /** The sequence of the last commit: feeding starts again after it. 0: nothing yet. It goes back when state is lost, so ask again after a fault. */
  committedSequence(): Promise<number>;
  /** Forgets everything, before a rebuild. */
  clear(): Promise<void>;
  /** Whether everything is to be fed again and not all of it has been; true also where nothing was ever fed. It survives a reopening. */
  rebuilding(): Promise<boolean>;
  /**
   * Whether what keeps the indexes can be reached from this process, whatever state they are in.
   * @throws ServiceError `unavailable` where it cannot
   */
  ping(): Promise<void>;
  /** Why the backend cannot answer now, or null when it can. */
  unreadyReason(): Promise<string | null>;
  /**
   * Reads all that it keeps and compares it with its checksums, also what no search has asked for; there where the backend
   * keeps files of its own.
   * @throws ServiceError `unavailable` where something is damaged: it is then fed again
   */
  verify?(): Promise<void>;
  /**
   * The indexes that the tenant has, in the order of their names.
   * @throws ServiceError `unavailable`
   */
  holdings(tenantId: string): Promise<readonly IndexHoldings[]>;
  /** Of all tenants together; there where the backend lives in this process. */
  figures?(): BackendFigures;
  close(): Promise<void>;
}
