// The hash chain of the audit trail. Each tenant has one chain: an event carries the number after its predecessor's, the
// predecessor's hash and its own hash, so an event that is changed, removed, inserted or moved breaks the chain.
// docs/observe.md states the format; changing it would invalidate every chain there is.
import { createHash } from 'node:crypto';

/** First line of what is hashed; names the format. */
const FORMAT = 'cardea-audit-1';

/** The hash before the first event of a chain: 64 zeros. */
export const CHAIN_START = '0'.repeat(64);

/** An event in its place in the chain of a tenant. */
export interface ChainedEvent {
  readonly tenantId: string;
  /** 1, 2, 3, … within the tenant. */
  readonly number: number;
  /** Id of the event, the same as the `id` in its text. */
  readonly id: string;
  /** The event as JSON in one line, exactly as it was written. */
  readonly text: string;
  /** Hash of the event before; CHAIN_START for the first. 64 lower-case hexadecimal digits, as `hash`. */
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
 * SHA-256 over five lines joined by line feeds: the format, the tenant's id, the number, the previous hash, and the event's
 * text, in UTF-8.
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

/** The events that continue the chain after `head`, in the order given. */
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
