// Places for requests that are being worked on. A request has its place from when its body has been read until its answer
// has been delivered or its connection is gone; where answers are small, until it has been worked on. Where there is no place it
// waits, for a bounded time and in a fair order (fair-queue.ts), and is then refused with 503.
// Invariant: no more requests than there are places run at once, and every place comes back.
import type { ServerResponse } from 'node:http';
import { ServiceError } from '../../errors.ts';
import { clientGone } from '../requests/client-gone.ts';
import { FairQueue } from './fair-queue.ts';
import { type Party, type ShareRules, Shares, type Shortage } from './shares.ts';

export interface PlaceRules extends ShareRules {
  /** What the places are for, as refusals say it: `searches`. */
  readonly name: string;
  /** Milliseconds that a request waits for a place at most; 0 refuses at once. */
  readonly waitMs: number;
  /** How many requests may wait; as many as there are places when left out. */
  readonly waitingTotal?: number;
  /**
   * `work`: a request keeps its place until the callback that `enter` gave it is called, whether its client is still there or
   * not. `delivery`, when left out: until its answer has been delivered or its connection is gone.
   */
  readonly heldFor?: 'delivery' | 'work';
  /** Told of each request that is refused. */
  onRefused(): void;
}

/** What a request needs of the places of its kind. */
export type PlacesOfRoute = Pick<Places, 'check' | 'enter'>;

/**
 * Told that a request has a place, or why it has none.
 * @param leave gives back a place that is held for work; undefined where it comes back by itself
 */
export type Entered = (error?: Error, leave?: () => void) => void;

interface Entry {
  readonly party: Party;
  readonly response: ServerResponse;
  readonly done: Entered;
  readonly timer: NodeJS.Timeout;
  readonly onClose: () => void;
}

const RETRY_AFTER_SECONDS = 1;

export class Places {
  readonly #rules: PlaceRules;
  readonly #running: Shares;
  /** Those that wait, divided in the same way. */
  readonly #waiting: Shares;
  readonly #queue: FairQueue<Entry>;

  constructor(rules: PlaceRules) {
    this.#rules = rules;
    this.#running = new Shares(rules);
    this.#waiting = new Shares({ ...rules, total: rules.waitingTotal ?? rules.total });
    this.#queue = new FairQueue(rules.weightOf);
  }

  /** Requests that have a place, and requests that wait for one. */
  get figures(): { readonly running: number; readonly waiting: number } {
    return { running: this.#running.held, waiting: this.#queue.length };
  }

  /** Whether a request of the party would have a place at once. */
  hasRoom(party: Party): boolean {
    return !this.#queue.isWaiting(party.group) && this.#running.shortage(party, 1) === null;
  }

  /**
   * Refuses a request that would find neither a place nor room to wait, before its body is read.
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
   * Gives a request a place, at once or after a wait.
   * @param done called without an error once there is a place, or with `unavailable`, or with `cancelled` where the client left
   */
  enter(party: Party, response: ServerResponse, done: Entered): void {
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
      // Others of the group may wait for what this one does not need.
      this.#startWaiting();
    }
  }

  #run(party: Party, response: ServerResponse, done: Entered): void {
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
    // Emitted behind the last byte of an answer as well.
    response.once('close', leave);
    done();
  }

  #wait(party: Party, response: ServerResponse, done: Entered): void {
    const leave = (fault: () => Error) => {
      this.#end(entry);
      this.#queue.remove(entry);
      done(fault());
    };
    const entry: Entry = {
      ...{ party, response, done },
      onClose: () => leave(clientGone),
      timer: setTimeout(
        () => leave(() => this.#refusal(this.#running.shortage(party, 1) ?? 'total')),
        this.#rules.waitMs,
      ),
    };
    response.once('close', entry.onClose);
    this.#queue.add(entry);
  }

  /** Starts those that wait, in their order, as far as there are places. */
  #startWaiting(): void {
    const mayRun = (party: Party) => this.#running.shortage(party, 1) === null;
    for (let entry = this.#queue.next(mayRun); entry !== null; entry = this.#queue.next(mayRun)) {
      this.#end(entry);
      const { party, response, done } = entry;
      this.#running.take(party, 1);
      this.#run(party, response, done);
    }
  }

  #end({ party, response, timer, onClose }: Entry): void {
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
