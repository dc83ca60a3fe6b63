// Measures how long hostile requests block the event loop (robustness lines 23 and 47): `npm run
// bench -- hostile`. The service runs with the demo company in the main thread of this process, the
// client in another thread. A hold is the time between two timer phases of the event loop, during
// which no other request is served. On a busy machine wall time includes other programs, so the
// figure is the CPU time of the main thread where available (Linux), next to the wall time.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { pino } from 'pino';
import { compose } from '../src/compose/compose.ts';
import { parseConfig } from '../src/config/config.ts';
import { programOf } from './cardea.ts';
import type { Delivery, Order } from './hostile-client.ts';
import { readHostileRequests } from './hostile-requests.ts';
import { commitOf } from './process-figures.ts';

const { values: flags } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    runs: { type: 'string', default: '5' },
    identities: { type: 'string', default: '3000' },
    profiles: { type: 'string', default: '10000' },
    data: { type: 'string' },
    save: { type: 'string' },
  },
});

/** The longest hold by two clocks. */
interface Hold {
  readonly cpuMs: number;
  readonly wallMs: number;
}

interface Figure extends Hold {
  readonly name: string;
  readonly statuses: string;
  readonly tookMs: number;
}

/** The longest hold that we allow. */
const HOLD_MS_MAX = 50;
const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const folder = flags.data ?? mkdtempSync(join(tmpdir(), 'cardea-hostile-'));
try {
  await main();
} finally {
  if (flags.data === undefined) rmSync(folder, { recursive: true, force: true });
}
process.exit();

async function main(): Promise<void> {
  await makeDemo();
  const requests = readHostileRequests(join(root, 'bench', 'hostile.json'), flags.only);
  const config = parseConfig({
    CARDEA_DATA_DIR: folder,
    CARDEA_PORT: '0',
    CARDEA_QUERY_TIMEOUT_MS: '5000',
  });
  const service = await compose(config, { log: pino({ level: 'silent' }) });
  const client = new Worker(new URL('./hostile-client.js', import.meta.url));
  const figures: Figure[] = [];
  try {
    const { url } = await service.start();
    const last = await service.store.read.lastSequence();
    await service.services.status.waitUntilSearchable(last, 600_000);
    for (const request of requests) {
      const figure = await measure(
        client,
        { ...request, url, token: await tokenOf(url) },
        request.name,
      );
      process.stderr.write(`${lineOf(figure)}\n`);
      figures.push(figure);
    }
  } finally {
    await client.terminate();
    await service.stop();
  }
  const text = report(figures);
  process.stdout.write(text);
  if (flags.save !== undefined) {
    const results = join(root, 'bench', 'results');
    mkdirSync(results, { recursive: true });
    writeFileSync(join(results, `${flags.save}.md`), text);
  }
}

/** Fills the data directory if it is empty. */
async function makeDemo(): Promise<void> {
  const cli = programOf(root);
  const args = ['demo', '--data-dir', folder, '--port', '0', '--log-level', 'error', '--seed', '1'];
  args.push('--identities', flags.identities, '--profiles', flags.profiles);
  const demo = spawn(process.execPath, [cli, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  for await (const chunk of demo.stdout) {
    out += chunk;
    if (out.includes('Ctrl-C')) break;
  }
  demo.kill('SIGTERM');
  await once(demo, 'exit');
}

async function tokenOf(url: string): Promise<string> {
  const { clientId, clientSecret } = JSON.parse(
    readFileSync(join(folder, 'credentials.json'), 'utf8'),
  ) as { clientId: string; clientSecret: string };
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
  });
  const answer = await fetch(`${url}/oauth/token`, { method: 'POST', body: form });
  const { access_token: token } = (await answer.json()) as { access_token: string };
  return token;
}

async function measure(client: Worker, order: Order, name: string): Promise<Figure> {
  const runs: (Hold & Delivery)[] = [];
  for (let run = 0; run < Number(flags.runs); run++) {
    const watch = watchLoop();
    client.postMessage(order);
    const [delivery] = (await once(client, 'message')) as [Delivery];
    runs.push({ ...delivery, ...watch.stop() });
  }
  const statuses = Object.entries(runs[0]?.statuses ?? {});
  return {
    name,
    statuses: statuses
      .map(([status, count]) => (count === 1 ? status : `${count} × ${status}`))
      .join(', '),
    tookMs: median(runs.map(({ tookMs }) => tookMs)),
    cpuMs: median(runs.map(({ cpuMs }) => cpuMs)),
    wallMs: median(runs.map(({ wallMs }) => wallMs)),
  };
}

/** Measures the turns of the event loop. */
function watchLoop(): { stop(): Hold } {
  const clock = mainThreadClock();
  let hold: Hold = { cpuMs: 0, wallMs: 0 };
  let [cpuMs, wallMs] = [clock.now(), performance.now()];
  const sample = (): void => {
    const [cpuNow, wallNow] = [clock.now(), performance.now()];
    hold = {
      cpuMs: Math.max(hold.cpuMs, cpuNow - cpuMs),
      wallMs: Math.max(hold.wallMs, wallNow - wallMs),
    };
    [cpuMs, wallMs] = [cpuNow, wallNow];
  };
  const timer = setInterval(sample, 1);
  return {
    stop() {
      sample();
      clearInterval(timer);
      clock.close();
      return hold;
    },
  };
}

/** CPU time of this thread (/proc/thread-self/schedstat); the wall clock on other systems. */
function mainThreadClock(): { now(): number; close(): void } {
  const bytes = Buffer.alloc(64);
  try {
    const file = openSync('/proc/thread-self/schedstat', 'r');
    return {
      now: () =>
        Number(bytes.toString('latin1', 0, readSync(file, bytes, 0, 64, 0)).split(' ')[0]) / 1e6,
      close: () => closeSync(file),
    };
  } catch {
    return { now: () => performance.now(), close: () => {} };
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function lineOf({ name, statuses, tookMs, cpuMs, wallMs }: Figure): string {
  const mark = cpuMs > HOLD_MS_MAX ? ' **' : '';
  return `| ${name} | ${statuses} | ${tookMs.toFixed(0)} | ${cpuMs.toFixed(0)}${mark} | ${wallMs.toFixed(0)} |`;
}

function report(figures: readonly Figure[]): string {
  return [
    '# How long hostile requests hold the event loop',
    '',
    `- ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, commit ${commitOf(root)}, Node ${process.version}`,
    `- ${cpus().length} × ${cpus()[0]?.model ?? 'unknown CPU'}, load ${(loadavg()[0] ?? 0).toFixed(1)} at the end`,
    `- the demo company: ${flags.identities} identities, ${flags.profiles} profiles; each figure is the median of ${flags.runs} runs`,
    '- held: longest time between two timer phases of the event loop, as CPU time of the main thread and as wall time',
    '',
    '| Request | Status | Took ms | Held, CPU ms | Held, wall ms |',
    '|---|---|---|---|---|',
    ...figures.map(lineOf),
    '',
  ].join('\n');
}
