// The memory of bodies: those that are being read, and larger ones until their requests have been answered. Bodies of
// requests without a valid credential are small and have a pool of their own, so that they take nothing from the others.
// Invariant: what is held never exceeds the pool, and all of it comes back.
import { ServiceError } from '../../errors.ts';
import { type Party, type ShareRules, Shares, type Shortage } from './shares.ts';

export interface BodyPoolRules {
  readonly known: ShareRules;
  readonly anonymous: ShareRules;
  onRefused(): void;
}

/** Memory that one body holds. */
export interface BodyMemory {
  /**
   * Holds more or less than before.
   * @throws ServiceError `unavailable` where that is more than there is for its party
   */
  resize(bytes: number): void;
  /** Gives all of it back; later calls do nothing. */
  free(): void;
}

const RETRY_AFTER_SECONDS = 1;

export class BodyPool {
  readonly #onRefused: () => void;
  readonly #known: Shares;
  readonly #anonymous: Shares;

  constructor({ known, anonymous, onRefused }: BodyPoolRules) {
    this.#known = new Shares(known);
    this.#anonymous = new Shares(anonymous);
    this.#onRefused = onRefused;
  }

  /** Bytes held. */
  get held(): number {
    return this.#known.held + this.#anonymous.held;
  }

  /** Whether a body of so many bytes would find room. */
  hasRoom(party: Party, bytes: number): boolean {
    return this.#sharesOf(party).shortage(party, bytes) === null;
  }

  /** The memory of a new body, which holds nothing yet. */
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
    return anonymous ? this.#anonymous : this.#known;
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
