// A cluster of three OpenSearch nodes for tests, each a process of its own with a small heap, behind
// a round robin with health checks: it skips a node that is suspended or accepts no connection.
// Invariant: whatever a test kills or suspends, `stop` ends every process and removes its data.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claimPort, fetchJars, JVM, newestJava, waitForTurn } from './opensearch.ts';
import { startRoundRobin } from './round-robin.ts';

/** One node. */
export interface ClusterNode {
  readonly host: string;
  readonly port: number;
  readonly url: string;
  /** Kills it, as a power failure would; its data stay. */
  kill(): Promise<void>;
  /** Starts it again with its data; the cluster takes it in by itself. */
  restart(): void;
  /** Suspends it, so that it accepts requests but answers none, until `resume`. */
  suspend(): void;
  resume(): void;
}

export interface OpenSearchCluster {
  /** The address of all nodes. */
  readonly url: string;
  readonly nodes: readonly ClusterNode[];
  /** Waits until a cluster of `nodes` nodes has all its shards. */
  green(nodes: number): Promise<void>;
  /** The node that holds the primary shard of an index. */
  holderOf(index: string): Promise<ClusterNode>;
  stop(): Promise<void>;
}

const NODES = 3;
const HEAP_MIB = 400;
const START_MS = 480_000;
/** A node listens for the others on its HTTP port plus this. */
const TRANSPORT_OFFSET = 400;

/** Starts a cluster with empty data folders; resolves when it is complete. */
export async function startOpenSearchCluster(): Promise<OpenSearchCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'cardea-cluster-'));
  const endTurn = await waitForTurn();
  const claims: { readonly port: number; readonly claim: Server }[] = [];
  for (let n = 0; n < NODES; n++) claims.push(await claimPort());
  const ports = claims.map(({ port }) => port);
  const nodes = ports.map((port) => startNode(join(folder, String(port)), port, ports));
  const end = () => {
    for (const node of nodes) node.end();
  };
  process.once('exit', end);
  const balancer = await startRoundRobin(() => nodes.filter((node) => !node.isSuspended()));
  const cluster: OpenSearchCluster = {
    url: balancer.url,
    nodes,
    green: (count) => untilGreen(nodes, count),
    async holderOf(index) {
      const answer = await fetch(
        `${balancer.url}/_cat/shards/${index}?format=json&h=prirep,node,ip,id`,
      );
      const shards = (await answer.json()) as { readonly prirep: string; readonly id: string }[];
      const holder = shards.find(({ prirep }) => prirep === 'p')?.id;
      for (const node of nodes) if ((await idOf(node)) === holder) return node;
      throw new Error(`No node holds ${index}: ${JSON.stringify(shards)}`);
    },
    async stop() {
      process.removeListener('exit', end);
      await balancer.stop();
      await Promise.all(nodes.map((node) => node.kill()));
      for (const { claim } of claims) claim.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  try {
    await untilGreen(nodes, NODES).finally(endTurn);
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  return cluster;
}

interface StartedNode extends ClusterNode {
  /** Ends the process at once. */
  end(): void;
  isSuspended(): boolean;
}

function startNode(folder: string, port: number, ports: readonly number[]): StartedNode {
  writeSettings(folder, port, ports);
  let node = spawnNode(folder, port);
  let suspended = false;
  const isOver = () => node.exitCode !== null || node.signalCode !== null;
  return {
    ...{ host: '127.0.0.1', port, url: `http://127.0.0.1:${port}` },
    end: () => void node.kill('SIGKILL'),
    async kill() {
      if (isOver()) return;
      node.kill('SIGKILL');
      await once(node, 'exit');
    },
    restart() {
      if (!isOver()) throw new Error('The node runs');
      node = spawnNode(folder, port);
    },
    suspend() {
      suspended = true;
      node.kill('SIGSTOP');
    },
    resume() {
      node.kill('SIGCONT');
      suspended = false;
    },
    isSuspended: () => suspended,
  };
}

/** The nodes find one another, and notice a lost or frozen one within a few seconds. */
function writeSettings(folder: string, port: number, ports: readonly number[]): void {
  const transports = JSON.stringify(ports.map((one) => `127.0.0.1:${one + TRANSPORT_OFFSET}`));
  const config = join(folder, 'node_1', 'config');
  mkdirSync(config, { recursive: true });
  const checks = ['follower_check', 'leader_check'].flatMap((check) => [
    `cluster.fault_detection.${check}.interval: 1s`,
    `cluster.fault_detection.${check}.timeout: 3s`,
    `cluster.fault_detection.${check}.retry_count: 2`,
  ]);
  const lines = [
    'network.host: 127.0.0.1',
    `transport.port: ${port + TRANSPORT_OFFSET}`,
    `discovery.seed_hosts: ${transports}`,
    `cluster.initial_cluster_manager_nodes: ${transports}`,
    'cluster.info.update.interval: 10s',
    ...checks,
  ];
  writeFileSync(join(config, 'opensearch.yml'), `${lines.join('\n')}\n`);
}

function spawnNode(folder: string, port: number): ChildProcess {
  return spawn(
    newestJava(),
    [
      ...[`-Xms${HEAP_MIB}m`, `-Xmx${HEAP_MIB}m`, ...JVM],
      ...['-cp', `${fetchJars()}/*`, 'org.codelibs.opensearch.runner.OpenSearchRunner'],
      ...['-basePath', folder, '-numOfNode', '1', '-clusterName', 'cardea-cluster'],
      // The runner's first node listens on the port after the given one.
      ...['-baseHttpPort', String(port - 1)],
    ],
    { stdio: ['pipe', 'ignore', 'ignore'] },
  );
}

async function idOf({ url }: ClusterNode): Promise<string | null> {
  const answer = await fetch(`${url}/_nodes/_local?filter_path=nodes.*.name`, {
    signal: AbortSignal.timeout(5_000),
  }).catch(() => null);
  if (answer === null || !answer.ok) return null;
  const { nodes } = (await answer.json()) as { readonly nodes: Readonly<Record<string, object>> };
  return Object.keys(nodes)[0] ?? null;
}

async function untilGreen(nodes: readonly ClusterNode[], count: number): Promise<void> {
  const query = `wait_for_status=green&wait_for_nodes=${count}&timeout=5s`;
  for (const end = Date.now() + START_MS; Date.now() < end; ) {
    for (const { url } of nodes) {
      const answer = await fetch(`${url}/_cluster/health?${query}`, {
        signal: AbortSignal.timeout(10_000),
      }).catch(() => null);
      if (answer?.ok) return;
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`The cluster of ${count} nodes was not green within ${START_MS / 1000} s`);
}
