// The memory of answers that their clients have not taken yet. What the kernel takes at once is not counted; the rest of an
// answer is held for its party until it has been delivered or its connection is gone. A party that holds its share gets
// no further answers, and its answers that are delivered more slowly than the least rate are cut off to make room. An address
// that holds nothing is always answered: anyone may have many addresses, so the oldest answers of others make room for it.
// Invariant: what is held never exceeds the budget.
import type { ServerResponse } from 'node:http';
import { ServiceError } from '../../errors.ts';
import { type Party, type ShareRules, Shares, type Shortage } from './shares.ts';

export interface AnswerRules {
  readonly known: ShareRules;
  /** Of answers to requests without a valid credential. */
  readonly anonymous: ShareRules;
  /** Milliseconds in which a client must have taken an answer, whether memory is needed or not. */
  readonly timeoutMs: number;
  /** Bytes a second; slower answers are cut off where their memory is needed. */
  readonly bytesPerSecond: number;
  /** Milliseconds that an answer is left in any case. */
  readonly graceMs: number;
  onRefused(): void;
  /** Told of each answer that is cut off to make room. */
  onCutOff(): void;
}

interface Delivery {
  readonly party: Party;
  /** When its average rate falls below the least one. */
  readonly slowAt: number;
  /** Closes its connection and frees its memory. */
  cutOff(): void;
}

const RETRY_AFTER_SECONDS = 1;

export class Answers {
  readonly #rules: AnswerRules;
  readonly #known: Shares;
  readonly #anonymous: Shares;
  /** In the order in which they began. */
  readonly #deliveries = new Set<Delivery>();
  readonly #clock: { now(): number };

  constructor(rules: AnswerRules, clock: { now(): number } = performance) {
    this.#rules = rules;
    this.#known = new Shares(rules.known);
    this.#anonymous = new Shares(rules.anonymous);
    this.#clock = clock;
  }

  /** Bytes held. */
  get held(): number {
    return this.#known.held + this.#anonymous.held;
  }

  /**
   * Refuses an answer for which there is no memory: before it is written or, with a length of 1, before it is worked out.
   * @param length bytes
   * @throws ServiceError `unavailable`
   */
  check(party: Party, length: number): void {
    if (this.#deliveries.size === 0) return;
    const shares = this.#sharesOf(party);
    const amount = this.#amountOf(party, length);
    let shortage = shares.shortage(party, amount);
    if (shortage !== null && this.#cutOffSlow(party, shortage)) {
      shortage = shares.shortage(party, amount);
    }
    if (shortage === 'total' && party.anonymous && shares.isIdle(party.group)) {
      this.#cutOffOldest(party, amount);
      return;
    }
    if (shortage === null) return;
    this.#rules.onRefused();
    throw new ServiceError('unavailable', SENTENCES[shortage], {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }

  /**
   * Holds the memory of an answer that was checked and is being delivered, and bounds the time until it is.
   * @param length bytes
   */
  hold(party: Party, length: number, response: ServerResponse): void {
    if (response.destroyed || response.writableFinished) return;
    const shares = this.#sharesOf(party);
    const amount = this.#amountOf(party, length);
    const { timeoutMs, graceMs, bytesPerSecond } = this.#rules;
    const isCounted = shares.take(party, amount) === null;
    const end = () => {
      clearTimeout(timer);
      if (this.#deliveries.delete(delivery) && isCounted) shares.give(party, amount);
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
  }

  /** What an answer counts as: one larger than the whole budget is delivered alone. */
  #amountOf({ anonymous }: Party, length: number): number {
    const { total } = anonymous ? this.#rules.anonymous : this.#rules.known;
    return Math.min(length, total);
  }

  #sharesOf({ anonymous }: Party): Shares {
    return anonymous ? this.#anonymous : this.#known;
  }

  /** Cuts off slow answers of whoever is over the bound. @returns whether there were any */
  #cutOffSlow(party: Party, shortage: Shortage): boolean {
    const now = this.#clock.now();
    let isAny = false;
    for (const delivery of this.#deliveries) {
      if (delivery.slowAt > now || !concerns(delivery.party, party, shortage)) continue;
      isAny = true;
      this.#rules.onCutOff();
      delivery.cutOff();
    }
    return isAny;
  }

  /** Cuts off answers without a valid credential until there is room, those that began first before others. */
  #cutOffOldest(party: Party, amount: number): void {
    for (const delivery of this.#deliveries) {
      if (this.#anonymous.shortage(party, amount) === null) return;
      if (!delivery.party.anonymous) continue;
      this.#rules.onCutOff();
      delivery.cutOff();
    }
  }
}

/** Whether memory of `holder` is of use to a party that met the bound. */
function concerns(holder: Party, party: Party, shortage: Shortage): boolean {
  if (holder.anonymous !== party.anonymous) return false;
  if (shortage === 'total') return true;
  if (holder.group !== party.group) return false;
  return shortage === 'group' || holder.member === party.member;
}

const SENTENCES: Readonly<Record<Shortage, string>> = {
  total: 'Too many answers wait to be received by their clients. Try again later.',
  group:
    'Too many answers wait to be received by clients of this tenant. Receive them, or try again later.',
  member: 'Too many answers wait to be received by this client. Receive them, or try again later.',
};
