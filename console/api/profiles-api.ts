// Calls of profile management. Lists are requested with metadata, for their totals.
import type { ProfileAttribute, Rule } from '../profiles/rules.ts';
import { rulesToBody } from '../profiles/rules.ts';
import { call, callJson } from './client.ts';

/** A profile. */
export interface Profile {
  readonly id: string;
  readonly uid: string;
  readonly name: string;
  readonly profile_type_id: string;
  readonly status: string;
  readonly archived: boolean;
  readonly created_at: string;
  readonly updated_at: string;
  readonly attributes?: Readonly<Record<string, string>>;
}

export interface ProfileType {
  readonly id: string;
  readonly uid: string;
  readonly name: string;
  readonly category: string;
}

/** A page of profiles and the total. */
export interface ProfilePage {
  readonly profiles: readonly Profile[];
  readonly total: number;
}

/** An advanced search that is saved for all users. */
export interface SavedSearch {
  readonly id: string;
  readonly uid: string;
  readonly label: string;
  readonly condition_rules_attributes: readonly unknown[];
}

/** An option of a select box. */
export interface Choice {
  readonly value: string;
  readonly label: string;
}

export const PROFILES_PAGE = 50;
/** Page size for lists that are shown whole, such as the options of a select box. */
const ALL = 1_000;

export async function profileTypes(signal: AbortSignal): Promise<ProfileType[]> {
  return list('profile_types', `limit=${ALL}&order=name`, signal);
}

export async function profileAttributes(signal: AbortSignal): Promise<ProfileAttribute[]> {
  return list('ne_attributes', `limit=${ALL}&order=label`, signal);
}

export async function attributeOptions(attribute: string, signal: AbortSignal): Promise<Choice[]> {
  const options = await list<{ id: string; option: string }>(
    'ne_attribute_options',
    `limit=${ALL}&order=option&ne_attribute_id=${encodeURIComponent(attribute)}`,
    signal,
  );
  return options.map(({ id, option }) => ({ value: id, label: option }));
}

export async function riskLevels(signal: AbortSignal): Promise<Choice[]> {
  const levels = await list<{ id: string; label: string }>(
    'risk_levels',
    `limit=${ALL}&order=order`,
    signal,
  );
  return levels.map(({ id, label }) => ({ value: id, label }));
}

/** @param filters query parameters of the list; empty ones have no effect */
export async function listProfiles(
  filters: URLSearchParams,
  offset: number,
  signal: AbortSignal,
): Promise<ProfilePage> {
  const parameters = new URLSearchParams(filters);
  for (const [name, value] of Object.entries({ limit: PROFILES_PAGE, offset, metadata: 'true' })) {
    parameters.set(name, String(value));
  }
  return pageOf(await callJson(`api/profiles?${parameters}`, { signal }));
}

export async function readProfile(id: string, signal: AbortSignal): Promise<Profile> {
  return (
    await callJson<{ profile: Profile }>(`api/profiles/${encodeURIComponent(id)}`, { signal })
  ).profile;
}

/** Finds the profiles that match all rules. */
export async function runRules(
  rules: readonly Rule[],
  offset: number,
  signal: AbortSignal,
): Promise<ProfilePage> {
  const page = `limit=${PROFILES_PAGE}&offset=${offset}&order=name&metadata=true`;
  return pageOf(
    await callJson(`api/advanced_search/run?${page}`, {
      method: 'POST',
      body: rulesToBody(rules),
      signal,
    }),
  );
}

/** Runs a saved search. */
export async function runSaved(
  id: string,
  offset: number,
  signal: AbortSignal,
): Promise<ProfilePage> {
  const page = `limit=${PROFILES_PAGE}&offset=${offset}&order=name&metadata=true`;
  return pageOf(
    await callJson(`api/advanced_search/${encodeURIComponent(id)}/run?${page}`, { signal }),
  );
}

export async function savedSearches(signal: AbortSignal): Promise<SavedSearch[]> {
  return list('advanced_search', `limit=${ALL}`, signal);
}

export async function saveSearch(label: string, rules: readonly Rule[]): Promise<void> {
  const { advanced_search } = rulesToBody(rules) as { advanced_search: object };
  await call('api/advanced_search', {
    method: 'POST',
    body: { advanced_search: { ...advanced_search, label } },
  });
}

export async function deleteSearch(id: string): Promise<void> {
  await call(`api/advanced_search/${encodeURIComponent(id)}`, { method: 'DELETE' });
}

/** Reads a list, which is either bare or a member with the name of the resource. */
async function list<T>(name: string, query: string, signal: AbortSignal): Promise<T[]> {
  const answer = await callJson<T[] | Record<string, T[]>>(`api/${name}?${query}`, { signal });
  return Array.isArray(answer) ? answer : (answer[name] ?? []);
}

function pageOf(answer: { profiles: Profile[]; _metadata?: { total: number } }): ProfilePage {
  return { profiles: answer.profiles, total: answer._metadata?.total ?? answer.profiles.length };
}
