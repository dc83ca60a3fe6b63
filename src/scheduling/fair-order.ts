// Start-time fair queueing (Goyal, Vin and Cheng, 1996): the party with the least virtual time is
// served next. The virtual time of a party grows by the time that it is served, divided by its
// weight, which its scheduler adds.
// Invariant: a party earns no credit for time in which it had nothing to do.

/** A party that is served. */
export interface Served {
  /** Milliseconds served, divided by the weight. */
  virtualMs: number;
}

/** The virtual time of a set of parties. */
export class FairOrder {
  #virtualMs = 0;

  /** The virtual time of the party that was served last: new parties start with it. */
  get virtualMs(): number {
    return this.#virtualMs;
  }

  /** Makes a party that had nothing to do level with the others. */
  level(party: Served): void {
    party.virtualMs = Math.max(party.virtualMs, this.#virtualMs);
  }

  /** Records that a party is served now. */
  serve(party: Served): void {
    this.#virtualMs = Math.max(this.#virtualMs, party.virtualMs);
  }
}

/**
 * The party with the least virtual time of those that can be served; null if there is none.
 * @param first wins ties, and need not be one of the parties
 */
export function leastServed<P extends Served>(
  parties: Iterable<P>,
  canBeServed: (party: P) => boolean,
  first: P | null = null,
): P | null {
  let least = first;
  for (const party of parties) {
    const isLess = least === null || party.virtualMs < least.virtualMs;
    if (isLess && canBeServed(party)) least = party;
  }
  return least;
}
