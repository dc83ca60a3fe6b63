// Runs Cardea as in production: imports with the command line, serves in its own process, and sends
// requests with a real token. All settings have their defaults.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type Address, ask } from './client.ts';

export interface CardeaOptions {
  /** The root of the built repository. */
  readonly root: string;
  /** An empty or a new folder. */
  readonly folder: string;
  /**
   * Flags for Node itself, such as `--import`. With any, the server has an IPC channel to this
   * process, for what they load.
   */
  readonly nodeFlags: readonly string[];
  /** An OpenSearch to search in, and the prefix of the indexes; the embedded engine if omitted. */
  readonly search?: { readonly url: string; readonly prefix: string };
  /** The PostgreSQL database of the store; SQLite in the folder if omitted. */
  readonly storeUrl?: string;
  /** Settings other than the defaults, as environment variables. */
  readonly settings?: Readonly<Record<string, string>>;
}

const START_TIMEOUT_MS = 120_000;

/** The client credentials of a tenant's administrator. */
export interface Credentials {
  readonly id: string;
  readonly secret: string;
}

/** A data directory with one tenant, and the process that serves it. */
export class Cardea {
  readonly folder: string;
  readonly #options: CardeaOptions;
  readonly #cli: string;
  readonly #nodeFlags: readonly string[];
  readonly #port: number;
  readonly #env: NodeJS.ProcessEnv;
  #credentials: Credentials = { id: '', secret: '' };
  #server: ChildProcess | null = null;

  private constructor(options: CardeaOptions, port: number) {
    const { root, folder, nodeFlags, search, storeUrl, settings } = options;
    this.folder = folder;
    this.#options = options;
    // Profiles name the sources, not the parts of the bundle.
    this.#cli = nodeFlags.length > 0 ? compiledProgram(root) : programOf(root);
    this.#nodeFlags = nodeFlags;
    this.#port = port;
    const places = { CARDEA_DATA_DIR: folder, CARDEA_PORT: String(port) };
    this.#env = { ...settings, ...process.env, ...places };
    // A process that checks the store would report its own profile to the server.
    if (nodeFlags.length > 0) this.#env['CARDEA_STORE_CHECK_SECONDS'] = '0';
    if (storeUrl !== undefined) this.#env['CARDEA_STORE_URL'] = storeUrl;
    if (search === undefined) return;
    this.#env['CARDEA_SEARCH_URL'] = search.url;
    this.#env['CARDEA_SEARCH_PREFIX'] = search.prefix;
  }

  static async create(options: CardeaOptions): Promise<Cardea> {
    const cardea = new Cardea(options, await freePort());
    cardea.#credentials = await cardea.addTenant('bench');
    return cardea;
  }

  /**
   * Another node on the same database and OpenSearch, with the same tenant.
   * @param folder its data directory, empty or new
   */
  async anotherNode(folder: string): Promise<Cardea> {
    const node = new Cardea({ ...this.#options, folder }, await freePort());
    node.#credentials = this.#credentials;
    return node;
  }

  /** Creates a tenant. With several tenants, imports need a tenant name. */
  async addTenant(name: string): Promise<Credentials> {
    const created = JSON.parse(await this.#run('tenant', 'create', name, '--json')) as {
      clientId: string;
      clientSecret: string;
    };
    return { id: created.clientId, secret: created.clientSecret };
  }

  /** Returns when every document is durable and searchable. */
  async import(file: string, tenant?: string): Promise<void> {
    await this.#run('import', file, ...(tenant === undefined ? [] : ['--tenant', tenant]));
  }

  /** Starts the process, which needs a while until it answers. */
  spawn(): void {
    this.#server = spawn(process.execPath, [...this.#nodeFlags, this.#cli, 'serve'], {
      env: this.#env,
      stdio: ['ignore', 'ignore', 'inherit', this.#nodeFlags.length > 0 ? 'ipc' : 'ignore'],
    });
  }

  /** The server process. @throws Error if it was never started */
  get process(): ChildProcess {
    if (this.#server === null) throw new Error('Cardea was not started');
    return this.#server;
  }

  get pid(): number {
    return this.#server?.pid ?? 0;
  }

  /** True while the process runs; waiting for an ended one would never return. */
  get isRunning(): boolean {
    return this.#server !== null && this.#server.exitCode === null;
  }

  /**
   * The address with a fresh token, which is valid for minutes.
   * @param port of another process that serves the same data
   * @param credentials of a tenant other than the first
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

  /** Waits until all imported documents are searchable. @throws Error if the process ends */
  untilReady(): Promise<void> {
    return this.untilAnswering(async () =>
      ask(await this.address(), { method: 'GET', path: '/ready' }),
    );
  }

  /**
   * Retries a request until it succeeds.
   * @throws Error if the process ends, or after two minutes
   */
  async untilAnswering(request: () => Promise<unknown>): Promise<void> {
    const deadline = Date.now() + START_TIMEOUT_MS;
    for (;;) {
      const fault = await request().then(
        () => null,
        (error: unknown) => error,
      );
      if (fault === null) return;
      if (!this.isRunning) throw new Error('Cardea ended while starting');
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

/** What users run: the bundle, or the compiled sources of a build that has none. */
export function programOf(root: string): string {
  const bundle = join(root, 'dist', 'bundle', 'cardea.js');
  return existsSync(bundle) ? bundle : compiledProgram(root);
}

function compiledProgram(root: string): string {
  return join(root, 'dist', 'src', 'cli', 'main.js');
}

/** Finds an unused port. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
