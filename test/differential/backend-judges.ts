// Judges that are search backends, fed with the history and queried through the port as by the
// service: the embedded backend over files and searched in other threads, and a real OpenSearch.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openEmbeddedBackend } from '../../src/backends/embedded/embedded-backend.ts';
import { openOpenSearchBackend } from '../../src/backends/opensearch/opensearch-backend.ts';
import type { SearchLimits } from '../../src/backends/opensearch/requests/search-response.ts';
import { ServiceError } from '../../src/errors.ts';
import { forAll } from '../../src/query/mapping/per-index.ts';
import type { IndexName } from '../../src/query/query.ts';
import { CooperativeScheduler } from '../../src/scheduling/cooperative.ts';
import type { SearchBackend } from '../../src/service/ports/search-backend.ts';
import type { DocumentChange } from '../../src/service/ports/store.ts';
import { searchOptions } from '../support/search-options.ts';
import { sourceDocument } from '../support/segments.ts';
import { openWithReaders } from '../support/thread-reader.ts';
import { rowsOfResult } from './answer.ts';
import { type Judge, type JudgeName, sent } from './judge.ts';
import { mappingIn, TENANT, type World } from './world.ts';

/**
 * The embedded backend over an index that was written, closed and reopened: it reads every section
 * from its file, positions by pages with a small cache, and runs every query in slices.
 */
export async function filesJudge(world: World): Promise<Judge> {
  const path = mkdtempSync(join(tmpdir(), 'cardea-files-judge-'));
  let sequence = 0;
  const options = {
    path,
    mapping: (_tenantId: string, index: IndexName) => mappingIn(world, index),
    // An index that is ahead of its store would be deleted.
    lastSequence: async () => sequence,
  };
  const written = await openEmbeddedBackend(options);
  sequence = await feed(written, world);
  await written.commit(sequence);
  await written.close();
  let nowMs = 0;
  const clock = {
    now: () => {
      nowMs += SLICED_STEP_MS;
      return nowMs;
    },
  };
  const backend = await openEmbeddedBackend({
    ...options,
    scheduler: new CooperativeScheduler({ clock }),
    cacheSizes: { positions: FEW_PAGES_BYTES },
  });
  return backendJudge('files', world, backend, async () => {
    await backend.close();
    rmSync(path, { recursive: true, force: true });
  });
}

/** The simulated duration of each step of a query, so that a slice has few steps. */
const SLICED_STEP_MS = 0.7;
const FEW_PAGES_BYTES = 64 * 1024;

/**
 * The embedded backend with all queries in three other threads, while documents are rewritten
 * unchanged, so that segments are created, merged and deleted, and every result but the scores stays the same.
 */
export async function threadsJudge(world: World): Promise<Judge> {
  const path = mkdtempSync(join(tmpdir(), 'cardea-threads-judge-'));
  const backend = await openWithReaders(
    {
      path,
      mapping: (_tenantId, index) => mappingIn(world, index),
      lastSequence: async () => 0,
    },
    3,
  );
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
  return backendJudge('threads', world, backend, async () => {
    closing = true;
    await rewriting;
    await backend.close();
    rmSync(path, { recursive: true, force: true });
  });
}

/** Rounds until every document is rewritten, and until the next commit. */
const REWRITTEN_EVERY = 7;
const COMMITTED_EVERY = 5;

/**
 * A judge from a search backend; repeats requests that it temporarily rejects.
 * @param shards of each index; with several it is the judge `shards`
 */
export async function openSearchJudge(
  world: World,
  url: string,
  prefix: string,
  shards = 1,
): Promise<Judge> {
  const backend = openOpenSearchBackend({
    url,
    prefix,
    layout: { shards: forAll(shards), replicas: forAll('auto') },
    ...(world.seed % 2 === 0 && { limits: FEW_AT_ONCE }),
    mapping: (_tenantId, index) => mappingIn(world, index),
    lastSequence: async () => 0,
  });
  // After a fault the backend must be fed from the start; replays are harmless.
  try {
    await patiently(() => feed(backend, world));
  } catch (error) {
    await backend.close();
    throw error;
  }
  const name = shards === 1 ? 'openSearch' : 'shards';
  return backendJudge(name, world, backend, async () => {
    try {
      await patiently(() => backend.clear());
    } finally {
      await backend.close();
    }
  });
}

/** So few that a page needs many requests. */
const FEW_AT_ONCE: SearchLimits = { window: 4, documents: 3, elements: 2, elementsBefore: 2 };

function backendJudge(
  name: JudgeName,
  world: World,
  backend: SearchBackend,
  close: () => Promise<void>,
): Judge {
  // The time is also enough for the slow clock of filesJudge.
  const options = searchOptions((index) => mappingIn(world, index));
  return {
    name,
    close,
    async answer({ asks, plan: asked }) {
      const plan = sent(asked);
      if (asks === 'count') {
        return { count: await patiently(() => backend.count(TENANT, plan, options)) };
      }
      if (asks === 'typeahead') {
        return { values: await patiently(() => backend.typeahead(TENANT, plan, options)) };
      }
      const result = await patiently(() => backend.search(TENANT, plan, options));
      const { total, aggregations } = result;
      const more = aggregations && { aggregations: JSON.parse(JSON.stringify(aggregations)) };
      return { rows: rowsOfResult(result), total, ...more };
    },
  };
}

const PATIENCE_MS = 60_000;

/** A cluster that is overloaded says when to retry, which is a fault only after PATIENCE_MS. */
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

/**
 * Applies and refreshes each step of the history separately, to get segments.
 * @returns the last sequence
 */
export async function feed(backend: SearchBackend, { indexes }: World): Promise<number> {
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

/** A document in the form in which the store passes it to a backend. */
export function stored(
  index: IndexName,
  id: string,
  members: object,
  nestedPaths: readonly string[],
) {
  const { root, nested } = sourceDocument(id, members, nestedPaths);
  return { index, id, root, nested };
}
