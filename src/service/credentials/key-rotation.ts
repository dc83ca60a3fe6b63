// Rotates the key that signs tokens, on an operator's command. The old key keeps verifying the
// tokens it has signed until the last one expires; a leaked key can be deleted at once, which ends
// its tokens.
// Invariant: at any time exactly one key signs, and the audit trail of each tenant records since
// when.
import { type Clock, systemClock } from '../../auth/clock.ts';
import { CLOCK_SKEW_SECONDS } from '../../auth/jwt.ts';
import { changeAttributes } from '../audit/audit-event.ts';
import type { SigningKey, Store } from '../ports/store.ts';
import { LONGEST_VALIDITY_SECONDS } from './credential-members.ts';
import { newSigningKey, recordKeyEvent } from './signing-keys.ts';

/** A key without its secret. */
export interface ListedKey {
  readonly kid: string;
  /** ISO 8601. */
  readonly created: string;
  /** Whether it signs; other keys only verify. */
  readonly active: boolean;
  /** When the last token signed with it expires, in ISO 8601; null while it signs. */
  readonly needed: string | null;
}

export interface Rotation {
  /** The key that signs from now on. */
  readonly kid: string;
  /** Keys that were deleted. */
  readonly removed: readonly string[];
}

/**
 * What happens to old keys whose tokens may still be valid: they keep verifying, or are deleted.
 */
export type OldKeys = 'kept' | 'revoked';

/** Another node signs with the old key until it reloads the keys, and clocks differ. */
const RELOAD_MARGIN_MS = 60_000;

/** Lists all keys, oldest first. */
export async function listSigningKeys(store: Store): Promise<readonly ListedKey[]> {
  const keys = await store.read.signingKeys();
  return keys.map(({ kid, created, active }, at) => {
    const end = active ? null : endOf(keys, at);
    return { kid, created, active, needed: end === null ? null : new Date(end).toISOString() };
  });
}

/** Creates a new signing key and deletes expired keys; with `revoked`, all other keys. */
export async function rotateSigningKeys(
  store: Store,
  old: OldKeys,
  clock: Clock = systemClock,
): Promise<Rotation> {
  const fresh = await newSigningKey(clock);
  const now = clock.now();
  return store.write(async (records) => {
    const keys = await records.signingKeys();
    await records.retireSigningKeys();
    await records.addSigningKey(fresh);
    const all = [...keys, fresh];
    const deletable = keys.filter((_key, at) => old === 'revoked' || endOf(all, at) <= now);
    for (const { kid } of deletable) await records.deleteSigningKey(kid);
    const removed = deletable.map(({ kid }) => kid);
    await recordKeyEvent(records, fresh, 'ROTATE', {
      removedKeys: removed,
      ...changeAttributes(
        { signingKey: keys.find(({ active }) => active)?.kid ?? null },
        { signingKey: fresh.kid },
      ),
    });
    return { kid: fresh.kid, removed };
  });
}

/**
 * When the last token of a key expires, in epoch milliseconds: a key signs until the next one is
 * created.
 */
function endOf(keys: readonly SigningKey[], at: number): number {
  const next = keys[at + 1] ?? keys[at];
  const tokenLifetimeMs = (LONGEST_VALIDITY_SECONDS + CLOCK_SKEW_SECONDS) * 1000;
  return Date.parse(next?.created ?? '') + tokenLifetimeMs + RELOAD_MARGIN_MS;
}
