// Which profiles a call is about: found by id or uid, and for many by the `id` of each body.
// Invariant: an id wins over a uid that is spelt like it.

import type { Profile, ProfileRecords } from '../ports/profile-records.ts';
import { addError, type FieldErrors } from './faults.ts';
import { membersOf } from './resources/record-reader.ts';

/** Profiles by uid and by id; an id wins over a uid that is spelt like it. */
export function byKey(profiles: readonly Profile[]): ReadonlyMap<string, Profile> {
  return new Map([
    ...profiles.map((profile) => [profile.uid, profile] as const),
    ...profiles.map((profile) => [profile.id, profile] as const),
  ]);
}

/** The members of each; a complaint where one has none. */
export function objectsOf(
  values: readonly unknown[],
  errors: FieldErrors,
): readonly ReadonlyMap<string, unknown>[] {
  return values.map((value, place) => {
    const members = membersOf(value);
    if (members === null) addError(errors, String(place), 'must be an object');
    return members ?? new Map();
  });
}

/** The stored profile of each body; null, with a complaint, where there is none. */
export async function findAll(
  records: ProfileRecords,
  tenantId: string,
  bodies: readonly ReadonlyMap<string, unknown>[],
  errors: FieldErrors,
): Promise<readonly (Profile | null)[]> {
  const keys = bodies.map((members) => members.get('id'));
  const known = keys.filter((key) => typeof key === 'string');
  const found = byKey(await records.profilesByKey(tenantId, known));
  return keys.map((key, place) => {
    const profile = typeof key === 'string' ? found.get(key) : undefined;
    if (profile !== undefined) return profile;
    const absent = key === undefined || key === null || key === '';
    addError(errors, `${place}.id`, absent ? "can't be blank" : 'was not found');
    return null;
  });
}

/** Two changes of one record in one call would have to know of each other. */
export function refuseRepeated(found: readonly (Profile | null)[], errors: FieldErrors): void {
  const seen = new Set<string>();
  for (const [place, profile] of found.entries()) {
    if (profile === null) continue;
    if (seen.has(profile.id)) addError(errors, `${place}.id`, 'is there more than once');
    seen.add(profile.id);
  }
}
