// Measures how much one abusive tenant slows down another one. The first tenant searches at a
// steady rate, on open connections and sometimes on a new one. The other runs all kinds of abuse at
// once: stalled bodies, unread responses, heavy aggregations, changes, wrong secrets and idle
// connections. Compares the latencies of the first tenant with and without the abuse. See
// README.md.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, setPriority, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { AbuseCounts } from './abuse-load.ts';
import { Cardea } from './cardea.ts';
import { type Address, Connection, wireRequest } from './client.ts';
import { writeCorpus } from './corpus.ts';
import { percentile } from './load.ts';
import { watchResident } from './process-figures.ts';

const { values: flags } = parseArgs({
  options: {
    save: { type: 'boolean', default: false },
    documents: { type: 'string', default: '10000' },
    seconds: { type: 'string', default: '20' },
    rate: { type: 'string', default: '50' },
    connections: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
    /** Connections that ask for aggregations one after the other. */
    aggregations: { type: 'string', default: '40' },
    threads: { type: 'string' },
  },
});
const documents = Number(flags.documents);
const seconds = Number(flags.seconds);
const searchesPerSecond = Number(flags.rate);
/** Time for the abuse to start in full, and for the server to recover after it. */
const SETTLE_MS = 3_000;
const KEPT_CONNECTIONS = 4;
/** Interval between searches on a new connection. */
const NEW_CONNECTION_MS = 250;

/** Measurements of the first tenant. */
interface Latencies {
  readonly timesMs: number[];
  /** Includes the time to open the connection. */
  readonly newConnectionMs: number[];
  failures: number;
}

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const work = mkdtempSync(join(tmpdir(), 'cardea-abuse-'));
/** Searches of the first tenant so far. */
let asked = 0;
try {
  await main();
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function main(): Promise<void> {
  const corpus = await writeCorpus(join(work, 'documents.ndjson'), documents);
  const cardea = await Cardea.create({
    ...{ root, folder: join(work, 'data'), nodeFlags: [] },
    settings: flags.threads === undefined ? {} : { CARDEA_THREADS: flags.threads },
  });
  await cardea.import(corpus.file);
  const other = await cardea.addTenant('abuser');
  await cardea.import(corpus.file, 'abuser');
  cardea.spawn();
  try {
    await cardea.untilReady();
    const to = await cardea.address();
    const connections: Connection[] = [];
    for (let n = 0; n < KEPT_CONNECTIONS; n += 1) connections.push(await Connection.open(to.port));
    await steadySearches(to, connections, 5, emptyLatencies());
    const quiet = emptyLatencies();
    const abused = emptyLatencies();
    const resident = watchResident(cardea.pid);
    const counts: AbuseCounts[] = [];
    for (let round = 0; round < Number(flags.rounds); round += 1) {
      await steadySearches(to, connections, seconds, quiet);
      const abuse = await startAbuse(await cardea.address(undefined, other));
      await steadySearches(to, connections, seconds, abused);
      counts.push(await stopAbuse(abuse));
    }
    const text = report(quiet, abused, counts, resident.stop().most);
    console.log(text);
    if (flags.save) save(text);
  } finally {
    await cardea.stop();
  }
}

/** Starts it with the lowest priority, since it must load the server and not starve its CPU. */
async function startAbuse({ port, token }: Address): Promise<ChildProcess> {
  const file = fileURLToPath(new URL('./abuse-load.js', import.meta.url));
  const only = flags.only === '' ? [] : flags.only.split(',');
  const counts = [flags.connections, flags.aggregations];
  const child = fork(file, [String(port), String(token), ...counts, ...only]);
  await once(child, 'spawn');
  setPriority(child.pid ?? 0, 19);
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  return child;
}

async function stopAbuse(child: ChildProcess): Promise<AbuseCounts> {
  child.send('stop');
  const [counts] = (await once(child, 'message')) as [AbuseCounts];
  await once(child, 'exit');
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  return counts;
}

function emptyLatencies(): Latencies {
  return { timesMs: [], newConnectionMs: [], failures: 0 };
}

/** Searches at a fixed rate on the open connections; any response but 2xx is a failure. */
async function steadySearches(
  to: Address,
  connections: Connection[],
  duration: number,
  latencies: Latencies,
): Promise<void> {
  const departments = ['Engineering', 'Finance', 'Sales', 'Legal', 'Marketing'];
  /** Each one differs, so that no cache can answer it. */
  const request = () => {
    asked += 1;
    const department = departments[asked % departments.length];
    const query = `attributes.department:${department} NOT name:nobody${asked}`;
    const body = { indices: ['identities'], query: { query } };
    return wireRequest(to, { method: 'POST', path: '/v3/search?limit=10', body });
  };
  const start = performance.now();
  const count = duration * searchesPerSecond;
  let next = 0;
  const worker = async (_: unknown, which: number) => {
    while (next < count) {
      const at = next;
      next += 1;
      const due = start + (at / searchesPerSecond) * 1000;
      const waitMs = due - performance.now();
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      const from = waitMs > 0 ? performance.now() : due;
      try {
        await connections[which]?.send(request());
        latencies.timesMs.push(performance.now() - from);
      } catch {
        latencies.failures += 1;
        connections[which]?.close();
        connections[which] = await Connection.open(to.port);
      }
    }
  };
  const newConnections = async () => {
    while (performance.now() < start + duration * 1000) {
      const from = performance.now();
      try {
        const connection = await Connection.open(to.port);
        await connection.send(request());
        connection.close();
        latencies.newConnectionMs.push(performance.now() - from);
      } catch {
        latencies.failures += 1;
      }
      await new Promise((resolve) => setTimeout(resolve, NEW_CONNECTION_MS));
    }
  };
  await Promise.all([...connections.map(worker), newConnections()]);
}

function report(
  quiet: Latencies,
  abused: Latencies,
  counts: readonly AbuseCounts[],
  mib: number,
): string {
  const row = (name: string, { timesMs, newConnectionMs, failures }: Latencies) => {
    const figures = [timesMs, newConnectionMs].flatMap((times) => [
      percentile(times, 0.5).toFixed(2),
      percentile(times, 0.99).toFixed(2),
    ]);
    return `| ${name} | ${timesMs.length} | ${figures.join(' | ')} | ${failures} |`;
  };
  const ratio = percentile(abused.timesMs, 0.99) / percentile(quiet.timesMs, 0.99);
  const sum = (key: keyof AbuseCounts) => counts.reduce((total, one) => total + one[key], 0);
  return [
    '# One abusive tenant beside another',
    '',
    `- ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, ${documents} documents, ${flags.rounds} rounds of ${seconds} s, quiet and abused in turn`,
    `- ${cpus().length} × ${cpus()[0]?.model ?? 'unknown CPU'}, Node ${process.version}; both clients and Cardea on one machine`,
    `- the first tenant asks for ${searchesPerSecond} new searches/s; the other ${flags.only === '' ? 'does everything at once' : `does only this: ${flags.only}`}, ${flags.aggregations} connections ask for aggregations`,
    ...(flags.threads === undefined ? [] : [`- CARDEA_THREADS=${flags.threads}`]),
    '',
    '| first tenant, while the other | searches | p50 ms | p99 ms | on a new connection: p50 | p99 | failed |',
    '|---|---|---|---|---|---|---|',
    row('is quiet', quiet),
    row('abuses', abused),
    '',
    `p99 × ${ratio.toFixed(2)} (aim: at most 2). Largest resident memory: ${mib.toFixed(0)} MiB.`,
    '',
    `The other sent ${sum('requests')} requests, of which ${sum('served')} were answered and ${sum('refused')} refused; ` +
      `it tried ${sum('connections')} connections, of which ${sum('closed')} were closed by the server.`,
    '',
  ].join('\n');
}

function save(text: string): void {
  const folder = join(root, 'bench', 'results');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${new Date().toISOString().slice(0, 10)}-abuse.md`), text);
}
