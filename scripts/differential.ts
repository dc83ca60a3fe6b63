// Compares the naive evaluator, the embedded engine and a real OpenSearch on random plans and
// documents:
//   npm run differential -- --cases 5000 --seed 7 [--faults 10] [--kind aggregationsDsl] [--shards 3] [--url URL | --without-opensearch] [--report FILE]
// Prints progress and differences, stops after a number of faults, and prints how often each
// execution path of the engine was taken; a path that was taken too seldom is a fault, unless the
// cases are of some kinds only. Starts OpenSearch unless a URL is given, which needs Java and Maven.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { missedPaths, pathTable } from '../test/differential/path-counts.ts';
import { type Progress, runDifferential } from '../test/differential/run.ts';
import { startOpenSearch } from '../test/support/opensearch.ts';

const PROGRESS_MS = 10_000;

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '5000' },
    seed: { type: 'string', default: '20261121' },
    faults: { type: 'string', default: '10' },
    kind: { type: 'string', multiple: true },
    shards: { type: 'string', default: '1' },
    url: { type: 'string' },
    'without-opensearch': { type: 'boolean', default: false },
    report: { type: 'string' },
  },
});
// Exits on a signal, so that a started OpenSearch ends with the process.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
const started = Date.now();
const startsOpenSearch = values.url === undefined && !values['without-opensearch'];
const openSearch = startsOpenSearch ? await startOpenSearch() : null;
const url = values.url ?? openSearch?.url;

let lastShownAt = Date.now();
let shownFaults = 0;
let heapMax = 0;

async function heap(): Promise<string> {
  if (url === undefined) return '';
  const answer = await fetch(`${url}/_nodes/stats/jvm?filter_path=nodes.*.jvm.mem`);
  const { nodes } = (await answer.json()) as {
    nodes: Record<string, { jvm: { mem: { heap_used_in_bytes: number; pools: Pools } } }>;
  };
  const [node] = Object.values(nodes);
  const { heap_used_in_bytes: used = 0, pools } = node?.jvm.mem ?? {};
  heapMax = Math.max(heapMax, used);
  return `, OpenSearch heap ${mib(used)} MiB, of it old ${mib(pools?.['old']?.used_in_bytes ?? 0)}`;
}

type Pools = Readonly<Record<string, { used_in_bytes: number }>>;

const mib = (bytes: number): number => Math.round(bytes / 2 ** 20);

function show(progress: Progress): void {
  for (const fault of progress.faults.slice(shownFaults)) console.log(`\n${fault}\n`);
  shownFaults = progress.faults.length;
  if (Date.now() - lastShownAt < PROGRESS_MS) return;
  lastShownAt = Date.now();
  const rate = (progress.cases / (Date.now() - started)) * 1000;
  const line = `${progress.cases} cases, ${progress.faults.length} faults, ${rate.toFixed(1)} cases/s`;
  heap().then(
    (text) => console.log(`${new Date().toISOString()} ${line}${text}`),
    (error) => console.log(`${line} (${error})`),
  );
}

const progress = await runDifferential({
  cases: Number(values.cases),
  seed: Number(values.seed),
  faultsMax: Number(values.faults),
  countPaths: true,
  threads: 'in some worlds',
  shards: Number(values.shards),
  ...(values.kind !== undefined && { kinds: values.kind }),
  ...(url !== undefined && { openSearchUrl: url }),
  onProgress: show,
});
await openSearch?.stop();

const paths = progress.paths ?? new Map();
const judgesPaths = progress.faults.length === 0 && values.kind === undefined;
const missed = judgesPaths ? missedPaths(paths, progress.cases) : [];
const seconds = (Date.now() - started) / 1000;
const summary = {
  seed: Number(values.seed),
  date: new Date().toISOString().slice(0, 10),
  cases: progress.cases,
  seconds: Math.round(seconds),
  casesPerSecond: Math.round((progress.cases / seconds) * 10) / 10,
  telling: progress.telling,
  refusedByOpenSearch: progress.refused,
  faults: progress.faults.length,
  openSearchHeapMaxMiB: mib(heapMax),
  byKind: Object.fromEntries(progress.byKind),
  byJudge: Object.fromEntries(progress.byJudge),
  notAsked: Object.fromEntries(progress.excluded),
};
console.log(`${pathTable(paths)}\n`);
console.log(JSON.stringify(summary, null, 2));
for (const path of missed) console.log(`Path missed: ${path}`);
if (values.report !== undefined) {
  writeFileSync(values.report, `${JSON.stringify({ ...summary, paths: [...paths] }, null, 2)}\n`);
}
process.exit(progress.faults.length + missed.length === 0 ? 0 : 1);
