// How far the search is behind the store, in changes and in seconds. The seconds are since the oldest change that cannot
// be found yet was seen: the store's last number is noted once a second, and dropped when the search has caught up.
// Invariant: memory is bounded; a backlog that lasts long is remembered by its oldest notes.

export interface LagSource {
  /** The last change the store has. */
  lastSequence(): Promise<number>;
  /** The last change that can be found. */
  applied(): number;
}

export interface Lag {
  readonly changes: number;
  readonly seconds: number;
}

const NOTES_MAX = 600;
const EVERY_MS = 1_000;

export class IndexLag {
  readonly #source: LagSource;
  readonly #clock: { now(): number };
  /** Ascending by both. */
  #notes: { readonly sequence: number; readonly at: number }[] = [];
  #timer: NodeJS.Timeout | null = null;

  /** @param clock monotonic milliseconds */
  constructor(source: LagSource, clock: { now(): number } = performance) {
    this.#source = source;
    this.#clock = clock;
  }

  start(): void {
    this.#timer ??= setInterval(() => {
      // A store that is away is told by `/ready`; the notes wait.
      this.read().catch(() => {});
    }, EVERY_MS).unref();
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** @throws ServiceError `unavailable` where the store cannot be asked */
  async read(): Promise<Lag> {
    const sequence = await this.#source.lastSequence();
    const applied = this.#source.applied();
    const now = this.#clock.now();
    this.#notes = this.#notes.filter((note) => note.sequence > applied);
    const last = this.#notes.at(-1)?.sequence ?? applied;
    if (sequence > last && this.#notes.length < NOTES_MAX) {
      this.#notes.push({ sequence, at: now });
    }
    const [oldest] = this.#notes;
    return {
      changes: Math.max(0, sequence - applied),
      seconds: oldest === undefined ? 0 : (now - oldest.at) / 1000,
    };
  }
}
