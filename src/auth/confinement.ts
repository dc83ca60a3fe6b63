// What a credential that a caller creates or changes may be at most, so that no token makes a stronger one: its scopes are
// among those of the token of the request, it ends no later than the credential behind that token, and it ends with it.

import { ServiceError } from '../errors.ts';
import { scopesBeyond } from './access.ts';
import type { Caller } from './caller.ts';

/**
 * `strict` confines what a token creates. `vendor` does what the public service documents: a token creates others with any
 * scope and expiry, and they live on when it is gone.
 */
export const TOKEN_POLICIES = ['strict', 'vendor'] as const;
export type TokenPolicy = (typeof TOKEN_POLICIES)[number];

/** The bounds of one credential that is created or changed. */
export interface Confinement {
  /** The scopes that it may have, and has where the request names none. */
  readonly scopes: readonly string[];
  /** Epoch milliseconds: the latest end. Infinity: it need not end. */
  readonly ends: number;
  /** The personal access token that it ends with. */
  readonly parentId: string | null;
}

/** For operators at the machine, and under the policy `vendor`. */
export const UNCONFINED: Confinement = {
  scopes: ['sp:scopes:all'],
  ends: Number.POSITIVE_INFINITY,
  parentId: null,
};

/** The bounds of what a caller creates. */
export function confinementOf(caller: Caller, policy: TokenPolicy): Confinement {
  if (policy === 'vendor') return UNCONFINED;
  const { scopes, credentialEnds, personalTokenId } = caller;
  return { scopes: [...new Set(scopes)], ends: credentialEnds, parentId: personalTokenId };
}

/**
 * The scopes of a credential.
 * @param held the scopes that may be handed on
 * @param requested null: those that are held
 * @throws ServiceError `forbidden`, naming each scope beyond
 */
export function grantedScope(
  held: readonly string[],
  requested: readonly string[] | null,
): readonly string[] {
  if (requested === null) return [...new Set(held)];
  const beyond = scopesBeyond(held, requested);
  if (beyond.length === 0) return requested;
  throw new ServiceError('forbidden', 'A credential cannot have more scopes than your token.', {
    causes: beyond.map((scope) => `scope: your token does not have ${scope}`),
  });
}

/**
 * Refuses an end later than the one allowed.
 * @param member the member of the request, for the cause
 * @param end epoch milliseconds; Infinity: never
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
