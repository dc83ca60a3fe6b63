// Limits the number of running requests. A request holds a place from when its body has been read
// until its response is delivered or its connection closes; a change or a sign-in, whose response
// is small, until its work is done. Without a free place it waits in fair order (fair-queue.ts) for a
// limited time, then gets 503. The places are those of all threads of the process; each thread has a
// queue of its own, and tells the others of a place that it gave back while requests wait there.
// Invariant: at most `total` requests run at once, and every place is given back.
import type { ServerResponse } from 'node:http';
import { ServiceError } from '../../errors.ts';
import { clientGone } from '../requests/client-gone.ts';
import { FairQueue } from './fair-queue.ts';
import type { PlaceCounts } from './process-counts.ts';
import { type Party, type ShareRules, Shares, type Shortage } from './shares.ts';

export interface PlaceRules extends ShareRules {
  /** What the places are for, used in error messages: `searches`. */
  readonly name: string;
  /** Most milliseconds that a request waits for a place; 0 refuses at once. */
  readonly waitMs: number;
  /** Most waiting requests; `total` when left out. */
  readonly waitingTotal?: number;
  /**
   * `work`: a request holds its place until it calls `leave`, even if its client disconnects.
   * `delivery`, the default: until its response is delivered or its connection closes.
   */
  readonly heldFor?: 'delivery' | 'work';
  /** What the threads of the process count together; left out: this thread counts alone. */
  readonly counts?: PlaceCounts;
  /** Called for each request that is refused. */
  onRefused(): void;
}

/** What a route uses of its places. */
export type PlacesOfRoute = Pick<Places, 'check' | 'enter'>;

/**
 * Called when a request has a place, or with the reason why it has none.
 * @param leave gives back a place that is held for work; undefined if delivery gives it back
 */
export type EnterCallback = (error?: Error, leave?: () => void) => void;

interface Entry {
  readonly party: Party;
  /** Lower than those of all requests that began to wait later, in any thread. */
  readonly number: number;
  readonly response: ServerResponse;
  readonly done: EnterCallback;
  readonly timer: NodeJS.Timeout;
  readonly onClose: () => void;
}

const RETRY_AFTER_SECONDS = 1;
/**
 * Milliseconds for which a thread leaves a place that it gave back to a request that has waited
 * longer in another. An idle thread gets a message in a tenth of that; a busy one has places itself.
 */
const LEAVE_MS = 1;

export class Places {
  readonly #rules: PlaceRules;
  readonly #running: Shares;
  /** Shares of the waiting requests, divided in the same way. */
  readonly #waiting: Shares;
  readonly #queue: FairQueue<Entry>;
  readonly #counts: PlaceCounts | undefined;
  /** The entries of the queue, oldest first. */
  readonly #byAge = new Set<Entry>();
  #retry: NodeJS.Timeout | null = null;

  constructor(rules: PlaceRules) {
    this.#rules = rules;
    const { counts } = rules;
    this.#counts = counts;
    this.#running = new Shares(rules, counts?.running);
    const waiting = { ...rules, total: rules.waitingTotal ?? rules.total };
    this.#waiting = new Shares(waiting, counts?.waiting);
    this.#queue = new FairQueue(rules.weightOf);
    counts?.onTold(() => this.#startWaiting());
  }

  /** The numbers of running requests, in all threads, and of those that wait in this one. */
  get figures(): { readonly running: number; readonly waiting: number } {
    return { running: this.#running.held, waiting: this.#queue.length };
  }

  /** True if a request of the party gets a place at once. */
  hasRoom(party: Party): boolean {
    return !this.#queue.isWaiting(party.group) && this.#running.shortage(party, 1) === null;
  }

  /**
   * Refuses a request that would get neither a place nor room to wait, before its body is read.
   * @throws ServiceError `unavailable`
   */
  check(party: Party): void {
    const shortage = this.#running.shortage(party, 1);
    if (shortage === null) return;
    if (this.#rules.waitMs === 0 || this.#waiting.shortage(party, 1) !== null) {
      throw this.#refusal(shortage);
    }
  }

  /**
   * Gives a request a place, at once or after waiting.
   * @param done called without an error once there is a place, with `unavailable`, or with
   *   `cancelled` if the client disconnected
   */
  enter(party: Party, response: ServerResponse, done: EnterCallback): void {
    if (response.destroyed) {
      done(clientGone());
      return;
    }
    const shortage = this.#queue.isWaiting(party.group) ? 'group' : this.#running.take(party, 1);
    if (shortage === null) {
      this.#run(party, response, done);
    } else if (this.#rules.waitMs === 0 || this.#waiting.take(party, 1) !== null) {
      done(this.#refusal(shortage));
    } else {
      this.#wait(party, response, done);
      // Other members of the group may wait for a bound that does not apply to this one.
      this.#startWaiting();
    }
  }

  #run(party: Party, response: ServerResponse, done: EnterCallback): void {
    const began = performance.now();
    const leave = () => {
      this.#running.give(party, 1);
      this.#queue.charge(party.group, performance.now() - began);
      this.#passOn();
    };
    if (this.#rules.heldFor === 'work') {
      done(undefined, leave);
      return;
    }
    // Node emits `close` after a delivered response as well.
    response.once('close', leave);
    done();
  }

  #wait(party: Party, response: ServerResponse, done: EnterCallback): void {
    const leave = (fault: () => Error) => {
      this.#stopWaiting(entry);
      this.#queue.remove(entry);
      done(fault());
    };
    const entry: Entry = {
      party,
      number: this.#counts?.order.next() ?? 0,
      response,
      done,
      onClose: () => leave(clientGone),
      timer: setTimeout(
        () => leave(() => this.#refusal(this.#running.shortage(party, 1) ?? 'total')),
        this.#rules.waitMs,
      ),
    };
    response.once('close', entry.onClose);
    this.#queue.add(entry);
    this.#byAge.add(entry);
    if (this.#byAge.size === 1) this.#counts?.order.setOldest(entry.number);
  }

  /** Passes a place on that was given back: to requests that wait in this thread or in others. */
  #passOn(): void {
    const elsewhere = this.#counts?.order.elsewhere() ?? 'nothing';
    if (elsewhere !== 'older') this.#startWaiting();
    if (elsewhere !== 'nothing') this.#counts?.tell();
    if (elsewhere !== 'older' || this.#queue.length === 0) return;
    this.#retry ??= setTimeout(() => {
      this.#retry = null;
      this.#startWaiting();
    }, LEAVE_MS);
  }

  /** Starts waiting requests in fair order while there are places. */
  #startWaiting(): void {
    const mayRun = (party: Party) => this.#running.shortage(party, 1) === null;
    const take = (party: Party) => this.#running.take(party, 1) === null;
    for (;;) {
      const entry = this.#queue.next(mayRun, take);
      if (entry === null) return;
      this.#stopWaiting(entry);
      this.#run(entry.party, entry.response, entry.done);
    }
  }

  #stopWaiting(entry: Entry): void {
    const { party, response, timer, onClose } = entry;
    clearTimeout(timer);
    response.off('close', onClose);
    this.#waiting.give(party, 1);
    const [oldest] = this.#byAge;
    this.#byAge.delete(entry);
    if (entry !== oldest) return;
    const [next] = this.#byAge;
    this.#counts?.order.setOldest(next?.number ?? 0);
  }

  #refusal(shortage: Shortage): ServiceError {
    this.#rules.onRefused();
    return new ServiceError('unavailable', SENTENCES[shortage](this.#rules.name), {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }
}

const SENTENCES: Readonly<Record<Shortage, (name: string) => string>> = {
  total: (name) => `Too many ${name} are running. Try again later.`,
  group: (name) => `Too many ${name} of this tenant are running. Try again later.`,
  member: (name) => `Too many ${name} of this client are running. Try again later.`,
};
