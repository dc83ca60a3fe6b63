// A lock of several nodes in virtual time, whose holder can lose it, hear of that late, die, or be slow to let go of it.
import type { ExclusiveLock, Hold } from '../../src/backends/elected-indexer.ts';
import type { VirtualTime } from './virtual-time.ts';

interface Holder {
  readonly node: string;
  /** Tells the holder that it has lost the lock, or left it. */
  readonly tell: () => void;
}

interface Candidate {
  readonly node: string;
  readonly grant: () => void;
}

export class FakeLock {
  readonly #time: VirtualTime;
  #holder: Holder | null = null;
  #waiting: Candidate[] = [];
  #away = false;
  #releaseMs = 0;
  /** How often it was granted. */
  granted = 0;

  constructor(time: VirtualTime) {
    this.#time = time;
  }

  /** The node that has it. */
  get holder(): string | null {
    return this.#holder?.node ?? null;
  }

  port(node: string): ExclusiveLock {
    return { acquire: (signal) => this.#acquire(node, signal) };
  }

  /** Takes it from its holder, who hears of that after `noticeMs`. */
  lose(noticeMs = 0): void {
    const holder = this.#holder;
    if (holder === null) return;
    this.#time.after(noticeMs, holder.tell);
    this.#free(holder);
  }

  /** The node is dead: it asks for the lock no more, and one that it holds is free after `silenceMs`. */
  forget(node: string, silenceMs: number): void {
    this.#waiting = this.#waiting.filter((candidate) => candidate.node !== node);
    const holder = this.#holder;
    if (holder?.node === node) this.#time.after(silenceMs, () => this.#free(holder));
  }

  /** Nobody gets it, until `heal`. */
  goAway(): void {
    this.#away = true;
  }

  /** The next release takes so long. */
  slowRelease(ms: number): void {
    this.#releaseMs = ms;
  }

  heal(): void {
    this.#away = false;
    this.#releaseMs = 0;
    this.#grant();
  }

  #acquire(node: string, signal: AbortSignal): Promise<Hold | null> {
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
    let tell = (): void => {};
    const lost = new Promise<void>((resolve) => {
      tell = resolve;
    });
    const holder = { node, tell };
    this.#holder = holder;
    const release = async (): Promise<void> => {
      const ms = this.#releaseMs;
      this.#releaseMs = 0;
      if (ms > 0) await this.#time.sleep(ms);
      tell();
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
    if (this.#away || this.#holder !== null) return;
    this.#waiting.shift()?.grant();
  }
}
