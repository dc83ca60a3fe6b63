// Limits for credentials that a caller creates or changes, so that no token creates a stronger one:
// the new credential has a subset of its scopes, expires no later, and ends with it.

import { ServiceError } from '../errors.ts';
import { ALL_SCOPES, DEFAULT_SCOPE, uncoveredScopes } from './access.ts';
import type { Caller } from './caller.ts';

/**
 * `strict` limits what a token creates. `vendor` follows the public service's documentation: a
 * token may create credentials with any scope and expiry, which outlive it.
 */
export const TOKEN_POLICIES = ['strict', 'vendor'] as const;
export type TokenPolicy = (typeof TOKEN_POLICIES)[number];

/** The limits of one credential that is created or changed. */
export interface Confinement {
  /** The allowed scopes. */
  readonly scopes: readonly string[];
  /** The scope of a personal access token whose request names none. */
  readonly defaultScope: string;
  /** The latest expiry in epoch milliseconds; Infinity: no expiry is required. */
  readonly ends: number;
  /** The personal access token that the credential ends with. */
  readonly parentId: string | null;
}

/** For operators at the command line, and for the policy `vendor`. */
export const UNCONFINED: Confinement = {
  scopes: [ALL_SCOPES],
  defaultScope: ALL_SCOPES,
  ends: Number.POSITIVE_INFINITY,
  parentId: null,
};

/** The limits for credentials created by a caller. */
export function confinementOf(caller: Caller, policy: TokenPolicy): Confinement {
  if (policy === 'vendor') return UNCONFINED;
  const { scopes, credentialEnds, personalTokenId } = caller;
  return {
    ...{ scopes: [...new Set(scopes)], defaultScope: DEFAULT_SCOPE },
    ...{ ends: credentialEnds, parentId: personalTokenId },
  };
}

/**
 * The scopes to grant to a credential.
 * @param held the scopes that may be passed on
 * @param requested null for all of `held`
 * @throws ServiceError `forbidden`, naming each scope that is not covered
 */
export function grantedScope(
  held: readonly string[],
  requested: readonly string[] | null,
): readonly string[] {
  if (requested === null) return [...new Set(held)];
  const beyond = uncoveredScopes(held, requested);
  if (beyond.length === 0) return requested;
  throw new ServiceError('forbidden', 'A credential cannot have more scopes than your token.', {
    causes: beyond.map((scope) => `scope: your token does not have ${scope}`),
  });
}

/**
 * Rejects an expiry later than the limit.
 * @param member name of the request member, for the cause
 * @param end epoch milliseconds; Infinity for never
 * @throws ServiceError `forbidden`
 */
export function refuseLaterEnd(member: string, end: number, { ends }: Confinement): void {
  if (end <= ends) return;
  throw new ServiceError('forbidden', 'A credential cannot outlive the one that creates it.', {
    causes: [
      `${member}: at most ${new Date(ends).toISOString()}, when the credential behind your token ends`,
    ],
  });
}
