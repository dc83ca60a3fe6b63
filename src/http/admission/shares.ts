// Divides a bounded resource, bytes or places, between the parties that use it. A group may hold at most a multiple of what
// is still free (dynamic thresholds: Choudhury and Hahne, "Dynamic Queue Length Thresholds for Shared-Memory Packet
// Switches", 1998), so a group that is alone may hold its full share, the shares shrink as others come, and some of the
// resource always stays free for the next one. The members of a group divide the share of the group in the same way.
// Invariant: the sum of what is held never exceeds the total.

/** Who an amount is held for. */
export interface Party {
  /** The tenant; or, of a request without a valid credential, the network address it came from. */
  readonly group: string;
  /** The user or API client within the tenant; empty for an address. */
  readonly member: string;
  /** True where `group` is an address. */
  readonly anonymous: boolean;
}

/** Which bound an amount would pass. */
export type Shortage = 'total' | 'group' | 'member';

export interface ShareRules {
  /** How much there is, in bytes or places. */
  readonly total: number;
  /** The largest part of the total that one group holds while no other needs it: more than 0, at most 1. */
  readonly groupShare: number;
  /** The largest part of its group's share that one member holds while no other needs it. */
  readonly memberShare: number;
  /** How many times the usual share a group may hold. */
  weightOf(group: string): number;
}

interface Holding {
  held: number;
  readonly members: Map<string, number>;
}

/** The ledger of one resource. */
export class Shares {
  readonly #rules: ShareRules;
  /** What a group may hold for each unit that is free: share / (1 − share). */
  readonly #groupFactor: number;
  readonly #memberFactor: number;
  readonly #groups = new Map<string, Holding>();
  /** An empty holding to use again: most requests find their group holding nothing. */
  #spare: Holding | null = null;
  #held = 0;

  constructor(rules: ShareRules) {
    this.#rules = rules;
    this.#groupFactor = rules.groupShare / (1 - rules.groupShare);
    this.#memberFactor = rules.memberShare / (1 - rules.memberShare);
  }

  /** What all parties hold together. */
  get held(): number {
    return this.#held;
  }

  /** True if a group holds nothing. */
  isIdle(group: string): boolean {
    return !this.#groups.has(group);
  }

  /**
   * The bound that `party` would pass with `amount` more; null where there is room for it. A party that holds nothing gets
   * one amount of any size that is free, so that an amount larger than a share is served, one at a time.
   */
  shortage({ group, member }: Party, amount: number): Shortage | null {
    const { total, weightOf } = this.#rules;
    const free = total - this.#held - amount;
    if (free < 0) return 'total';
    const holding = this.#groups.get(group);
    if (holding === undefined) return null;
    const left = allowance(this.#groupFactor * weightOf(group), free) - holding.held - amount;
    if (left < 0) return 'group';
    const own = holding.members.get(member);
    if (own === undefined) return null;
    return own + amount > allowance(this.#memberFactor, Math.min(left, free)) ? 'member' : null;
  }

  /** Counts `amount` for `party` if there is room. @returns null, or the bound it would pass */
  take(party: Party, amount: number): Shortage | null {
    const shortage = this.shortage(party, amount);
    if (shortage !== null) return shortage;
    const { group, member } = party;
    let holding = this.#groups.get(group);
    if (holding === undefined) {
      holding = this.#spare ?? { held: 0, members: new Map() };
      this.#spare = null;
      this.#groups.set(group, holding);
    }
    this.#held += amount;
    holding.held += amount;
    holding.members.set(member, (holding.members.get(member) ?? 0) + amount);
    return null;
  }

  /** Gives back what was taken before. */
  give({ group, member }: Party, amount: number): void {
    const holding = this.#groups.get(group);
    const own = holding?.members.get(member);
    if (holding === undefined || own === undefined || own < amount) {
      throw new Error('More is given back than was taken');
    }
    this.#held -= amount;
    holding.held -= amount;
    if (own > amount) holding.members.set(member, own - amount);
    else holding.members.delete(member);
    if (holding.members.size > 0) return;
    this.#groups.delete(group);
    this.#spare = holding;
  }
}

/** What may be held where so much is free; a share of 1 is no bound. */
function allowance(factor: number, free: number): number {
  return factor === Number.POSITIVE_INFINITY ? factor : factor * free;
}
