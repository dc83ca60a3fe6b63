// Cardea as its users run it: imported by the command line, served by a process of its own, asked with a real token.
// Every setting is the default one.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type Address, ask } from './client.ts';

export interface CardeaOptions {
  /** The root of the built repository. */
  readonly root: string;
  /** Empty or not there. */
  readonly folder: string;
  /** Flags for Node itself, such as `--cpu-prof`. */
  readonly nodeFlags: readonly string[];
}

const START_TIMEOUT_MS = 120_000;

/** Of an administrator of a tenant. */
export interface Credentials {
  readonly id: string;
  readonly secret: string;
}

/** A data directory with one tenant, and the process that serves it. */
export class Cardea {
  readonly folder: string;
  readonly #cli: string;
  readonly #nodeFlags: readonly string[];
  readonly #port: number;
  readonly #env: NodeJS.ProcessEnv;
  #credentials: Credentials = { id: '', secret: '' };
  #server: ChildProcess | null = null;

  private constructor({ root, folder, nodeFlags }: CardeaOptions, port: number) {
    this.folder = folder;
    this.#cli = join(root, 'dist', 'src', 'cli', 'main.js');
    this.#nodeFlags = nodeFlags;
    this.#port = port;
    this.#env = { ...process.env, CARDEA_DATA_DIR: folder, CARDEA_PORT: String(port) };
  }

  static async create(options: CardeaOptions): Promise<Cardea> {
    const cardea = new Cardea(options, await freePort());
    cardea.#credentials = await cardea.addTenant('bench');
    return cardea;
  }

  /** Makes a tenant; once there are several, imports have to name theirs. */
  async addTenant(name: string): Promise<Credentials> {
    const made = JSON.parse(await this.#run('tenant', 'create', name, '--json')) as {
      clientId: string;
      clientSecret: string;
    };
    return { id: made.clientId, secret: made.clientSecret };
  }

  /** Returns when every document is on the disk and searchable. */
  async import(file: string, tenant?: string): Promise<void> {
    await this.#run('import', file, ...(tenant === undefined ? [] : ['--tenant', tenant]));
  }

  /** Starts the process; it answers after a while. */
  spawn(): void {
    this.#server = spawn(process.execPath, [...this.#nodeFlags, this.#cli, 'serve'], {
      env: this.#env,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }

  get pid(): number {
    return this.#server?.pid ?? 0;
  }

  /** Whether it runs; a bench that waits for a dead process would wait for ever. */
  get isRunning(): boolean {
    return this.#server !== null && this.#server.exitCode === null;
  }

  /**
   * With a fresh token, which lives for minutes.
   * @param port where else its data are served
   * @param credentials of another tenant than the first
   */
  async address(
    port = this.#port,
    credentials = this.#credentials,
  ): Promise<Address & { readonly token: string }> {
    const { id, secret } = credentials;
    const to = { port, token: null };
    const parameters = { grant_type: 'client_credentials', client_id: id, client_secret: secret };
    const { body } = await ask(to, { method: 'POST', path: '/oauth/token', body: parameters });
    const { access_token: token } = JSON.parse(String(body)) as { access_token: string };
    return { ...to, token };
  }

  /** Until it takes searches and all that was imported can be found. @throws Error where it ends instead */
  untilReady(): Promise<void> {
    return this.untilAnswering(async () =>
      ask(await this.address(), { method: 'GET', path: '/ready' }),
    );
  }

  /** Asks until it answers. @throws Error where it ends instead, and where it has not answered in two minutes */
  async untilAnswering(question: () => Promise<unknown>): Promise<void> {
    const deadline = Date.now() + START_TIMEOUT_MS;
    for (;;) {
      const fault = await question().then(
        () => null,
        (error: unknown) => error,
      );
      if (fault === null) return;
      if (!this.isRunning) throw new Error('Cardea ended at its start');
      if (Date.now() > deadline) {
        throw new Error('Cardea has not answered in two minutes', { cause: fault });
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  async stop(): Promise<void> {
    if (this.#server === null || !this.isRunning) return;
    const ended = once(this.#server, 'exit');
    this.#server.kill('SIGTERM');
    await ended;
  }

  async #run(...args: string[]): Promise<string> {
    const child = spawn(process.execPath, [this.#cli, ...args], {
      env: this.#env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new Error(`cardea ${args.join(' ')} ended with ${code}: ${out}`);
    return out;
  }
}

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
