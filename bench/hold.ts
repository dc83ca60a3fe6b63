// How long hostile requests hold the event loop, how long past its deadline a query goes on, and how long until the
// processor is free when its client hangs up (robustness lines 17, 23 and 24). The service runs in this process, so
// that its event loop can be watched; each figure is the best of some runs, since others use the machine, too.
import { request } from 'node:http';
import { join } from 'node:path';
import { pino } from 'pino';
import { compose } from '../src/compose.ts';
import { parseConfig } from '../src/config.ts';
import { type HostileRequest, readHostileRequests } from './hostile-requests.ts';

export interface HoldFigure {
  readonly name: string;
  readonly status: number;
  readonly tookMs: number;
  /** The longest time between two turns of the event loop. */
  readonly heldMs: number;
  /** How long past a deadline of DEADLINE_MS its refusal came; null where it was done before. */
  readonly lateMs: number | null;
  /** Until all threads are idle after the client hung up; null where it was done before. */
  readonly freeMs: number | null;
}

export interface Holds {
  readonly queries: readonly HoldFigure[];
  /** Until a body that is too deep is refused: levels and milliseconds. */
  readonly deepJson: readonly (readonly [levels: number, tookMs: number])[];
  /** Of which each figure is the best. */
  readonly runs: number;
}

interface Client {
  readonly url: string;
  readonly token: string;
}

/** Larger requests are left to hostile.ts: they take until their deadline. */
const LARGE_CHARACTERS = 8 * 1024;
const DEADLINE_MS = 20;
const HANG_UP_MS = 10;
const DEEP = [20_000, 200_000];

/**
 * @param dataDir of a service that nobody runs
 * @param runs of each request
 * @param token gets an access token of the service at an address
 */
export async function measureHolds(
  root: string,
  dataDir: string,
  runs: number,
  token: (url: string) => Promise<string>,
): Promise<Holds> {
  const all = readHostileRequests(join(root, 'bench', 'hostile.json'));
  const hostile = all.filter(
    ({ path, times, body }) =>
      times === 1 && !path.startsWith('/api/') && body.length < LARGE_CHARACTERS,
  );
  const patient = await withService(dataDir, 30_000, token, async (client) => ({
    held: await inTurn(hostile, (one) => held(client, one, runs)),
    free: await inTurn(hostile, (one) => untilFree(client, one, runs)),
    deepJson: await inTurn(DEEP, (levels) => deepJson(client, levels, runs)),
  }));
  const late = await withService(dataDir, DEADLINE_MS, token, (client) =>
    inTurn(hostile, (one) => pastDeadline(client, one, runs)),
  );
  const queries = hostile.map(({ name }, at) => ({
    name,
    ...(patient.held[at] ?? { status: 0, tookMs: 0, heldMs: 0 }),
    lateMs: late[at] ?? null,
    freeMs: patient.free[at] ?? null,
  }));
  return { queries, deepJson: patient.deepJson, runs };
}

/** Figures as lines of a table. */
export function holdLines({ queries, deepJson, runs }: Holds): string[] {
  const cell = (ms: number | null) => (ms === null ? '-' : ms.toFixed(1)).padStart(9);
  return [
    `${'hostile request'.padEnd(32)}${'status'.padStart(8)}${'took ms'.padStart(9)}${'held ms'.padStart(9)}${'late ms'.padStart(9)}${'free ms'.padStart(9)}`,
    ...queries.map(
      ({ name, status, tookMs, heldMs, lateMs, freeMs }) =>
        `${name.padEnd(32)}${String(status).padStart(8)}${cell(tookMs)}${cell(heldMs)}${cell(lateMs)}${cell(freeMs)}`,
    ),
    ...deepJson.map(
      ([levels, ms]) => `${`JSON of ${levels} levels`.padEnd(32)}${'400'.padStart(8)}${cell(ms)}`,
    ),
    '',
    `held: longest time between two turns of the event loop. late: past a deadline of ${DEADLINE_MS} ms. free: from a hang-up`,
    `after ${HANG_UP_MS} ms until all threads are idle. -: was done before. Each the best of ${runs} runs.`,
  ];
}

async function withService<T>(
  dataDir: string,
  timeoutMs: number,
  token: (url: string) => Promise<string>,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const config = parseConfig({
    CARDEA_DATA_DIR: dataDir,
    CARDEA_PORT: '0',
    CARDEA_QUERY_TIMEOUT_MS: String(timeoutMs),
  });
  const service = await compose(config, { log: pino({ level: 'silent' }) });
  try {
    const { url } = await service.start();
    const last = await service.store.read.lastSequence();
    await service.services.status.waitUntilSearchable(last, 600_000);
    return await work({ url, token: await token(url) });
  } finally {
    await service.stop();
  }
}

async function held(client: Client, one: Pick<HostileRequest, 'path' | 'body'>, runs: number) {
  let best = { status: 0, tookMs: 0, heldMs: Number.POSITIVE_INFINITY };
  for (let run = 0; run < runs; run++) {
    const watch = watchLoop();
    const began = performance.now();
    const status = await ask(client, one);
    const tookMs = performance.now() - began;
    const heldMs = watch.stop().longestMs;
    if (heldMs < best.heldMs) best = { status, tookMs, heldMs };
  }
  return best;
}

async function pastDeadline(
  client: Client,
  one: Pick<HostileRequest, 'path' | 'body'>,
  runs: number,
): Promise<number | null> {
  let best: number | null = null;
  for (let run = 0; run < runs; run++) {
    const began = performance.now();
    const status = await ask(client, one);
    const lateMs = performance.now() - began - DEADLINE_MS;
    if (status === 400 && lateMs > 0) best = Math.min(best ?? lateMs, lateMs);
  }
  return best;
}

async function untilFree(
  client: Client,
  one: Pick<HostileRequest, 'path' | 'body'>,
  runs: number,
): Promise<number | null> {
  let best: number | null = null;
  for (let run = 0; run < runs; run++) {
    const watch = watchLoop();
    const hungUp = new AbortController();
    const asked = ask(client, one, hungUp.signal).catch(() => 0);
    const timer = setTimeout(() => hungUp.abort(), HANG_UP_MS);
    const status = await asked;
    clearTimeout(timer);
    const at = performance.now();
    await new Promise((resolve) => setTimeout(resolve, 300));
    const freeMs = Math.max(0, watch.stop().lastBusy - at);
    if (status === 0) best = Math.min(best ?? freeMs, freeMs);
  }
  return best;
}

async function deepJson(
  client: Client,
  levels: number,
  runs: number,
): Promise<readonly [number, number]> {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs * 4; run++) {
    const began = performance.now();
    await ask(client, { path: '/v2024/search', body: '['.repeat(levels) });
    best = Math.min(best, performance.now() - began);
  }
  return [levels, best];
}

/** The share of a processor, over a window, that is more than watching takes. */
const BUSY = 0.3;
const WINDOW_MS = 5;

/** Watches how often the event loop comes round. */
function watchLoop(): { stop(): { longestMs: number; lastBusy: number } } {
  let last = performance.now();
  let longestMs = 0;
  let lastBusy = 0;
  let windowAt = last;
  let use = process.cpuUsage();
  const look = (): void => {
    const now = performance.now();
    longestMs = Math.max(longestMs, now - last);
    last = now;
    if (now - windowAt < WINDOW_MS) return;
    const { user, system } = process.cpuUsage(use);
    if ((user + system) / 1000 > BUSY * (now - windowAt)) lastBusy = now;
    use = process.cpuUsage();
    windowAt = now;
  };
  const timer = setInterval(look, 1);
  return {
    stop() {
      look();
      clearInterval(timer);
      return { longestMs, lastBusy };
    },
  };
}

/** The status of the answer, which is read to its end. */
function ask(
  { url, token }: Client,
  { path, body }: Pick<HostileRequest, 'path' | 'body'>,
  signal?: AbortSignal,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request(
      `${url}${path}`,
      {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(signal && { signal }),
      },
      (response) => {
        response.resume();
        response.on('error', reject);
        response.on('end', () => resolve(response.statusCode ?? 0));
      },
    );
    call.on('error', reject);
    call.end(body);
  });
}

async function inTurn<In, Out>(list: readonly In[], one: (value: In) => Promise<Out>) {
  const out: Out[] = [];
  for (const value of list) out.push(await one(value));
  return out;
}
