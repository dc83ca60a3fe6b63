// What drills are held on: three nodes as processes of their own, behind a round robin, over one PostgreSQL, one
// OpenSearch and one Redis that are real, with a line of its own between each node and each service.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tokenOf } from '../../support/callers.ts';
import { type Line, layLine } from '../../support/line.ts';
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

/** Three nodes and what is below them. */
export interface Installation extends Drilled {
  readonly postgres: Postgres;
  readonly openSearch: OpenSearch;
  readonly redis: Redis;
  /** From each node, in the order of `nodes`. */
  readonly lines: readonly Readonly<Record<ServiceName, Line>>[];
  /** The nodes that run, the one that feeds the search first. */
  feederFirst(): Promise<NodeProcess[]>;
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

export async function startInstallation(): Promise<Installation> {
  const closers: Closers = [];
  const stop = async () => {
    while (closers.length > 0) await closers.pop()?.();
  };
  try {
    return await open(closers, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function open(closers: Closers, stop: () => Promise<void>): Promise<Installation> {
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
    const own = await layLines(direct, closers);
    lines.push(own);
    const node = new NodeProcess({
      ...SETTINGS,
      CARDEA_DATA_DIR: join(folder, `node${n}`),
      CARDEA_STORE_URL: through(direct.postgres, own.postgres),
      CARDEA_SEARCH_URL: through(direct.openSearch, own.openSearch),
      CARDEA_REDIS_URL: through(direct.redis, own.redis),
    });
    closers.push(() => node.kill());
    nodes.push(node);
  }
  await Promise.all(nodes.map((node) => node.start()));
  await eventually('every node is ready', () => allReady(nodes));
  const balancer = await startRoundRobin(() => nodes.map(({ port }) => port));
  closers.push(() => balancer.stop());
  return {
    ...{ nodes, lines, postgres, openSearch, redis, store, stop },
    url: balancer.url,
    token: await tokenOf(balancer.url, credentials),
    async feederFirst() {
      const running = nodes.filter(({ runs }) => runs);
      const feeds = await Promise.all(running.map((node) => node.feeds()));
      return [...running].sort(
        (a, b) => Number(feeds[running.indexOf(b)]) - Number(feeds[running.indexOf(a)]),
      );
    },
  };
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
  closers: Closers,
): Promise<Record<ServiceName, Line>> {
  const lay = async (address: string) => {
    const line = await layLine(Number(new URL(address).port));
    closers.push(() => line.stop());
    return line;
  };
  return {
    postgres: await lay(addresses.postgres),
    openSearch: await lay(addresses.openSearch),
    redis: await lay(addresses.redis),
  };
}

function through(address: string, { port }: Line): string {
  const url = new URL(address);
  url.port = String(port);
  return url.href.replace(/\/$/, '');
}
