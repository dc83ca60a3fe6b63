// The memory of responses that clients have not read yet. An answer counts for its party until it
// has been delivered or its connection closes; bytes that the kernel takes at once do not count. A
// large page counts before it is read (`reserve`), and its delivery takes that over. A party at its
// share gets no further answers, and those delivered below the least rate are cut off to make room.
// An address that holds nothing is always answered: one attacker may have many addresses, so the
// oldest anonymous answers are cut off for it. The bytes of all threads are counted together; each
// cuts off its own answers, and what that cannot relieve it tells the others.
// Invariant: the bytes counted never exceed the budget.
import type { ServerResponse } from 'node:http';
import { ServiceError } from '../../errors.ts';
import type { PeerEvent, ThreadPeers } from './process-counts.ts';
import type { Party, Shares, Shortage } from './shares.ts';

export interface AnswerRules {
  readonly authenticated: Shares;
  /** Shares of answers to requests without a valid credential. */
  readonly anonymous: Shares;
  /** Milliseconds in which a client must read an answer, even if memory is free. */
  readonly timeoutMs: number;
  /** Bytes per second; slower answers are cut off when their memory is needed. */
  readonly bytesPerSecond: number;
  /** Milliseconds before an answer counts as slow. */
  readonly graceMs: number;
  onRefused(): void;
  /** Called for each answer that is cut off to make room. */
  onCutOff(): void;
  /** The other threads, which deliver answers of the same parties; left out: there are none. */
  readonly peers?: ThreadPeers;
}

interface Delivery {
  readonly party: Party;
  /** When its average rate falls below the least rate. */
  readonly slowAt: number;
  /** Closes its connection and frees its memory. */
  cutOff(): void;
}

const RETRY_AFTER_SECONDS = 1;
/** Least milliseconds between two events for the other threads, which many refusals would load. */
const TELL_EVERY_MS = 10;

export class Answers {
  readonly #rules: AnswerRules;
  /** In the order of their start. */
  readonly #deliveries = new Set<Delivery>();
  /** What is counted for answers whose delivery has not begun. */
  readonly #reserved = new Map<ServerResponse, number>();
  readonly #clock: { now(): number };
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(rules: AnswerRules, clock: { now(): number } = performance) {
    this.#rules = rules;
    this.#clock = clock;
    rules.peers?.onEvent((event) => {
      if (event.kind === 'answers') this.#onTold(event);
    });
  }

  /** Bytes held in all threads. */
  get held(): number {
    return this.#rules.authenticated.held + this.#rules.anonymous.held;
  }

  /**
   * Refuses an answer that does not fit: before it is written or, with a length of 1, before it is
   * computed.
   * @param length bytes
   * @param response what is reserved for it is not needed again
   * @throws ServiceError `unavailable`
   */
  check(party: Party, length: number, response?: ServerResponse): void {
    if (this.held === 0) return;
    const shares = this.#sharesOf(party);
    const amount = this.#amountOf(party, length);
    const reserved = this.#reservedFor(response);
    if (amount <= reserved) return;
    // As one amount, so that the only answer of a party may be larger than its share.
    let shortage = shares.shortage(party, amount, reserved);
    if (shortage !== null && this.#cutOffSlow(party, shortage)) {
      shortage = shares.shortage(party, amount, reserved);
    }
    if (shortage === null) return;
    if (shortage === 'total' && party.anonymous && shares.isIdle(party.group)) {
      this.#cutOffOldest(party, amount);
      // What other threads hold is freed a moment later; until then this answer is not counted.
      if (shares.shortage(party, amount) !== null) this.#tell(party, shortage, amount);
      return;
    }
    this.#tell(party, shortage, 0);
    this.#rules.onRefused();
    throw new ServiceError('unavailable', SENTENCES[shortage], {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }

  /**
   * Counts more memory for an answer that is being computed, until it is delivered. No more than the
   * share of one caller: others are answered while a page is read of which little may be sent.
   * @param length bytes
   * @throws ServiceError `unavailable` if there is no room for them
   */
  reserve(party: Party, length: number, response: ServerResponse): void {
    if (response.destroyed) return;
    const { total, groupShare, memberShare } = this.#sharesOf(party).rules;
    const share = Math.floor(total * groupShare * memberShare);
    const reserved = this.#reservedFor(response);
    const amount = Math.min(reserved + length, share);
    this.check(party, amount, response);
    if (reserved === 0) response.once('close', () => this.#free(party, response));
    this.#reserved.set(response, this.#count(party, amount, response));
  }

  /**
   * Counts the memory of a checked answer until it is delivered, and limits the time of delivery.
   * What was reserved for it is part of it.
   * @param length bytes
   * @returns ends it earlier, for a part of an answer that has been delivered
   */
  hold(party: Party, length: number, response: ServerResponse): () => void {
    if (response.destroyed || response.writableFinished) return () => {};
    const { timeoutMs, graceMs, bytesPerSecond } = this.#rules;
    const counted = this.#count(party, this.#amountOf(party, length), response);
    const end = () => {
      clearTimeout(timer);
      if (this.#deliveries.delete(delivery) && counted > 0) {
        this.#sharesOf(party).give(party, counted);
      }
    };
    const cutOff = () => {
      end();
      response.destroy();
    };
    const slowAt = this.#clock.now() + graceMs + (length * 1000) / bytesPerSecond;
    const delivery = { party, slowAt, cutOff };
    const timer = setTimeout(cutOff, timeoutMs);
    this.#deliveries.add(delivery);
    response.once('close', end);
    return () => {
      response.off('close', end);
      end();
    };
  }

  #reservedFor(response: ServerResponse | undefined): number {
    return (response && this.#reserved.get(response)) ?? 0;
  }

  /** Gives back what is reserved for a response. */
  #free(party: Party, response: ServerResponse): void {
    const reserved = this.#reservedFor(response);
    if (reserved > 0) this.#sharesOf(party).give(party, reserved);
    this.#reserved.delete(response);
  }

  /**
   * Counts an amount instead of what is reserved for the response.
   * @returns the amount, or what was reserved if there is no room
   */
  #count(party: Party, amount: number, response: ServerResponse): number {
    const shares = this.#sharesOf(party);
    const reserved = this.#reservedFor(response);
    this.#reserved.delete(response);
    if (reserved > amount) shares.give(party, reserved - amount);
    else if (shares.exchange(party, reserved, amount) !== null) return reserved;
    return amount;
  }

  /** The bytes to count: an answer larger than the whole budget is delivered alone. */
  #amountOf(party: Party, length: number): number {
    return Math.min(length, this.#sharesOf(party).rules.total);
  }

  #sharesOf({ anonymous }: Party): Shares {
    return anonymous ? this.#rules.anonymous : this.#rules.authenticated;
  }

  /**
   * Tells the other threads of a shortage to which they contribute, so that the next try succeeds.
   * @param bytes as in the event
   */
  #tell(party: Party, shortage: Shortage, bytes: number): void {
    const { peers } = this.#rules;
    if (peers === undefined || !this.#sharesOf(party).isHeldElsewhere(party, shortage)) return;
    const now = this.#clock.now();
    if (now - this.#toldAt < TELL_EVERY_MS) return;
    this.#toldAt = now;
    peers.tell({ kind: 'answers', party, shortage, bytes });
  }

  #onTold({ party, shortage, bytes }: Extract<PeerEvent, { kind: 'answers' }>): void {
    this.#cutOffSlow(party, shortage);
    if (bytes > 0) this.#cutOffOldest(party, bytes);
  }

  /** Cuts off slow answers of parties over the bound. @returns true if there were any */
  #cutOffSlow(party: Party, shortage: Shortage): boolean {
    const now = this.#clock.now();
    let isAny = false;
    for (const delivery of this.#deliveries) {
      if (delivery.slowAt > now || !relieves(delivery.party, party, shortage)) continue;
      isAny = true;
      this.#rules.onCutOff();
      delivery.cutOff();
    }
    return isAny;
  }

  /** Cuts off anonymous answers, oldest first, until there is room. */
  #cutOffOldest(party: Party, amount: number): void {
    for (const delivery of this.#deliveries) {
      if (this.#rules.anonymous.shortage(party, amount) === null) return;
      if (!delivery.party.anonymous) continue;
      this.#rules.onCutOff();
      delivery.cutOff();
    }
  }
}

/** True if freeing memory of `holder` helps `party` stay within the exceeded bound. */
function relieves(holder: Party, party: Party, shortage: Shortage): boolean {
  if (holder.anonymous !== party.anonymous) return false;
  if (shortage === 'total') return true;
  if (holder.group !== party.group) return false;
  return shortage === 'group' || holder.member === party.member;
}

const SENTENCES: Readonly<Record<Shortage, string>> = {
  total: 'Too many responses are waiting to be read by clients. Try again later.',
  group:
    'Too many responses are waiting to be read by clients of this tenant. Read them, or try again later.',
  member:
    'Too many responses are waiting to be read by this client. Read them, or try again later.',
};
