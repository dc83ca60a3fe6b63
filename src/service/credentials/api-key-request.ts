// Reads the body that creates an API key. Pure: body, time and the limits of the caller in, checked
// values out.

import { PROFILE_SCOPES, uncoveredScopes } from '../../auth/access.ts';
import {
  type Confinement,
  grantedScope,
  refuseLaterEnd,
  UNCONFINED,
} from '../../auth/confinement.ts';
import { ServiceError } from '../../errors.ts';
import { strictIsoDate } from '../../query/analysis/values.ts';
import type { ApiKey } from '../ports/store.ts';
import { type MemberFaults, membersOf, readName } from './credential-members.ts';

/** `manage` includes `read`. */
export const API_KEY_SCOPES = ['read', 'manage'] as const;
export type ApiKeyScope = (typeof API_KEY_SCOPES)[number];

const FAULTS: MemberFaults = {
  type: (cause) => fault('request_invalid', cause),
  value: (cause) => fault('illegal_value', cause),
};

/**
 * Reads the body; null counts as absent, unknown members are ignored. Without a scope the key has the
 * strongest one, and without an expiry the latest one, that the caller's token may pass on.
 * @param now epoch milliseconds
 * @throws ServiceError `request_invalid` for a wrong type, `illegal_value` for a wrong value,
 * `forbidden` for a scope or an expiry beyond the confinement
 */
export function readApiKeyRequest(
  body: unknown,
  now: number,
  confinement: Confinement = UNCONFINED,
): Pick<ApiKey, 'name' | 'scope' | 'expires' | 'view'> {
  const members = membersOf(body);
  const name = readName(members.get('name'), FAULTS);
  const requested = readScope(members.get('scope'));
  const expires = readExpires(members.get('expires'), now);
  const scope = [PROFILE_SCOPES[requested ?? strongestScope(confinement)]];
  grantedScope(confinement.scopes, scope);
  if (expires !== null) refuseLaterEnd('expires', expires, confinement);
  const ends = expires ?? confinement.ends;
  const isEndless = ends === Number.POSITIVE_INFINITY;
  return { name, scope, expires: isEndless ? null : new Date(ends).toISOString(), view: null };
}

function readScope(value: unknown): ApiKeyScope | null {
  if (value === undefined || value === null) return null;
  const requested = API_KEY_SCOPES.find((scope) => scope === value);
  if (requested === undefined) throw FAULTS.value(`scope: one of ${API_KEY_SCOPES.join(', ')}`);
  return requested;
}

/** The strongest scope of the caller; `read` also without any scope, so that the error names it. */
function strongestScope({ scopes }: Confinement): ApiKeyScope {
  return uncoveredScopes(scopes, [PROFILE_SCOPES.manage]).length === 0 ? 'manage' : 'read';
}

/** Epoch milliseconds, or null. */
function readExpires(value: unknown, now: number): number | null {
  if (value === undefined || value === null) return null;
  const time = typeof value === 'string' ? strictIsoDate(value) : undefined;
  if (time === undefined) throw FAULTS.value('expires: an ISO 8601 date-time is needed');
  if (time <= now) throw FAULTS.value('expires: must lie in the future');
  return time;
}

function fault(code: 'request_invalid' | 'illegal_value', cause: string): ServiceError {
  return new ServiceError(code, 'The API key cannot be created.', { causes: [cause] });
}
