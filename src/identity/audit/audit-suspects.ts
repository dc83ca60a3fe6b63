// Events of a chain whose hash does not fit, and what must have happened to them. An event that fits under another number
// was moved; one that fits nowhere was changed or put in.
// Invariant: bounded in number, so that the search for an event's place stays cheap.
import { type ChainedEvent, chainHash } from './audit-chain.ts';

/** What happened to an event, by its number. */
export interface SuspectFault {
  readonly kind: 'changed' | 'removed' | 'inserted' | 'reordered';
  readonly number: number;
  /** One sentence. */
  readonly message: string;
}

/** Suspects that are looked at one by one. */
export const SUSPECTS_MAX = 500;
/** How far from its number the place of a moved event is looked for, apart from the numbers of the other suspects. */
const NEAR = 32;

/** Gathers the events of one chain whose hash does not fit. */
export class AuditSuspects {
  readonly #events: ChainedEvent[] = [];
  #more = 0;

  /** An event whose hash is not the one of its number, predecessor and text. */
  add(event: ChainedEvent): void {
    if (this.#events.length < SUSPECTS_MAX) this.#events.push(event);
    else this.#more++;
  }

  /**
   * What happened to them, by number.
   * @param last the number of the last event in the chain
   */
  faults(last: number): readonly SuspectFault[] {
    const faults = this.#explained(last);
    const [first] = this.#events;
    if (this.#more > 0 && first !== undefined) {
      const message = `from here on ${this.#more + SUSPECTS_MAX} events do not fit their hashes; only ${SUSPECTS_MAX} were examined`;
      faults.push({ kind: 'changed', number: first.number, message });
    }
    return faults.sort((a, b) => a.number - b.number);
  }

  #explained(last: number): SuspectFault[] {
    const numbers = new Set(this.#events.map(({ number }) => number));
    const origins = this.#origins();
    const claimed = new Set(origins.values());
    const inserted = new Set<number>();
    const removed = new Set<number>();
    const faults: SuspectFault[] = [];
    for (const { number } of this.#events) {
      const origin = origins.get(number);
      if (origin === undefined && claimed.has(number)) inserted.add(number);
      if (origin !== undefined && origin <= last && !numbers.has(origin)) inserted.add(origin);
      if (origin !== undefined && origin > number && !claimed.has(number)) removed.add(number);
    }
    for (const number of inserted) {
      faults.push({ kind: 'inserted', number, message: `event ${number} was put in` });
    }
    for (const number of removed) {
      const message = `event ${number} was removed, and later ones were renumbered`;
      faults.push({ kind: 'removed', number, message });
    }
    for (const { number } of this.#events) {
      const origin = origins.get(number);
      if (inserted.has(number)) continue;
      if (origin === undefined) {
        const message = `event ${number} is not as it was written`;
        faults.push({ kind: 'changed', number, message });
      } else if (number - origin !== shiftOf(number, origin, inserted, removed)) {
        const message = `event ${number} was written as number ${origin}`;
        faults.push({ kind: 'reordered', number, message });
      }
    }
    return faults;
  }

  /** The number that each was written under, where it can be found. */
  #origins(): Map<number, number> {
    const origins = new Map<number, number>();
    let shift = 0;
    for (const event of this.#events) {
      const { number } = event;
      const near = Array.from({ length: 2 * NEAR + 1 }, (_, i) => number - NEAR + i);
      const others = this.#events.map((other) => other.number);
      const origin =
        [number - shift, ...near, ...others].find((other) => fits(event, event.text, other)) ??
        this.#events.find((slot) => slot !== event && fits(slot, event.text, slot.number))?.number;
      if (origin === undefined || origin === number) continue;
      shift = number - origin;
      origins.set(number, origin);
    }
    return origins;
  }
}

/** Whether the hash in `row` is that of `text` under `number`. */
function fits(row: ChainedEvent, text: string, number: number): boolean {
  return chainHash({ ...row, text, number }) === row.hash;
}

/** How far events that were put in or removed before it have moved an event. */
function shiftOf(
  number: number,
  origin: number,
  inserted: ReadonlySet<number>,
  removed: ReadonlySet<number>,
): number {
  const up = [...inserted].filter((other) => other < number).length;
  const down = [...removed].filter((other) => other < origin).length;
  return up - down;
}
