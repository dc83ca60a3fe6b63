// Parses the members that personal access tokens and API clients share, in bodies and patches:
// name, scope, view, lifetimes, flags, and the list filter. Pure functions.
// Invariant: null counts as omitted; the caller chooses the error for a wrong JSON type.
import { ServiceError } from '../../errors.ts';
import { refuseAbsentBody } from '../../json/absent-body.ts';
import {
  applyPatch,
  type JsonValue,
  PatchConflict,
  type PatchOperation,
  refuseOtherMembers,
} from '../../json/json-patch.ts';
import { invalid } from '../../query/body.ts';
import { readCollectionFilter } from '../../query/collections/collection-filter.ts';
import type { CollectionForm } from '../../query/collections/collection-form.ts';

/** Error factories of a reader; each takes a cause that names the member. */
export interface MemberFaults {
  /** The value has the wrong JSON type. */
  readonly type: (cause: string) => ServiceError;
  /** The value has the right type but is not allowed. */
  readonly value: (cause: string) => ServiceError;
}

/** Default lifetime of an access token, in seconds. */
export const DEFAULT_VALIDITY_SECONDS = 43_200;
/** Maximum lifetime of an access token. */
export const LONGEST_VALIDITY_SECONDS = DEFAULT_VALIDITY_SECONDS;
/** Minimum lifetime of a token. */
const SHORTEST_VALIDITY_SECONDS = 15;

const MAX_NAME_LENGTH = 255;
const MAX_SCOPES = 100;
const MAX_SCOPE_LENGTH = 200;

/** Control characters and lone surrogates, which not every store preserves. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}]/u;

/** RFC 6749 section 3.3: printable ASCII without space, quote and backslash. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/** The error for a member with the wrong JSON type. */
export function wrongType(cause: string): ServiceError {
  return new ServiceError('request_invalid', 'The request cannot be read.', { causes: [cause] });
}

/**
 * The members of a body.
 * @throws ServiceError `body_malformed` without a body, `request_invalid` when it is not an object
 */
export function membersOf(body: unknown): Map<string, unknown> {
  refuseAbsentBody(body);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw wrongType('the body must be an object');
  }
  return new Map<string, unknown>(Object.entries(body));
}

/**
 * Applies a patch to members that it may change.
 * @throws ServiceError `illegal_update` for another member; a value fault for a patch that does not fit
 */
export function patchedMembers(
  before: object,
  operations: readonly PatchOperation[],
  patchable: readonly string[],
  faults: MemberFaults,
): Map<string, unknown> {
  refuseOtherMembers(operations, patchable);
  try {
    return new Map(Object.entries(applyPatch(before as JsonValue, operations) as object));
  } catch (error) {
    if (error instanceof PatchConflict) throw faults.value(error.message);
    throw error;
  }
}

/** The required member `name`, trimmed. */
export function readName(value: unknown, faults: MemberFaults): string {
  if (typeof value !== 'string') throw faults.type('name: a string is needed');
  const name = value.trim();
  if (name === '' || name.length > MAX_NAME_LENGTH || UNPRINTABLE.test(name)) {
    throw faults.value(`name: 1 to ${MAX_NAME_LENGTH} printable characters are needed`);
  }
  return name;
}

/** The member `scope` without duplicates, or null when omitted. */
export function readScope(value: unknown, faults: MemberFaults): string[] | null {
  const scopes = readTexts('scope', value, faults);
  if (scopes === null) return null;
  const bad = scopes.find((scope) => !SCOPE.test(scope) || scope.length > MAX_SCOPE_LENGTH);
  if (bad !== undefined) throw faults.value('scope: a scope has no blanks, quotes or backslashes');
  if (scopes.length > MAX_SCOPES) throw faults.value(`scope: at most ${MAX_SCOPES}`);
  return [...new Set(scopes)];
}

/** An array of strings, or null when omitted. */
export function readTexts(member: string, value: unknown, faults: MemberFaults): string[] | null {
  if (value === undefined || value === null) return null;
  if (!Array.isArray(value) || value.some((item) => typeof item !== 'string')) {
    throw faults.type(`${member}: an array of strings is needed`);
  }
  return value;
}

/** A lifetime in seconds, at least SHORTEST_VALIDITY_SECONDS, or null when omitted. */
export function readSeconds(
  member: string,
  value: unknown,
  max: number,
  faults: MemberFaults,
): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    throw faults.type(`${member}: an integer is needed`);
  }
  if (value < SHORTEST_VALIDITY_SECONDS || value > max) {
    throw faults.value(`${member}: from ${SHORTEST_VALIDITY_SECONDS} to ${max}`);
  }
  return value;
}

/** The name of the view that a new credential is restricted to, or null when omitted. */
export function readViewName(value: unknown, faults: MemberFaults): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') throw faults.type('view: the name of a view is needed');
  if (value === '') throw faults.value('view: the name of a view is needed');
  return value;
}

/** A boolean, or null when omitted. */
export function readFlag(member: string, value: unknown, faults: MemberFaults): boolean | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'boolean') throw faults.type(`${member}: a boolean is needed`);
  return value;
}

/** What lists of credentials are filtered by. */
export const LAST_USED: CollectionForm = {
  filters: { lastUsed: { kind: 'date', operators: ['le', 'isnull'] } },
  sorters: [],
};

/**
 * Parses a list filter: `lastUsed le <date-time>`, `lastUsed isnull`, or nothing.
 * @throws ServiceError `request_invalid`
 */
export function readLastUsedFilter(
  filters: string | undefined,
): (credential: { readonly lastUsed: string | null }) => boolean {
  const filter = readCollectionFilter(filters, LAST_USED.filters);
  if (filter === null) return () => true;
  if (filter.kind !== 'compare') {
    throw invalid('filters: expected lastUsed le DATE-TIME or lastUsed isnull');
  }
  const [bound] = filter.values;
  return ({ lastUsed }) =>
    bound === undefined
      ? lastUsed === null
      : lastUsed !== null && Date.parse(lastUsed) <= Number(bound);
}
