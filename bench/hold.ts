// Measures how long hostile requests block the event loop, how late a query deadline takes effect,
// and how soon the CPU is idle after a client hangs up (robustness lines 17, 23 and 24). The
// service runs in this process, to watch its event loop. Each figure is the best of several runs,
// since other programs use the machine, too.
import { request } from 'node:http';
import { join } from 'node:path';
import { pino } from 'pino';
import { compose } from '../src/compose/compose.ts';
import { parseConfig } from '../src/config/config.ts';
import { type HostileRequest, readHostileRequests } from './hostile-requests.ts';

export interface HoldFigure {
  readonly name: string;
  readonly status: number;
  readonly tookMs: number;
  /** The longest time between two turns of the event loop. */
  readonly heldMs: number;
  /** Time from a deadline of DEADLINE_MS to the refusal; null if the query ended before. */
  readonly lateMs: number | null;
  /** Time from the client's hang-up until all threads are idle; null if the query ended before. */
  readonly freeMs: number | null;
}

export interface Holds {
  readonly queries: readonly HoldFigure[];
  /** Time until a body with too many levels is refused. */
  readonly deepJson: readonly (readonly [levels: number, tookMs: number])[];
  /** The number of runs; each figure is the best of them. */
  readonly runs: number;
}

interface Client {
  readonly url: string;
  readonly token: string;
}

/** hostile.ts measures larger requests, which run until their deadline. */
const LARGE_CHARACTERS = 8 * 1024;
const DEADLINE_MS = 20;
const HANG_UP_MS = 10;
const DEEP = [20_000, 200_000];

/**
 * @param dataDir of a service that is not running
 * @param runs for each request
 * @param token requests an access token from the service at a URL
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
    held: await inTurn(hostile, (one) => longestBlock(client, one, runs)),
    free: await inTurn(hostile, (one) => timeUntilIdle(client, one, runs)),
    deepJson: await inTurn(DEEP, (levels) => deepJson(client, levels, runs)),
  }));
  const late = await withService(dataDir, DEADLINE_MS, token, (client) =>
    inTurn(hostile, (one) => timePastDeadline(client, one, runs)),
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
    `after ${HANG_UP_MS} ms until all threads are idle. -: done before. Each the best of ${runs} runs.`,
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

async function longestBlock(
  client: Client,
  one: Pick<HostileRequest, 'path' | 'body'>,
  runs: number,
) {
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

async function timePastDeadline(
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

async function timeUntilIdle(
  client: Client,
  one: Pick<HostileRequest, 'path' | 'body'>,
  runs: number,
): Promise<number | null> {
  let best: number | null = null;
  for (let run = 0; run < runs; run++) {
    const watch = watchLoop();
    const hungUp = new AbortController();
    const response = ask(client, one, hungUp.signal).catch(() => 0);
    const timer = setTimeout(() => hungUp.abort(), HANG_UP_MS);
    const status = await response;
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

/** CPU share of a window above which the process is busy; watching alone takes less. */
const BUSY = 0.3;
const WINDOW_MS = 5;

/** Measures the turns of the event loop. */
function watchLoop(): { stop(): { longestMs: number; lastBusy: number } } {
  let last = performance.now();
  let longestMs = 0;
  let lastBusy = 0;
  let windowAt = last;
  let use = process.cpuUsage();
  const sample = (): void => {
    const now = performance.now();
    longestMs = Math.max(longestMs, now - last);
    last = now;
    if (now - windowAt < WINDOW_MS) return;
    const { user, system } = process.cpuUsage(use);
    if ((user + system) / 1000 > BUSY * (now - windowAt)) lastBusy = now;
    use = process.cpuUsage();
    windowAt = now;
  };
  const timer = setInterval(sample, 1);
  return {
    stop() {
      sample();
      clearInterval(timer);
      return { longestMs, lastBusy };
    },
  };
}

/** Sends a request, reads the whole response, and returns its status. */
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
