// Counts events by key in time windows: the port behind rate limits and guess limits, and its
// in-process implementation. Redis (src/backends/redis/) counts for several nodes; both pass
// test/contract/window-counter.ts. In process the threads count together, in a table of fixed size:
// a request takes its lock once, for less than a tenth of a microsecond.
// Invariant: the count of a key resets when its window ends, and never before, unless more keys
// than the table has rows for are in use.
import { createSeed, KeyHash } from '../scheduling/shared/key-hash.ts';
import { createWindows, type Windows, WindowTable } from '../scheduling/shared/window-table.ts';
import type { Clock } from './clock.ts';

/** Keys that are counted at once by client, 2.6 MB; the one with the oldest window is dropped first. */
export const CLIENTS = 131_072;
/** The same by address. */
export const ADDRESSES = 16_384;

/** The count of a key and the rest of its window. */
export interface Count {
  /** Events in the current window, including this one. */
  readonly count: number;
  /** Milliseconds until the window ends; 0 when no window is open. */
  readonly leftMs: number;
}

/**
 * `clock`: all keys share windows aligned to the clock. `first`: a key's window begins with its
 * first event.
 */
export type WindowStart = 'clock' | 'first';

export interface WindowRules {
  readonly windowMs: number;
  readonly start: WindowStart;
}

/** Results are synchronous in process and promises over the network. Never fails. */
export interface WindowCounter {
  /** Adds one event. */
  add(key: string): Count | Promise<Count>;
  /** Returns the count without adding to it. */
  read(key: string): Count | Promise<Count>;
}

/** Where the events of one kind are counted. */
export interface WindowCounts {
  readonly buffer: SharedArrayBuffer;
  /** Number of this thread, from 0. */
  readonly thread: number;
  readonly hash: KeyHash;
}

const NONE: Count = { count: 0, leftMs: 0 };

/**
 * Counts in memory that the threads of a process share. Setting the clock back ends all windows, so
 * that it cannot lock clients out.
 */
export class LocalCounter implements WindowCounter {
  readonly #windows: Windows;
  readonly #table: WindowTable;
  readonly #hash: KeyHash;
  /** How often the keys of a group were forgotten: on servers for tests only, which have one thread. */
  readonly #forgotten = new Map<string, number>();

  /** @param counts of all threads; by default of this thread alone */
  constructor(
    clock: Clock,
    { windowMs, start }: WindowRules,
    { buffer, thread, hash }: WindowCounts = countsOfOneThread(),
  ) {
    const beginning = start === 'clock' ? (now: number) => now - (now % windowMs) : same;
    this.#windows = { windowMs, beginning };
    this.#table = new WindowTable(buffer, thread, clock);
    this.#hash = hash;
  }

  add(key: string): Count {
    const hash = this.#hash;
    hash.of(this.#current(key));
    const count = this.#table.add(hash.low, hash.high, this.#windows);
    return { count, leftMs: this.#table.leftMs };
  }

  read(key: string): Count {
    const hash = this.#hash;
    hash.of(this.#current(key));
    const count = this.#table.read(hash.low, hash.high, this.#windows);
    return count === 0 ? NONE : { count, leftMs: this.#table.leftMs };
  }

  /** Ends the windows of all keys whose part up to their first space is `prefix`, for this thread. */
  forget(prefix: string): void {
    this.#forgotten.set(prefix, (this.#forgotten.get(prefix) ?? 0) + 1);
  }

  /** The key that the events of a key are counted by since it was forgotten. */
  #current(key: string): string {
    if (this.#forgotten.size === 0) return key;
    const times = this.#forgotten.get(key.slice(0, key.indexOf(' ') + 1));
    return times === undefined ? key : `${key} ${times}`;
  }
}

/** Counts of a single thread, which no other can see. @param keys a power of two, at least 16 */
export function countsOfOneThread(keys = ADDRESSES): WindowCounts {
  return { buffer: createWindows(keys), thread: 0, hash: new KeyHash(createSeed()) };
}

const same = (now: number) => now;
