// Compares search without HTTP: our backend in this process with tantivy and SQLite FTS5 in theirs,
// on the identities of one corpus. Ours does more: it returns documents, the others only their ids.
// Flags: `--documents N`, `--seconds N` for each kind, `--save`.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openOffline } from '../src/compose.ts';
import { parseConfig } from '../src/config.ts';
import type { SearchResult } from '../src/identity/ports/search-backend.ts';
import { RequestTime } from '../src/query/dates/request-time.ts';
import { NearestNames } from '../src/query/mapping/nearest-name.ts';
import { DEFAULT_LIMITS, type PlanContext, planSearch } from '../src/query/search-request.ts';
import { Cardea } from './cardea.ts';
import { writeCorpus } from './corpus.ts';
import { percentile } from './load.ts';
import { FIELDS_22 } from './questions/word-questions.ts';

const TANTIVY = 'tantivy==0.27.0';

interface Kind {
  readonly name: string;
  readonly form: 'words' | 'term' | 'prefix';
  /** Only for a term. */
  readonly field?: string;
  readonly values: readonly string[];
}

/** Results by kind. */
type Times = Readonly<Record<string, { readonly found: number; readonly timesMs: number[] }>>;

const KINDS: readonly Kind[] = [
  {
    name: 'free text, 22 fields, OR',
    form: 'words',
    values: ['london engineer', 'active analyst', 'sales dublin', 'smith contractor'],
  },
  {
    name: 'term',
    form: 'term',
    field: 'attributes.department',
    values: ['engineering', 'sales', 'security', 'legal'],
  },
  { name: 'prefix, 22 fields', form: 'prefix', values: ['mar', 'pet', 'jo', 'vic'] },
];

const { values: flags } = parseArgs({
  options: {
    documents: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '3' },
    save: { type: 'boolean', default: false },
  },
});
const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const documents = Number(flags.documents);
const seconds = Number(flags.seconds);

const work = mkdtempSync(join(tmpdir(), 'cardea-kernels-'));
try {
  await main();
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function main(): Promise<void> {
  const { file } = await writeCorpus(join(work, 'documents.ndjson'), documents);
  const folder = join(work, 'data');
  const cardea = await Cardea.create({ root, folder, nodeFlags: [] });
  await cardea.import(file);
  const task = JSON.stringify({ file, fields: FIELDS_22, kinds: KINDS, seconds });
  const python = pythonWithTantivy();
  const ours = await measureCardea(folder, FIELDS_22);
  const text = table([
    ['Cardea', ours],
    ['tantivy', runKernel(python, 'tantivy_kernel.py', task)],
    ['SQLite FTS5', runKernel(python, 'fts5_kernel.py', task)],
  ]);
  console.log(text);
  if (flags.save) {
    const date = new Date().toISOString().slice(0, 10);
    const path = join(root, 'bench', 'results', `${date}-kernels-${documents}.md`);
    writeFileSync(path, text);
  }
}

async function measureCardea(dataDir: string, fields: readonly string[]): Promise<Times> {
  const config = parseConfig({ CARDEA_DATA_DIR: dataDir, CARDEA_LOG_LEVEL: 'silent' });
  const opened = await openOffline(config);
  try {
    const { backend, store } = opened;
    const [tenant] = await store.read.tenants();
    if (backend === null || tenant === undefined) throw new Error('The import left nothing');
    // Passed with each search, as in the service; otherwise the backend would read the store.
    const mappings = await opened.documents.mappings(tenant.id);
    const context: PlanContext = {
      mapping: (index) => mappings[index],
      now: new RequestTime(Date.now()),
      limits: DEFAULT_LIMITS,
      nearestNames: new NearestNames(),
    };
    const search: Search = ({ query, count }) => {
      const plan = planSearch({ indices: ['identities'], query }, { limit: '10', count }, context);
      return backend.search(tenant.id, plan, { timeoutMs: 60_000, mappings });
    };
    const times: Record<string, Times[string]> = {};
    for (const kind of KINDS) times[kind.name] = await timeKind(kind, fields, search);
    return times;
  } finally {
    await opened.close();
  }
}

/** Runs a search as the service does below HTTP. */
type Search = (request: {
  readonly query: object;
  readonly count: string;
}) => Promise<SearchResult>;

async function timeKind(
  kind: Kind,
  fields: readonly string[],
  search: Search,
): Promise<Times[string]> {
  const ask = (value: string, count: string) =>
    search({ query: { query: queryText(kind, value), fields }, count });
  const { total } = await ask(kind.values[0] ?? '', 'true');
  const round = async (): Promise<number[]> => {
    const timesMs: number[] = [];
    for (const until = performance.now() + seconds * 1000; performance.now() < until; ) {
      const value = kind.values[timesMs.length % kind.values.length] ?? '';
      const start = performance.now();
      await ask(value, 'false');
      timesMs.push(performance.now() - start);
    }
    return timesMs;
  };
  // Warms up the JIT and the caches; the other systems are compiled ahead of time.
  await round();
  return { found: total ?? 0, timesMs: await round() };
}

function queryText({ form, field }: Kind, value: string): string {
  switch (form) {
    case 'words':
      return value;
    case 'term':
      return `${field}:${value}`;
    case 'prefix':
      return `${value}*`;
  }
}

/** Creates a virtual environment with tantivy on first use. */
function pythonWithTantivy(): string {
  const home = join(root, '.cache', 'bench-python');
  const python = join(home, 'bin', 'python');
  if (!existsSync(python)) run('python3', ['-m', 'venv', home]);
  run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', TANTIVY]);
  return python;
}

function runKernel(python: string, program: string, task: string): Times {
  return JSON.parse(run(python, [join(root, 'bench', 'kernels', program)], task)) as Times;
}

function run(command: string, args: readonly string[], input = ''): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    input,
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
  });
  if (status === 0) return stdout;
  throw new Error(`${command} ${args.join(' ')} failed: ${error?.message ?? stderr}`);
}

function table(systems: readonly (readonly [name: string, times: Times])[]): string {
  const [core] = cpus();
  const rows = KINDS.map(({ name }) => {
    const cells = systems.flatMap(([, times]) => {
      const { found = 0, timesMs = [] } = times[name] ?? {};
      return [0.5, 0.99].map((share) => percentile(timesMs, share).toFixed(3)).concat(`${found}`);
    });
    const median = (at: number) => percentile(systems[at]?.[1][name]?.timesMs ?? [], 0.5);
    const isFaster = median(0) < median(1);
    return [name, ...cells, isFaster ? 'met' : '**missed**'];
  });
  const head = [
    'Kind',
    ...systems.flatMap(([name]) => [`${name} p50 ms`, 'p99 ms', 'found by the first']),
    'faster than tantivy',
  ];
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    `# Kernels, ${documents} documents, ${new Date().toISOString().slice(0, 10)}`,
    '',
    `${cpus().length} × ${core?.model ?? 'unknown CPU'}, Node ${process.version}, ${TANTIVY}; load ${loadavg()[0]?.toFixed(1)}.`,
    'The ten best of the identities; words are cut a little differently by each.',
    '',
    line(head),
    line(head.map(() => '---')),
    ...rows.map(line),
    '',
  ].join('\n');
}
