// Events in one index of OpenSearch beside events in an index for each month (CARDEA_SEARCH_BY_MONTH):
// how long feeding and searches take, whether the answers are the same, and what it costs to delete the
// events of a month by the retention.
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Indexer } from '../src/backends/indexer.ts';
import { OpenSearchClient } from '../src/backends/opensearch/client.ts';
import { DEFAULT_LAYOUT } from '../src/backends/opensearch/indexes/index-set.ts';
import { openOpenSearchBackend } from '../src/backends/opensearch/opensearch-backend.ts';
import { Catalogue } from '../src/demo/catalogue.ts';
import { Company } from '../src/demo/company.ts';
import { EventDocuments } from '../src/demo/event-document.ts';
import { People } from '../src/demo/person.ts';
import { createTenant } from '../src/identity/accounts/provisioning.ts';
import type { SearchBackend } from '../src/identity/ports/search-backend.ts';
import type { StoredDocument } from '../src/identity/ports/stored-document.ts';
import { SILENT } from '../src/log.ts';
import { planAggregate } from '../src/query/aggregate-request.ts';
import { staticMapping } from '../src/query/mapping/document-types.ts';
import { forAll } from '../src/query/mapping/per-index.ts';
import type { Plan } from '../src/query/plan.ts';
import { planSearch } from '../src/query/search-request.ts';
import { PurgeJob } from '../src/retention/purge-job.ts';
import { eventually } from '../test/support/eventually.ts';
import { startOpenSearch } from '../test/support/opensearch.ts';
import { testContext } from '../test/support/query-context.ts';
import { sourceDocument } from '../test/support/segments.ts';
import { temporaryStore } from '../test/support/tenant.ts';
import { percentile } from './load.ts';
import { settle } from './opensearch.ts';
import { cpuSeconds } from './process-figures.ts';

const { values: flags } = parseArgs({
  options: {
    save: { type: 'boolean', default: false },
    documents: { type: 'string', default: '120000' },
    questions: { type: 'string', default: '100' },
  },
});
const MONTHS = 12;
const DAY_MS = 86_400_000;
const START = Date.UTC(2025, 0, 1);
/** Changes of a batch, as the indexer has in a load. */
const BATCH = 1_000;
const WAIT_MS = 600_000;
/** Words and phrases of many events. */
const WORDS = ['request', 'password', 'account', 'entitlement', 'unlock', 'approve', 'lifecycle'];
const PHRASES = ['modify account', 'request authentication', 'create account', 'unlock user'];
const FIELDS = { name: 'acme', pod: 'local' };
const eachMonth = Math.ceil(Number(flags.documents) / MONTHS);
const questions = Number(flags.questions);

/** A backend and its indexer over the store. */
interface Node {
  readonly prefix: string;
  readonly backend: SearchBackend;
  readonly indexer: Indexer;
}

const busyAtStart = loadavg()[0] ?? 0;
const openSearch = await startOpenSearch();
const client = new OpenSearchClient(openSearch.url);
const store = await temporaryStore();
const tenant = await createTenant(store, { name: 'acme' }, { clock: { now: () => START } });
const one = nodeOf('one', false);
const many = nodeOf('many', true);
const { nestedPaths } = staticMapping('events', FIELDS);
try {
  const lines = await measure();
  console.log(lines.join('\n'));
  if (flags.save) {
    const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
    const folder = join(root, 'bench', 'results');
    mkdirSync(folder, { recursive: true });
    const name = `${new Date().toISOString().slice(0, 10)}-months.md`;
    writeFileSync(join(folder, name), lines.join('\n'));
  }
} finally {
  for (const { indexer, backend } of [one, many]) {
    await indexer.stop();
    await backend.close();
  }
  await client.close();
  await store.close();
  await openSearch.stop();
}

function nodeOf(prefix: string, byMonth: boolean): Node {
  const backend = openOpenSearchBackend({
    ...{ url: openSearch.url, prefix, graceMs: 0, intervalMs: 500 },
    layout: { ...DEFAULT_LAYOUT, byMonth: forAll(byMonth) },
    mapping: (_tenant, index) => staticMapping(index, FIELDS),
    lastSequence: () => store.read.lastSequence(),
  });
  const indexer = new Indexer(store, backend, {
    ...{ pollMs: 50, batchSize: BATCH, fullBatches: true, log: SILENT },
  });
  return { prefix, backend, indexer };
}

async function measure(): Promise<string[]> {
  for (const events of eventsByMonth()) {
    for (const batch of batchesOf(events)) {
      await store.write((records) => records.putDocuments(tenant.id, batch));
    }
  }
  const fed = [
    await timed(() => whileFeeding(one)),
    await timed(() => whileFeeding(many)),
  ] as const;
  await settleAll();
  const sizes = [await sizeMib(one), await sizeMib(many)] as const;
  const searches = await compareSearches();
  const deletions = await compareDeletions();
  return [
    '# Events in an index for each month',
    '',
    `- ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, Node ${process.version}`,
    `- ${cpus().length} × ${cpus()[0]?.model ?? 'unknown CPU'}, load ${busyAtStart.toFixed(1)} at the start, from other programs`,
    `- OpenSearch 3.3 with a heap of 2 GiB; ${(eachMonth * MONTHS).toLocaleString('en')} events of the demo company, the same number in each month of 2025; one shard an index`,
    `- one index: ${sizes[0].toFixed(1)} MiB, fed in ${spent(fed[0])}; an index for each month: ${sizes[1].toFixed(1)} MiB, fed in ${spent(fed[1])}`,
    '',
    '## Searches',
    '',
    `${questions} different questions of each kind, one after the other, ten documents. CPU is that of OpenSearch. Where the order is that of the scores, a search of several indexes collects the statistics of all of them first.`,
    '',
    '| question | one index: p50, p99, CPU | by month: p50, p99, CPU | other answers by month |',
    '|---|---|---|---|',
    ...searches,
    '',
    '## Deletion of a month',
    '',
    `${eachMonth.toLocaleString('en')} events, by the retention. Time and CPU include the merges that follow; the size is that of all events.`,
    '',
    '| | time | CPU of Cardea | CPU of OpenSearch | size |',
    '|---|---|---|---|---|',
    ...deletions,
    '',
  ];
}

function eventsByMonth(): StoredDocument[][] {
  const total = eachMonth * MONTHS;
  const now = Date.UTC(2026, 0, 1);
  const people = new People(new Company(7, 2 * total), now);
  const events = new EventDocuments(people, new Catalogue(people));
  return Array.from({ length: MONTHS }, (_, month) => {
    const from = Date.UTC(2025, month, 1);
    const lengthMs = Date.UTC(2025, month + 1, 1) - from;
    return Array.from({ length: eachMonth }, (_event, at) => {
      const { _type, id, ...members } = events.document(2 * (month * eachMonth + at), null);
      const created = new Date(from + Math.floor((at * lengthMs) / eachMonth)).toISOString();
      const document = sourceDocument(String(id), { ...members, created }, nestedPaths);
      return { index: 'events', id: document.id, root: document.root, nested: document.nested };
    });
  });
}

interface Spent {
  readonly seconds: number;
  readonly ownSeconds: number;
  readonly otherSeconds: number;
}

/** Time and CPU of some work, in this process and in OpenSearch. */
async function timed(work: () => Promise<unknown>): Promise<Spent> {
  const own = process.cpuUsage();
  const other = cpuSeconds(openSearch.pid());
  const began = performance.now();
  await work();
  const { user, system } = process.cpuUsage(own);
  return {
    seconds: (performance.now() - began) / 1000,
    ownSeconds: (user + system) / 1e6,
    otherSeconds: cpuSeconds(openSearch.pid()) - other,
  };
}

function spent({ seconds, ownSeconds, otherSeconds }: Spent): string {
  return `${seconds.toFixed(0)} s (CPU ${ownSeconds.toFixed(0)} s and ${otherSeconds.toFixed(0)} s in OpenSearch)`;
}

function batchesOf<Item>(items: readonly Item[]): Item[][] {
  return Array.from({ length: Math.ceil(items.length / BATCH) }, (_, at) =>
    items.slice(at * BATCH, (at + 1) * BATCH),
  );
}

async function settleAll(): Promise<void> {
  for (const { prefix } of [one, many]) {
    await client.send({ method: 'POST', path: `/${prefix}-*/_refresh` }, { timeoutMs: 60_000 });
  }
  await settle({ port: Number(new URL(openSearch.url).port), token: null });
  for (const path of [one, many].flatMap(({ prefix }) => [
    `/${prefix}-*/_refresh`,
    `/${prefix}-*/_flush`,
  ])) {
    await client.send({ method: 'POST', path }, { timeoutMs: 60_000 });
  }
}

/** The segments' size; OpenSearch's statistics of the store are up to ten seconds old. */
async function sizeMib({ prefix }: Node): Promise<number> {
  const names = `${prefix}-*-events-*`;
  const { indices } = await client.send<{
    readonly indices: Record<string, { readonly shards: Record<string, readonly Shard[]> }>;
  }>({ method: 'GET', path: `/${names}/_segments` }, { timeoutMs: 60_000 });
  const shards = Object.values(indices).flatMap((index) => Object.values(index.shards).flat());
  const segments = shards.flatMap((shard) => Object.values(shard.segments));
  return segments.reduce((sum, segment) => sum + segment.size_in_bytes, 0) / 2 ** 20;
}

interface Shard {
  readonly segments: Readonly<Record<string, { readonly size_in_bytes: number }>>;
}

interface Kind {
  readonly name: string;
  plan(n: number): Plan;
}

function kinds(): Kind[] {
  const context = testContext();
  const search = (query: string, sort: readonly string[]) =>
    planSearch({ indices: ['events'], query: { query }, sort }, { limit: '10' }, context);
  const dayOf = (n: number) => (n * 37) % 360;
  const range = (n: number) => `created:[${dayText(dayOf(n))} TO ${dayText(dayOf(n) + 1)}]`;
  const word = (n: number) => WORDS[n % WORDS.length] ?? '';
  return [
    { name: 'a day, newest first', plan: (n) => search(range(n), ['-created']) },
    {
      name: 'a word and a day, newest first',
      plan: (n) => search(`${word(n)} AND ${range(n)}`, ['-created']),
    },
    {
      name: 'a word and a day, best first',
      plan: (n) => search(`${word(n)} AND ${range(n)}`, []),
    },
    {
      name: 'events by type on a day',
      plan: (n) =>
        planAggregate(
          {
            ...{ indices: ['events'], query: { query: range(n) } },
            aggregationsDsl: { types: { terms: { field: 'type.exact', size: 20 } } },
          },
          { limit: '10' },
          context,
        ).plan,
    },
    {
      name: 'a word, newest first',
      plan: (n) => search(`${word(n)} OR a${n}`, ['-created']),
    },
    {
      name: 'a word, best first',
      plan: (n) => search(`${word(n)} OR a${n}`, []),
    },
    {
      name: 'a phrase, best first',
      plan: (n) => search(`"${PHRASES[n % PHRASES.length]}" OR a${n}`, []),
    },
  ];
}

function dayText(day: number): string {
  return new Date(START + day * DAY_MS).toISOString().slice(0, 10);
}

/** @returns rows of a table */
async function compareSearches(): Promise<string[]> {
  const rows: string[] = [];
  for (const { name, plan } of kinds()) {
    const plans = Array.from({ length: questions }, (_, n) => plan(n));
    const expected = await askAll(plans, one);
    const actual = await askAll(plans, many);
    const answered = expected.answers.filter((answer) => !answer.includes('"hits":[]'));
    if (answered.length < questions / 2) throw new Error(`Too few hits: ${name}`);
    const others = actual.answers.filter((answer, n) => answer !== expected.answers[n]);
    const cells = [name, figures(expected), figures(actual), others.length];
    rows.push(`| ${cells.join(' | ')} |`);
    process.stderr.write(`${rows.at(-1)}\n`);
  }
  return rows;
}

interface Asked {
  readonly answers: readonly string[];
  readonly timesMs: readonly number[];
  readonly cpuMs: number;
}

/** Warms up with all questions, then measures them. */
async function askAll(plans: readonly Plan[], { backend }: Node): Promise<Asked> {
  for (const plan of plans) await ask(plan, backend);
  const answers: string[] = [];
  const timesMs: number[] = [];
  const { otherSeconds } = await timed(async () => {
    for (const plan of plans) {
      const began = performance.now();
      answers.push(await ask(plan, backend));
      timesMs.push(performance.now() - began);
    }
  });
  return { answers, timesMs, cpuMs: (1000 * otherSeconds) / plans.length };
}

async function ask(plan: Plan, backend: SearchBackend): Promise<string> {
  const result = await backend.search(tenant.id, plan, { timeoutMs: 60_000 });
  const { hits, total, aggregations } = result;
  const found = hits.map(({ id, score, sort }) => ({ id, score, sort }));
  result.release?.();
  return JSON.stringify(aggregations ?? { total, hits: found });
}

function figures({ timesMs, cpuMs }: Asked): string {
  const ms = (share: number) => percentile(timesMs, share).toFixed(1);
  return `${ms(0.5)} ms, ${ms(0.99)} ms, ${cpuMs.toFixed(1)} ms`;
}

/** @returns rows of a table */
async function compareDeletions(): Promise<string[]> {
  const rows: string[] = [];
  const add = async (name: string, node: Node, work: () => Promise<unknown>) => {
    const before = await sizeMib(node);
    const { seconds, ownSeconds, otherSeconds } = await timed(async () => {
      await work();
      await settleAll();
    });
    const cells = [
      ...[name, `${seconds.toFixed(1)} s`, `${ownSeconds.toFixed(1)} s`],
      ...[`${otherSeconds.toFixed(1)} s`],
      `${before.toFixed(1)} → ${(await sizeMib(node)).toFixed(1)} MiB`,
    ];
    rows.push(`| ${cells.join(' | ')} |`);
    process.stderr.write(`${rows.at(-1)}\n`);
  };
  for (const [at, name] of ['January', 'February', 'March'].entries()) {
    const [purging, other] = at % 2 === 0 ? [one, many] : [many, one];
    const placeOf = (node: Node) => (node === one ? 'one index' : 'an index for each month');
    await add(`${name}, purged: store and ${placeOf(purging)}`, purging, () =>
      purgeMonth(purging, at),
    );
    await add(`${name}, fed from the store: ${placeOf(other)}`, other, () =>
      feedDeletions(other, at),
    );
  }
  await add('what is left of the three months merged away: one index', one, () =>
    client.send(
      {
        ...{ method: 'POST', path: '/one-*-events-*/_forcemerge' },
        query: { only_expunge_deletes: 'true' },
      },
      { timeoutMs: WAIT_MS },
    ),
  );
  return rows;
}

/** Purges a month by the searches of a node, and feeds it the deletions. */
async function purgeMonth(node: Node, month: number): Promise<void> {
  const { backend, indexer } = node;
  const purge = new PurgeJob(
    { store, backend, indexer },
    {
      ...{ owner: 'bench', log: SILENT, eventRetentionMs: DAY_MS, pauseMs: 0 },
      clock: { now: () => Date.UTC(2025, month + 1, 1) + DAY_MS },
    },
  );
  await whileFeeding(node, async () => {
    await purge.run();
    await isDeleted(node, month);
  });
}

/** Feeds the deletions that were purged. */
function feedDeletions(node: Node, month: number): Promise<void> {
  return whileFeeding(node, () => isDeleted(node, month));
}

/** Feeds all changes of the store, and does some work before the feed ends. */
async function whileFeeding({ indexer }: Node, work = async () => {}): Promise<void> {
  indexer.start();
  await indexer.waitFor(await store.read.lastSequence(), WAIT_MS);
  await work();
  await indexer.stop();
}

/** Waits until all deletions are fed, and an index of the month, if there is one, is deleted. */
async function isDeleted({ prefix, indexer }: Node, month: number): Promise<void> {
  await indexer.waitFor(await store.read.lastSequence(), WAIT_MS);
  const text = new Date(Date.UTC(2025, month, 1)).toISOString().slice(0, 7);
  await eventually(async () => {
    const found = await client.send<object>(
      { method: 'GET', path: `/${prefix}-*-${text}/_settings` },
      { timeoutMs: 60_000 },
    );
    if (Object.keys(found).length > 0) throw new Error(`The index of ${text} is still there`);
  });
}
