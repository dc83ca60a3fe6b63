// Calls of profile management. Lists are requested with metadata, for their totals.
import type { Choice, ProfileAttribute, ProfileType } from '../model/profiles/attributes.ts';
import type { Reference } from '../model/profiles/profile-draft.ts';
import { type Rule, rulesToBody } from '../model/profiles/rules.ts';
import type { ServiceOrder } from '../model/profiles/sorting.ts';
import { call, callJson } from './client.ts';
import { unlessEmpty } from './fault.ts';

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
  /** What the values refer to, by the uid of the attribute; only of a single profile. */
  readonly references?: Readonly<Record<string, readonly Reference[]>>;
}

/** A user of profile management. */
export interface ProfileUser {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly title: string | null;
  /** The id of the identity. */
  readonly sailpoint_identity_id: string | null;
}

/** Which profiles of a list or a search, in which order. */
export interface ProfileWindow {
  readonly order: ServiceOrder;
  readonly offset: number;
  readonly limit: number;
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

/** Most profiles of one request. */
export const PROFILES_MAX = 500;
/** Records that a picker offers. */
const OFFERED_MAX = 8;
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

/**
 * Uids of the attributes with a value in the first profiles of a type, which a form of the type
 * then offers.
 */
export async function usedAttributes(
  typeId: string,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const parameters = new URLSearchParams({ profile_type_id: typeId, limit: '100' });
  const profiles = await list<Profile>('profiles', String(parameters), signal);
  return new Set(profiles.flatMap(({ attributes }) => Object.keys(attributes ?? {})));
}

/** @param filters query parameters of the list; empty ones have no effect */
export async function listProfiles(
  filters: URLSearchParams,
  window: ProfileWindow,
  signal: AbortSignal,
): Promise<ProfilePage> {
  const parameters = new URLSearchParams(filters);
  for (const [name, value] of windowParameters(window)) parameters.set(name, value);
  const answer = callJson<Parameters<typeof pageOf>[0]>(`api/profiles?${parameters}`, { signal });
  return pageOf(await unlessEmpty(answer, { profiles: [] }));
}

/** Reads a profile with the ids of what its values refer to. */
export async function readProfile(id: string, signal?: AbortSignal): Promise<Profile> {
  const path = `${profilePath(id)}?references=true`;
  return (await callJson<{ profile: Profile }>(path, signal === undefined ? {} : { signal }))
    .profile;
}

/** @param members the members to set; the values under `attributes` @throws ApiFault */
export async function createProfile(members: object): Promise<Profile> {
  const body = { profile: members };
  return (await callJson<{ profile: Profile }>('api/profile', { method: 'POST', body })).profile;
}

/** Changes only the given members. @throws ApiFault */
export async function changeProfile(id: string, members: object): Promise<void> {
  await call(profilePath(id), { method: 'PATCH', body: { profile: members } });
}

/** @throws ApiFault */
export async function deleteProfile(id: string): Promise<void> {
  await call(profilePath(id), { method: 'DELETE' });
}

/** Profiles with a part of the name. @param typeId null for all types */
export async function findProfiles(
  words: string,
  typeId: string | null,
  signal: AbortSignal,
): Promise<Choice[]> {
  const parameters = new URLSearchParams({
    ...{ name_contains: words, limit: String(OFFERED_MAX), order: 'name' },
    ...{ exclude_attributes: 'true', profile_type_id: typeId ?? '' },
  });
  const profiles = await list<Profile>('profiles', String(parameters), signal);
  return profiles.map(({ id, name }) => ({ value: id, label: name }));
}

/** Users with a part of the name. */
export async function findUsers(words: string, signal: AbortSignal): Promise<Choice[]> {
  const parameters = new URLSearchParams({
    ...{ name_contains: words, limit: String(OFFERED_MAX), order: 'name' },
  });
  const users = await list<ProfileUser>('users', String(parameters), signal);
  return users.map(userChoice);
}

/** The user or profile with this id, as a choice. @throws ApiFault */
export async function readChoice(
  kind: 'user' | 'profile',
  id: string,
  signal: AbortSignal,
): Promise<Choice> {
  if (kind === 'user') return userChoice(await readProfileUser(id, signal));
  const { name } = await readProfile(id, signal);
  return { value: id, label: name };
}

export async function readProfileUser(id: string, signal: AbortSignal): Promise<ProfileUser> {
  const path = `api/users/${encodeURIComponent(id)}`;
  return (await callJson<{ user: ProfileUser }>(path, { signal })).user;
}

function userChoice({ id, name, email }: ProfileUser): Choice {
  return { value: id, label: `${name} (${email})` };
}

function profilePath(id: string): string {
  return `api/profiles/${encodeURIComponent(id)}`;
}

/** Finds the profiles that match all rules. */
export async function runRules(
  rules: readonly Rule[],
  window: ProfileWindow,
  signal: AbortSignal,
): Promise<ProfilePage> {
  return pageOf(
    await callJson(`api/advanced_search/run?${new URLSearchParams(windowParameters(window))}`, {
      method: 'POST',
      body: rulesToBody(rules),
      signal,
    }),
  );
}

/** Runs a saved search. */
export async function runSaved(
  id: string,
  window: ProfileWindow,
  signal: AbortSignal,
): Promise<ProfilePage> {
  const page = new URLSearchParams(windowParameters(window));
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

function windowParameters({ order, offset, limit }: ProfileWindow): [string, string][] {
  return [
    ...Object.entries({ order, offset: String(offset), limit: String(limit) }),
    ['metadata', 'true'],
  ];
}

/** Reads a list, which is either bare or a member with the name of the resource. */
async function list<T>(name: string, query: string, signal: AbortSignal): Promise<T[]> {
  const path = `api/${name}?${query}`;
  const answer = await unlessEmpty<T[] | Record<string, T[]>>(callJson(path, { signal }), []);
  return Array.isArray(answer) ? answer : (answer[name] ?? []);
}

function pageOf(answer: { profiles: Profile[]; _metadata?: { total: number } }): ProfilePage {
  return { profiles: answer.profiles, total: answer._metadata?.total ?? answer.profiles.length };
}
