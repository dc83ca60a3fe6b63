// Changing the key that tokens are signed with, for an operator at the machine. The old key goes on checking the tokens it
// has signed until the last of them has ended; a key that leaked is thrown away at once, and its tokens with it.
// Invariant: at any moment exactly one key signs, and each tenant's trail says since when.
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
  /** Whether it signs; others only check. */
  readonly active: boolean;
  /** ISO 8601: when the last token it signed has ended; null while it signs. */
  readonly needed: string | null;
}

export interface Rotation {
  /** The key that signs from now on. */
  readonly kid: string;
  /** Keys that were thrown away. */
  readonly removed: readonly string[];
}

/** What becomes of keys whose tokens may still be in use: they go on checking them, or they go. */
export type OldKeys = 'kept' | 'revoked';

/** Another node may sign with the old key for as long as it takes it to look again, and clocks differ. */
const SLACK_MS = 60_000;

/** All keys, the oldest first. */
export async function listSigningKeys(store: Store): Promise<readonly ListedKey[]> {
  const keys = await store.read.signingKeys();
  return keys.map(({ kid, created, active }, at) => {
    const end = active ? null : endOf(keys, at);
    return { kid, created, active, needed: end === null ? null : new Date(end).toISOString() };
  });
}

/** Makes a new key that signs, and throws away those that nobody needs any more; with `revoked`, all others. */
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
    const gone = keys.filter((_key, at) => old === 'revoked' || endOf(all, at) <= now);
    for (const { kid } of gone) await records.deleteSigningKey(kid);
    const removed = gone.map(({ kid }) => kid);
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

/** Epoch milliseconds: a key signs until the next one is made, and its tokens live so long after. */
function endOf(keys: readonly SigningKey[], at: number): number {
  const next = keys[at + 1] ?? keys[at];
  const lived = (LONGEST_VALIDITY_SECONDS + CLOCK_SKEW_SECONDS) * 1000;
  return Date.parse(next?.created ?? '') + lived + SLACK_MS;
}
