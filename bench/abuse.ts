// Two tenants of one Cardea. One searches at a steady pace, on connections that it keeps and now and then on a new one; the
// other does at once whatever takes something from its
// neighbours: bodies that stall, unread answers, heavy aggregations, changes, wrong secrets, and as many idle
// connections as it gets. Compares the times of the first tenant with those while the other is quiet. See README.md.
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
  },
});
const documents = Number(flags.documents);
const seconds = Number(flags.seconds);
const searchesPerSecond = Number(flags.rate);
/** From its start until all of the abuse is under way, and from its end until the server has noticed. */
const SETTLE_MS = 3_000;
const KEPT_CONNECTIONS = 4;
/** Between two searches on connections of their own. */
const NEW_CONNECTION_MS = 250;

/** What the second tenant sees. */
interface Seen {
  readonly timesMs: number[];
  /** With the time to open a connection for the search. */
  readonly newConnectionMs: number[];
  failures: number;
}

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const work = mkdtempSync(join(tmpdir(), 'cardea-abuse-'));
try {
  await main();
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function main(): Promise<void> {
  const corpus = await writeCorpus(join(work, 'documents.ndjson'), documents);
  const cardea = await Cardea.create({ root, folder: join(work, 'data'), nodeFlags: [] });
  await cardea.import(corpus.file);
  const other = await cardea.addTenant('abuser');
  await cardea.import(corpus.file, 'abuser');
  cardea.spawn();
  try {
    await cardea.untilReady();
    const to = await cardea.address();
    const kept: Connection[] = [];
    for (let n = 0; n < KEPT_CONNECTIONS; n += 1) kept.push(await Connection.open(to.port));
    await steadySearches(to, kept, 5, emptySeen());
    const quiet = emptySeen();
    const beside = emptySeen();
    const resident = watchResident(cardea.pid);
    const counts: AbuseCounts[] = [];
    for (let round = 0; round < Number(flags.rounds); round += 1) {
      await steadySearches(to, kept, seconds, quiet);
      const abuse = await startAbuse(await cardea.address(undefined, other));
      await steadySearches(to, kept, seconds, beside);
      counts.push(await stopAbuse(abuse));
    }
    const text = report(quiet, beside, counts, resident.stop().most);
    console.log(text);
    if (flags.save) save(text);
  } finally {
    await cardea.stop();
  }
}

/** A process of the lowest priority: it is to use up the server, not the processor that the server runs on. */
async function startAbuse({ port, token }: Address): Promise<ChildProcess> {
  const file = fileURLToPath(new URL('./abuse-load.js', import.meta.url));
  const only = flags.only === '' ? [] : flags.only.split(',');
  const child = fork(file, [String(port), String(token), flags.connections, ...only]);
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

function emptySeen(): Seen {
  return { timesMs: [], newConnectionMs: [], failures: 0 };
}

/** Searches when they are due, each on one of the connections; what is not answered with 2xx is a failure. */
async function steadySearches(
  to: Address,
  kept: Connection[],
  duration: number,
  seen: Seen,
): Promise<void> {
  const departments = ['Engineering', 'Finance', 'Sales', 'Legal', 'Marketing'];
  const requests = departments.map((department) =>
    wireRequest(to, {
      method: 'POST',
      path: '/v3/search?limit=10',
      body: { indices: ['identities'], query: { query: `attributes.department:${department}` } },
    }),
  );
  const start = performance.now();
  const count = duration * searchesPerSecond;
  let next = 0;
  const line = async (_: unknown, which: number) => {
    while (next < count) {
      const at = next;
      next += 1;
      const due = start + (at / searchesPerSecond) * 1000;
      const waitMs = due - performance.now();
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      const from = waitMs > 0 ? performance.now() : due;
      try {
        await kept[which]?.send(requests[at % requests.length] ?? Buffer.alloc(0));
        seen.timesMs.push(performance.now() - from);
      } catch {
        seen.failures += 1;
        kept[which]?.close();
        kept[which] = await Connection.open(to.port);
      }
    }
  };
  const newConnections = async () => {
    while (performance.now() < start + duration * 1000) {
      const from = performance.now();
      try {
        const connection = await Connection.open(to.port);
        await connection.send(requests[0] ?? Buffer.alloc(0));
        connection.close();
        seen.newConnectionMs.push(performance.now() - from);
      } catch {
        seen.failures += 1;
      }
      await new Promise((resolve) => setTimeout(resolve, NEW_CONNECTION_MS));
    }
  };
  await Promise.all([...kept.map(line), newConnections()]);
}

function report(quiet: Seen, beside: Seen, counts: readonly AbuseCounts[], mib: number): string {
  const row = (name: string, { timesMs, newConnectionMs, failures }: Seen) => {
    const figures = [timesMs, newConnectionMs].flatMap((times) => [
      percentile(times, 0.5).toFixed(2),
      percentile(times, 0.99).toFixed(2),
    ]);
    return `| ${name} | ${timesMs.length} | ${figures.join(' | ')} | ${failures} |`;
  };
  const ratio = percentile(beside.timesMs, 0.99) / percentile(quiet.timesMs, 0.99);
  const sum = (key: keyof AbuseCounts) => counts.reduce((total, one) => total + one[key], 0);
  return [
    '# One abusive tenant beside another',
    '',
    `- ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, ${documents} documents, ${flags.rounds} rounds of ${seconds} s, quiet and abused in turn`,
    `- ${cpus().length} × ${cpus()[0]?.model ?? 'unknown CPU'}, Node ${process.version}; both clients and Cardea on one machine`,
    `- the first tenant asks for ${searchesPerSecond} searches/s; the other ${flags.only === '' ? 'does everything at once' : `does only this: ${flags.only}`}`,
    '',
    '| first tenant, while the other | searches | p50 ms | p99 ms | on a new connection: p50 | p99 | failed |',
    '|---|---|---|---|---|---|---|',
    row('is quiet', quiet),
    row('abuses', beside),
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
