// The lag of the search behind the store, in changes and in seconds. The last sequence of the store
// is sampled once a second, and samples are dropped when the search has caught up with them; the
// oldest one gives the seconds.
// Invariant: the number of samples is bounded; of a long backlog the oldest ones are kept.

export interface LagSource {
  /** The last change of the store. */
  lastSequence(): Promise<number>;
  /** The last searchable change. */
  applied(): number;
}

export interface Lag {
  readonly changes: number;
  readonly seconds: number;
}

const SAMPLES_MAX = 600;
const SAMPLE_MS = 1_000;

export class IndexLag {
  readonly #source: LagSource;
  readonly #clock: { now(): number };
  /** Ascending by sequence and time. */
  #samples: { readonly sequence: number; readonly at: number }[] = [];
  #timer: NodeJS.Timeout | null = null;

  /** @param clock monotonic milliseconds */
  constructor(source: LagSource, clock: { now(): number } = performance) {
    this.#source = source;
    this.#clock = clock;
  }

  start(): void {
    this.#timer ??= setInterval(() => {
      // `/ready` reports an unavailable store; the samples are kept.
      this.read().catch(() => {});
    }, SAMPLE_MS).unref();
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  /**
   * Reads the lag, and takes a sample.
   * @throws ServiceError `unavailable` if the store cannot be read
   */
  async read(): Promise<Lag> {
    const sequence = await this.#source.lastSequence();
    const applied = this.#source.applied();
    const now = this.#clock.now();
    this.#samples = this.#samples.filter((sample) => sample.sequence > applied);
    const last = this.#samples.at(-1)?.sequence ?? applied;
    if (sequence > last && this.#samples.length < SAMPLES_MAX) {
      this.#samples.push({ sequence, at: now });
    }
    const [oldest] = this.#samples;
    return {
      changes: Math.max(0, sequence - applied),
      seconds: oldest === undefined ? 0 : (now - oldest.at) / 1000,
    };
  }
}
