// Calls of saved searches, their schedules and their runs (docs/reports.md). A user sees their own,
// an administrator those of all users. Lists are read whole: a user has at most 1,000.
import { call, callJson } from './client.ts';

/** A reference to a user. */
export interface UserReference {
  readonly type: 'IDENTITY';
  readonly id: string;
}

/** A column of the results. */
export interface ResultColumn {
  readonly field: string;
  /** null: the name of the field. */
  readonly header?: string | null;
}

/** The members of a saved search that a caller chooses. */
export interface SavedSearchDefinition {
  readonly name: string;
  readonly description: string | null;
  /** Names of indices, such as `identities`; at least one. */
  readonly indices: readonly string[];
  /** In the query language; `*` for everything. */
  readonly query: string;
  /** By document type, such as `identity`. */
  readonly columns: Readonly<Record<string, readonly ResultColumn[]>>;
  /** The fields in which words without a field are searched; null: the default. */
  readonly fields: readonly string[] | null;
  readonly sort: readonly string[] | null;
  /** By document type; takes precedence over `sort`. */
  readonly orderBy: Readonly<Record<string, readonly string[]>> | null;
  /** The filters of a search. */
  readonly filters: Readonly<Record<string, unknown>> | null;
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

const SAVED = 'v2024/saved-searches';
const SCHEDULED = 'v2024/scheduled-searches';
/** The largest page of a list. */
const PAGE = 250;

/**
 * Lists the saved searches that the user sees.
 * @throws ApiFault
 */
export function listSavedSearches(signal?: AbortSignal): Promise<SavedSearch[]> {
  return all(SAVED, '', signal);
}

/** @throws ApiFault `missing` also for a search of another user */
export function getSavedSearch(id: string, signal?: AbortSignal): Promise<SavedSearch> {
  return callJson(savedPath(id), withSignal(signal));
}

/** @throws ApiFault */
export function createSavedSearch(search: SavedSearchDefinition): Promise<SavedSearch> {
  return callJson(SAVED, { method: 'POST', body: search });
}

/** Replaces a saved search. @throws ApiFault */
export function updateSavedSearch(id: string, search: SavedSearchDefinition): Promise<SavedSearch> {
  return callJson(savedPath(id), { method: 'PUT', body: search });
}

/** Deletes a saved search with its schedules and results. @throws ApiFault */
export async function removeSavedSearch(id: string): Promise<void> {
  await call(savedPath(id), { method: 'DELETE' });
}

/**
 * Requests a run of a schedule, with its recipients, or without a schedule, for nobody.
 * @param ownerId the user with whose rights a run without a schedule searches
 * @throws ApiFault
 */
export async function runSavedSearch(
  id: string,
  run: { readonly scheduleId: string } | { readonly ownerId: string },
): Promise<void> {
  const body =
    'scheduleId' in run
      ? run
      : { owner: { type: 'IDENTITY', id: run.ownerId } satisfies UserReference, recipients: [] };
  await call(`${savedPath(id)}/execute`, { method: 'POST', body });
}

/** The runs that are kept, the newest first. @throws ApiFault */
export function listRuns(id: string, signal?: AbortSignal): Promise<SearchRun[]> {
  return callJson(`${savedPath(id)}/runs?limit=${PAGE}`, withSignal(signal));
}

/** The results of a run for one document type, as CSV. @throws ApiFault */
export async function runResults(id: string, runId: string, type: string): Promise<Blob> {
  const run = `${savedPath(id)}/runs/${encodeURIComponent(runId)}`;
  return (await call(`${run}/results.csv?type=${encodeURIComponent(type)}`)).blob();
}

/** Lists the schedules that the user sees, of one saved search or of all. @throws ApiFault */
export function listSchedules(
  savedSearchId: string | null,
  signal?: AbortSignal,
): Promise<ScheduledSearch[]> {
  const filter = savedSearchId === null ? '' : `savedSearchId eq ${JSON.stringify(savedSearchId)}`;
  return all(SCHEDULED, filter, signal);
}

/** @throws ApiFault */
export function createSchedule(schedule: ScheduledSearchDefinition): Promise<ScheduledSearch> {
  return callJson(SCHEDULED, { method: 'POST', body: schedule });
}

/** Replaces a schedule. @throws ApiFault */
export function updateSchedule(
  id: string,
  schedule: ScheduledSearchDefinition,
): Promise<ScheduledSearch> {
  return callJson(`${SCHEDULED}/${encodeURIComponent(id)}`, { method: 'PUT', body: schedule });
}

/** Deletes a schedule; its runs stay. @throws ApiFault */
export async function removeSchedule(id: string): Promise<void> {
  await call(`${SCHEDULED}/${encodeURIComponent(id)}`, { method: 'DELETE' });
}

/** The pages of a list, joined. */
async function all<T>(path: string, filters: string, signal?: AbortSignal): Promise<T[]> {
  const items: T[] = [];
  const filter = filters === '' ? '' : `&filters=${encodeURIComponent(filters)}`;
  for (;;) {
    const page = await callJson<T[]>(
      `${path}?limit=${PAGE}&offset=${items.length}${filter}`,
      withSignal(signal),
    );
    items.push(...page);
    if (page.length < PAGE) return items;
  }
}

function savedPath(id: string): string {
  return `${SAVED}/${encodeURIComponent(id)}`;
}

function withSignal(signal: AbortSignal | undefined) {
  return signal === undefined ? {} : { signal };
}
