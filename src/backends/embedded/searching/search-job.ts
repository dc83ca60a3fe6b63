// One question on its way: what is asked, by which tenant, of which segments, and who waits for the answer. It may wait for
// a thread, be begun in one and again in another; whoever is first settles it.
// Invariant: it is settled once, its caller hears of a deadline or of its own going away at once, and the segments are
// let go of when nobody reads them any more.
import type { ServiceError } from '../../../errors.ts';
import type { SearchOptions } from '../../../identity/ports/search-backend.ts';
import { cancelled, deadlineExceeded } from '../../../identity/scheduling/cooperative.ts';
import type { EmbeddedIndex, IndexSnapshot } from '../embedded-index.ts';
import type { OpenTarget } from './open-target.ts';
import type { Answer, Question } from './question.ts';
import type { QuestionText } from './question-text.ts';

/** A target of a plan with the index it is put to. */
export interface AskedTarget extends OpenTarget {
  readonly found: EmbeddedIndex;
  readonly snapshot: IndexSnapshot;
}

export class SearchJob {
  readonly tenantId: string;
  readonly question: Question;
  readonly targets: readonly AskedTarget[];
  readonly options: SearchOptions;
  /** What QueryCosts knows it by. */
  readonly shape: number;
  readonly answer: Promise<Answer>;
  /** The question as a worker is sent it; null: not written down yet. */
  questionText: QuestionText | null = null;
  /** Called when nobody wants the answer any more; whoever works on it stops. */
  onUnwanted: () => void = () => {};
  readonly #began = performance.now();
  #resolve: (answer: Answer) => void = () => {};
  #reject: (error: unknown) => void = () => {};
  #timer: NodeJS.Timeout | null = null;
  #settled = false;
  #released = false;

  constructor(
    tenantId: string,
    question: Question,
    targets: readonly AskedTarget[],
    options: SearchOptions,
    shape: number,
  ) {
    this.tenantId = tenantId;
    this.question = question;
    this.targets = targets;
    this.options = options;
    this.shape = shape;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Milliseconds that are left. */
  get leftMs(): number {
    return this.options.timeoutMs - (performance.now() - this.#began);
  }

  get isSettled(): boolean {
    return this.#settled;
  }

  /** From now on the caller is told of deadline and hang-up whoever works on it. */
  watch(): void {
    const { signal, timeoutMs } = this.options;
    const { leftMs } = this;
    if (signal?.aborted) this.#giveUp(cancelled());
    else if (leftMs <= 0) this.#giveUp(deadlineExceeded(timeoutMs));
    if (this.#settled) return;
    this.#timer = setTimeout(() => this.#giveUp(deadlineExceeded(timeoutMs)), leftMs);
    signal?.addEventListener('abort', this.#onAbort);
  }

  resolve(answer: Answer): void {
    if (this.#end()) this.#resolve(answer);
  }

  reject(error: unknown): void {
    if (this.#end()) this.#reject(error);
  }

  /** Nobody reads the segments for it any more. */
  release(): void {
    if (this.#released) return;
    this.#released = true;
    for (const { snapshot } of this.targets) snapshot.release();
  }

  readonly #onAbort = () => this.#giveUp(cancelled());

  #giveUp(error: ServiceError): void {
    if (!this.#end()) return;
    this.#reject(error);
    this.onUnwanted();
  }

  #end(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.options.signal?.removeEventListener('abort', this.#onAbort);
    return true;
  }
}
