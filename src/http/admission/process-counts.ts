// What the threads of a process count together: amounts held, connections, and events in windows.
// The main thread creates the memory once and passes it to each thread, which opens it with its
// number. A request touches about ten tables, each for less than half a microsecond.
// Invariant: what a thread has taken is given back by itself or, when it has ended, by
// `forgetThread`.
import { systemClock } from '../../auth/clock.ts';
import { ADDRESSES, CLIENTS, type WindowCounts } from '../../auth/window-counter.ts';
import type { RequestSettings } from '../../config/settings/requests.ts';
import { AmountTable, createAmounts } from '../../scheduling/shared/amount-table.ts';
import { createSeed, KeyHash } from '../../scheduling/shared/key-hash.ts';
import { createWaitingOrder, WaitingOrder } from '../../scheduling/shared/waiting-order.ts';
import { createWindows, WindowTable } from '../../scheduling/shared/window-table.ts';
import type { Party, Shortage } from './shares.ts';

/** Resources with places, for which requests wait. */
const PLACES = [
  ...(['searches', 'streams of rows', 'advanced searches', 'reads of profile management'] as const),
  ...(['changes', 'sign-ins', 'urgent changes', 'revocations'] as const),
] as const;
/** Resources that connections hold. */
const HELD = [
  ...(['bodies', 'anonymous bodies', 'answers', 'anonymous answers'] as const),
  ...(['waiting lines', 'connections'] as const),
] as const;

export type PlacesName = (typeof PLACES)[number];
export type HeldName = (typeof HELD)[number];
/** The counters of windows, with the most keys of each. */
const WINDOWS = {
  ...{ clients: CLIENTS, addresses: ADDRESSES, guesses: ADDRESSES },
  /** Walks through lists, by caller and list. */
  walks: ADDRESSES,
} as const;
export type WindowsName = keyof typeof WINDOWS;

/** What a thread tells all others. */
export type PeerEvent =
  /** A place may be free for a request that waits in another thread; null: of any resource. */
  | { readonly kind: 'place'; readonly places: PlacesName | null }
  /** Few connections are left: idle ones are closed early in other threads. */
  | { readonly kind: 'connections' }
  /** A party exceeds a bound on the memory of answers: slow ones are cut off in other threads. */
  | {
      readonly kind: 'answers';
      readonly party: Party;
      readonly shortage: Shortage;
      /** Bytes that the oldest anonymous answers make room for; 0: only slow ones are cut off. */
      readonly bytes: number;
    };

/** The other threads of the process. Events can be cloned, and arrive in order, or never. */
export interface ThreadPeers {
  tell(event: PeerEvent): void;
  onEvent(listener: (event: PeerEvent) => void): void;
}

/** The shared memory, as it is passed to threads. */
export interface ProcessCountsData {
  readonly seed: readonly [number, number];
  readonly running: Readonly<Record<PlacesName, SharedArrayBuffer>>;
  readonly waiting: Readonly<Record<PlacesName, SharedArrayBuffer>>;
  readonly order: Readonly<Record<PlacesName, SharedArrayBuffer>>;
  readonly held: Readonly<Record<HeldName, SharedArrayBuffer>>;
  readonly windows: Readonly<Record<WindowsName, SharedArrayBuffer>>;
}

/** Keys of a party: of its group, and of the member. */
const KEYS_OF_PARTY = 2;
/** Most parties that wait at the token endpoints, more than run there. */
const PARTIES_MIN = 1_024;
/** Most parties that hold memory at once; more are refused like those for whom none is free. */
const PARTIES_MAX = 32_768;

/** Creates the memory for so many threads. */
export function createProcessCounts(
  threads: number,
  {
    maxConnections,
    maxSearches,
    maxProfileSearches,
    maxWrites,
  }: Pick<RequestSettings, 'maxConnections' | 'maxSearches' | 'maxProfileSearches' | 'maxWrites'>,
): ProcessCountsData {
  const running = Math.max(PARTIES_MIN, maxSearches, maxProfileSearches, maxWrites);
  const ofRunning = () => createAmounts(KEYS_OF_PARTY * running, threads);
  return {
    seed: createSeed(),
    running: record(PLACES, ofRunning),
    waiting: record(PLACES, ofRunning),
    order: record(PLACES, () => createWaitingOrder(threads)),
    held: record(HELD, (name) => {
      const parties = Math.min(maxConnections, PARTIES_MAX);
      // Each connection may be of another address, which is one key.
      const keys = name === 'connections' ? maxConnections : KEYS_OF_PARTY * parties;
      return createAmounts(keys, threads);
    }),
    windows: record(Object.keys(WINDOWS) as WindowsName[], (name) => createWindows(WINDOWS[name])),
  };
}

/** The counts of one kind of places. */
export interface PlaceCounts {
  readonly running: AmountTable;
  readonly waiting: AmountTable;
  readonly order: WaitingOrder;
  /** Tells the other threads that a place may be free. */
  tell(): void;
  /** Calls the listener when another thread told so. */
  onTold(listener: () => void): void;
}

export class ProcessCounts implements ThreadPeers {
  readonly #peers: ThreadPeers;
  readonly #listeners: ((event: PeerEvent) => void)[] = [];
  readonly #data: ProcessCountsData;
  readonly #thread: number;
  readonly #hash: KeyHash;

  /** @param thread number of this thread, from 0 */
  constructor(data: ProcessCountsData, thread: number, peers: ThreadPeers) {
    this.#data = data;
    this.#thread = thread;
    this.#peers = peers;
    this.#hash = new KeyHash(data.seed);
    peers.onEvent((event) => this.#deliver(event));
  }

  /** Opens the counts of a single thread. */
  static ofOneThread(settings: Parameters<typeof createProcessCounts>[1]): ProcessCounts {
    return new ProcessCounts(createProcessCounts(1, settings), 0, NO_PEERS);
  }

  placesOf(name: PlacesName): PlaceCounts {
    const { running, waiting, order } = this.#data;
    return {
      running: this.#open(running[name]),
      waiting: this.#open(waiting[name]),
      order: new WaitingOrder(order[name], this.#thread),
      tell: () => this.tell({ kind: 'place', places: name }),
      onTold: (listener) =>
        this.onEvent((event) => {
          if (event.kind === 'place' && (event.places ?? name) === name) listener();
        }),
    };
  }

  tell(event: PeerEvent): void {
    this.#peers.tell(event);
  }

  onEvent(listener: (event: PeerEvent) => void): void {
    this.#listeners.push(listener);
  }

  heldOf(name: HeldName): AmountTable {
    return this.#open(this.#data.held[name]);
  }

  windowsOf(name: WindowsName): WindowCounts {
    return { buffer: this.#data.windows[name], thread: this.#thread, hash: this.#hash };
  }

  /**
   * Gives back what a thread held that has ended, frees the locks it held, and tells all others and
   * this one, for whose waiting requests there may be places. Takes milliseconds; called on the main
   * thread, before the number is used again.
   */
  forgetThread(thread: number): void {
    const { running, waiting, order, held, windows } = this.#data;
    for (const buffer of [running, waiting, held].flatMap((tables) => Object.values(tables))) {
      this.#open(buffer).forgetThread(thread);
    }
    for (const buffer of Object.values(order)) {
      new WaitingOrder(buffer, this.#thread).forgetThread(thread);
    }
    for (const buffer of Object.values(windows)) {
      new WindowTable(buffer, this.#thread, systemClock).forgetThread(thread);
    }
    const event = { kind: 'place', places: null } as const;
    this.tell(event);
    this.#deliver(event);
  }

  #deliver(event: PeerEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  #open(buffer: SharedArrayBuffer): AmountTable {
    return new AmountTable(buffer, this.#thread, this.#hash);
  }
}

/** The peers of a thread that is alone. */
export const NO_PEERS: ThreadPeers = { tell: () => {}, onEvent: () => {} };

function record<K extends string, V>(
  names: readonly K[],
  create: (name: K) => V,
): Readonly<Record<K, V>> {
  return Object.fromEntries(names.map((name) => [name, create(name)])) as Record<K, V>;
}
