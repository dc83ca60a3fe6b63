// The target profiles of a call: found by id or uid, and for bulk calls by the `id` of each body.
// Invariant: an id wins over a uid that is equal to it.

import type { Profile, ProfileRecords } from '../ports/profile-records.ts';
import { addError, type FieldErrors } from './resources/faults.ts';
import { membersOf } from './resources/members-of.ts';

/** Profiles by uid and by id; an id wins over an equal uid. */
export function byKey(profiles: readonly Profile[]): ReadonlyMap<string, Profile> {
  return new Map([
    ...profiles.map((profile) => [profile.uid, profile] as const),
    ...profiles.map((profile) => [profile.id, profile] as const),
  ]);
}

/** The members of each value; adds an error for a value that is not an object. */
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

/** The stored profile of each body; null, with an error, if there is none. */
export async function findAll(
  records: ProfileRecords,
  tenantId: string,
  bodies: readonly ReadonlyMap<string, unknown>[],
  errors: FieldErrors,
): Promise<readonly (Profile | null)[]> {
  const keys = bodies.map((members) => members.get('id'));
  const textKeys = keys.filter((key) => typeof key === 'string');
  const profiles = byKey(await records.profilesByKey(tenantId, textKeys));
  return keys.map((key, place) => {
    const profile = typeof key === 'string' ? profiles.get(key) : undefined;
    if (profile !== undefined) return profile;
    const absent = key === undefined || key === null || key === '';
    addError(errors, `${place}.id`, absent ? "can't be blank" : 'was not found');
    return null;
  });
}

/**
 * Adds an error for a profile that occurs twice: the second change would need the result of the
 * first.
 */
export function refuseRepeated(profiles: readonly (Profile | null)[], errors: FieldErrors): void {
  const seen = new Set<string>();
  for (const [place, profile] of profiles.entries()) {
    if (profile === null) continue;
    if (seen.has(profile.id)) addError(errors, `${place}.id`, 'is there more than once');
    seen.add(profile.id);
  }
}
