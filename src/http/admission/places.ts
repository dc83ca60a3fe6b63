// Limits the number of running requests. A request holds a place from when its body has been read
// until its response is delivered or its connection closes; a change or a sign-in, whose response
// is small, until its work is done. Without a free place it waits in fair order (fair-queue.ts) for a
// limited time, then gets 503.
// Invariant: at most `total` requests run at once, and every place is given back.
import type { ServerResponse } from 'node:http';
import { ServiceError } from '../../errors.ts';
import { clientGone } from '../requests/client-gone.ts';
import { FairQueue } from './fair-queue.ts';
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
  readonly response: ServerResponse;
  readonly done: EnterCallback;
  readonly timer: NodeJS.Timeout;
  readonly onClose: () => void;
}

const RETRY_AFTER_SECONDS = 1;

export class Places {
  readonly #rules: PlaceRules;
  readonly #running: Shares;
  /** Shares of the waiting requests, divided in the same way. */
  readonly #waiting: Shares;
  readonly #queue: FairQueue<Entry>;

  constructor(rules: PlaceRules) {
    this.#rules = rules;
    this.#running = new Shares(rules);
    this.#waiting = new Shares({ ...rules, total: rules.waitingTotal ?? rules.total });
    this.#queue = new FairQueue(rules.weightOf);
  }

  /** The numbers of running and of waiting requests. */
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
      if (this.#queue.length === 0) return;
      this.#queue.charge(party.group, performance.now() - began);
      this.#startWaiting();
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
  }

  /** Starts waiting requests in fair order while there are places. */
  #startWaiting(): void {
    const mayRun = (party: Party) => this.#running.shortage(party, 1) === null;
    for (let entry = this.#queue.next(mayRun); entry !== null; entry = this.#queue.next(mayRun)) {
      this.#stopWaiting(entry);
      const { party, response, done } = entry;
      this.#running.take(party, 1);
      this.#run(party, response, done);
    }
  }

  #stopWaiting({ party, response, timer, onClose }: Entry): void {
    clearTimeout(timer);
    response.off('close', onClose);
    this.#waiting.give(party, 1);
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
