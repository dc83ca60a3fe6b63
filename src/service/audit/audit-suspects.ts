// Finds out what happened to events whose hash does not match. An event that matches under another
// number was moved; one that matches nowhere was changed or inserted.
// Invariant: the number of examined events is bounded, so that the search stays cheap.
import { type ChainedEvent, chainHash } from '../ports/audit-chain.ts';

/** What happened to an event. */
export interface SuspectFault {
  readonly kind: 'changed' | 'removed' | 'inserted' | 'reordered';
  readonly number: number;
  /** One sentence. */
  readonly message: string;
}

/** Maximum number of suspects examined one by one. */
const SUSPECTS_MAX = 500;
/**
 * Distance from its number within which a moved event is searched, in addition to the numbers of
 * other suspects.
 */
const SEARCH_DISTANCE = 32;

/** Collects the events of one chain whose hash does not match. */
export class AuditSuspects {
  readonly #events: ChainedEvent[] = [];
  #unexamined = 0;

  /** Adds an event whose hash does not match its number, predecessor and text. */
  add(event: ChainedEvent): void {
    if (this.#events.length < SUSPECTS_MAX) this.#events.push(event);
    else this.#unexamined++;
  }

  /**
   * Classifies the events, ordered by number.
   * @param last the number of the last event in the chain
   */
  faults(last: number): readonly SuspectFault[] {
    const faults = this.#classify(last);
    const [first] = this.#events;
    if (this.#unexamined > 0 && first !== undefined) {
      const message = `from here on ${this.#unexamined + SUSPECTS_MAX} events do not match their hashes; only ${SUSPECTS_MAX} were examined`;
      faults.push({ kind: 'changed', number: first.number, message });
    }
    return faults.sort((a, b) => a.number - b.number);
  }

  #classify(last: number): SuspectFault[] {
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
      faults.push({ kind: 'inserted', number, message: `event ${number} was inserted` });
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

  /** The number that each event was written under, if found. */
  #origins(): Map<number, number> {
    const origins = new Map<number, number>();
    let shift = 0;
    for (const event of this.#events) {
      const { number } = event;
      const near = Array.from(
        { length: 2 * SEARCH_DISTANCE + 1 },
        (_, i) => number - SEARCH_DISTANCE + i,
      );
      const others = this.#events.map((other) => other.number);
      const origin =
        [number - shift, ...near, ...others].find((other) =>
          matchesHash(event, event.text, other),
        ) ??
        this.#events.find((slot) => slot !== event && matchesHash(slot, event.text, slot.number))
          ?.number;
      if (origin === undefined || origin === number) continue;
      shift = number - origin;
      origins.set(number, origin);
    }
    return origins;
  }
}

/** Whether the hash in `row` is that of `text` under `number`. */
function matchesHash(row: ChainedEvent, text: string, number: number): boolean {
  return chainHash({ ...row, text, number }) === row.hash;
}

/** How far an event was shifted by insertions and removals before it. */
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
