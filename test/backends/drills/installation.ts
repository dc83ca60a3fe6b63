// What drills are held on: three nodes as processes of their own, behind a round robin, over one PostgreSQL, one
// OpenSearch and one Redis that are real, with a line of its own between each node and each service.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tokenOf } from '../../support/callers.ts';
import { type Line, layLine } from '../../support/line.ts';
import { openNamespace } from '../../support/namespace.ts';
import { NodeProcess, runCardea, type Settings } from '../../support/node-process.ts';
import { type OpenSearch, startOpenSearch } from '../../support/opensearch.ts';
import { type Postgres, startPostgres } from '../../support/postgres.ts';
import { type Redis, startRedis } from '../../support/redis.ts';
import { startRoundRobin } from '../../support/round-robin.ts';
import { eventually } from './eventually.ts';

/** What drills and their judges need of whatever they are held on. */
export interface Drilled {
  /** Where clients go. */
  readonly url: string;
  readonly nodes: readonly NodeProcess[];
  /** Of the administrator, good for the whole drill. */
  readonly token: string;
  /** The path or address of the store. */
  readonly store: string;
}

export type ServiceName = 'postgres' | 'openSearch' | 'redis';

/** The way from a node to all that is below it. */
export interface Way {
  /** How it is cut, and why so. */
  readonly how: string;
  /** What is sent vanishes, both ways, and nobody is told. */
  cut(): void;
  mend(): void;
}

/** Three nodes and what is below them. */
export interface Installation extends Drilled {
  readonly postgres: Postgres;
  readonly openSearch: OpenSearch;
  readonly redis: Redis;
  /** From each node, in the order of `nodes`. */
  readonly lines: readonly Readonly<Record<ServiceName, Line>>[];
  /** The nodes that run, the one that feeds the search first. */
  feederFirst(): Promise<NodeProcess[]>;
  /** From the last of the nodes to all services. */
  readonly lastNodesWay: Way;
  /** Of the administrator whose token that is. */
  readonly credentials: Credentials;
  stop(): Promise<void>;
}

const NODES = 3;
/** Shorter than the defaults, so that a drill is over in a minute. */
const SETTINGS: Settings = {
  CARDEA_METRICS: 'on',
  // Counted in Redis, and never reached.
  CARDEA_RATE_LIMIT: '1000000/60',
  CARDEA_STORE_WAIT_MS: '3000',
  CARDEA_STORE_TIMEOUT_MS: '4000',
  CARDEA_QUERY_TIMEOUT_MS: '5000',
};

type Closers = (() => Promise<void> | void)[];

/**
 * @param clocksMs how far the clock of each node is ahead of the machine's; left out, it is the machine's
 * @param apart whether the last node is to live in a network of its own, where this machine has such
 */
export async function startInstallation({
  clocksMs = [],
  apart = false,
}: {
  clocksMs?: readonly number[];
  apart?: boolean;
} = {}): Promise<Installation> {
  const closers: Closers = [];
  const stop = async () => {
    while (closers.length > 0) await closers.pop()?.();
  };
  try {
    return await open(closers, stop, { clocksMs, apart });
  } catch (error) {
    await stop();
    throw error;
  }
}

async function open(
  closers: Closers,
  stop: () => Promise<void>,
  { clocksMs, apart }: { readonly clocksMs: readonly number[]; readonly apart: boolean },
): Promise<Installation> {
  const network = apart ? openNamespace() : { refused: 'Nobody asked for it' };
  const namespace = 'refused' in network ? null : network;
  if (namespace !== null) closers.push(() => namespace.close());
  const folder = mkdtempSync(join(tmpdir(), 'cardea-drill-'));
  closers.push(() => rmSync(folder, { recursive: true, force: true }));
  const openSearch = await startOpenSearch({ heapGib: 1 });
  closers.push(() => openSearch.stop());
  const postgres = await startPostgres();
  closers.push(() => postgres.stop());
  const redis = await startRedis();
  closers.push(() => redis.stop());
  const store = await postgres.database('drills');
  const direct = { postgres: store, openSearch: openSearch.url, redis: redis.url };
  const credentials = createTenant({
    CARDEA_STORE_URL: store,
    CARDEA_DATA_DIR: join(folder, 'cli'),
  });
  const nodes: NodeProcess[] = [];
  const lines: Installation['lines'][number][] = [];
  for (let n = 0; n < NODES; n++) {
    const within = n === NODES - 1 ? namespace : null;
    const host = within?.gateway ?? '127.0.0.1';
    const own = await layLines(direct, host, closers);
    lines.push(own);
    const clock = movedClock(join(folder, `clock${n}`), clocksMs[n]);
    const settings = {
      ...SETTINGS,
      ...clock.settings,
      ...(within === null ? {} : { CARDEA_HOST: within.address }),
      CARDEA_DATA_DIR: join(folder, `node${n}`),
      CARDEA_STORE_URL: through(direct.postgres, host, own.postgres),
      CARDEA_SEARCH_URL: through(direct.openSearch, host, own.openSearch),
      CARDEA_REDIS_URL: through(direct.redis, host, own.redis),
    };
    const node = new NodeProcess(settings, clock.nodeFlags, within?.command);
    closers.push(() => node.kill());
    nodes.push(node);
  }
  await Promise.all(nodes.map((node) => node.start()));
  await eventually('every node is ready', () => allReady(nodes));
  const balancer = await startRoundRobin(() => nodes);
  closers.push(() => balancer.stop());
  return {
    ...{ nodes, lines, postgres, openSearch, redis, store, stop },
    url: balancer.url,
    token: await tokenOf(balancer.url, credentials),
    credentials,
    lastNodesWay: wayOf(lines.at(-1), network),
    async feederFirst() {
      const running = nodes.filter(({ runs }) => runs);
      const feeds = await Promise.all(running.map((node) => node.feeds()));
      return [...running].sort(
        (a, b) => Number(feeds[running.indexOf(b)]) - Number(feeds[running.indexOf(a)]),
      );
    },
  };
}

/** By the link of its namespace where it has one, else by its lines, which hold back what they are given. */
function wayOf(
  lines: Readonly<Record<ServiceName, Line>> | undefined,
  network: ReturnType<typeof openNamespace>,
): Way {
  if (!('refused' in network)) {
    return {
      how: 'the link of a network namespace goes down',
      cut: () => network.setLink('down'),
      mend: () => network.setLink('up'),
    };
  }
  const all = Object.values(lines ?? {});
  return {
    how: `relays go silent, for there is no network namespace: ${network.refused}`,
    cut() {
      for (const line of all) line.cut('silent');
    },
    mend() {
      for (const line of all) line.mend();
    },
  };
}

/** What a node is started with to have a clock of its own. */
function movedClock(
  file: string,
  aheadMs: number | undefined,
): { readonly settings: Settings; readonly nodeFlags: readonly string[] } {
  if (aheadMs === undefined) return { settings: {}, nodeFlags: [] };
  writeFileSync(file, String(aheadMs));
  const nodeFlags = ['--import', import.meta.resolve('./moved-clock.js')];
  return { settings: { DRILL_CLOCK: file }, nodeFlags };
}

/** Whether every node that runs says that it is ready. */
export async function allReady(nodes: readonly NodeProcess[]): Promise<boolean> {
  const said = await Promise.all(nodes.filter(({ runs }) => runs).map((node) => node.ready()));
  return said.every((ready) => ready);
}

export interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** What is written to this tenant is judged. */
export const DRILLED_TENANT = 'drills';

/** A tenant, by the command line; that of the drill where none is named. */
export function createTenant(settings: Settings, name: string = DRILLED_TENANT): Credentials {
  return JSON.parse(runCardea(['tenant', 'create', name, '--json'], settings));
}

async function layLines(
  addresses: Readonly<Record<ServiceName, string>>,
  host: string,
  closers: Closers,
): Promise<Record<ServiceName, Line>> {
  const lay = async (address: string) => {
    const line = await layLine(Number(new URL(address).port), host);
    closers.push(() => line.stop());
    return line;
  };
  return {
    postgres: await lay(addresses.postgres),
    openSearch: await lay(addresses.openSearch),
    redis: await lay(addresses.redis),
  };
}

function through(address: string, host: string, { port }: Line): string {
  const url = new URL(address);
  url.hostname = host;
  url.port = String(port);
  return url.href.replace(/\/$/, '');
}
