// Divides a bounded resource, bytes or places, between parties. A group may hold at most a multiple
// of what is free (dynamic thresholds: Choudhury and Hahne, "Dynamic Queue Length Thresholds for
// Shared-Memory Packet Switches", 1998). So a single group may hold its full share, shares shrink
// as others join, and some of the resource always stays free for the next group. The members of a
// group divide its share in the same way.
// Invariant: the sum of all amounts held, in all threads of the process, never exceeds the total.
import { AmountTable } from '../../scheduling/shared/amount-table.ts';

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

/**
 * The ledger of one resource, over a table that the threads of a process share. Each method takes
 * the lock of the table once, for a few tenths of a microsecond at most; a request calls about ten.
 */
export class Shares {
  readonly rules: ShareRules;
  /** The amount a group may hold per free unit: share / (1 − share). */
  readonly #groupFactor: number;
  readonly #memberFactor: number;
  readonly #table: AmountTable;

  /** @param table what all threads hold; by default of this thread alone */
  constructor(rules: ShareRules, table: AmountTable = AmountTable.ofOneThread()) {
    this.rules = rules;
    this.#groupFactor = rules.groupShare / (1 - rules.groupShare);
    this.#memberFactor = rules.memberShare / (1 - rules.memberShare);
    this.#table = table;
  }

  /** The amount that all parties hold together. */
  get held(): number {
    return this.#table.total;
  }

  /** True if a group holds nothing. */
  isIdle(group: string): boolean {
    const table = this.#table;
    this.#lock(group, '');
    try {
      return table.held(this.#findGroup()) === 0;
    } finally {
      table.unlock();
    }
  }

  /**
   * Returns the bound that `party` would exceed with `amount` more; null if there is room. A party
   * that holds nothing gets one amount of any size that is free, so that amounts larger than a
   * share are served, one at a time.
   * @param instead what it holds already and would exchange for the amount
   */
  shortage({ group, member }: Party, amount: number, instead = 0): Shortage | null {
    const weight = this.rules.weightOf(group);
    this.#lock(group, member);
    try {
      return this.#shortage(this.#findGroup(), this.#findMember(), weight, amount, instead);
    } finally {
      this.#table.unlock();
    }
  }

  /** Takes `amount` for `party` if there is room. @returns null, or the bound it would exceed */
  take(party: Party, amount: number): Shortage | null {
    return this.exchange(party, 0, amount);
  }

  /**
   * Takes `to` for `party`, in exchange for `from`, which it holds and which is less.
   * @returns null, or the bound that `to` would exceed; then it still holds `from`. `total`, too, if
   *   more parties than the table has rows for hold something
   */
  exchange({ group, member }: Party, from: number, to: number): Shortage | null {
    const table = this.#table;
    const { hash } = table;
    const weight = this.rules.weightOf(group);
    this.#lock(group, member);
    try {
      if (!table.makeRoom(2)) return 'total';
      const groupRow = this.#findGroup();
      const memberRow = this.#findMember();
      const shortage = this.#shortage(groupRow, memberRow, weight, to, from);
      if (shortage !== null) return shortage;
      const amount = to - from;
      table.add(table.totalRow, amount);
      table.add(groupRow < 0 ? table.addRow(hash.groupLow, hash.groupHigh) : groupRow, amount);
      table.add(memberRow < 0 ? table.addRow(hash.memberLow, hash.memberHigh) : memberRow, amount);
      return null;
    } finally {
      table.unlock();
    }
  }

  /** Gives back an amount that was taken before in this thread. */
  give({ group, member }: Party, amount: number): void {
    const table = this.#table;
    this.#lock(group, member);
    try {
      const memberRow = this.#findMember();
      if (table.own(memberRow) < amount) throw new Error('More is given back than was taken');
      table.add(table.totalRow, -amount);
      table.add(this.#findGroup(), -amount);
      table.add(memberRow, -amount);
    } finally {
      table.unlock();
    }
  }

  /** True if other threads hold some of what counts against the bound of a party. */
  isHeldElsewhere({ group, member }: Party, bound: Shortage): boolean {
    const table = this.#table;
    this.#lock(group, member);
    try {
      const ofParty = bound === 'group' ? this.#findGroup() : this.#findMember();
      const row = bound === 'total' ? table.totalRow : ofParty;
      return table.held(row) > table.own(row);
    } finally {
      table.unlock();
    }
  }

  /** Hashes the names of a party, and takes the lock. */
  #lock(group: string, member: string): void {
    this.#table.hash.ofPair(group, member);
    this.#table.lock();
  }

  #findGroup(): number {
    return this.#table.find(this.#table.hash.groupLow, this.#table.hash.groupHigh);
  }

  #findMember(): number {
    return this.#table.find(this.#table.hash.memberLow, this.#table.hash.memberHigh);
  }

  #shortage(
    groupRow: number,
    memberRow: number,
    weight: number,
    amount: number,
    instead: number,
  ): Shortage | null {
    const table = this.#table;
    const free = this.rules.total - (table.held(table.totalRow) - instead) - amount;
    if (free < 0) return 'total';
    const held = table.held(groupRow) - instead;
    if (held <= 0) return null;
    const left = allowance(this.#groupFactor * weight, free) - held - amount;
    if (left < 0) return 'group';
    const own = table.held(memberRow) - instead;
    if (own === 0) return null;
    return own + amount > allowance(this.#memberFactor, Math.min(left, free)) ? 'member' : null;
  }
}

/** The amount that may be held while `free` is free; a share of 1 is no bound. */
function allowance(factor: number, free: number): number {
  return factor === Number.POSITIVE_INFINITY ? factor : factor * free;
}
