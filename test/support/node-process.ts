// A node as in production: a process of `cardea serve`, which can be killed, stopped, suspended and
// restarted with its data directory. Each start takes a free port.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { figuresOf } from './figures.ts';
import { CARDEA } from './program.ts';

const START_MS = 300_000;
/** Length of the captured output, for error messages. */
const OUTPUT_CHARACTERS = 8_000;

export type Settings = Readonly<Record<string, string>>;

/** Runs a `cardea` command. @returns its standard output */
export function runCardea(args: readonly string[], settings: Settings): string {
  const env = { ...process.env, ...settings };
  return execFileSync(process.execPath, [CARDEA, ...args], { env, encoding: 'utf8' });
}

export class NodeProcess {
  readonly #settings: Settings;
  readonly #nodeFlags: readonly string[];
  readonly #within: readonly string[];
  #child: ChildProcess | null = null;
  #host = '127.0.0.1';
  #port = 0;
  #output = '';

  /**
   * @param nodeFlags flags for Node itself
   * @param within a command that starts the process with exec
   */
  constructor(
    settings: Settings,
    nodeFlags: readonly string[] = [],
    within: readonly string[] = [],
  ) {
    this.#settings = settings;
    this.#nodeFlags = nodeFlags;
    this.#within = within;
  }

  /** The port of the last start. */
  get port(): number {
    return this.#port;
  }

  get host(): string {
    return this.#host;
  }

  get url(): string {
    return `http://${this.#host}:${this.#port}`;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  get runs(): boolean {
    const child = this.#child;
    return child !== null && child.exitCode === null && child.signalCode === null;
  }

  /** The end of its output. */
  get output(): string {
    return this.#output;
  }

  /** Resolves when it listens. @throws Error with its output if it exits */
  async start(): Promise<void> {
    const node = [process.execPath, ...this.#nodeFlags];
    const serve = [CARDEA, 'serve', '--port', '0', '--log-level', 'warn'];
    const [program = '', ...args] = [...this.#within, ...node, ...serve];
    const child = spawn(program, args, {
      env: { ...process.env, CARDEA_THREADS: '2', ...this.#settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    const kill = () => child.kill('SIGKILL');
    process.once('exit', kill);
    child.once('exit', () => process.removeListener('exit', kill));
    const capture = (text: string) => {
      this.#output = (this.#output + text).slice(-OUTPUT_CHARACTERS);
    };
    child.stdout.setEncoding('utf8').on('data', capture);
    this.#output = '';
    await new Promise<void>((resolve, reject) => {
      const fail = (why: string) => reject(new Error(`${why}: ${this.#output}`));
      const timer = setTimeout(() => fail('A node did not start in time'), START_MS);
      child.once('exit', () => fail('A node exited while starting'));
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        capture(text);
        const [, host, port] = /serves at https?:\/\/([\d.]+):(\d+)/.exec(this.#output) ?? [];
        if (host === undefined) return;
        clearTimeout(timer);
        this.#host = host;
        this.#port = Number(port);
        resolve();
      });
    });
  }

  /** Kills it, as a power failure would. */
  kill(): Promise<void> {
    return this.#end('SIGKILL');
  }

  /** Stops it with SIGTERM. @throws Error if the exit code is not 0 */
  async stop(): Promise<void> {
    await this.#end('SIGTERM');
    const code = this.#child?.exitCode;
    if (code !== 0) throw new Error(`A node exited with ${code}: ${this.#output}`);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  /** True if /ready returns 200. */
  async ready(): Promise<boolean> {
    const answer = await fetch(`${this.url}/ready`).catch(() => null);
    await answer?.arrayBuffer();
    return answer?.status === 200;
  }

  /** True if it is the node that feeds the shared search; needs CARDEA_METRICS=on. */
  async feeds(): Promise<boolean> {
    const answer = await fetch(`${this.url}/metrics`).catch(() => null);
    if (answer === null) return false;
    return figuresOf(await answer.text()).value('cardea_index_feeder', {}) === 1;
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === null || !this.runs) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }
}
