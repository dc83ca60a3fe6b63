// Events in one index of OpenSearch beside events in an index for each month: how long searches take,
// whether the answers are the same, and what it costs to delete the events of a month.
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { Indexer } from '../src/backends/indexer.ts';
import { aggregateTargets } from '../src/backends/opensearch/aggregations/aggregate.ts';
import { OpenSearchClient } from '../src/backends/opensearch/client.ts';
import { columnName } from '../src/backends/opensearch/columns.ts';
import { findHits } from '../src/backends/opensearch/hit-search.ts';
import { openOpenSearchBackend } from '../src/backends/opensearch/opensearch-backend.ts';
import type { OpenTarget } from '../src/backends/opensearch/plan-to-body.ts';
import { SearchClient } from '../src/backends/opensearch/search-client.ts';
import { Catalogue } from '../src/demo/catalogue.ts';
import { Company } from '../src/demo/company.ts';
import { EventDocuments } from '../src/demo/event-document.ts';
import { People } from '../src/demo/person.ts';
import { createTenant } from '../src/identity/accounts/provisioning.ts';
import type { DocumentChange } from '../src/identity/ports/store.ts';
import type { StoredDocument } from '../src/identity/ports/stored-document.ts';
import { SILENT } from '../src/log.ts';
import { planAggregate } from '../src/query/aggregate-request.ts';
import { DateCache } from '../src/query/dates/date-cache.ts';
import { staticMapping } from '../src/query/mapping/document-types.ts';
import type { Plan } from '../src/query/plan.ts';
import { planSearch } from '../src/query/search-request.ts';
import { PurgeJob } from '../src/retention/purge-job.ts';
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
const PREFIX = 'months';
const WHOLE = 'whole';
/** Changes of a batch, as the indexer has in a load. */
const BATCH = 1_000;
/** Words and phrases of many events. */
const WORDS = ['request', 'password', 'account', 'entitlement', 'unlock', 'approve', 'lifecycle'];
const PHRASES = ['modify account', 'request authentication', 'create account', 'unlock user'];
const eachMonth = Math.ceil(Number(flags.documents) / MONTHS);
const questions = Number(flags.questions);

const busyAtStart = loadavg()[0] ?? 0;
const openSearch = await startOpenSearch();
const client = new OpenSearchClient(openSearch.url);
const store = await temporaryStore();
const tenant = await createTenant(store, { name: WHOLE }, { clock: { now: () => START } });
const backend = openOpenSearchBackend({
  ...{ url: openSearch.url, prefix: PREFIX },
  mapping: (_tenant, index) => staticMapping(index, { name: 'acme', pod: 'local' }),
  lastSequence: () => store.read.lastSequence(),
});
const indexer = new Indexer(store, backend, {
  ...{ pollMs: 50, batchSize: BATCH, fullBatches: true, log: SILENT },
});
const { nestedPaths } = staticMapping('events', { name: 'acme', pod: 'local' });
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
  await indexer.stop();
  await backend.close();
  await client.close();
  await store.close();
  await openSearch.stop();
}

async function measure(): Promise<string[]> {
  const months = eventsByMonth();
  const fedWhole = await timed(async () => {
    indexer.start();
    for (const events of months) {
      for (const batch of batchesOf(events)) {
        await store.write((records) => records.putDocuments(tenant.id, batch));
      }
    }
    await indexer.waitFor(await store.read.lastSequence(), 600_000);
    await indexer.stop();
  });
  const fedMonths = await timed(async () => {
    // What was committed is not applied again, so the changes get later numbers.
    const later = await store.read.lastSequence();
    for (let after = 0; ; ) {
      const changes = await store.read.changesAfter(after, BATCH);
      for (const [tenantId, part] of byMonth(changes, later)) await backend.apply(tenantId, part);
      await backend.refresh();
      const last = changes.at(-1);
      if (last === undefined) break;
      after = last.sequence;
    }
    await backend.commit(await store.read.lastSequence());
  });
  await settleAll();
  const names = await indexNames();
  const nameOf = (tenantId: string) => {
    const name = names.find((one) => one.includes(`-${tenantId}-`));
    if (name === undefined) throw new Error(`No index of ${tenantId} among ${names.join(', ')}`);
    return name;
  };
  const whole = nameOf(tenant.id);
  const all = months.map((_, month) => nameOf(tenantOf(month)));
  const sizes = [await sizeMib([whole]), await sizeMib(all), await sizeMib([all[0] ?? ''])];
  const searches = await compareSearches(whole, all);
  const deletions = await compareDeletions(whole, months, all[0] ?? '');
  return [
    '# Events in an index for each month',
    '',
    `- ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, Node ${process.version}`,
    `- ${cpus().length} × ${cpus()[0]?.model ?? 'unknown CPU'}, load ${busyAtStart.toFixed(1)} at the start, from other programs`,
    `- OpenSearch 3.3 with a heap of 2 GiB; ${(eachMonth * MONTHS).toLocaleString('en')} events of the demo company, the same number in each month of 2025; one shard an index`,
    `- one index: ${sizes[0]?.toFixed(1)} MiB, written to the store and fed in ${spent(fedWhole)}; ${MONTHS} indexes: ${sizes[1]?.toFixed(1)} MiB, fed from the store in ${spent(fedMonths)}`,
    '',
    '## Searches',
    '',
    `${questions} different questions of each kind, one after the other, ten documents. CPU is that of OpenSearch. Where the order is that of the scores, a search of several indexes collects the statistics of all of them first.`,
    '',
    '| question | one index: p50, p99, CPU | all months: p50, p99, CPU | only the months of the range: p50, p99, CPU | other answers by all months | by the months of the range |',
    '|---|---|---|---|---|---|',
    ...searches,
    '',
    '## Deletion of a month',
    '',
    `${eachMonth.toLocaleString('en')} events. Time and CPU include the merges that follow; the size is that before the deletion and after the merges.`,
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

/** Each month is a tenant of its own, because each tenant has an index of its own. */
function tenantOf(month: number): string {
  return `m${String(month + 1).padStart(2, '0')}`;
}

/** The changes for the indexes of the months. */
function byMonth(changes: readonly DocumentChange[], later: number): Map<string, DocumentChange[]> {
  const months = new Map<string, DocumentChange[]>();
  for (const change of changes) {
    if (change.document === null || change.index !== 'events') continue;
    const { created } = JSON.parse(Buffer.from(change.document.root).toString()) as {
      readonly created: string;
    };
    const tenantId = tenantOf(new Date(created).getUTCMonth());
    const own = { ...change, tenantId, sequence: later + change.sequence };
    const month = months.get(tenantId);
    if (month === undefined) months.set(tenantId, [own]);
    else month.push(own);
  }
  return months;
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
  await client.send({ method: 'POST', path: `/${PREFIX}-*/_refresh` }, { timeoutMs: 60_000 });
  await settle({ port: Number(new URL(openSearch.url).port), token: null });
  for (const path of [`/${PREFIX}-*/_refresh`, `/${PREFIX}-*/_flush`]) {
    await client.send({ method: 'POST', path }, { timeoutMs: 60_000 });
  }
}

async function indexNames(): Promise<string[]> {
  const answer = await client.send<readonly { readonly index: string }[]>(
    {
      ...{ method: 'GET', path: `/_cat/indices/${PREFIX}-*-events-*` },
      query: { h: 'index', format: 'json' },
    },
    { timeoutMs: 60_000 },
  );
  return answer.map(({ index }) => index).sort();
}

/** The segments' size; OpenSearch's statistics of the store are up to ten seconds old. */
async function sizeMib(names: readonly string[]): Promise<number> {
  const { indices } = await client.send<{
    readonly indices: Record<string, { readonly shards: Record<string, readonly Shard[]> }>;
  }>({ method: 'GET', path: `/${names.join(',')}/_segments` }, { timeoutMs: 60_000 });
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
  /** Whether its matches are in the months of a range of `created`. */
  readonly inRange: boolean;
}

function kinds(): Kind[] {
  const context = testContext();
  const search = (query: string, sort: readonly string[]) =>
    planSearch({ indices: ['events'], query: { query }, sort }, { limit: '10' }, context);
  const dayOf = (n: number) => (n * 37) % 360;
  const range = (n: number) => `created:[${dayText(dayOf(n))} TO ${dayText(dayOf(n) + 1)}]`;
  const word = (n: number) => WORDS[n % WORDS.length] ?? '';
  return [
    { name: 'a day, newest first', inRange: true, plan: (n) => search(range(n), ['-created']) },
    {
      ...{ name: 'a word and a day, newest first', inRange: true },
      plan: (n) => search(`${word(n)} AND ${range(n)}`, ['-created']),
    },
    {
      ...{ name: 'a word and a day, best first', inRange: true },
      plan: (n) => search(`${word(n)} AND ${range(n)}`, []),
    },
    {
      ...{ name: 'events by type on a day', inRange: true },
      plan: (n) =>
        planAggregate(
          {
            ...{ indices: ['events'], query: { query: range(n) } },
            aggregationsDsl: { types: { terms: { field: 'type.exact', size: 20 } } },
          },
          {},
          context,
        ).plan,
    },
    {
      ...{ name: 'a word, newest first', inRange: false },
      plan: (n) => search(`${word(n)} OR a${n}`, ['-created']),
    },
    {
      ...{ name: 'a word, best first', inRange: false },
      plan: (n) => search(`${word(n)} OR a${n}`, []),
    },
    {
      ...{ name: 'a phrase, best first', inRange: false },
      plan: (n) => search(`"${PHRASES[n % PHRASES.length]}" OR a${n}`, []),
    },
  ];
}

function dayText(day: number): string {
  return new Date(START + day * DAY_MS).toISOString().slice(0, 10);
}

/** @returns rows of a table */
async function compareSearches(whole: string, all: readonly string[]): Promise<string[]> {
  const rows: string[] = [];
  for (const { name, plan, inRange } of kinds()) {
    const plans = Array.from({ length: questions }, (_, n) => plan(n));
    const one = await askAll(plans, () => [whole]);
    const every = await askAll(plans, () => all);
    const some = inRange ? await askAll(plans, (asked) => monthsOf(asked, all)) : null;
    const answered = one.answers.filter((answer) => !/"hits":\[\]/.test(JSON.stringify(answer)));
    if (answered.length < questions / 2) throw new Error(`Too few hits: ${name}`);
    const others = (answers: readonly unknown[]) =>
      answers.filter((answer, n) => !isDeepStrictEqual(answer, one.answers[n])).length;
    const cells = [
      ...[name, figures(one), figures(every), some === null ? '–' : figures(some)],
      ...[others(every.answers), some === null ? '–' : others(some.answers)],
    ];
    rows.push(`| ${cells.join(' | ')} |`);
    process.stderr.write(`${rows.at(-1)}\n`);
  }
  return rows;
}

/** The indexes of the months of the plan's range of `created`. */
function monthsOf(plan: Plan, all: readonly string[]): string[] {
  const text = JSON.stringify(plan.targets[0]?.query);
  const bounds = [...text.matchAll(/"(?:gte?|lte?)":(\d{13})/g)].map(([, ms]) =>
    new Date(Number(ms)).getUTCMonth(),
  );
  if (bounds.length < 2) throw new Error(`No range of dates in ${text}`);
  return all.slice(Math.min(...bounds), Math.max(...bounds) + 1);
}

interface Asked {
  readonly answers: readonly unknown[];
  readonly timesMs: readonly number[];
  readonly cpuMs: number;
}

/** Warms up with all questions, then measures them. */
async function askAll(
  plans: readonly Plan[],
  indexesOf: (plan: Plan) => readonly string[],
): Promise<Asked> {
  for (const plan of plans) await ask(plan, indexesOf(plan));
  const answers: unknown[] = [];
  const timesMs: number[] = [];
  const { otherSeconds } = await timed(async () => {
    for (const plan of plans) {
      const began = performance.now();
      answers.push(await ask(plan, indexesOf(plan)));
      timesMs.push(performance.now() - began);
    }
  });
  return { answers, timesMs, cpuMs: (1000 * otherSeconds) / plans.length };
}

async function ask(plan: Plan, indexes: readonly string[]): Promise<unknown> {
  const searchClient = new SearchClient(client, {
    onGone: () => {},
    open: () => Promise.resolve(),
  });
  const { search } = searchClient.within({ timeoutMs: 60_000 });
  const targets = plan.targets.map(
    (target): OpenTarget => ({
      ...target,
      mapping: staticMapping('events', { name: 'acme', pod: 'local' }),
      ...{ concreteIndex: indexes.join(','), shards: indexes.length },
    }),
  );
  if (plan.targets.some(({ aggregations }) => aggregations !== undefined)) {
    return aggregateTargets(plan, targets, search, new DateCache());
  }
  const { hits, total } = await findHits(targets, plan, search);
  return { total, hits: hits.map(({ id, score, sort }) => ({ id, score, sort })) };
}

function figures({ timesMs, cpuMs }: Asked): string {
  const ms = (share: number) => percentile(timesMs, share).toFixed(1);
  return `${ms(0.5)} ms, ${ms(0.99)} ms, ${cpuMs.toFixed(1)} ms`;
}

/** @returns rows of a table */
async function compareDeletions(
  whole: string,
  months: readonly (readonly StoredDocument[])[],
  january: string,
): Promise<string[]> {
  const rows: string[] = [];
  const add = async (name: string, index: string, work: () => Promise<unknown>) => {
    const before = await sizeMib([index]);
    const { seconds, ownSeconds, otherSeconds } = await timed(async () => {
      await work();
      await settleAll();
    });
    const after = index === whole ? await sizeMib([index]) : 0;
    const cells = [
      ...[name, `${seconds.toFixed(1)} s`, `${ownSeconds.toFixed(1)} s`],
      ...[`${otherSeconds.toFixed(1)} s`, `${before.toFixed(1)} → ${after.toFixed(1)} MiB`],
    ];
    rows.push(`| ${cells.join(' | ')} |`);
    process.stderr.write(`${rows.at(-1)}\n`);
  };
  const retentionMs = DAY_MS;
  const purge = new PurgeJob(
    { store, backend, indexer },
    {
      ...{ owner: 'bench', log: SILENT, eventRetentionMs: retentionMs },
      clock: { now: () => Date.UTC(2025, 1, 1) + retentionMs },
    },
  );
  await add('January by the purge, as today: store and index', whole, async () => {
    indexer.start();
    await indexer.waitFor(await store.read.lastSequence(), 600_000);
    await purge.run();
    await indexer.waitFor(await store.read.lastSequence(), 600_000);
  });
  await indexer.stop();
  let sequence = await store.read.lastSequence();
  await add('February by id, which is the part of the index', whole, async () => {
    for (const batch of batchesOf(months[1] ?? [])) {
      const changes = batch.map(
        ({ id }): DocumentChange => ({
          ...{ sequence: ++sequence, tenantId: tenant.id, index: 'events', id, document: null },
        }),
      );
      await backend.apply(tenant.id, changes);
      await backend.refresh();
    }
  });
  await add('March by a query', whole, () =>
    client.send(
      {
        ...{ method: 'POST', path: `/${whole}/_delete_by_query` },
        query: { refresh: 'true', conflicts: 'proceed' },
        body: {
          query: {
            range: {
              [columnName('created', 'value')]: {
                gte: Date.UTC(2025, 2, 1),
                lt: Date.UTC(2025, 3, 1),
              },
            },
          },
        },
      },
      { timeoutMs: 600_000 },
    ),
  );
  await add('the index of January dropped', january, () =>
    client.send({ method: 'DELETE', path: `/${january}` }, { timeoutMs: 60_000 }),
  );
  await add('what is left of the three months merged away', whole, () =>
    client.send(
      {
        ...{ method: 'POST', path: `/${whole}/_forcemerge` },
        query: { only_expunge_deletes: 'true' },
      },
      { timeoutMs: 600_000 },
    ),
  );
  return rows;
}
