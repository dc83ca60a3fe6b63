// The memory of request bodies: of all while they are read, of large ones until the request has
// been answered. Bodies of anonymous requests are small and have a separate pool, so that they take
// nothing from the others.
// Invariant: the bytes held never exceed the pool, and all of them are given back.
import { ServiceError } from '../../errors.ts';
import type { Party, Shares, Shortage } from './shares.ts';

export interface BodyPoolRules {
  readonly authenticated: Shares;
  readonly anonymous: Shares;
  onRefused(): void;
}

/** Memory that one body holds. */
export interface BodyMemory {
  /**
   * Changes the number of bytes held.
   * @throws ServiceError `unavailable` if the party's share has no room for them
   */
  resize(bytes: number): void;
  /** Gives back all bytes; later calls do nothing. */
  free(): void;
}

const RETRY_AFTER_SECONDS = 1;

export class BodyPool {
  readonly #onRefused: () => void;
  readonly #authenticated: Shares;
  readonly #anonymous: Shares;

  constructor({ authenticated, anonymous, onRefused }: BodyPoolRules) {
    this.#authenticated = authenticated;
    this.#anonymous = anonymous;
    this.#onRefused = onRefused;
  }

  /** Bytes held in all threads. */
  get held(): number {
    return this.#authenticated.held + this.#anonymous.held;
  }

  /** True if there is room for a body of this size. */
  hasRoom(party: Party, bytes: number): boolean {
    return this.#sharesOf(party).shortage(party, bytes) === null;
  }

  /** Opens the memory of a new body, which holds no bytes yet. */
  open(party: Party): BodyMemory {
    const shares = this.#sharesOf(party);
    let held = 0;
    const free = () => {
      if (held > 0) shares.give(party, held);
      held = 0;
    };
    const resize = (bytes: number) => {
      // As one amount, so that the only body of a party may be larger than its share.
      free();
      if (bytes === 0) return;
      const shortage = shares.take(party, bytes);
      if (shortage !== null) throw this.#refusal(shortage);
      held = bytes;
    };
    return { resize, free };
  }

  #sharesOf({ anonymous }: Party): Shares {
    return anonymous ? this.#anonymous : this.#authenticated;
  }

  #refusal(shortage: Shortage): ServiceError {
    this.#onRefused();
    return new ServiceError('unavailable', SENTENCES[shortage], {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }
}

const SENTENCES: Readonly<Record<Shortage, string>> = {
  total: 'Too many bodies are being read. Try again later.',
  group: 'Too many bodies of this tenant or address are being read. Try again later.',
  member: 'Too many bodies of this client are being read. Try again later.',
};
