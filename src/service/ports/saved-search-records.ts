// What the store keeps of saved searches: the searches, their schedules, their runs with the results,
// and the deliveries of the results.
// Invariant: a run ends once, in the transaction that also adds its deliveries; so results that a
// node computed twice are delivered once.

import type { SavedSearchDefinition } from '../../query/search-definition.ts';

export interface SavedSearch extends SavedSearchDefinition {
  /** UUID. */
  readonly id: string;
  /** Identity of the user who created it. */
  readonly ownerId: string;
  /** ISO 8601, as `modified`. */
  readonly created: string;
  readonly modified: string;
}

export interface Selector {
  readonly type: 'LIST' | 'RANGE';
  readonly values: readonly string[];
  /** Step of a RANGE; null: 1. */
  readonly interval: number | null;
}

/** When a scheduled search runs; service/saved-searches/due-times.ts gives the instants. */
export interface Schedule {
  readonly type: 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'CALENDAR' | 'ANNUALLY';
  readonly months: Selector | null;
  readonly days: Selector | null;
  readonly hours: Selector;
  /** ISO 8601; null: never. */
  readonly expiration: string | null;
  /** IANA name; null: the zone of the installation. */
  readonly timeZoneId: string | null;
}

/** What a caller chooses of a scheduled search. */
export interface ScheduledSearchDefinition {
  readonly name: string | null;
  readonly description: string | null;
  readonly savedSearchId: string;
  readonly schedule: Schedule;
  /** Ids of identities. */
  readonly recipients: readonly string[];
  readonly enabled: boolean;
  readonly emailEmptyResults: boolean;
  readonly displayQueryDetails: boolean;
}

export interface ScheduledSearch extends ScheduledSearchDefinition {
  readonly id: string;
  readonly ownerId: string;
  readonly created: string;
  readonly modified: string;
  /** Epoch milliseconds of the next run; null: none. */
  readonly nextDue: number | null;
}

/** The result of a run for one document type. */
export interface TypeResult {
  /** `identity`, `role`, … */
  readonly type: string;
  /** How many documents match. */
  readonly count: number;
  /** How many are in the CSV; fewer than `count` if the run reached a limit. */
  readonly rows: number;
  /** The first rows as in the CSV, with the header. */
  readonly preview: readonly (readonly string[])[];
}

/**
 * WAITING and RUNNING are open. REFUSED: the owner may not search any more; FAILED: an error that
 * another attempt would meet, too.
 */
export type RunState = 'WAITING' | 'RUNNING' | 'COMPLETED' | 'FAILED' | 'REFUSED';

/** One execution of a saved search. */
export interface SearchRun {
  readonly id: string;
  readonly savedSearchId: string;
  /** null for a test run. */
  readonly scheduleId: string | null;
  /** Identity with whose rights it runs. */
  readonly ownerId: string;
  /** ISO 8601: the time of the schedule; null for a test run. */
  readonly due: string | null;
  readonly created: string;
  readonly started: string | null;
  readonly ended: string | null;
  readonly state: RunState;
  /** Why it was refused or failed. */
  readonly reason: string | null;
  /** Number of the attempt that runs, or that ended it; 0 before the first. */
  readonly attempt: number;
  /** Name of the process that runs it. */
  readonly worker: string | null;
  /** Epoch milliseconds from which a process may take it; null: it has ended. */
  readonly openAt: number | null;
  readonly recipients: readonly string[];
  readonly emailEmptyResults: boolean;
  readonly displayQueryDetails: boolean;
  readonly results: readonly TypeResult[];
  /** `viewsKey` of the views through which it read its results; null: no view restricted its owner. */
  readonly views: string | null;
}

/** A part of the CSV of a run. */
export interface RunPart {
  readonly runId: string;
  readonly attempt: number;
  readonly type: string;
  /** From 0. */
  readonly part: number;
  /** Compressed with gzip. */
  readonly bytes: Uint8Array;
}

/**
 * SKIPPED: it cannot be delivered, such as to a recipient without an e-mail address, or may not be,
 * since its owner or its recipient lost the right.
 */
export type DeliveryState = 'WAITING' | 'SENDING' | 'DELIVERED' | 'FAILED' | 'SKIPPED';

/** One message about one run to one recipient. */
export interface SearchDelivery {
  readonly id: string;
  readonly runId: string;
  readonly savedSearchId: string;
  readonly channel: 'EMAIL' | 'WEBHOOK';
  /** Identity; null for a webhook. */
  readonly recipientId: string | null;
  /** E-mail address or origin of the webhook; null before the first attempt. */
  readonly address: string | null;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly created: string;
  readonly delivered: string | null;
  /** Why the last attempt failed. */
  readonly reason: string | null;
  /** Epoch milliseconds from which a process may try it; null: it has ended. */
  readonly openAt: number | null;
}

/**
 * When a process may take an open run or delivery: from `openAt` on, by the clock of the store. A
 * time after `latest` is from a wrong clock, and due, too.
 */
export type DueTimes = { readonly now: number; readonly latest: number };

/** A part of a list, oldest first. */
export interface ListPage {
  readonly offset: number;
  readonly limit: number;
}

export interface SavedSearchRecords {
  savedSearch(tenantId: string, id: string): Promise<SavedSearch | null>;
  /** Those of some ids that exist, in any order. */
  savedSearchesById(tenantId: string, ids: readonly string[]): Promise<readonly SavedSearch[]>;
  savedSearches(
    tenantId: string,
    filter: SavedSearchFilter,
    page: ListPage,
  ): Promise<readonly SavedSearch[]>;
  savedSearchCount(tenantId: string, filter: SavedSearchFilter): Promise<number>;
  scheduledSearch(tenantId: string, id: string): Promise<ScheduledSearch | null>;
  scheduledSearches(
    tenantId: string,
    filter: ScheduleFilter,
    page: ListPage,
  ): Promise<readonly ScheduledSearch[]>;
  scheduledSearchCount(tenantId: string, filter: ScheduleFilter): Promise<number>;
  /** Schedules of all tenants that are due, the oldest first. */
  dueSchedules(
    now: number,
    limit: number,
  ): Promise<readonly { readonly tenantId: string; readonly schedule: ScheduledSearch }[]>;
  searchRun(tenantId: string, id: string): Promise<SearchRun | null>;
  /** The runs of a saved search, the newest first. */
  searchRuns(tenantId: string, savedSearchId: string): Promise<readonly SearchRun[]>;
  /** How many runs of the tenant have not ended. */
  openRunCount(tenantId: string): Promise<number>;
  /** Of each tenant the oldest run that a process may take. */
  openRuns(
    due: DueTimes,
  ): Promise<readonly { readonly tenantId: string; readonly run: SearchRun }[]>;
  /** A part of one type, numbered from 0; null after the last. */
  runPart(
    tenantId: string,
    run: Pick<SearchRun, 'id' | 'attempt'>,
    type: string,
    part: number,
  ): Promise<Uint8Array | null>;
  /** The deliveries of the runs of a saved search, the newest first. */
  searchDeliveries(tenantId: string, savedSearchId: string): Promise<readonly SearchDelivery[]>;
  /** Whether a run has deliveries that have not ended. */
  hasOpenDeliveries(tenantId: string, runId: string): Promise<boolean>;
  searchDelivery(tenantId: string, id: string): Promise<SearchDelivery | null>;
  /** How many deliveries of the tenant have not ended. */
  openDeliveryCount(tenantId: string): Promise<number>;
  /** The tenants with deliveries that a process may try. */
  tenantsWithDueDeliveries(due: DueTimes): Promise<readonly string[]>;
  /** Deliveries of a tenant that a process may try, the longest due first. */
  dueDeliveries(tenantId: string, due: DueTimes, limit: number): Promise<readonly SearchDelivery[]>;
}

export interface SavedSearchFilter {
  /** Without case; null: of any owner. */
  readonly ownerId: string | null;
  /** Of other owners only those that they share with this user; null: all. */
  readonly readerId: string | null;
}

/** null: any. Ids are compared without case. */
export interface ScheduleFilter {
  readonly ownerId: string | null;
  readonly savedSearchId: string | null;
  /** Only those of this owner, whose id is compared as it is; absent or null: of any. */
  readonly readerId?: string | null;
}

export interface WritableSavedSearchRecords extends SavedSearchRecords {
  putSavedSearch(tenantId: string, search: SavedSearch): Promise<void>;
  /** Also deletes its schedules, runs, results and deliveries. @returns whether it existed */
  deleteSavedSearch(tenantId: string, id: string): Promise<boolean>;
  putScheduledSearch(tenantId: string, schedule: ScheduledSearch): Promise<void>;
  /** Keeps its runs. @returns whether it existed */
  deleteScheduledSearch(tenantId: string, id: string): Promise<boolean>;
  putSearchRun(tenantId: string, run: SearchRun): Promise<void>;
  addRunPart(tenantId: string, part: RunPart): Promise<void>;
  /** Deletes the parts of other attempts. */
  keepRunParts(tenantId: string, run: Pick<SearchRun, 'id' | 'attempt'>): Promise<void>;
  /** Also deletes its results and deliveries. */
  deleteSearchRun(tenantId: string, id: string): Promise<void>;
  putSearchDelivery(tenantId: string, delivery: SearchDelivery): Promise<void>;
}
