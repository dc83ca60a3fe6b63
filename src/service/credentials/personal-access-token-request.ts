// Parses requests for personal access tokens: the body that creates one and the patch that changes
// one. Pure functions. With userAwareTokenNeverExpires a token may have any future expiry or none;
// otherwise at most six months, which is also the default (contract/auth-users.md section 7). A
// confinement limits scope and expiry further.

import { uncoveredScopes } from '../../auth/access.ts';
import {
  type Confinement,
  grantedScope,
  refuseLaterEnd,
  UNCONFINED,
} from '../../auth/confinement.ts';
import { ServiceError } from '../../errors.ts';
import type { PatchOperation } from '../../json/json-patch.ts';
import { strictIsoDate } from '../../query/analysis/values.ts';
import type { PersonalAccessToken } from '../ports/store.ts';
import { expiryMs } from './credential-bounds.ts';
import {
  DEFAULT_VALIDITY_SECONDS,
  LONGEST_VALIDITY_SECONDS,
  type MemberFaults,
  membersOf,
  patchedMembers,
  readFlag,
  readName,
  readScope,
  readSeconds,
  readViewName,
  wrongType,
} from './credential-members.ts';

/** The checked members of a new token. */
export type TokenRequest = Pick<
  PersonalAccessToken,
  | 'name'
  | 'scope'
  | 'accessTokenValiditySeconds'
  | 'expires'
  | 'userAwareTokenNeverExpires'
  | 'view'
>;

const EXPIRY_MONTHS = 6;
const PATCHABLE = ['name', 'scope', 'expirationDate', 'userAwareTokenNeverExpires'] as const;

/** A wrong type is a malformed request in a body, and a wrong value in the result of a patch. */
const OF_BODY: MemberFaults = { type: wrongType, value: illegalToken };
const OF_PATCH: MemberFaults = { type: illegalToken, value: illegalToken };

/**
 * Parses the body that creates a token; null counts as omitted, unknown members are ignored. An
 * empty list of scopes names none, like an omitted one.
 * @param now epoch milliseconds
 * @param confinement limits requested values, and supplies defaults
 * @throws ServiceError `request_invalid` for a wrong type, `illegal_value` for a wrong value,
 * `forbidden` beyond the confinement
 */
export function readTokenRequest(
  body: unknown,
  now: number,
  confinement: Confinement = UNCONFINED,
): TokenRequest {
  const members = membersOf(body);
  const scope = readScope(members.get('scope'), OF_BODY) ?? [];
  const byDefault = [confinement.defaultScope];
  const neverExpires = readNeverExpires(members, OF_BODY);
  const date = readDate(members.get('expirationDate'), OF_BODY);
  const defaultExpiry = Math.min(addMonths(now, EXPIRY_MONTHS), confinement.ends);
  const expires = date === null && !neverExpires ? defaultExpiry : date;
  checkExpiry(expires, neverExpires, now);
  refuseLaterEnd('expirationDate', expires ?? Number.POSITIVE_INFINITY, confinement);
  return {
    name: readName(members.get('name'), OF_BODY),
    scope: grantedScope(confinement.scopes, scope.length === 0 ? byDefault : scope),
    accessTokenValiditySeconds: readValidity(members),
    expires: expires === null ? null : new Date(expires).toISOString(),
    userAwareTokenNeverExpires: neverExpires,
    view: readViewName(members.get('view'), OF_BODY),
  };
}

/**
 * Applies a patch to a token. Existing values may stay even beyond the confinement.
 * @param now epoch milliseconds
 * @throws ServiceError `illegal_update` for another member, `illegal_value` for a wrong result,
 * `forbidden` beyond the confinement
 */
export function patchToken(
  token: PersonalAccessToken,
  operations: readonly PatchOperation[],
  now: number,
  confinement: Confinement = UNCONFINED,
): PersonalAccessToken {
  const { name, scope, expires: expirationDate, userAwareTokenNeverExpires } = token;
  const before = { name, scope, expirationDate, userAwareTokenNeverExpires };
  const members = patchedMembers(before, operations, PATCHABLE, OF_PATCH);
  const neverExpires = readNeverExpires(members, OF_PATCH);
  const expires = readDate(members.get('expirationDate'), OF_PATCH);
  const unchanged =
    neverExpires === userAwareTokenNeverExpires &&
    expires === (expirationDate === null ? null : Date.parse(expirationDate));
  if (!unchanged) checkExpiry(expires, neverExpires, now);
  const end = expires ?? Number.POSITIVE_INFINITY;
  if (end > expiryMs(expirationDate)) refuseLaterEnd('expirationDate', end, confinement);
  const requested = readScope(members.get('scope'), OF_PATCH) ?? [confinement.defaultScope];
  // Check each list separately: `read` of one and `write` of the other would together grant
  // everything.
  const widened = uncoveredScopes(scope, requested).length > 0;
  return {
    ...token,
    name: readName(members.get('name'), OF_PATCH),
    scope: widened ? grantedScope(confinement.scopes, requested) : requested,
    expires: expires === null ? null : new Date(expires).toISOString(),
    userAwareTokenNeverExpires: neverExpires,
  };
}

/** The error for a rejected value, with its reason as cause. */
export function illegalToken(cause: string): ServiceError {
  return new ServiceError('illegal_value', 'The personal access token is not valid.', {
    causes: [cause],
  });
}

function readValidity(members: ReadonlyMap<string, unknown>): number {
  const member = 'accessTokenValiditySeconds';
  const seconds = readSeconds(member, members.get(member), LONGEST_VALIDITY_SECONDS, OF_BODY);
  return seconds ?? DEFAULT_VALIDITY_SECONDS;
}

function readNeverExpires(members: ReadonlyMap<string, unknown>, faults: MemberFaults): boolean {
  const member = 'userAwareTokenNeverExpires';
  return readFlag(member, members.get(member), faults) ?? false;
}

/** Epoch milliseconds, or null. */
function readDate(value: unknown, faults: MemberFaults): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') throw faults.type('expirationDate: a date-time is needed');
  const date = value.includes('T') ? strictIsoDate(value) : undefined;
  if (date === undefined) throw illegalToken('expirationDate: not an ISO 8601 date-time');
  return date;
}

function checkExpiry(expires: number | null, neverExpires: boolean, now: number): void {
  if (expires === null) {
    if (neverExpires) return;
    throw illegalToken('expirationDate: null needs userAwareTokenNeverExpires to be true');
  }
  if (expires <= now) throw illegalToken('expirationDate: must be in the future');
  if (!neverExpires && expires > addMonths(now, EXPIRY_MONTHS)) {
    throw illegalToken(
      `expirationDate: at most ${EXPIRY_MONTHS} months ahead, or set userAwareTokenNeverExpires`,
    );
  }
}

/** The same day and time `months` later, or the last day of a shorter month. */
function addMonths(time: number, months: number): number {
  const date = new Date(time);
  const day = date.getUTCDate();
  date.setUTCMonth(date.getUTCMonth() + months, 1);
  const year = date.getUTCFullYear();
  const days = new Date(Date.UTC(year, date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, days));
  return date.getTime();
}
