// Divides a bounded resource, bytes or places, between parties. A group may hold at most a multiple
// of what is free (dynamic thresholds: Choudhury and Hahne, "Dynamic Queue Length Thresholds for
// Shared-Memory Packet Switches", 1998). So a single group may hold its full share, shares shrink
// as others join, and some of the resource always stays free for the next group. The members of a
// group divide its share in the same way.
// Invariant: the sum of all amounts held never exceeds the total.

/** The holder of an amount. */
export interface Party {
  /** The tenant; for a request without a valid credential, its network address. */
  readonly group: string;
  /** The user or API client within the tenant; empty for an address. */
  readonly member: string;
  /** True if `group` is an address. */
  readonly anonymous: boolean;
}

/** The bound that an amount would exceed. */
export type Shortage = 'total' | 'group' | 'member';

export interface ShareRules {
  /** Size of the resource, in bytes or places. */
  readonly total: number;
  /**
   * The largest part of the total that one group may hold while it is alone: above 0, at most 1.
   */
  readonly groupShare: number;
  /** The largest part of its group's share that one member may hold while it is alone. */
  readonly memberShare: number;
  /** The weight of a group: a multiple of the usual share. */
  weightOf(group: string): number;
}

interface Holding {
  held: number;
  readonly members: Map<string, number>;
}

/**
 * Up to this number, groups and members that hold nothing are kept. A map that an entry enters and
 * leaves with each request would leave a chain of tables, which lives until the next collection of
 * old garbage.
 */
const KEPT = 64;

/** The ledger of one resource. */
export class Shares {
  readonly #rules: ShareRules;
  /** The amount a group may hold per free unit: share / (1 − share). */
  readonly #groupFactor: number;
  readonly #memberFactor: number;
  readonly #groups = new Map<string, Holding>();
  #held = 0;

  constructor(rules: ShareRules) {
    this.#rules = rules;
    this.#groupFactor = rules.groupShare / (1 - rules.groupShare);
    this.#memberFactor = rules.memberShare / (1 - rules.memberShare);
  }

  /** The amount that all parties hold together. */
  get held(): number {
    return this.#held;
  }

  /** True if a group holds nothing. */
  isIdle(group: string): boolean {
    return (this.#groups.get(group)?.held ?? 0) === 0;
  }

  /**
   * Returns the bound that `party` would exceed with `amount` more; null if there is room. A party
   * that holds nothing gets one amount of any size that is free, so that amounts larger than a
   * share are served, one at a time.
   * @param instead what it holds already and would exchange for the amount
   */
  shortage({ group, member }: Party, amount: number, instead = 0): Shortage | null {
    const { total, weightOf } = this.#rules;
    const free = total - (this.#held - instead) - amount;
    if (free < 0) return 'total';
    const holding = this.#groups.get(group);
    const held = (holding?.held ?? 0) - instead;
    if (holding === undefined || held === 0) return null;
    const left = allowance(this.#groupFactor * weightOf(group), free) - held - amount;
    if (left < 0) return 'group';
    const own = (holding.members.get(member) ?? 0) - instead;
    if (own === 0) return null;
    return own + amount > allowance(this.#memberFactor, Math.min(left, free)) ? 'member' : null;
  }

  /** Takes `amount` for `party` if there is room. @returns null, or the bound it would exceed */
  take(party: Party, amount: number): Shortage | null {
    return this.exchange(party, 0, amount);
  }

  /**
   * Takes `to` for `party`, in exchange for `from`, which it holds and which is less.
   * @returns null, or the bound that `to` would exceed; then it still holds `from`
   */
  exchange(party: Party, from: number, to: number): Shortage | null {
    const shortage = this.shortage(party, to, from);
    if (shortage !== null) return shortage;
    const amount = to - from;
    const { group, member } = party;
    let holding = this.#groups.get(group);
    if (holding === undefined) {
      holding = { held: 0, members: new Map() };
      this.#groups.set(group, holding);
    }
    this.#held += amount;
    holding.held += amount;
    holding.members.set(member, (holding.members.get(member) ?? 0) + amount);
    return null;
  }

  /** Gives back an amount taken before. */
  give({ group, member }: Party, amount: number): void {
    const holding = this.#groups.get(group);
    const own = holding?.members.get(member);
    if (holding === undefined || own === undefined || own < amount) {
      throw new Error('More is given back than was taken');
    }
    this.#held -= amount;
    holding.held -= amount;
    if (own > amount || holding.members.size <= KEPT) holding.members.set(member, own - amount);
    else holding.members.delete(member);
    if (holding.held === 0 && this.#groups.size > KEPT) this.#groups.delete(group);
  }
}

/** The amount that may be held while `free` is free; a share of 1 is no bound. */
function allowance(factor: number, free: number): number {
  return factor === Number.POSITIVE_INFINITY ? factor : factor * free;
}
