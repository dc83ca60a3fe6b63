// A lock of several nodes in virtual time, whose holder can lose it, be notified late, die, or be
// slow to release it.
import type { ExclusiveLock, Hold } from '../../src/backends/elected-indexer.ts';
import type { VirtualTime } from './virtual-time.ts';

interface Holder {
  readonly node: string;
  /** Notifies the holder that it lost or released the lock. */
  readonly notify: () => void;
}

interface Candidate {
  readonly node: string;
  readonly grant: () => void;
}

export class FakeLock {
  readonly #time: VirtualTime;
  #holder: Holder | null = null;
  #waiting: Candidate[] = [];
  #suspended = false;
  #releaseMs = 0;
  /** How often the lock was granted. */
  granted = 0;
  /** The signals of those that have requested it. */
  readonly signals = new Set<AbortSignal>();

  constructor(time: VirtualTime) {
    this.#time = time;
  }

  /** The node that holds the lock. */
  get holder(): string | null {
    return this.#holder?.node ?? null;
  }

  port(node: string): ExclusiveLock {
    return { acquire: (signal) => this.#acquire(node, signal) };
  }

  /** Takes the lock from its holder, which is notified after `noticeMs`. */
  lose(noticeMs = 0): void {
    const holder = this.#holder;
    if (holder === null) return;
    this.#time.after(noticeMs, holder.notify);
    this.#free(holder);
  }

  /**
   * Removes a dead node: it no longer waits, and a lock that it holds is free after `silenceMs`.
   */
  forget(node: string, silenceMs: number): void {
    this.#waiting = this.#waiting.filter((candidate) => candidate.node !== node);
    const holder = this.#holder;
    if (holder?.node === node) this.#time.after(silenceMs, () => this.#free(holder));
  }

  /** Grants the lock to no node until `heal`. */
  suspend(): void {
    this.#suspended = true;
  }

  /** Makes the next release take this long. */
  slowRelease(ms: number): void {
    this.#releaseMs = ms;
  }

  heal(): void {
    this.#suspended = false;
    this.#releaseMs = 0;
    this.#grant();
  }

  #acquire(node: string, signal: AbortSignal): Promise<Hold | null> {
    this.signals.add(signal);
    return new Promise((resolve) => {
      if (signal.aborted) return resolve(null);
      const candidate = {
        node,
        grant: () => {
          signal.removeEventListener('abort', end);
          resolve(this.#hold(node));
        },
      };
      const end = (): void => {
        this.#waiting = this.#waiting.filter((one) => one !== candidate);
        resolve(null);
      };
      signal.addEventListener('abort', end, { once: true });
      this.#waiting.push(candidate);
      this.#grant();
    });
  }

  #hold(node: string): Hold {
    this.granted += 1;
    let notify = (): void => {};
    const lost = new Promise<void>((resolve) => {
      notify = resolve;
    });
    const holder = { node, notify };
    this.#holder = holder;
    const release = async (): Promise<void> => {
      const ms = this.#releaseMs;
      this.#releaseMs = 0;
      if (ms > 0) await this.#time.sleep(ms);
      notify();
      this.#free(holder);
    };
    return { lost, release };
  }

  #free(holder: Holder): void {
    if (this.#holder !== holder) return;
    this.#holder = null;
    this.#grant();
  }

  #grant(): void {
    if (this.#suspended || this.#holder !== null) return;
    this.#waiting.shift()?.grant();
  }
}
