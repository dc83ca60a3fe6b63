// Who answers the cases of a world: the naive evaluator, the embedded engine over segments in memory, and any search
// backend, which is fed what happened and asked through the port as the service asks it.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ServiceError } from '../../src/errors.ts';
import type { SearchBackend, SearchResult } from '../../src/identity/search-backend.ts';
import type { DocumentChange } from '../../src/identity/store.ts';
import type { IndexName, Plan } from '../../src/query/plan.ts';
import { openEmbeddedBackend } from '../../src/search/embedded/embedded-backend.ts';
import type { OpenTarget } from '../../src/search/embedded/open-target.ts';
import {
  countSteps,
  findSteps,
  readSteps,
  typeaheadSteps,
} from '../../src/search/embedded/query-steps.ts';
import { openOpenSearchBackend } from '../../src/search/opensearch/opensearch-backend.ts';
import { sourceDocument } from '../support/segments.ts';
import { type Answer, rowsOfResult } from './answer.ts';
import type { Case } from './cases.ts';
import { NaiveSearch } from './naive-search.ts';
import { build, run } from './random-history.ts';
import { mappingIn, TENANT, type World } from './world.ts';

export type JudgeName = 'naive' | 'engine' | 'workers' | 'openSearch';

export interface Judge {
  readonly name: JudgeName;
  /** @throws ServiceError `limit_exceeded` where the judge gives up on a query by design */
  answer(one: Case): Promise<Answer>;
  close(): Promise<void>;
}

/** More rows than any world has. */
const ALL_ROWS = 100_000;

const sent = (plan: Plan): Plan => JSON.parse(JSON.stringify(plan)) as Plan;

export function naiveJudge({ indexes, change }: World): Judge {
  const search = new NaiveSearch(indexes, change);
  return {
    name: 'naive',
    async answer({ asks, plan }) {
      if (asks === 'count') return { count: search.count(plan) };
      return asks === 'search' ? search.search(plan) : { values: search.typeahead(plan) };
    },
    close: async () => {},
  };
}

export function engineJudge({ indexes }: World): Judge {
  const opened = new Map(
    [...indexes].map(([name, { mapping, steps }]) => {
      const snapshot = { views: build(steps, mapping), release: () => {} };
      return [name, { mapping, snapshot }] as const;
    }),
  );
  const targetsOf = (plan: Plan): OpenTarget[] =>
    plan.targets.flatMap((target) => {
      const found = opened.get(target.index);
      return found === undefined || found.snapshot.views.length === 0
        ? []
        : [{ ...target, ...found }];
    });
  return {
    name: 'engine',
    async answer({ asks, plan: asked }) {
      const plan = sent(asked);
      const targets = targetsOf(plan);
      if (asks === 'count') return { count: run(countSteps(targets)) };
      if (asks === 'typeahead') return { values: run(typeaheadSteps(targets, plan)) };
      const found = run(searchSteps(targets, plan));
      const rows = rowsOfResult(found);
      // What is asked again is answered from what has been remembered meanwhile.
      const again = run(searchSteps(targets, plan));
      assert.deepEqual(rowsOfResult(again), rows, 'asked again');
      assert.equal(again.total, found.total, 'asked again: total');
      const whole = { ...plan, from: 0, size: ALL_ROWS };
      const { maxBuckets: _, ...unaggregated } = whole;
      const all = rowsOfResult(run(searchSteps(targets, unaggregated)));
      const { total, aggregations } = found;
      return { rows, all, total, ...(aggregations && { aggregations: parsed(aggregations) }) };
    },
    close: async () => {},
  };
}

function* searchSteps(targets: readonly OpenTarget[], plan: Plan): Generator<void, SearchResult> {
  const { rows, ...rest } = yield* findSteps(targets, plan);
  return { hits: yield* readSteps(targets, plan, rows), ...rest };
}

const parsed = (value: unknown): unknown => JSON.parse(JSON.stringify(value)) as unknown;

const OPTIONS = { timeoutMs: 60_000 };

/**
 * The embedded backend with every question put to its search workers, while documents are written anew beside them: as they
 * are, so that segments come, merge and go and every answer stays the same, scores apart.
 */
export async function workersJudge(world: World): Promise<Judge> {
  const path = mkdtempSync(join(tmpdir(), 'cardea-workers-judge-'));
  const backend = await openEmbeddedBackend({
    path,
    mapping: (_tenantId, index) => mappingIn(world, index),
    lastSequence: async () => 0,
    searchWorkers: 2,
    mainThreadSearches: 'never',
  });
  let sequence = await feed(backend, world);
  let closing = false;
  const rewriting = (async () => {
    for (let round = 0; !closing; round++) {
      for (const [index, { mapping, documents }] of world.indexes) {
        const some = documents.filter((_, at) => at % REWRITTEN_EVERY === round % REWRITTEN_EVERY);
        const changes = some.map(({ id, ...members }): DocumentChange => {
          sequence += 1;
          const document = stored(index, id, members, mapping.nestedPaths);
          return { sequence, tenantId: TENANT, index, id, document };
        });
        await backend.apply(TENANT, changes);
        await backend.refresh();
      }
      if (round % COMMITTED_EVERY === 0) await backend.commit(sequence);
      await pause(1);
    }
  })();
  return backendJudge('workers', backend, async () => {
    closing = true;
    await rewriting;
    await backend.close();
    rmSync(path, { recursive: true, force: true });
  });
}

/** Rounds until every document has been written anew, and until what was written is committed. */
const REWRITTEN_EVERY = 7;
const COMMITTED_EVERY = 5;

/** A judge that is a search backend; what it turns away for the moment is asked again. */
export async function openSearchJudge(world: World, url: string, prefix: string): Promise<Judge> {
  const backend = openOpenSearchBackend({
    url,
    prefix,
    mapping: (_tenantId, index) => mappingIn(world, index),
    lastSequence: async () => 0,
  });
  // After a fault the backend wants to be fed from the start; replays are harmless.
  try {
    await patiently(() => feed(backend, world));
  } catch (error) {
    await backend.close();
    throw error;
  }
  return backendJudge('openSearch', backend, async () => {
    try {
      await patiently(() => backend.clear());
    } finally {
      await backend.close();
    }
  });
}

function backendJudge(name: JudgeName, backend: SearchBackend, close: () => Promise<void>): Judge {
  return {
    name,
    close,
    async answer({ asks, plan: asked }) {
      const plan = sent(asked);
      if (asks === 'count') {
        return { count: await patiently(() => backend.count(TENANT, plan, OPTIONS)) };
      }
      if (asks === 'typeahead') {
        return { values: await patiently(() => backend.typeahead(TENANT, plan, OPTIONS)) };
      }
      const found = await patiently(() => backend.search(TENANT, plan, OPTIONS));
      const { total, aggregations } = found;
      const more = aggregations && { aggregations: parsed(aggregations) };
      return { rows: rowsOfResult(found), total, ...more };
    },
  };
}

const PATIENCE_MS = 60_000;

/** A cluster that has too much to do says when to ask again: that is no fault before PATIENCE_MS are over. */
export async function patiently<Result>(ask: () => Promise<Result>): Promise<Result> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const busy = error instanceof ServiceError && error.code === 'unavailable';
      if (!busy || Date.now() > deadline) throw error;
      await pause(1000 * (error.details.retryAfterSeconds ?? 1));
    }
  }
}

/** Each step of the history is one bulk of changes that is made searchable by itself, so that there are segments. @returns the last sequence */
async function feed(backend: SearchBackend, { indexes }: World): Promise<number> {
  let sequence = 0;
  const rounds = Math.max(...[...indexes.values()].map(({ steps }) => steps.length));
  for (let at = 0; at < rounds; at++) {
    const changes: DocumentChange[] = [];
    for (const [index, { mapping, steps }] of indexes) {
      const step = steps[at];
      if (step?.kind !== 'flush') continue;
      const change = (id: string, document: DocumentChange['document']): void => {
        sequence += 1;
        changes.push({ sequence, tenantId: TENANT, index, id, document });
      };
      for (const { id, ...members } of step.puts) {
        change(id, stored(index, id, members, mapping.nestedPaths));
      }
      for (const id of step.deletes) change(id, null);
    }
    if (changes.length === 0) continue;
    await backend.apply(TENANT, changes);
    await backend.refresh();
  }
  return sequence;
}

function stored(index: IndexName, id: string, members: object, nestedPaths: readonly string[]) {
  const { root, nested } = sourceDocument(id, members, nestedPaths);
  return { index, id, root, nested };
}
