// What a caller may ask of a personal access token: the body that creates one, the patch that changes one, the
// filter over a list. Pure: bodies and the time in, checked values out.
// Expiry: with userAwareTokenNeverExpires any future date or none; without it at most six months, which is also
// the default (contract/auth-users.md section 7).
import { strictIsoDate } from '../analysis/values.ts';
import { ServiceError } from '../errors.ts';
import {
  applyPatch,
  formatPointer,
  type JsonValue,
  PatchConflict,
  type PatchOperation,
} from './json-patch.ts';
import type { PersonalAccessToken } from './store.ts';

/** What a token is made with. */
export interface TokenRequest {
  readonly name: string;
  readonly scope: readonly string[];
  readonly accessTokenValiditySeconds: number;
  /** ISO 8601; null never expires. */
  readonly expirationDate: string | null;
  readonly userAwareTokenNeverExpires: boolean;
}

export const DEFAULT_SCOPE = 'sp:scopes:all';
export const DEFAULT_VALIDITY_SECONDS = 43_200;
/** No access token lives longer. */
export const LONGEST_VALIDITY_SECONDS = DEFAULT_VALIDITY_SECONDS;

const MIN_VALIDITY_SECONDS = 15;
const EXPIRY_MONTHS = 6;
const MAX_NAME_LENGTH = 255;
const MAX_SCOPES = 100;
const MAX_SCOPE_LENGTH = 200;
const PATCHABLE = ['name', 'scope', 'expirationDate', 'userAwareTokenNeverExpires'] as const;

/** Control characters and lone surrogates: no store keeps both as they are. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}]/u;

/** RFC 6749 section 3.3: printable ASCII without blank, quote and backslash. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/**
 * Reads the body that creates a token; null counts as left out, unknown members are ignored.
 * @param now epoch milliseconds
 * @throws ServiceError `request_invalid` for a wrong type, `illegal_value` for a wrong value
 */
export function readTokenRequest(body: unknown, now: number): TokenRequest {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw wrongType('the body must be an object');
  }
  const members = new Map<string, unknown>(Object.entries(body));
  const neverExpires = readFlag(members.get('userAwareTokenNeverExpires'));
  const date = readDate(members.get('expirationDate'));
  const expires = date === null && !neverExpires ? addMonths(now, EXPIRY_MONTHS) : date;
  checkExpiry(expires, neverExpires, now);
  return {
    name: readName(members.get('name')),
    scope: readScope(members.get('scope')),
    accessTokenValiditySeconds: readValidity(members.get('accessTokenValiditySeconds')),
    expirationDate: expires === null ? null : new Date(expires).toISOString(),
    userAwareTokenNeverExpires: neverExpires,
  };
}

/**
 * The token as a patch leaves it.
 * @param now epoch milliseconds
 * @throws ServiceError `illegal_update` for another member, `illegal_value` for a wrong outcome
 */
export function patchToken(
  token: PersonalAccessToken,
  operations: readonly PatchOperation[],
  now: number,
): PersonalAccessToken {
  refuseOtherMembers(operations);
  const { name, scope, expirationDate, userAwareTokenNeverExpires } = token;
  let patched: JsonValue;
  try {
    patched = applyPatch(
      { name, scope: [...scope], expirationDate, userAwareTokenNeverExpires },
      operations,
    );
  } catch (error) {
    if (error instanceof PatchConflict) throw illegalToken(error.message);
    throw error;
  }
  const members = new Map<string, unknown>(Object.entries(patched as object));
  const neverExpires = readFlag(members.get('userAwareTokenNeverExpires'), illegalToken);
  const expires = readDate(members.get('expirationDate'), illegalToken);
  const unchanged =
    neverExpires === userAwareTokenNeverExpires &&
    expires === (expirationDate === null ? null : Date.parse(expirationDate));
  if (!unchanged) checkExpiry(expires, neverExpires, now);
  return {
    ...token,
    name: readName(members.get('name'), illegalToken),
    scope: readScope(members.get('scope'), illegalToken),
    expirationDate: expires === null ? null : new Date(expires).toISOString(),
    userAwareTokenNeverExpires: neverExpires,
  };
}

/**
 * Reads the filter of a list: `lastUsed le <date-time>`, `lastUsed isnull`, or nothing.
 * @throws ServiceError `request_invalid`
 */
export function readTokenFilter(
  filters: string | undefined,
): (token: PersonalAccessToken) => boolean {
  const text = filters?.trim() ?? '';
  if (text === '') return () => true;
  if (/^(?:lastUsed +isnull|isnull +lastUsed)$/i.test(text)) {
    return ({ lastUsed }) => lastUsed === null;
  }
  const operand = /^lastUsed +le +(?:"([^"]*)"|(\S+))$/i.exec(text);
  const bound = strictIsoDate(operand?.[1] ?? operand?.[2] ?? '');
  if (bound === undefined) {
    throw new ServiceError('request_invalid', 'The filter cannot be read.', {
      causes: ['filters: expected "lastUsed le DATE-TIME" or "lastUsed isnull"'],
    });
  }
  return ({ lastUsed }) => lastUsed !== null && Date.parse(lastUsed) <= bound;
}

/** The refusal of a value, with its reason as cause. */
export function illegalToken(cause: string): ServiceError {
  return new ServiceError('illegal_value', 'The personal access token cannot be like this.', {
    causes: [cause],
  });
}

type Fault = (cause: string) => ServiceError;

function wrongType(cause: string): ServiceError {
  return new ServiceError('request_invalid', 'The request cannot be read.', { causes: [cause] });
}

function refuseOtherMembers(operations: readonly PatchOperation[]): void {
  const allowed: readonly (string | undefined)[] = PATCHABLE;
  for (const operation of operations) {
    const pointers = 'from' in operation ? [operation.path, operation.from] : [operation.path];
    for (const pointer of pointers) {
      if (pointer[0] !== undefined && allowed.includes(pointer[0])) continue;
      throw new ServiceError('illegal_update', `Only ${PATCHABLE.join(', ')} can be changed.`, {
        causes: [`path ${JSON.stringify(formatPointer(pointer))}`],
      });
    }
  }
}

function readName(value: unknown, fault: Fault = wrongType): string {
  if (typeof value !== 'string') throw fault('name: a string is needed');
  const name = value.trim();
  if (name === '' || name.length > MAX_NAME_LENGTH || UNPRINTABLE.test(name)) {
    throw illegalToken(`name: 1 to ${MAX_NAME_LENGTH} printable characters are needed`);
  }
  return name;
}

function readScope(value: unknown, fault: Fault = wrongType): string[] {
  if (value === undefined || value === null) return [DEFAULT_SCOPE];
  if (!Array.isArray(value) || value.some((item) => typeof item !== 'string')) {
    throw fault('scope: an array of strings is needed');
  }
  const scopes: string[] = value;
  const bad = scopes.find((scope) => !SCOPE.test(scope) || scope.length > MAX_SCOPE_LENGTH);
  if (bad !== undefined) throw illegalToken('scope: a scope has no blanks, quotes or backslashes');
  if (scopes.length > MAX_SCOPES) throw illegalToken(`scope: at most ${MAX_SCOPES}`);
  return [...new Set(scopes)];
}

function readValidity(value: unknown): number {
  if (value === undefined || value === null) return DEFAULT_VALIDITY_SECONDS;
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    throw wrongType('accessTokenValiditySeconds: an integer is needed');
  }
  if (value < MIN_VALIDITY_SECONDS || value > LONGEST_VALIDITY_SECONDS) {
    throw illegalToken(
      `accessTokenValiditySeconds: from ${MIN_VALIDITY_SECONDS} to ${LONGEST_VALIDITY_SECONDS}`,
    );
  }
  return value;
}

function readFlag(value: unknown, fault: Fault = wrongType): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value !== 'boolean') throw fault('userAwareTokenNeverExpires: a boolean is needed');
  return value;
}

/** Epoch milliseconds, or null. */
function readDate(value: unknown, fault: Fault = wrongType): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') throw fault('expirationDate: a date-time is needed');
  const date = value.includes('T') ? strictIsoDate(value) : undefined;
  if (date === undefined) throw illegalToken('expirationDate: not an ISO 8601 date-time');
  return date;
}

function checkExpiry(expires: number | null, neverExpires: boolean, now: number): void {
  if (expires === null) {
    if (neverExpires) return;
    throw illegalToken('expirationDate: null needs userAwareTokenNeverExpires to be true');
  }
  if (expires <= now) throw illegalToken('expirationDate: must lie in the future');
  if (!neverExpires && expires > addMonths(now, EXPIRY_MONTHS)) {
    throw illegalToken(
      `expirationDate: at most ${EXPIRY_MONTHS} months ahead, or set userAwareTokenNeverExpires`,
    );
  }
}

/** The same day and time some months on; the last day of the month where it has no such day. */
function addMonths(time: number, months: number): number {
  const date = new Date(time);
  const day = date.getUTCDate();
  date.setUTCMonth(date.getUTCMonth() + months, 1);
  const year = date.getUTCFullYear();
  const days = new Date(Date.UTC(year, date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, days));
  return date.getTime();
}
