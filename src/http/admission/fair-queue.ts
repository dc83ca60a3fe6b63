// A queue with weighted fair queueing between groups (scheduling/fair-order.ts). The cost
// of a request is unknown beforehand, so its group is charged at the end. The members of a group
// take turns.
// Invariant: a waiting group is overtaken only by groups that were served less, or while it must
// not run.
import { FairOrder, leastServed, type Served } from '../../scheduling/fair-order.ts';
import type { Party } from './shares.ts';

interface Group<T> extends Served {
  /** Waiting items by member; the member whose turn is next comes first. */
  readonly members: Map<string, T[]>;
}

/** An item that waits for a party. */
export interface Waiting {
  readonly party: Party;
}

/** Most groups whose virtual time is kept; those at rest are evicted first. */
const GROUPS_MAX = 10_000;

export class FairQueue<T extends Waiting> {
  readonly #weightOf: (group: string) => number;
  readonly #groups = new Map<string, Group<T>>();
  /** Groups with waiting items. */
  readonly #waiting = new Map<string, Group<T>>();
  readonly #order = new FairOrder();
  #length = 0;

  constructor(weightOf: (group: string) => number) {
    this.#weightOf = weightOf;
  }

  get length(): number {
    return this.#length;
  }

  isWaiting(group: string): boolean {
    return this.#waiting.has(group);
  }

  add(item: T): void {
    const { group: name, member } = item.party;
    const group = this.#group(name);
    if (!this.#waiting.has(name)) {
      this.#order.level(group);
      this.#waiting.set(name, group);
    }
    const items = group.members.get(member);
    if (items === undefined) group.members.set(member, [item]);
    else items.push(item);
    this.#length++;
  }

  /** Removes an item; does nothing if it is not in the queue. */
  remove(item: T): void {
    const { group: name, member } = item.party;
    const group = this.#waiting.get(name);
    const items = group?.members.get(member);
    const at = items?.indexOf(item) ?? -1;
    if (group === undefined || items === undefined || at === -1) return;
    items.splice(at, 1);
    this.#length--;
    if (items.length === 0) group.members.delete(member);
    if (group.members.size === 0) this.#waiting.delete(name);
  }

  /**
   * Takes the next item that may run; null if there is none.
   * @param take takes what it needs to run; false if another thread was faster: it stays in the queue
   */
  next(mayRun: (party: Party) => boolean, take = mayRun): T | null {
    const group = leastServed(
      this.#waiting.values(),
      (candidate) => firstRunnable(candidate, mayRun) !== null,
    );
    const item = group === null ? null : firstRunnable(group, mayRun);
    if (group === null || item === null || !take(item.party)) return null;
    this.#order.serve(group);
    this.#takeTurn(item);
    return item;
  }

  /** Charges a group for the running time of a request. */
  charge(name: string, milliseconds: number): void {
    // Capacity that no other group waits for is free.
    if (this.#length === 0) return;
    this.#group(name).virtualMs += milliseconds / this.#weightOf(name);
  }

  #takeTurn(item: T): void {
    const { group: name, member } = item.party;
    const members = this.#waiting.get(name)?.members;
    this.remove(item);
    const rest = members?.get(member);
    if (rest === undefined) return;
    members?.delete(member);
    members?.set(member, rest);
  }

  #group(name: string): Group<T> {
    let group = this.#groups.get(name);
    if (group !== undefined) return group;
    if (this.#groups.size >= GROUPS_MAX) this.#evict();
    group = { virtualMs: this.#order.virtualMs, members: new Map() };
    this.#groups.set(name, group);
    return group;
  }

  /** Evicts groups without waiting items, first those whose virtual time is past. */
  #evict(): void {
    for (const [name, group] of this.#groups) {
      if (!this.#waiting.has(name) && group.virtualMs <= this.#order.virtualMs)
        this.#groups.delete(name);
    }
    for (const name of this.#groups.keys()) {
      if (this.#groups.size < GROUPS_MAX) return;
      if (!this.#waiting.has(name)) this.#groups.delete(name);
    }
  }
}

function firstRunnable<T extends Waiting>(
  group: Group<T>,
  mayRun: (party: Party) => boolean,
): T | null {
  for (const [first] of group.members.values()) {
    if (first !== undefined && mayRun(first.party)) return first;
  }
  return null;
}
