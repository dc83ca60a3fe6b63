// The hash chain of the audit trail. Each tenant has one chain: an event carries its number, the
// hash of the previous event and its own hash, so changing, removing, inserting or moving an event
// breaks the chain. docs/observe.md specifies the format; changing it would invalidate every
// existing chain.
import { createHash } from 'node:crypto';
import { ServiceError } from '../../errors.ts';

/** First line of the hash input; names the format. */
const FORMAT = 'cardea-audit-1';

/** The previous hash of the first event: 64 zeros. */
export const CHAIN_START = '0'.repeat(64);

/** An event with its position in the chain of a tenant. */
export interface ChainedEvent {
  readonly tenantId: string;
  /** 1, 2, 3, … within the tenant. */
  readonly number: number;
  /** Id of the event, equal to `id` in its text. */
  readonly id: string;
  /** The event as one line of JSON, exactly as written. */
  readonly text: string;
  /**
   * Hash of the previous event, or CHAIN_START for the first. 64 lower-case hexadecimal digits,
   * like `hash`.
   */
  readonly previousHash: string;
  readonly hash: string;
}

/** The last event of a chain. */
export interface ChainHead {
  readonly number: number;
  readonly hash: string;
}

/** The head of a chain without events. */
export const EMPTY_CHAIN: ChainHead = { number: 0, hash: CHAIN_START };

/**
 * SHA-256 over five lines in UTF-8, joined by line feeds: the format, the tenant's id, the number,
 * the previous hash, and the event's text.
 */
export function chainHash({
  tenantId,
  number,
  previousHash,
  text,
}: Pick<ChainedEvent, 'tenantId' | 'number' | 'previousHash' | 'text'>): string {
  const lines = `${FORMAT}\n${tenantId}\n${number}\n${previousHash}\n${text}`;
  return createHash('sha256').update(lines).digest('hex');
}

/** Chains events to `head`, in order. */
export function extendChain(
  tenantId: string,
  head: ChainHead,
  events: readonly Pick<ChainedEvent, 'id' | 'text'>[],
): ChainedEvent[] {
  let { number, hash: previousHash } = head;
  return events.map(({ id, text }) => {
    number++;
    const link = { tenantId, number, id, text, previousHash };
    const hash = chainHash(link);
    previousHash = hash;
    return { ...link, hash };
  });
}

/**
 * Whether the recorded end of a chain is damaged, so that no event may be chained to it: the chain has
 * events behind it, or its last event is as it was written and the recorded end is that event but for
 * its number or its hash. An end beyond the last event with another hash shows that events were removed.
 * @param recorded null: none is recorded
 */
export function isEndDamaged(recorded: ChainHead | null, last: ChainedEvent): boolean {
  if (recorded === null || !Number.isSafeInteger(recorded.number)) return true;
  if (recorded.number < last.number) return true;
  if (recorded.number > last.number) return recorded.hash === last.hash;
  return recorded.hash !== last.hash && chainHash(last) === last.hash;
}

/** The recorded end of a tenant's trail is damaged: nothing can be recorded in it, or done without. */
export class DamagedTrailError extends ServiceError {
  readonly tenantId: string;

  constructor(tenantId: string) {
    const remedy = 'cardea doctor --repair mends it';
    super(
      'unavailable',
      `The audit trail is damaged, so nothing can be recorded in it: ${remedy}.`,
      {
        causes: [`the recorded end of the audit trail is not its last event: ${remedy}`],
        retryAfterSeconds: 5,
      },
    );
    this.tenantId = tenantId;
  }
}
