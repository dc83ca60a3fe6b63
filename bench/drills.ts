// Runs each failure drill of test/backends/drills once and reports figures: the requests of
// clients, the faults they saw, and the time until every node accepted a write and found it. There
// is no figure for losses, since a drill fails if it finds one.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { CLOCKS_MS, feedByAnyClock } from '../test/backends/drills/clocks.ts';
import { type DrillFigures, Drills, drillLine } from '../test/backends/drills/drill.ts';
import {
  failAndRestart,
  failFsync,
  failIndexCommits,
  failWrites,
} from '../test/backends/drills/failing-disk.ts';
import { type Installation, startInstallation } from '../test/backends/drills/installation.ts';
import {
  cutFeederFromOpenSearch,
  cutFeederFromPostgres,
  cutRedis,
  isolateFeeder,
  silenceFeederAndOpenSearch,
} from '../test/backends/drills/network.ts';
import { killNodes, replaceNodes } from '../test/backends/drills/nodes.ts';
import { type OneNode, startOneNode } from '../test/backends/drills/one-node.ts';
import { OVERLOAD_SETTINGS, overload, overloadLine } from '../test/backends/drills/overload.ts';
import { killOpenSearch, killPostgres, killRedis } from '../test/backends/drills/services.ts';
import type { Settings } from '../test/support/node-process.ts';

const { values: flags } = parseArgs({ options: { save: { type: 'boolean', default: false } } });
const ON_THREE_NODES = [
  killNodes,
  replaceNodes,
  killPostgres,
  killOpenSearch,
  killRedis,
  cutFeederFromPostgres,
  cutFeederFromOpenSearch,
  silenceFeederAndOpenSearch,
  isolateFeeder,
  cutRedis,
];
const ON_ONE_NODE = [failFsync, failWrites, failIndexCommits, failAndRestart];

const busyAtStart = loadavg()[0] ?? 0;
const figures: DrillFigures[] = [];
/** Additional results of single drills. */
const notes: string[] = [];
await onThreeNodes({ apart: true }, ON_THREE_NODES);
await onThreeNodes({ clocksMs: CLOCKS_MS }, [feedByAnyClock]);
await onOneNode({}, ON_ONE_NODE);
await onOneNode(OVERLOAD_SETTINGS, [overloaded]);
const text = report();
console.log(text);
if (flags.save) {
  const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
  const folder = join(root, 'bench', 'results');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${new Date().toISOString().slice(0, 10)}-drills.md`), text);
}

async function onThreeNodes(
  options: Parameters<typeof startInstallation>[0],
  list: readonly ((
    installation: Installation,
    drills: Drills,
  ) => Promise<DrillFigures | DrillFigures[]>)[],
): Promise<void> {
  const installation = await startInstallation(options);
  try {
    if (list.some((drill) => drill === isolateFeeder)) {
      notes.push(`a node that no service can reach: ${installation.lastNodesWay.how}`);
    }
    const drills = await Drills.begin(installation);
    for (const drill of list) record([await drill(installation, drills)].flat());
  } finally {
    await installation.stop();
  }
}

async function onOneNode(
  settings: Settings,
  list: readonly ((one: OneNode, drills: Drills) => Promise<DrillFigures>)[],
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'cardea-drill-'));
  const one = await startOneNode(join(folder, 'data'), { settings });
  try {
    const drills = await Drills.begin(one);
    for (const drill of list) record([await drill(one, drills)]);
  } finally {
    await one.node.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function overloaded(one: OneNode, drills: Drills): Promise<DrillFigures> {
  const result = await overload(one, drills);
  notes.push(`overload: ${overloadLine(result)}`);
  return result;
}

function record(results: readonly DrillFigures[]): void {
  for (const one of results) process.stderr.write(`${drillLine(one)}\n`);
  figures.push(...results);
}

function report(): string {
  const rows = figures.map(
    ({ name, seconds, requests, acknowledged, faults, recoverMs }) =>
      `| ${name} | ${seconds.toFixed(0)} | ${requests} | ${acknowledged} | ${faultsText(faults)} | 0 | ${(recoverMs / 1000).toFixed(1)} |`,
  );
  return [
    '# Failure drills',
    '',
    `- ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, Node ${process.version}`,
    `- ${cpus().length} × ${cpus()[0]?.model ?? 'unknown CPU'}, load ${busyAtStart.toFixed(1)} at the start, from other programs`,
    '- three nodes, PostgreSQL 17, OpenSearch 3.3, Redis, the round robin and the clients on this one machine;',
    '  where fsync, writes or commits fail, and under overload: one node with everything embedded',
    ...notes.map((note) => `- ${note}`),
    '- lost or applied twice: judged write by write after every drill; index and store compared on every node',
    '- recovered: from the end of the fault until every running node accepts a write and finds it',
    '',
    '| Drill | s | Requests | Writes accepted | Faults seen by clients | Lost or applied twice | Recovered after, s |',
    '|---|---|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

function faultsText(faults: ReadonlyMap<string, number>): string {
  return [...faults].map(([answer, count]) => `${count} × ${answer}`).join(', ') || 'none';
}
