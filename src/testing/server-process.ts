// The child process behind a test server: `cardea start --ephemeral`, which takes orders over the
// channel of `fork` and ends with it.
// Invariant: the child ends with this process, however this one ends.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const START_MS = 30_000;
/** A child that does not end by itself within this time is killed. */
const END_MS = 10_000;
/** Length of the captured output, for error messages. */
const OUTPUT_CHARACTERS = 4_000;

interface Reply {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: string;
  readonly ready?: { readonly baseUrl: string };
}

interface Pending {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** The program: beside this file in the package, or compiled from the sources. */
function program(): string {
  const bundled = new URL('./cardea.js', import.meta.url);
  return fileURLToPath(existsSync(bundled) ? bundled : new URL('../cli/main.js', import.meta.url));
}

export class ServerProcess {
  readonly baseUrl: string;
  readonly #child: ChildProcess;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  #ending: Promise<void> | null = null;

  /** Starts the process. @throws Error with its output if it ends or takes too long */
  static async start(
    args: readonly string[],
    settings: Readonly<Record<string, string>>,
    timeoutMs: number = START_MS,
  ): Promise<ServerProcess> {
    const child = fork(program(), ['start', '--ephemeral', '--controlled', ...args], {
      env: { ...process.env, ...settings },
      // Flags of the test runner, such as --test or --import, are not for the server.
      execArgv: [],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output = (output + text).slice(-OUTPUT_CHARACTERS);
      });
    }
    const baseUrl = await new Promise<string>((resolve, reject) => {
      const fail = (why: string) => {
        clearTimeout(timer);
        child.kill('SIGTERM');
        reject(new Error(`${why}${output === '' ? '' : `: ${output.trim()}`}`));
      };
      const timer = setTimeout(() => fail('cardea did not start in time'), timeoutMs);
      child.once('error', (error) => fail(`cardea could not be started: ${error.message}`));
      child.once('close', () => fail('cardea ended while starting'));
      child.on('message', ({ ready }: Reply) => {
        if (ready === undefined) return;
        clearTimeout(timer);
        child.removeAllListeners('close').removeAllListeners('error');
        resolve(ready.baseUrl);
      });
    });
    return new ServerProcess(child, baseUrl, () => output);
  }

  private constructor(child: ChildProcess, baseUrl: string, output: () => string) {
    this.#child = child;
    this.baseUrl = baseUrl;
    child.removeAllListeners('message').on('message', (reply: Reply) => this.#received(reply));
    child.once('exit', () => {
      for (const { reject } of this.#pending.values()) {
        reject(new Error(`The test server has ended. ${output().trim()}`.trim()));
      }
      this.#pending.clear();
    });
    this.#letGo();
  }

  /** Gives an order and returns its result. @throws Error with the reason of the server */
  async call<T>(call: string, argument: object): Promise<T> {
    if (!this.#child.connected) throw new Error('The test server is closed.');
    this.#lastId += 1;
    const id = this.#lastId;
    const result = new Promise<unknown>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
    });
    // A pending order keeps this process alive; an idle server does not.
    this.#child.ref();
    this.#child.channel?.ref();
    this.#child.send({ id, call, argument });
    return (await result) as T;
  }

  /** Ends the child and waits until its data are removed. */
  close(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<void> {
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.ref();
    const ended = once(child, 'exit');
    if (child.connected) child.disconnect();
    else child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), END_MS);
    await ended;
    clearTimeout(timer);
  }

  #received({ id, result, error }: Reply): void {
    const pending = this.#pending.get(id ?? 0);
    if (pending === undefined) return;
    this.#pending.delete(id ?? 0);
    if (this.#pending.size === 0) this.#letGo();
    if (error === undefined) pending.resolve(result);
    else pending.reject(new Error(error));
  }

  /** A test run that forgets to close its server still ends. */
  #letGo(): void {
    const child = this.#child;
    child.unref();
    child.channel?.unref();
    for (const stream of [child.stdout, child.stderr]) {
      (stream as { unref?(): void } | null)?.unref?.();
    }
  }
}
