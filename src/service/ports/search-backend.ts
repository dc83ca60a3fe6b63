// The port of search backends: the embedded engine or OpenSearch. A backend takes a plan and a
// tenant, never a request. search.ts queries it, the indexer feeds it.

import { ServiceError } from '../../errors.ts';
import type { JsonText } from '../../json/json-text.ts';
import type { Mapping } from '../../query/mapping/mapping.ts';
import type { Plan } from '../../query/plan.ts';
import type { DocumentExplanation } from '../../query/plan-clause.ts';
import type { IndexName, SortValue } from '../../query/query.ts';
import type { Deadline } from '../../scheduling/deadline.ts';
import type { DocumentChange } from './store.ts';

/** The mapping of each index of a tenant. */
export type Mappings = Readonly<Record<IndexName, Mapping>>;

/** A commit that failed without a loss, such as on a full disk: the next one has its changes, too. */
export class NotCommittedError extends ServiceError {}

/** The parts of a document, one after the other. */
export interface JoinedParts {
  readonly bytes: Uint8Array;
  /** Where the nested part begins. */
  readonly rootLength: number;
}

/** A matching document, or one of its elements when the plan has `innerHit`. */
export interface Hit {
  readonly index: IndexName;
  readonly id: string;
  /** null when the order does not depend on relevance. */
  readonly score: number | null;
  /** The values of the plan's sort keys. */
  readonly sort: readonly SortValue[];
  /** UTF-8 JSON object: the document without its nested members. */
  readonly root: Uint8Array;
  /**
   * UTF-8 `"name":[…],…` of the nested members; empty when there are none or the plan does not
   * request them.
   */
  readonly nested: Uint8Array;
  /** Both parts in one piece, if the backend has them so: one copy for a page instead of two. */
  readonly joined?: JoinedParts;
  /**
   * The nested path of a matching element: `root` is then that element alone and `nested` is empty.
   */
  readonly elementOf?: string;
  /**
   * Positions of the matching elements among the objects of the array, ascending, if the plan has
   * `elementPositions`.
   */
  readonly elements?: readonly number[];
}

export interface SearchResult {
  readonly hits: readonly Hit[];
  /** Exact, ignoring from, size and searchAfter; null unless the plan tracks it. */
  readonly total: number | null;
  /**
   * Results of the plan's aggregations, in the form of JSON responses; missing when the plan has
   * none.
   */
  readonly aggregations?: JsonText;
  /** Time that reading the documents took, if the backend reads them after matching. */
  readonly fetchMs?: number;
  /**
   * Lets the backend overwrite the bytes of all hits, none of which may be read afterwards. Calling
   * it saves the memory of a page; it is not required.
   */
  readonly release?: (() => void) | undefined;
}

/** A value and the number of documents that contain it. */
export interface ValueCount {
  readonly value: string;
  readonly count: number;
}

export interface TypeaheadResult {
  /** In the order and up to the number that the plan requests. */
  readonly values: readonly ValueCount[];
  /** Number of distinct values, returned or not. */
  readonly total: number;
}

/** Pages of documents up to this size are read without asking for memory. */
export const SMALL_PAGE_BYTES = 1.5 * 2 ** 20;

/** The memory that a request may hold for its answer. */
export interface AnswerMemory {
  /**
   * Counts more bytes until the answer is delivered.
   * @throws ServiceError `unavailable` if there is no room for them
   */
  holdBytes(bytes: number): void;
}

/** Who waits for the answer to a request. */
export interface Waiter {
  /** Aborted when the client disconnects. */
  readonly signal?: AbortSignal | undefined;
  /** Counts a page larger than `SMALL_PAGE_BYTES` before it is read; not counted when omitted. */
  readonly memory?: AnswerMemory | undefined;
}

/** How long a request may take, and for whom. */
export interface ReadOptions extends Waiter {
  readonly deadline: Deadline;
}

export interface SearchOptions extends ReadOptions {
  /** The mappings that the plan was made with. */
  readonly mappings: Mappings;
}

/** Identifies a document. */
export interface DocumentKey {
  readonly index: IndexName;
  readonly id: string;
}

/** Statistics of a backend over all tenants. */
export interface BackendFigures {
  readonly indexes: readonly {
    readonly index: IndexName;
    readonly segments: number;
    /** Searchable documents, and deleted ones that have not been merged away. */
    readonly live: number;
    readonly deleted: number;
  }[];
  /** Merges since it was opened, and whether one is running. */
  readonly merges: number;
  readonly merging: boolean;
  readonly caches: readonly {
    readonly cache: string;
    readonly hits: number;
    readonly misses: number;
    readonly bytes: number;
    /** The limit of `bytes`. */
    readonly bytesMax: number;
  }[];
}

/** The size of one index of one tenant; null for values that a backend cannot provide. */
export interface IndexHoldings {
  readonly index: IndexName;
  /** Searchable documents. */
  readonly documents: number;
  /** Deleted documents that have not been merged away. */
  readonly deleted: number | null;
  /** Documents that the backend refuses, so they are found as they were before, or not at all. */
  readonly refused: number | null;
  readonly segments: number | null;
  /** Size of segments in files. */
  readonly bytesOnDisk: number | null;
  /** Size of segments that are not yet in files. */
  readonly bytesInMemory: number | null;
}

/** A document as an index has it. */
export interface HeldDocument {
  /** The id under which it must be fed again to be mended. */
  readonly id: string;
  /** The change that it was fed with; null: it is not what was fed. */
  readonly sequence: number | null;
}

/** Documents of an index by their ids, or at most `limit` in a range of ids, by id. */
export type HeldSelection =
  | { readonly ids: readonly string[] }
  | { readonly after: string; readonly upTo: string | null; readonly limit: number };

/** What the indexes hold, for comparing it with the store. */
export interface IndexContents {
  /** The number of documents; null if the index is closed. @throws as `held` */
  count(tenantId: string, index: IndexName, options: ReadOptions): Promise<number | null>;
  /**
   * The documents of an index that are searchable; null if it is closed, so that nobody changes it.
   * @throws ServiceError `unavailable`
   */
  held(
    tenantId: string,
    index: IndexName,
    of: HeldSelection,
    options: ReadOptions,
  ): Promise<readonly HeldDocument[] | null>;
  /** Documents without an id of ours, at most `limit`. */
  strays(
    tenantId: string,
    index: IndexName,
    limit: number,
    options: ReadOptions,
  ): Promise<readonly HeldDocument[]>;
  /** Whether it cannot hold a document of the store, whatever is fed. */
  refuses(tenantId: string, index: IndexName, id: string): boolean;
}

/** What asks a backend. */
export interface Searches {
  /** @throws ServiceError `deadline_exceeded`, `cancelled`, `unavailable` */
  search(tenantId: string, plan: Plan, options: SearchOptions): Promise<SearchResult>;
  /**
   * The values that complete the text of a plan with `typeahead`.
   * @throws as search
   */
  typeahead(tenantId: string, plan: Plan, options: SearchOptions): Promise<TypeaheadResult>;
  /** The number of matching rows: documents, or elements when the plan has `innerHit`. */
  count(tenantId: string, plan: Plan, options: SearchOptions): Promise<number>;
  /**
   * Explains clause by clause why a document matches the plan or not, with the clauses of partsOf
   * (query/plan-clause.ts) and the score of its hit. null when the plan's target of that
   * index has no such document.
   * @throws as search
   */
  explain(
    tenantId: string,
    plan: Plan,
    document: DocumentKey,
    options: SearchOptions,
  ): Promise<DocumentExplanation | null>;
}

/** What a backend implements; test/contract/search-backend.ts tests each one. */
export interface SearchBackend extends Searches {
  /**
   * Applies changes in sequence order. They are searchable once the promise settles and `refresh`
   * has run. Replays are harmless: older versions lose.
   */
  apply(tenantId: string, changes: readonly DocumentChange[]): Promise<void>;
  /** Makes all applied changes searchable. */
  refresh(): Promise<void>;
  /**
   * Makes all applied changes durable together with `sequence`, the last of them.
   * @throws NotCommittedError if they could not be written, and all of them are still searchable
   */
  commit(sequence: number): Promise<void>;
  /**
   * The sequence of the last commit, after which feeding resumes; 0 for none. It goes back when
   * state is lost, so read it again after an error.
   */
  committedSequence(): Promise<number>;
  /**
   * The indexes need no deletion with a sequence up to this one, which is at least the committed
   * one: at its time they held all earlier changes, or were empty. Persistent.
   */
  coveredSequence(): Promise<number>;
  /** Deletes all indexes before a rebuild. */
  clear(): Promise<void>;
  /** True while a complete rebuild is unfinished, and before the first one. Persistent. */
  rebuilding(): Promise<boolean>;
  /**
   * Checks that the storage of the indexes is reachable from this process, whatever state the
   * indexes are in.
   * @throws ServiceError `unavailable`
   */
  ping(): Promise<void>;
  /**
   * The reason that the backend cannot serve searches now, or null.
   * @throws ServiceError `unavailable` if the storage of the indexes does not answer
   */
  unreadyReason(): Promise<string | null>;
  /** Problems that do not keep it from serving, one sentence each. */
  warnings?(): readonly string[];
  /**
   * Compares all files with their checksums, including those that no search has read. Only for
   * backends with files of their own.
   * @throws ServiceError `unavailable` for damaged files, which are then fed again
   */
  verify?(): Promise<void>;
  /**
   * The indexes of the tenant, ordered by name.
   * @throws ServiceError `unavailable`
   */
  holdings(tenantId: string): Promise<readonly IndexHoldings[]>;
  /** Only for backends whose indexes other programs can change. */
  readonly contents?: IndexContents;
  /** Statistics over all tenants; only for backends within this process. */
  figures?(): BackendFigures;
  close(): Promise<void>;
}
