// suite: slow, alone
// Search workers through the backend that owns them: here a thread runs every request, however
// short.

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { searchOptions } from '../../../../test/support/search-options.ts';
import { ServiceError } from '../../../errors.ts';
import type { Aggregation } from '../../../query/aggregation.ts';
import { staticMapping } from '../../../query/mapping/document-types.ts';
import type { Plan } from '../../../query/plan.ts';
import type { Query } from '../../../query/query.ts';
import { Deadline } from '../../../scheduling/deadline.ts';
import type { SearchBackend } from '../../../service/ports/search-backend.ts';
import type { DocumentChange } from '../../../service/ports/store.ts';
import { openEmbeddedBackend } from '../embedded-backend.ts';
import type { EmbeddedOptions } from '../embedded-options.ts';
import type { FromSearchWorker, SearchWorkerData } from './search-messages.ts';

const OPTIONS = searchOptions();
const SCRIPT = new URL('./search-worker.js', import.meta.url);

let path: string;
let backend: SearchBackend;
let sequence: number;
/** All threads that were started. */
let threads: Worker[];

beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'cardea-workers-'));
  sequence = 0;
  threads = [];
});
afterEach(async () => {
  await backend.close();
  rmSync(path, { recursive: true, force: true });
});

const startThread = (workerData: SearchWorkerData): Worker => new Worker(SCRIPT, { workerData });

async function open(
  options: Partial<EmbeddedOptions> = {},
  start: (data: SearchWorkerData) => Worker = startThread,
): Promise<void> {
  backend = await openEmbeddedBackend({
    path,
    mapping: (tenant, index) => staticMapping(index, { name: tenant, pod: 'cardea' }),
    lastSequence: async () => sequence,
    settleMs: 10,
    searchWorkers: 1,
    mainThreadSearches: 'never',
    startSearchWorker: (data) => {
      const thread = start(data);
      threads.push(thread);
      return thread;
    },
    ...options,
  });
}

async function feed(tenantId: string, names: readonly string[], ids = names): Promise<void> {
  const changes = names.map((name, at): DocumentChange => {
    sequence += 1;
    const id = ids[at] ?? name;
    const root = new TextEncoder().encode(JSON.stringify({ id, name }));
    const document = { index: 'roles' as const, id, root, nested: new Uint8Array(0) };
    return { sequence, tenantId, index: 'roles', id, document };
  });
  await backend.apply(tenantId, changes);
  await backend.refresh();
}

function planOf(query: Query, changes: Partial<Plan> = {}): Plan {
  return {
    ...{ targets: [{ index: 'roles', query }], sort: [], from: 0, size: 1_000, trackTotal: true },
    source: { includes: [], excludes: [], nested: true },
    ...changes,
  };
}

const ALL = planOf({ kind: 'matchAll' });
const DOCUMENTS = 6_000;
/** Takes seconds over DOCUMENTS long names. */
const SLOW = slowPlan(200);

/**
 * @param clauses each takes some 20 ms
 * @param first number of the first clause: plans with other numbers share none
 */
function slowPlan(clauses: number, first = 0): Plan {
  return planOf({
    kind: 'bool',
    ...{ must: [], filter: [], mustNot: [] },
    should: Array.from({ length: clauses }, (_, n) => ({
      ...({ kind: 'regexp', field: 'name', form: 'folded' } as const),
      pattern: `(.*[aeiou]){3}.*x.*y${first + n}.*`,
    })),
  });
}

const feedManyDocuments = (tenantId = 'acme') =>
  feed(
    tenantId,
    Array.from({ length: DOCUMENTS }, (_, n) => `${(n * 2654435761).toString(36)} x `.repeat(20)),
    Array.from({ length: DOCUMENTS }, (_, n) => `d${n}`),
  );

const failsAs = (code: string, work: Promise<unknown>) =>
  assert.rejects(work, (error) => error instanceof ServiceError && error.code === code);

/** The share of a processor that the process uses during some time. */
async function cpuShare(ms: number): Promise<number> {
  const [before, began] = [process.cpuUsage(), performance.now()];
  await pause(ms);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / (performance.now() - began);
}

/** True while a thread runs a request: this thread only waits. */
const isBusy = async (): Promise<boolean> => (await cpuShare(20)) > 0.2;

async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  const until = Date.now() + 30_000;
  while (!(await condition())) {
    if (Date.now() > until) assert.fail('the condition did not become true in time');
    await pause(10);
  }
}

test('a request whose thread is killed still gets its result, and the next one a new thread', async () => {
  await open();
  await feed('acme', ['a', 'b', 'c']);
  assert.equal((await backend.search('acme', ALL, OPTIONS)).total, 3);
  const searches = Array.from({ length: 20 }, () => backend.search('acme', ALL, OPTIONS));
  await threads[0]?.terminate();
  for (const { total, hits } of await Promise.all(searches)) {
    assert.equal(total, 3);
    assert.equal(hits.length, 3);
  }
  // A new thread is started after a second only.
  await eventually(async () => {
    await backend.search('acme', ALL, OPTIONS);
    return threads.length > 1;
  });
  assert.equal((await backend.search('acme', planOf(ALL.targets[0]!.query), OPTIONS)).total, 3);
});

test('when a thread runs out of memory only its current request fails', async () => {
  const hungry = `const { parentPort, workerData } = require('node:worker_threads');
    parentPort.on('message', ({ kind, id }) => {
      if (kind !== 'request') return;
      workerData.current[0] = id;
      const all = [];
      for (;;) all.push(new Array(10_000).fill(Math.random()));
    });
    parentPort.postMessage({ kind: 'ready' });`;
  const limits = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 4 };
  await open({}, (data) =>
    threads.length === 0
      ? new Worker(hungry, { eval: true, resourceLimits: limits, workerData: data })
      : startThread(data),
  );
  await feed('acme', ['a']);
  const [first, second] = [
    backend.search('acme', ALL, OPTIONS),
    backend.search('acme', planOf({ kind: 'matchAll' }, { size: 5 }), OPTIONS),
  ];
  await assert.rejects(
    first,
    (error) =>
      error instanceof ServiceError && error.code === 'unavailable' && /memory/.test(error.message),
  );
  assert.equal((await second).total, 1);
});

test('when a thread dies, requests that nobody waits for any more are not sent to another one', async () => {
  /** How often each page size was asked for. */
  const asked = new Int32Array(new SharedArrayBuffer(4 * 10));
  const silent = `const { parentPort, workerData } = require('node:worker_threads');
    parentPort.on('message', ({ kind, request }) => {
      if (kind === 'request') Atomics.add(workerData, /"size":(\\d)/.exec(request)[1], 1);
    });
    parentPort.postMessage({ kind: 'ready' });`;
  await open({}, () => new Worker(silent, { eval: true, workerData: asked }));
  await feed('acme', ['a']);
  const caller = new AbortController();
  const ask = (size: number) =>
    backend.search('acme', planOf({ kind: 'matchAll' }, { size }), {
      ...OPTIONS,
      signal: caller.signal,
    });
  const cancelled = [1, 2, 3].map(ask);
  await eventually(() => asked[1] === 1 && asked[2] === 1 && asked[3] === 1);
  caller.abort();
  for (const search of cancelled) await assert.rejects(search);
  await threads[0]?.terminate();
  // A new thread is started after a second only; until then the main thread answers.
  await eventually(async () => {
    const later = planOf({ kind: 'matchAll' }, { size: 4 });
    await backend
      .search('acme', later, { ...OPTIONS, deadline: new Deadline(200) })
      .catch(() => {});
    return asked[4] !== 0;
  });
  assert.deepEqual([...asked.subarray(1, 4)], [1, 1, 1]);
});

test('the main thread runs requests when no thread can be started', async () => {
  await open({}, () => {
    throw new Error('no threads today');
  });
  await feed('acme', ['a', 'b']);
  assert.equal((await backend.search('acme', ALL, OPTIONS)).total, 2);
});

test('a damaged document found by a thread takes its index out of service', async () => {
  await open();
  await feed('acme', ['a', 'b']);
  await backend.commit(sequence);
  await backend.close();
  const [file = ''] = readdirSync(path).filter((name) => name.endsWith('.sources'));
  const bytes = readFileSync(join(path, file));
  bytes[10] = (bytes[10] ?? 0) ^ 1;
  writeFileSync(join(path, file), bytes);
  await open();
  const documents: Aggregation = {
    ...{ kind: 'topHits', from: 0, size: 5, sort: [] },
    sourceFilter: { includes: [], excludes: [], nested: true },
  };
  const query: Query = { kind: 'matchAll' };
  const targets = [{ index: 'roles', query, aggregations: { documents } }] as const;
  await failsAs(
    'unavailable',
    backend.search('acme', { ...ALL, size: 0, targets, maxBuckets: 100 }, OPTIONS),
  );
  assert.notEqual(await backend.unreadyReason(), null);
});

test('a cancelled request is rejected at once, and its thread stops working', async () => {
  await open();
  await feedManyDocuments();
  await backend.count('acme', ALL, OPTIONS);
  const caller = new AbortController();
  const search = backend.search('acme', SLOW, { ...OPTIONS, signal: caller.signal });
  await eventually(isBusy);
  caller.abort();
  await failsAs('cancelled', search);
  await eventually(async () => (await cpuShare(200)) < 0.5);
  assert.equal(await backend.count('acme', ALL, OPTIONS), DOCUMENTS);
});

test('rejects a request past its deadline, whether it is running or waiting', async () => {
  await open();
  await feedManyDocuments();
  const searches = Array.from({ length: 5 }, () =>
    backend.search('acme', SLOW, { ...OPTIONS, deadline: new Deadline(30) }),
  );
  await Promise.all(searches.map((search) => failsAs('deadline_exceeded', search)));
  assert.equal(await backend.count('acme', ALL, OPTIONS), DOCUMENTS);
  assert.equal(threads.length, 1);
});

test('close ends all running requests and their threads', async () => {
  await open({ searchWorkers: 2 });
  await feedManyDocuments();
  const searches = Array.from({ length: 6 }, () =>
    failsAs('unavailable', backend.search('acme', SLOW, OPTIONS)),
  );
  await eventually(() => threads.length === 2);
  await backend.close();
  await Promise.all(searches);
  // An idle thread ends a little later.
  await eventually(() => threads.every(({ threadId }) => threadId === -1));
});

test('while segments are added, merged and removed, every tenant finds all its documents and no others', async () => {
  await open({ searchWorkers: 2 });
  const tenants = ['acme', 'globex', 'initech'];
  for (const tenant of tenants) await feed(tenant, [`${tenant}0`]);
  let feeding = true;
  const counts = new Map(tenants.map((tenant) => [tenant, 1]));
  const fed = (async () => {
    for (let n = 1; n <= 40; n += 1) {
      for (const tenant of tenants) {
        await feed(tenant, [`${tenant}${n}`]);
        counts.set(tenant, n + 1);
      }
      if (n % 10 === 0) await backend.commit(sequence);
    }
    feeding = false;
  })();
  while (feeding) {
    await Promise.all(
      tenants.map(async (tenant) => {
        const least = counts.get(tenant) ?? 0;
        const { hits, total } = await backend.search(tenant, ALL, OPTIONS);
        assert.ok(hits.length >= least, `${hits.length} of ${least}`);
        assert.equal(total, hits.length);
        for (const { id, root } of hits) {
          assert.ok(id.startsWith(tenant), `${id} is none of ${tenant}`);
          assert.equal(JSON.parse(new TextDecoder().decode(root)).id, id);
        }
      }),
    );
  }
  await fed;
  for (const tenant of tenants) assert.equal(await backend.count(tenant, ALL, OPTIONS), 41);
});

test('threads drop the segments of a cleared index and find documents fed afterwards', async () => {
  await open();
  await feed('acme', ['a', 'b']);
  assert.equal(await backend.count('acme', ALL, OPTIONS), 2);
  sequence = 0;
  await backend.clear();
  assert.equal(await backend.count('acme', ALL, OPTIONS), 0);
  await feed('acme', ['c']);
  const { hits } = await backend.search('acme', ALL, OPTIONS);
  assert.deepEqual(
    hits.map(({ id }) => id),
    ['c'],
  );
});

test('an error of a query keeps its code, message and causes', async () => {
  await open();
  await feed('acme', ['a', 'b', 'c']);
  const names: Aggregation = {
    ...{ kind: 'terms', source: { kind: 'strings', field: 'name' }, size: 10 },
    ...{ minDocCount: 1, order: [], aggregations: {} },
  };
  const query: Query = { kind: 'matchAll' };
  const targets = [{ index: 'roles', query, aggregations: { names } }] as const;
  const plan = { ...ALL, targets, maxBuckets: 1 };
  await assert.rejects(
    backend.search('acme', plan, OPTIONS),
    (error) =>
      error instanceof ServiceError &&
      error.code === 'limit_exceeded' &&
      (error.details.causes ?? []).some((cause) => /CARDEA_MAX_BUCKETS/.test(cause)),
  );
});

test('the main thread keeps a long request while it computes what it will cache', async () => {
  const asked: string[] = [];
  await open({ mainThreadSearches: 'as it pays' }, (data) => {
    const thread = startThread(data);
    thread.on('message', ({ kind }: FromSearchWorker) => asked.push(kind));
    return thread;
  });
  await feedManyDocuments();
  await eventually(async () => {
    await backend.search('acme', ALL, OPTIONS);
    return asked.includes('ready');
  });
  const results = () => asked.filter((kind) => kind === 'result').length;
  let first = 0;
  // A slow machine may take so long for a request that the worker gets it after all: another one is tried.
  await eventually(async () => {
    first += 1_000;
    const long = slowPlan(5, first);
    const before = results();
    const counts: number[] = [];
    for (let times = 0; times < 3; times += 1) {
      await backend.search('acme', long, OPTIONS);
      counts.push(results() - before);
    }
    // A request that may be the only one with its clauses goes to the worker.
    return counts.join() === '1,1,1';
  });
});

test('short requests get results while long ones fill all threads and the queue', async () => {
  await open({ mainThreadSearches: 'as it pays' });
  await feedManyDocuments();
  const callers = Array.from({ length: 6 }, () => new AbortController());
  const long = callers.map(({ signal }) =>
    failsAs('cancelled', backend.search('acme', SLOW, { ...OPTIONS, signal })),
  );
  await eventually(isBusy);
  for (let n = 0; n < 20; n += 1) {
    const one = planOf({ kind: 'ids', values: [`d${n}`] });
    assert.equal((await backend.search('acme', one, OPTIONS)).total, 1);
  }
  for (const caller of callers) caller.abort();
  await Promise.all(long);
});
