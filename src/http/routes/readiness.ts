// The readiness of a node. Anybody may ask for it without limit, and each check queries the store
// and the search, so requests share a running check, and its result for a second.

/** The status of the service. */
export interface StatusSource {
  /** Why the service is not ready, one sentence each; empty if it is. Anybody may read them. */
  unreadyReasons(): Promise<readonly string[]>;
  /** Problems that do not keep it from serving, one sentence each. Anybody may read them. */
  warnings(): Promise<readonly string[]>;
}

/** What one check found. */
export interface CheckedReadiness {
  readonly reasons: readonly string[];
  /** Empty if the service is not ready. */
  readonly warnings: readonly string[];
}

/** Milliseconds for which a result is repeated. */
const FRESH_MS = 1_000;

export class Readiness {
  readonly #status: StatusSource;
  readonly #clock: { now(): number };
  #latest: Promise<CheckedReadiness> | null = null;
  /** Epoch milliseconds at which the latest check ended; null while it runs. */
  #endedAt: number | null = null;

  constructor(status: StatusSource, clock: { now(): number }) {
    this.#status = status;
    this.#clock = clock;
  }

  /** The result of the running check, of one that ended within the last second, or of a new one. */
  read(): Promise<CheckedReadiness> {
    if (this.#latest !== null && this.#isFresh()) return this.#latest;
    const check = this.#check();
    this.#latest = check;
    this.#endedAt = null;
    const end = () => {
      this.#endedAt = this.#clock.now();
    };
    check.then(end, end);
    return check;
  }

  #isFresh(): boolean {
    if (this.#endedAt === null) return true;
    const ageMs = this.#clock.now() - this.#endedAt;
    return ageMs >= 0 && ageMs < FRESH_MS;
  }

  async #check(): Promise<CheckedReadiness> {
    const reasons = await this.#status.unreadyReasons();
    return { reasons, warnings: reasons.length === 0 ? await this.#status.warnings() : [] };
  }
}
