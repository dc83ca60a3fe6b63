// Many small tenants on one OpenSearch node: how much heap their indexes take, how many shards are
// open, and how long a search takes, open or closed. Once with the limit of open indexes
// (CARDEA_SEARCH_OPEN_INDEXES), once with all of them open.

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openOpenSearchBackend } from '../src/backends/opensearch/opensearch-backend.ts';
import { demoDocuments } from '../src/demo/documents.ts';
import { indexOfType, staticMapping } from '../src/query/mapping/document-types.ts';
import type { Plan } from '../src/query/plan.ts';
import type { IndexName } from '../src/query/query.ts';
import type { SearchBackend } from '../src/service/ports/search-backend.ts';
import type { DocumentChange } from '../src/service/ports/store.ts';
import { newestJava, type OpenSearch, startOpenSearch } from '../test/support/opensearch.ts';
import { searchOptions } from '../test/support/search-options.ts';
import { sourceDocument } from '../test/support/segments.ts';
import { percentile } from './load.ts';

const { values: flags } = parseArgs({
  options: {
    save: { type: 'boolean', default: false },
    tenants: { type: 'string', default: '1000' },
    types: { type: 'string', default: 'identities,events' },
    documents: { type: 'string', default: '20' },
    heap: { type: 'string', default: '2' },
    open: { type: 'string', multiple: true, default: ['500', '100000'] },
  },
});
const tenants = Number(flags.tenants);
const types = flags.types.split(',') as IndexName[];
const documentsEach = Number(flags.documents);
const heapGib = Number(flags.heap);
const PREFIX = 'tenants';
const SEARCHES = 300;
/** A node refuses more than 1,000 shards by default. */
const SHARDS_MAX = 100_000;
const OPTIONS = searchOptions();

interface Figures {
  readonly limit: number;
  readonly indexes: number;
  readonly open: number;
  readonly fillSeconds: number;
  readonly heapMib: number;
  readonly bareHeapMib: number;
  readonly openMs: readonly number[];
  readonly closedMs: readonly number[];
  readonly restartMs: number;
}

const busyAtStart = loadavg()[0] ?? 0;
const results: Figures[] = [];
for (const limit of flags.open.map(Number)) {
  const figures = await measure(limit);
  // A run takes long: what an interrupted one has measured is not lost.
  const { openMs, closedMs, ...rest } = figures;
  const times = [openMs, closedMs].map((all) => [percentile(all, 0.5), percentile(all, 0.99)]);
  process.stderr.write(`${JSON.stringify({ ...rest, times })}\n`);
  results.push(figures);
}
const text = report();
console.log(text);
if (flags.save) {
  const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
  const folder = join(root, 'bench', 'results');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${new Date().toISOString().slice(0, 10)}-tenants.md`), text);
}

async function measure(limit: number): Promise<Figures> {
  const openSearch = await startOpenSearch({ heapGib });
  try {
    await fetch(`${openSearch.url}/_cluster/settings`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ persistent: { 'cluster.max_shards_per_node': SHARDS_MAX } }),
    });
    const bareHeapMib = await heapAfterCollection(openSearch);
    let sequence = 0;
    const lastSequence = async () => sequence;
    let backend = open(openSearch, limit, lastSequence);
    const began = performance.now();
    for (let tenant = 0; tenant < tenants; tenant++) {
      sequence = await fill(backend, tenant, sequence);
      if (tenant % 100 === 99) {
        const seconds = ((performance.now() - began) / 1000).toFixed(0);
        process.stderr.write(`limit ${limit}: ${tenant + 1} tenants after ${seconds} s\n`);
      }
    }
    await backend.commit(sequence);
    const fillSeconds = (performance.now() - began) / 1000;
    const heapMib = await heapAfterCollection(openSearch);
    await backend.close();
    const restarted = performance.now();
    backend = open(openSearch, limit, lastSequence);
    await backend.committedSequence();
    const restartMs = performance.now() - restarted;
    const before = await statuses(openSearch);
    const names = [...before.keys()].filter((name) => name.includes('-identities-'));
    const timed = async (status: string) => {
      const all = names.filter((name) => before.get(name) === status);
      const times: number[] = [];
      for (let n = 0; n < Math.min(SEARCHES, all.length); n++) {
        const name = all[Math.floor((n * all.length) / Math.min(SEARCHES, all.length))] ?? '';
        times.push(await searchMs(backend, name.split('-')[1] ?? ''));
      }
      return times.sort((a, b) => a - b);
    };
    const openMs = await timed('open');
    const closedMs = await timed('close');
    await backend.close();
    return {
      ...{ limit, fillSeconds, heapMib, bareHeapMib, openMs, closedMs, restartMs },
      indexes: before.size,
      open: [...before.values()].filter((status) => status === 'open').length,
    };
  } finally {
    await openSearch.stop();
  }
}

function open(
  { url }: OpenSearch,
  openIndexes: number,
  lastSequence: () => Promise<number>,
): SearchBackend {
  return openOpenSearchBackend({
    ...{ url, prefix: PREFIX, openIndexes, lastSequence },
    mapping: (tenantId, index) => staticMapping(index, { name: tenantId, pod: 'bench' }),
  });
}

/** Feeds the documents of one tenant. @returns the last sequence */
async function fill(backend: SearchBackend, tenant: number, after: number): Promise<number> {
  const tenantId = `t${tenant}`;
  const counts = new Map<IndexName, number>();
  const changes: DocumentChange[] = [];
  let sequence = after;
  const now = Date.UTC(2026, 0, 1);
  for (const { _type, ...document } of demoDocuments({ seed: tenant, identities: 30, now })) {
    const index = indexOfType(String(_type));
    if (index === undefined || !types.includes(index)) continue;
    const count = counts.get(index) ?? 0;
    if (count === documentsEach) continue;
    counts.set(index, count + 1);
    sequence += 1;
    const { nestedPaths } = staticMapping(index, { name: tenantId, pod: 'bench' });
    const { id, ...members } = document;
    const { root, nested } = sourceDocument(String(id), members, nestedPaths);
    changes.push({
      ...{ sequence, tenantId, index, id: String(id) },
      document: { index, id: String(id), root, nested },
    });
  }
  await backend.apply(tenantId, changes);
  await backend.refresh();
  return sequence;
}

/** One search with ten documents. */
async function searchMs(backend: SearchBackend, tenantId: string): Promise<number> {
  const plan: Plan = {
    targets: [{ index: 'identities', query: { kind: 'matchAll' } }],
    ...{ sort: [], from: 0, size: 10, trackTotal: true },
    source: { includes: [], excludes: [], nested: true },
  };
  const began = performance.now();
  const { total } = await backend.search(tenantId, plan, OPTIONS);
  if (total !== documentsEach) throw new Error(`${tenantId} has ${total} identities`);
  return performance.now() - began;
}

/** open or close, by name. */
async function statuses({ url }: OpenSearch): Promise<Map<string, string>> {
  const path = `_cat/indices/${PREFIX}-t*?h=index,status&format=json&expand_wildcards=all`;
  const answer = await fetch(`${url}/${path}`);
  const rows = (await answer.json()) as { readonly index: string; readonly status: string }[];
  return new Map(rows.map(({ index, status }) => [index, status]));
}

/** Heap in use after a full collection. */
async function heapAfterCollection(openSearch: OpenSearch): Promise<number> {
  const jcmd = join(dirname(newestJava()), 'jcmd');
  execFileSync(jcmd, [String(openSearch.pid()), 'GC.run'], { stdio: 'ignore' });
  const answer = await fetch(`${openSearch.url}/_nodes/stats/jvm`);
  const { nodes } = (await answer.json()) as {
    readonly nodes: Record<string, { jvm: { mem: { heap_used_in_bytes: number } } }>;
  };
  const [node] = Object.values(nodes);
  return (node?.jvm.mem.heap_used_in_bytes ?? 0) / 2 ** 20;
}

function report(): string {
  const ms = (times: readonly number[], share: number) =>
    times.length === 0 ? '–' : `${percentile(times, share).toFixed(0)} ms`;
  const row = (name: string, cell: (figures: Figures) => string) =>
    `| ${name} | ${results.map(cell).join(' | ')} |`;
  return [
    '# Many small tenants on one OpenSearch node',
    '',
    `- ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, Node ${process.version}`,
    `- ${cpus().length} × ${cpus()[0]?.model ?? 'unknown CPU'}, load ${busyAtStart.toFixed(1)} at the start, from other programs`,
    `- OpenSearch 3.3 with a heap of ${heapGib} GiB; ${tenants} tenants with ${documentsEach} documents each of ${types.join(' and ')}`,
    '- heap: in use after a full collection, without what the node used before',
    '- searches: one after the other, of different tenants, ten documents; the first one of a closed index opens it',
    '',
    `| ${['', ...results.map(({ limit }) => (limit >= SHARDS_MAX ? 'all open' : `at most ${limit} open`))].join(' | ')} |`,
    `|---|${results.map(() => '---|').join('')}`,
    row('indexes', ({ indexes }) => String(indexes)),
    row('open shards', ({ open: count }) => String(count)),
    row('heap', ({ heapMib, bareHeapMib }) => `${(heapMib - bareHeapMib).toFixed(0)} MiB`),
    row('filled in', ({ fillSeconds }) => `${fillSeconds.toFixed(0)} s`),
    row('start of a Cardea node', ({ restartMs }) => `${restartMs.toFixed(0)} ms`),
    row('search of an open index, p50', ({ openMs }) => ms(openMs, 0.5)),
    row('search of an open index, p99', ({ openMs }) => ms(openMs, 0.99)),
    row('first search of a closed index, p50', ({ closedMs }) => ms(closedMs, 0.5)),
    row('first search of a closed index, p99', ({ closedMs }) => ms(closedMs, 0.99)),
    '',
  ].join('\n');
}
