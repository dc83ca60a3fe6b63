// Calls between two threads over a message port: each side offers methods, and calls those of the other.
// Invariant: calls, answers and `tell` arrive in the order in which they were sent.
import { ServiceError } from '../errors.ts';
import { type PackedFault, packFault, unpackFault } from './packed-fault.ts';

/** The methods of a side. What they take and return is copied by the structured clone algorithm. */
// biome-ignore lint/suspicious/noExplicitAny: each method has its own parameters.
export type Methods = Readonly<Record<string, (...args: any[]) => unknown>>;

/** A port, or a worker, or the port of a worker to its parent. */
export interface CallPort {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (message: CallMessage) => void): unknown;
}

export type CallMessage =
  /** `id` 0 wants no answer. */
  | { readonly id: number; readonly method: string; readonly args: readonly unknown[] }
  | { readonly answer: number; readonly value: unknown }
  | { readonly answer: number; readonly fault: PackedFault };

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** One side, which calls the methods of `There`. */
export class ThreadCalls<There extends Methods> {
  readonly #port: CallPort;
  readonly #methods: Methods;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  #ended: Error | null = null;

  /** @param methods what this side offers */
  constructor(port: CallPort, methods: Methods) {
    this.#port = port;
    this.#methods = methods;
    port.on('message', (message) => this.#onMessage(message));
  }

  /**
   * Calls a method.
   * @throws what it throws, as ServiceError or Error; ServiceError `unavailable` if the thread ends
   */
  call<Name extends keyof There & string>(
    method: Name,
    ...args: Parameters<There[Name]>
  ): Promise<Awaited<ReturnType<There[Name]>>> {
    if (this.#ended !== null) return Promise.reject(this.#ended);
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve: resolve as Pending['resolve'], reject });
      this.#port.postMessage({ id, method, args });
    });
  }

  /** Calls a method without waiting for it; what it throws ends the other thread. */
  tell<Name extends keyof There & string>(method: Name, ...args: Parameters<There[Name]>): void {
    if (this.#ended === null) this.#port.postMessage({ id: 0, method, args });
  }

  /** The other thread has ended: what waits for it fails. */
  end(): void {
    this.#ended = new ServiceError('unavailable', 'A thread of the service has ended.', {
      retryAfterSeconds: 1,
    });
    for (const { reject } of this.#pending.values()) reject(this.#ended);
    this.#pending.clear();
  }

  #onMessage(message: CallMessage): void {
    if ('answer' in message) {
      const pending = this.#pending.get(message.answer);
      this.#pending.delete(message.answer);
      if ('fault' in message) pending?.reject(unpackFault(message.fault));
      else pending?.resolve(message.value);
      return;
    }
    const { id, method, args } = message;
    const run = this.#methods[method];
    if (run === undefined) throw new TypeError(`There is no method ${method}`);
    if (id === 0) run(...args);
    else void this.#answer(id, () => run(...args));
  }

  async #answer(id: number, run: () => unknown): Promise<void> {
    try {
      const value = await run();
      if (this.#ended === null) this.#port.postMessage({ answer: id, value });
    } catch (error) {
      if (this.#ended === null) this.#port.postMessage({ answer: id, fault: packFault(error) });
    }
  }
}
