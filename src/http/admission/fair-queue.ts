// Requests that wait for a place, in the order of weighted fair queueing between groups (start-time fair queueing: Goyal,
// Vin and Cheng, 1996). Each group has a virtual time, which grows by the time its requests ran, divided by its weight; the
// waiting group with the least virtual time goes next. What a request will cost is not known beforehand, so a group is
// charged at the end. Within a group its members take turns.
// Invariant: a group that waits is passed over only by groups that were served less, or while it must not run.
import type { Party } from './shares.ts';

interface Group<T> {
  /** Milliseconds served, divided by the weight. */
  virtual: number;
  /** What waits, by member; the member whose turn is next stands first. */
  readonly members: Map<string, T[]>;
}

/** Something that waits for a party. */
export interface Waiting {
  readonly party: Party;
}

/** Groups remembered for what they were served; the one that has waited least recently is forgotten first. */
const GROUPS_MAX = 10_000;

export class FairQueue<T extends Waiting> {
  readonly #weightOf: (group: string) => number;
  readonly #groups = new Map<string, Group<T>>();
  /** Groups that have something waiting. */
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
      // Time in which a group asked for nothing is not saved up.
      group.virtual = Math.max(group.virtual, this.#virtual);
      this.#waiting.set(name, group);
    }
    const items = group.members.get(member);
    if (items === undefined) group.members.set(member, [item]);
    else items.push(item);
    this.#length++;
  }

  /** Removes an item that waits no longer; one that is not there is left alone. */
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

  /** Takes the item that is next among those that may run; null where there is none. */
  next(mayRun: (party: Party) => boolean): T | null {
    let best: T | null = null;
    let least = Number.POSITIVE_INFINITY;
    for (const group of this.#waiting.values()) {
      if (group.virtual >= least) continue;
      const item = firstOf(group, mayRun);
      if (item === null) continue;
      best = item;
      least = group.virtual;
    }
    if (best === null) return null;
    this.#virtual = Math.max(this.#virtual, least);
    this.#takeTurn(best);
    return best;
  }

  /** Counts what a request of a group took, in milliseconds. */
  charge(name: string, milliseconds: number): void {
    // Using what nobody else needs is free.
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
    if (this.#groups.size >= GROUPS_MAX) this.#forget();
    group = { virtual: this.#virtual, members: new Map() };
    this.#groups.set(name, group);
    return group;
  }

  /** Forgets groups that are owed nothing: nothing waits and their virtual time is past. */
  #forget(): void {
    for (const [name, group] of this.#groups) {
      if (!this.#waiting.has(name) && group.virtual <= this.#virtual) this.#groups.delete(name);
    }
    for (const name of this.#groups.keys()) {
      if (this.#groups.size < GROUPS_MAX) return;
      if (!this.#waiting.has(name)) this.#groups.delete(name);
    }
  }
}

function firstOf<T extends Waiting>(group: Group<T>, mayRun: (party: Party) => boolean): T | null {
  for (const [first] of group.members.values()) {
    if (first !== undefined && mayRun(first.party)) return first;
  }
  return null;
}
