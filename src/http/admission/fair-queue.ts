// A queue with weighted fair queueing between groups (start-time fair queueing: Goyal, Vin and
// Cheng, 1996). The virtual time of a group grows by the running time of its requests, divided by
// its weight; the waiting group with the least virtual time is next. The cost of a request is
// unknown beforehand, so its group is charged at the end. The members of a group take turns.
// Invariant: a waiting group is overtaken only by groups that were served less, or while it must
// not run.
import type { Party } from './shares.ts';

interface Group<T> {
  /** Milliseconds served, divided by the weight. */
  virtual: number;
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
  /** The virtual time of the group that was served last. */
  #virtual = 0;
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
      // A group earns no credit for time in which it had no requests.
      group.virtual = Math.max(group.virtual, this.#virtual);
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

  /** Takes the next item that may run; null if there is none. */
  next(mayRun: (party: Party) => boolean): T | null {
    let best: T | null = null;
    let least = Number.POSITIVE_INFINITY;
    for (const group of this.#waiting.values()) {
      if (group.virtual >= least) continue;
      const item = firstRunnable(group, mayRun);
      if (item === null) continue;
      best = item;
      least = group.virtual;
    }
    if (best === null) return null;
    this.#virtual = Math.max(this.#virtual, least);
    this.#takeTurn(best);
    return best;
  }

  /** Charges a group for the running time of a request. */
  charge(name: string, milliseconds: number): void {
    // Capacity that no other group waits for is free.
    if (this.#length === 0) return;
    this.#group(name).virtual += milliseconds / this.#weightOf(name);
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
    group = { virtual: this.#virtual, members: new Map() };
    this.#groups.set(name, group);
    return group;
  }

  /** Evicts groups without waiting items, first those whose virtual time is past. */
  #evict(): void {
    for (const [name, group] of this.#groups) {
      if (!this.#waiting.has(name) && group.virtual <= this.#virtual) this.#groups.delete(name);
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
