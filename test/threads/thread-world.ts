// A service with several threads, which a test can end in any way, and requests that each have a
// connection of their own, so that any thread may accept them.
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BroadcastChannel, Worker } from 'node:worker_threads';
import { pino } from 'pino';
import { type Cardea, compose } from '../../src/compose/compose.ts';
import { createAdmin, createTenant } from '../../src/service/accounts/provisioning.ts';
import { createCredential } from '../../src/service/credentials/credentials.ts';
import { throwAwayConfig, writeEmptyStore } from '../support/empty-store.ts';

const PROGRAM = new URL('../../src/compose/serving-thread.js', import.meta.url);
const OBEDIENT = new URL('./obedient-thread.js', import.meta.url).href;

/** What a thread can be made to do. */
export type ThreadOrder = 'exit' | 'throw' | 'fill memory' | 'hang' | 'hang for long';

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: NodeJS.Dict<string | string[]>;
}

export interface ThreadWorld {
  readonly cardea: Cardea;
  readonly url: string;
  readonly token: string;
  readonly tenantId: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Lines of the log, as JSON. */
  readonly log: readonly string[];
  /** Sends a request over a new connection; it has the token unless `headers` say otherwise. */
  call(
    method: string,
    path: string,
    body?: string,
    headers?: Record<string, string>,
  ): Promise<Answer>;
  /** Makes one of the other threads, from 2, do something. */
  order(thread: number, order: ThreadOrder): void;
  /** Answered requests by number of the thread. */
  requests(): Promise<ReadonlyMap<number, number>>;
  stop(): Promise<void>;
}

/** @param env settings */
export async function threadWorld(
  threads: number,
  env: Record<string, string> = {},
): Promise<ThreadWorld> {
  const dataDir = mkdtempSync(join(tmpdir(), 'cardea-threads-'));
  const config = throwAwayConfig({
    ...{ CARDEA_DATA_DIR: dataDir, CARDEA_PORT: '0', CARDEA_METRICS: 'on', ...env },
  });
  if (config.store.kind === 'sqlite') await writeEmptyStore(config.store.path);
  const log: string[] = [];
  let channel: BroadcastChannel | null = null;
  const cardea = await compose(config, {
    threads,
    log: pino({ level: 'warn' }, { write: (line) => void log.push(line) }),
    startThread(workerData) {
      channel ??= new BroadcastChannel(workerData.listener);
      return new Worker(PROGRAM, {
        workerData,
        execArgv: ['--enable-source-maps', '--import', OBEDIENT],
        resourceLimits: { maxOldGenerationSizeMb: 128 },
      });
    },
  });
  const tenant = await createTenant(cardea.store, { name: 'test' });
  const admin = await createAdmin(cardea.store, tenant, { uid: 'test.admin' });
  const pat = await createCredential(
    cardea.store,
    tenant.id,
    'pat',
    { name: 'test' },
    { ownerId: admin.id },
  );
  const { url } = await cardea.start();
  await cardea.threads.untilServing();
  const credentials = { clientId: pat.credential.id, clientSecret: pat.secret };
  const form = new URLSearchParams({
    ...{ grant_type: 'client_credentials', client_id: credentials.clientId },
    client_secret: credentials.clientSecret,
  }).toString();
  const answer = await send(url, 'POST', '/oauth/token', form, {
    'content-type': 'application/x-www-form-urlencoded',
  });
  const { access_token: token } = JSON.parse(answer.text) as { access_token: string };
  return {
    ...{ cardea, url, token, tenantId: tenant.id, ...credentials, log },
    call: (method, path, body, headers = {}) =>
      send(url, method, path, body, {
        ...{ authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...headers,
      }),
    order: (thread, order) => channel?.postMessage({ thread, order }),
    async requests() {
      const { text } = await send(url, 'GET', '/metrics');
      const found = text.matchAll(/^cardea_thread_requests_total\{thread="(\d+)"\} (\d+)$/gm);
      return new Map([...found].map(([, thread, count]) => [Number(thread), Number(count)]));
    },
    async stop() {
      await cardea.stop();
      channel?.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Sends a request over a new connection. @throws the error of the connection */
export function send(
  url: string,
  method: string,
  path: string,
  body?: string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { method, agent: new Agent({ keepAlive: false }), headers };
    const request = httpRequest(`${url}${path}`, options, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
      });
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text, headers: response.headers }),
      );
    });
    request.on('error', reject);
    request.end(body);
  });
}
