// Infrastructure for the suites over HTTP: each service consists of three nodes with a real
// PostgreSQL, OpenSearch and Redis, behind a round-robin load balancer. The nodes share a process,
// so that a suite can wait for all of them; test/backends/drills/ runs them as separate processes.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { type Cardea, compose } from '../../src/compose/compose.ts';
import { parseConfig } from '../../src/config/config.ts';
import { eventually } from './eventually.ts';
import { startOpenSearch } from './opensearch.ts';
import { startPostgres } from './postgres.ts';
import { startRedis } from './redis.ts';
import { startRoundRobin } from './round-robin.ts';
import type { Infrastructure, NodeGroup } from './service.ts';

const ADDED_NODES = 2;

/** Starts the external services; each test service has its own database and index names. */
export async function threeNodes(): Promise<Infrastructure & { stop(): Promise<void> }> {
  const openSearch = await startOpenSearch();
  const postgres = await startPostgres({ max_connections: '200' });
  const redis = await startRedis();
  let services = 0;
  return {
    async settings() {
      const name = `service${++services}`;
      return {
        CARDEA_STORE_URL: await postgres.database(name),
        CARDEA_STORE_POOL: '4',
        CARDEA_SEARCH_URL: openSearch.url,
        CARDEA_SEARCH_PREFIX: name,
        CARDEA_REDIS_URL: redis.url,
      };
    },
    addNodes,
    async stop() {
      await redis.stop();
      await postgres.stop();
      await openSearch.stop();
    },
  };
}

async function addNodes(
  first: Cardea,
  url: string,
  settings: Record<string, string>,
): Promise<NodeGroup> {
  const folder = mkdtempSync(join(tmpdir(), 'cardea-nodes-'));
  const nodes = [first];
  const ports = [portOf(url)];
  for (let n = 0; n < ADDED_NODES; n++) {
    const config = parseConfig({ ...settings, CARDEA_DATA_DIR: join(folder, String(n)) });
    const node = await compose(config, { log: pino({ level: 'silent' }) });
    nodes.push(node);
    ports.push(portOf((await node.start()).url));
  }
  // A node that starts answers searches with 503 until it knows which index is fed.
  for (const port of ports) {
    await eventually(async () => {
      assert.equal((await fetch(`http://127.0.0.1:${port}/ready`)).status, 200);
    });
  }
  const balancer = await startRoundRobin(() => ports.map((port) => ({ host: '127.0.0.1', port })));
  const waitUntilSearchable = async (sequence: number, timeoutMs: number) => {
    await Promise.all(
      nodes.map(({ services }) => services.status.waitUntilSearchable(sequence, timeoutMs)),
    );
  };
  const status = { ...first.services.status, waitUntilSearchable };
  return {
    url: balancer.url,
    cardea: { ...first, services: { ...first.services, status } },
    async stop() {
      await balancer.stop();
      for (const node of nodes.slice(1)) await node.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}
