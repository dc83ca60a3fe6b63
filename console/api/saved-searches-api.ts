// Calls of saved searches, their schedules and their runs (docs/reports.md). Users list their own and
// those that others share; administrators also those of any user, by id. Lists are read in one piece: a
// user has at most 1,000.
import { call, callJson } from './client.ts';
import type {
  SavedSearch,
  SavedSearchDefinition,
  ScheduledSearch,
  ScheduledSearchDefinition,
  SearchRun,
  UserReference,
} from './saved-search.ts';

export type * from './saved-search.ts';

const SAVED = 'v2024/saved-searches';
const SCHEDULED = 'v2024/scheduled-searches';
/** The largest page of a list. */
const PAGE = 250;

/**
 * Lists the saved searches of the user and those that others share, or those of an owner that the user
 * sees.
 * @throws ApiFault
 */
export function listSavedSearches(
  { ownerId }: { readonly ownerId?: string } = {},
  signal?: AbortSignal,
): Promise<SavedSearch[]> {
  return all(SAVED, equals({ 'owner.id': ownerId }), signal);
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
 * Requests a run. The recipients of a schedule get the results; without a schedule, no one does.
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

/**
 * Lists the schedules of the user, or those of a saved search or an owner that the user sees.
 * @throws ApiFault
 */
export function listSchedules(
  { savedSearchId, ownerId }: { readonly savedSearchId?: string; readonly ownerId?: string } = {},
  signal?: AbortSignal,
): Promise<ScheduledSearch[]> {
  return all(SCHEDULED, equals({ savedSearchId, 'owner.id': ownerId }), signal);
}

/** @throws ApiFault `missing` also for a schedule of another user */
export function getSchedule(id: string): Promise<ScheduledSearch> {
  return callJson(`${SCHEDULED}/${encodeURIComponent(id)}`);
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

/** The filter for these values; empty without any. */
function equals(values: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(values)
    .flatMap(([field, value]) =>
      value === undefined ? [] : [`${field} eq ${JSON.stringify(value)}`],
    )
    .join(' and ');
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
