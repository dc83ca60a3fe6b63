// Saved searches, their schedules and their runs as the service describes them (docs/reports.md).
import type { SavedSearchDefinition } from '../../src/query/search-definition.ts';

export type { SavedSearchDefinition };

/** A reference to a user. */
export interface UserReference {
  readonly type: 'IDENTITY';
  readonly id: string;
}

export interface SavedSearch extends SavedSearchDefinition {
  readonly id: string;
  readonly owner: UserReference;
  /** ISO 8601, as `modified`. */
  readonly created: string;
  readonly modified: string;
}

/** Values, or a range of the first and the last one. */
export interface Selector {
  readonly type: 'LIST' | 'RANGE';
  readonly values: readonly string[];
  /** Step of a range; null: 1. */
  readonly interval: number | null;
}

export type ScheduleType = 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'ANNUALLY' | 'CALENDAR';

/** When a scheduled search runs. */
export interface Schedule {
  readonly type: ScheduleType;
  readonly months: Selector | null;
  readonly days: Selector | null;
  readonly hours: Selector;
  /** ISO 8601; null: never. */
  readonly expiration: string | null;
  /** IANA name; null: the zone of the service. */
  readonly timeZoneId: string | null;
}

/** The members of a scheduled search that a caller chooses. */
export interface ScheduledSearchDefinition {
  readonly name: string | null;
  readonly description: string | null;
  readonly savedSearchId: string;
  readonly schedule: Schedule;
  readonly recipients: readonly UserReference[];
  readonly enabled: boolean;
  /** Whether a run without results is mailed, too. */
  readonly emailEmptyResults: boolean;
  /** Whether an e-mail has the query and rows. */
  readonly displayQueryDetails: boolean;
}

export interface ScheduledSearch extends ScheduledSearchDefinition {
  readonly id: string;
  readonly owner: UserReference;
  readonly created: string;
  readonly modified: string;
}

/** WAITING and RUNNING have not ended. REFUSED: the owner may not search any more. */
export type RunState = 'WAITING' | 'RUNNING' | 'COMPLETED' | 'FAILED' | 'REFUSED';

/** One execution of a saved search. */
export interface SearchRun {
  readonly id: string;
  /** null: not by a schedule. */
  readonly scheduleId: string | null;
  readonly state: RunState;
  /** Why it failed or was refused. */
  readonly reason: string | null;
  /** ISO 8601: the time of the schedule. */
  readonly due: string | null;
  readonly created: string;
  readonly started: string | null;
  readonly ended: string | null;
  readonly results: readonly RunResult[];
}

/** The result of a run for one document type. */
export interface RunResult {
  readonly type: string;
  /** Matching documents. */
  readonly count: number;
  /** Rows of the CSV. */
  readonly rows: number;
  /** True if the CSV has fewer rows than documents match. */
  readonly truncated: boolean;
}
