// A node as its users run it: a process of `cardea serve`, which can be killed, stopped, held and started again over
// its data directory. Its port is a free one at each start.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { figuresOf } from './figures.ts';

const CARDEA = fileURLToPath(import.meta.resolve('../../src/cli/main.js'));
const START_MS = 60_000;
/** Of what it said last, for those who wonder why it ended. */
const SAID_CHARACTERS = 8_000;

export type Settings = Readonly<Record<string, string>>;

/** Runs a command of `cardea` to its end. @returns its standard output */
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
  #said = '';

  /**
   * @param nodeFlags for Node itself
   * @param within what it is started by, which becomes the process itself
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

  /** As it was last started. */
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

  /** What it wrote last. */
  get said(): string {
    return this.#said;
  }

  /** Resolves when it listens. @throws Error with what it said where it ends instead */
  async start(): Promise<void> {
    const node = [process.execPath, ...this.#nodeFlags];
    const serve = [CARDEA, 'serve', '--port', '0', '--log-level', 'warn'];
    const [program = '', ...args] = [...this.#within, ...node, ...serve];
    const child = spawn(program, args, {
      env: { ...process.env, ...this.#settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    const kill = () => child.kill('SIGKILL');
    process.once('exit', kill);
    child.once('exit', () => process.removeListener('exit', kill));
    const hear = (text: string) => {
      this.#said = (this.#said + text).slice(-SAID_CHARACTERS);
    };
    child.stdout.setEncoding('utf8').on('data', hear);
    this.#said = '';
    await new Promise<void>((resolve, reject) => {
      const fail = (why: string) => reject(new Error(`${why}: ${this.#said}`));
      const timer = setTimeout(() => fail('A node did not start in time'), START_MS);
      child.once('exit', () => fail('A node ended at its start'));
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        hear(text);
        const [, host, port] = /serves at https?:\/\/([\d.]+):(\d+)/.exec(this.#said) ?? [];
        if (host === undefined) return;
        clearTimeout(timer);
        this.#host = host;
        this.#port = Number(port);
        resolve();
      });
    });
  }

  /** As a power cut ends it. */
  kill(): Promise<void> {
    return this.#end('SIGKILL');
  }

  /** As an operator ends it. @throws Error where it does not end well */
  async stop(): Promise<void> {
    await this.#end('SIGTERM');
    const code = this.#child?.exitCode;
    if (code !== 0) throw new Error(`A node ended with ${code}: ${this.#said}`);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  /** Whether /ready is 200. */
  async ready(): Promise<boolean> {
    const answer = await fetch(`${this.url}/ready`).catch(() => null);
    await answer?.arrayBuffer();
    return answer?.status === 200;
  }

  /** Whether it feeds the search that all share; needs CARDEA_METRICS=on. */
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
