// Measures profile management over HTTP with an API key: pages of profiles and advanced searches
// over 100,000 profiles of the demo company. `--quick` is a small run for CI; `--save` writes
// results/.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startDemo } from '../test/support/demo-process.ts';
import { programOf } from './cardea.ts';
import { commitOf } from './process-figures.ts';
import { type ProfileCell, profileCells } from './profile-cells.ts';

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    save: { type: 'boolean', default: false },
    profiles: { type: 'string' },
    only: { type: 'string', default: '' },
    seconds: { type: 'string' },
    data: { type: 'string' },
  },
});
const profiles = Number(flags.profiles ?? (flags.quick ? 500 : 100_000));
/** Duration of each load of each cell. */
const seconds = Number(flags.seconds ?? (flags.quick ? 0.1 : 3));
/** Few identities, since only profiles are measured. */
const IDENTITIES = flags.quick ? 100 : 2000;
const EIGHT = 8;

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
/** A folder named by `--data` is not deleted. */
const work = flags.data ?? mkdtempSync(join(tmpdir(), 'cardea-bench-profiles-'));
const agent = new Agent({ keepAlive: true, maxSockets: EIGHT });

interface Credentials {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** Measurements of a cell with a number of connections. */
interface Latencies {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly perSecond: number;
}

try {
  await main();
} finally {
  agent.destroy();
  if (flags.data === undefined) rmSync(work, { recursive: true, force: true });
}

async function main(): Promise<void> {
  const began = performance.now();
  const size = ['--identities', String(IDENTITIES), '--profiles', String(profiles), '--seed', '1'];
  const demo = await startDemo(programOf(root), work, ['--log-level', 'error', ...size]);
  try {
    const createSeconds = (performance.now() - began) / 1000;
    const to = demo.credentials;
    const lines = await measure(to);
    const text = [...about(demo.isNew ? createSeconds : null), '', ...lines, ''].join('\n');
    process.stdout.write(text);
    if (flags.save) save(text);
  } finally {
    await demo.stop();
  }
}

async function measure(to: Credentials): Promise<string[]> {
  const lines = [
    row('', 'Found', 'p50 ms', 'p99 ms', 'req/s, 1', 'req/s, 8'),
    row('---', '---', '---', '---', '---', '---'),
  ];
  const cells = await profileCells((path) => getJson(to, path), profiles);
  for (const cell of cells.filter(({ name }) => name.includes(flags.only))) {
    const matches = await countMatches(to, cell);
    // Warms up the JIT and the caches.
    await drive(to, cell, EIGHT);
    const one = await drive(to, cell, 1);
    const eight = await drive(to, cell, EIGHT);
    const figures = [one.p50Ms.toFixed(2), one.p99Ms.toFixed(2)];
    const rates = [one, eight].map(({ perSecond }) => grouped(perSecond));
    const line = row(cell.name, matches === null ? '' : grouped(matches), ...figures, ...rates);
    process.stderr.write(`${line}\n`);
    lines.push(line);
  }
  return lines;
}

/** The total of a request; null if the response has none. */
async function countMatches(
  to: Credentials,
  { requests: [first] }: ProfileCell,
): Promise<number | null> {
  if (first === undefined || first.path.includes('after_id')) return null;
  const separator = first.path.includes('?') ? '&' : '?';
  const counted = { ...first, path: `${first.path}${separator}metadata=true` };
  const { _metadata: metadata } = JSON.parse(await send(to, counted)) as {
    _metadata?: { total?: number };
  };
  return metadata?.total ?? null;
}

/** Sends the requests of a cell in turn over a number of connections. */
async function drive(to: Credentials, cell: ProfileCell, connections: number): Promise<Latencies> {
  const timesMs: number[] = [];
  const start = performance.now();
  const until = start + seconds * 1000;
  let next = 0;
  const worker = async () => {
    for (let now = performance.now(); now < until; ) {
      const nextRequest = cell.requests[next++ % cell.requests.length];
      if (nextRequest === undefined) throw new Error('No requests');
      await send(to, nextRequest);
      const then = performance.now();
      timesMs.push(then - now);
      now = then;
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  const elapsed = (performance.now() - start) / 1000;
  const sorted = Float64Array.from(timesMs).sort();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, sorted.length * share) | 0] ?? 0;
  return { p50Ms: at(0.5), p99Ms: at(0.99), perSecond: timesMs.length / elapsed };
}

function send(to: Credentials, { method, path, body }: ProfileCell['requests'][number]) {
  return new Promise<string>((resolve, reject) => {
    const headers = { authorization: `Bearer ${to.apiKey}`, 'content-type': 'application/json' };
    const call = request(`${to.baseUrl}${path}`, { method, headers, agent }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => {
        text += chunk;
      });
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve(text);
        else reject(new Error(`${method} ${path}: ${answer.statusCode} ${text.slice(0, 300)}`));
      });
    });
    call.on('error', reject);
    call.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

async function getJson(to: Credentials, path: string): Promise<unknown> {
  return JSON.parse(await send(to, { method: 'GET', path }));
}

function about(createSeconds: number | null): string[] {
  const [core] = cpus();
  const load = loadavg().map((value) => value.toFixed(1));
  const gib = (totalmem() / 2 ** 30).toFixed(0);
  return [
    `# ${grouped(profiles)} profiles`,
    '',
    `- ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, commit ${commitOf(root)}`,
    `- ${cpus().length} × ${core?.model ?? 'unknown CPU'}, ${gib} GiB, Node ${process.version}; load at the end ${load.join(', ')}`,
    `- ${seconds} s of each load; p50 and p99 with one connection; client and server on one machine`,
    ...(createSeconds === null
      ? []
      : [`- making the company and its profiles, durable: ${createSeconds.toFixed(0)} s`]),
  ];
}

function save(text: string): void {
  const folder = join(root, 'bench', 'results');
  mkdirSync(folder, { recursive: true });
  const date = new Date().toISOString().slice(0, 10);
  writeFileSync(join(folder, `${date}-profiles-${profiles}.md`), text);
}

function row(...cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function grouped(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
