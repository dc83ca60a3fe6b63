// Measures changes per second: PATCH requests that each change another auth user, with its event of
// the audit trail, over 1, 8 and 32 connections, on SQLite and on PostgreSQL. On PostgreSQL also with
// several processes and a delayed network, and what its own tool reaches with simple updates on the
// same server (pgbench -N). See README.md for the flags.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startPostgres } from '../test/support/postgres.ts';
import { Cardea, type CardeaOptions } from './cardea.ts';
import { Connection } from './client.ts';
import { type DelayedPort, openDelayedPort } from './delayed-port.ts';
import { percentile } from './load.ts';
import { ServerProfiler } from './profiling/server-profiler.ts';
import { type ChangeCounts, noChanges, resetUsers, USERS, UserChanges } from './user-changes.ts';

const { values: flags } = parseArgs({
  options: {
    save: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    build: { type: 'string' },
    store: { type: 'string', default: 'sqlite,postgres' },
    seconds: { type: 'string' },
    rounds: { type: 'string' },
    profile: { type: 'string' },
    processes: { type: 'string', default: '1' },
    'delay-ms': { type: 'string', default: '0' },
  },
});
const seconds = Number(flags.seconds ?? (flags.quick ? 1 : 8));
const rounds = Number(flags.rounds ?? (flags.quick ? 1 : 3));
/** Numbers of processes of each build on PostgreSQL. */
const PROCESSES = flags.processes.split(',').map(Number);
/** Delay of the network to PostgreSQL, each way. */
const delayMs = Number(flags['delay-ms']);
const CONNECTIONS = flags.quick ? [1, 4] : [1, 8, 32];
/** Most connections of a process to PostgreSQL. */
const CONNECTIONS_OF_PROCESS = 15;
const PGBENCH_SCALE = flags.quick ? '1' : '10';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const work = mkdtempSync(join(tmpdir(), 'cardea-writes-'));
const started: Cardea[] = [];
try {
  const builds: (readonly [string, string])[] = [['this build', root]];
  if (flags.build !== undefined) builds.push(['earlier build', flags.build]);
  const lines: string[] = [];
  if (flags.store.includes('sqlite')) lines.push(...(await measureSqlite(builds)));
  if (flags.store.includes('postgres')) lines.push(...(await measurePostgres(builds)));
  const text = report(lines);
  console.log(text);
  if (flags.save) save(text);
} finally {
  await stopAll();
  rmSync(work, { recursive: true, force: true });
}

type Builds = readonly (readonly [name: string, root: string])[];

interface Rate {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

/** The processes of a build on one store. */
interface Side {
  readonly name: string;
  readonly nodes: readonly Cardea[];
  readonly counts: ChangeCounts;
}

async function measureSqlite(builds: Builds): Promise<string[]> {
  const sides: Side[] = [];
  for (const [name, build] of builds)
    sides.push(sideOf(`SQLite, ${name}`, [await start(build, name)]));
  const rates = await measureInTurn(sides);
  await stopAll();
  return rates.map(([name, one]) => line(name, one, null));
}

async function measurePostgres(builds: Builds): Promise<string[]> {
  const postgres = await startPostgres({
    ...{ fsync: 'on', shared_buffers: '256MB' },
    max_connections: String(CONNECTIONS_OF_PROCESS * 2 * Math.max(...PROCESSES) + 50),
  });
  let network: DelayedPort | null = null;
  try {
    const reference = pgbench(await postgres.database('pgbench'));
    const lines = reference === null ? [] : [line('pgbench -N', reference, null)];
    for (const processes of PROCESSES) {
      const sides: Side[] = [];
      for (const [at, [name, build]] of builds.entries()) {
        const url = new URL(await postgres.database(`writes${processes}_${at}`));
        if (delayMs > 0) {
          network ??= await openDelayedPort(Number(url.port));
          network.delayMs = 0;
          url.port = String(network.port);
        }
        const first = await start(build, `postgres-${processes}-${at}`, { storeUrl: url.href });
        const nodes = [first];
        while (nodes.length < processes) nodes.push(await startAnother(first, nodes.length));
        const count = processes === 1 ? '' : `, ${processes} processes`;
        sides.push(sideOf(`PostgreSQL, ${name}${count}`, nodes));
      }
      if (network !== null) network.delayMs = delayMs;
      const rates = await measureInTurn(sides);
      lines.push(...rates.map(([name, one]) => line(name, one, reference)));
      await stopAll();
    }
    return lines;
  } finally {
    await stopAll();
    network?.close();
    await postgres.stop();
  }
}

async function start(
  build: string,
  name: string,
  store: Pick<CardeaOptions, 'storeUrl'> = {},
): Promise<Cardea> {
  const folder = join(work, name.replaceAll(' ', '-'));
  const isProfiled = flags.profile !== undefined && build === root;
  const nodeFlags = isProfiled ? ServerProfiler.NODE_FLAGS : [];
  const cardea = await Cardea.create({ root: build, folder, nodeFlags, ...store });
  cardea.spawn();
  started.push(cardea);
  await cardea.untilReady();
  await resetUsers(await cardea.address());
  return cardea;
}

function sideOf(name: string, nodes: readonly Cardea[]): Side {
  return { name, nodes, counts: noChanges() };
}

/** Another process on the store of the first one. */
async function startAnother(first: Cardea, number: number): Promise<Cardea> {
  const node = await first.anotherNode(`${first.folder}-${number}`);
  node.spawn();
  started.push(node);
  await node.untilReady();
  return node;
}

async function stopAll(): Promise<void> {
  for (const cardea of started.splice(0)) await cardea.stop();
}

/** The median rates of each side by number of connections; sides take turns within a round. */
async function measureInTurn(
  sides: readonly Side[],
): Promise<readonly (readonly [string, ReadonlyMap<number, Rate>])[]> {
  const rates = sides.map(() => new Map<number, Rate[]>());
  for (let round = 0; round <= rounds; round++) {
    for (const connections of CONNECTIONS) {
      for (const [at, side] of sides.entries()) {
        const rate = await measureProfiled(side, connections, round);
        // The first round warms up.
        if (round === 0) continue;
        const all = rates[at]?.get(connections) ?? [];
        rates[at]?.set(connections, [...all, rate]);
      }
    }
  }
  return sides.map(({ name }, at) => {
    const medians = [...(rates[at] ?? [])].map(([connections, all]) => {
      const ordered = all.sort((a, b) => a.perSecond - b.perSecond);
      return [connections, ordered[ordered.length >> 1] as Rate] as const;
    });
    return [name, new Map(medians)];
  });
}

/** Measures, and in the last round writes the CPU profile of this build if profiles are requested. */
async function measureProfiled(side: Side, connections: number, round: number): Promise<Rate> {
  const { name, nodes } = side;
  if (flags.profile === undefined || round < rounds || !name.endsWith('this build')) {
    return measure(side, connections);
  }
  const profiler = new ServerProfiler(nodes[0] as Cardea, flags.profile);
  await profiler.start();
  const rate = await measure(side, connections);
  await profiler.stop(`${name}, ${connections}`);
  return rate;
}

/** The rate of all connections, which are spread over the processes. */
async function measure({ nodes, counts }: Side, connections: number): Promise<Rate> {
  const addresses = await Promise.all(nodes.map((node) => node.address()));
  const timesMs: number[] = [];
  const until = performance.now() + seconds * 1000;
  const change = async (at: number): Promise<void> => {
    const to = addresses[at % addresses.length] as (typeof addresses)[number];
    const connection = await Connection.open(to.port);
    const changes = new UserChanges(at, connections, counts);
    while (performance.now() < until) {
      const began = performance.now();
      await connection.send(changes.next(to), true);
      timesMs.push(performance.now() - began);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: connections }, (_, at) => change(at)));
  return {
    perSecond: timesMs.length / seconds,
    p50: percentile(timesMs, 0.5),
    p99: percentile(timesMs, 0.99),
  };
}

/** Transactions per second of simple updates by number of connections; null without pgbench. */
function pgbench(url: string): ReadonlyMap<number, Rate> | null {
  if (spawnSync('pgbench', ['--version']).error !== undefined) {
    console.error('pgbench is not installed (Debian: postgresql): measured without it');
    return null;
  }
  const run = (...args: readonly string[]): string =>
    execFileSync('pgbench', [...args, url], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  run('-i', '-q', '-s', PGBENCH_SCALE);
  const rates = new Map<number, Rate>();
  for (const connections of CONNECTIONS) {
    const all = Array.from({ length: rounds }, () =>
      run('-N', '-n', '-M', 'prepared', '-c', `${connections}`, '-j', '2', '-T', `${seconds}`),
    ).map((text) => ({
      perSecond: Number(/tps = ([\d.]+)/.exec(text)?.[1]),
      p50: Number(/latency average = ([\d.]+)/.exec(text)?.[1]),
      p99: Number.NaN,
    }));
    all.sort((a, b) => a.perSecond - b.perSecond);
    rates.set(connections, all[all.length >> 1] as Rate);
  }
  return rates;
}

function line(
  name: string,
  rates: ReadonlyMap<number, Rate>,
  reference: ReadonlyMap<number, Rate> | null,
): string {
  const cells = [...rates].map(([connections, { perSecond, p50, p99 }]) => {
    const other = reference?.get(connections)?.perSecond;
    const ratio = other === undefined ? '' : `, ${(perSecond / other).toFixed(2)} ×`;
    const latency = Number.isNaN(p99)
      ? `${p50.toFixed(1)} on average`
      : `${p50.toFixed(1)} / ${p99.toFixed(1)}`;
    return `${perSecond.toFixed(0)}${ratio} (${latency})`;
  });
  return `| ${[name, ...cells].join(' | ')} |`;
}

function report(lines: readonly string[]): string {
  const heads = CONNECTIONS.map(
    (count) => `${count} ${count === 1 ? 'connection' : 'connections'}`,
  );
  return [
    '# Changes per second',
    '',
    `- ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, Node ${process.version}`,
    `- ${cpus().length} × ${cpus()[0]?.model ?? 'unknown CPU'}, load ${loadavg()[0]?.toFixed(1)}: client, Cardea and database on one machine`,
    ...(delayMs > 0 ? [`- ${delayMs} ms each way between Cardea and PostgreSQL`] : []),
    `- PATCH of an auth user with its audit event, ${USERS} users, medians of ${rounds} rounds of ${seconds} s; × pgbench; in brackets p50 / p99 in ms`,
    '',
    `| | ${heads.join(' | ')} |`,
    `| --- |${heads.map(() => ' --- |').join('')}`,
    ...lines,
    '',
  ].join('\n');
}

function save(text: string): void {
  const folder = join(root, 'bench', 'results');
  mkdirSync(folder, { recursive: true });
  const network = delayMs > 0 ? `-${delayMs}-ms` : '';
  const day = new Date().toISOString().slice(0, 10);
  writeFileSync(join(folder, `${day}-writes${network}.md`), text);
}
