// The runs of saved searches as callers see them: their state, results as CSV, and deliveries. An
// extension of the public API.
// Invariant: results are documents, so reading them needs the right to search as well as to see the
// saved search.

import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { authorize } from '../../auth/access.ts';
import type { Caller } from '../../auth/caller.ts';
import { ServiceError } from '../../errors.ts';
import { invalid } from '../../query/body.ts';
import { readCollectionPage } from '../../query/collections/collection-page.ts';
import { changeableItem, type OwnerReference } from '../owned-items/owned-item.ts';
import type { SearchDelivery, SearchRun, TypeResult } from '../ports/saved-search-records.ts';
import type { Store } from '../ports/store.ts';
import type { Listed, ListParameters } from './list-request.ts';
import { SAVED_SEARCH } from './saved-searches.ts';

/** A run as callers see it. */
export interface SearchRunView
  extends Pick<
    SearchRun,
    | 'id'
    | 'savedSearchId'
    | 'scheduleId'
    | 'state'
    | 'reason'
    | 'due'
    | 'created'
    | 'started'
    | 'ended'
  > {
  readonly owner: OwnerReference;
  /** Attempts so far: more than one if a process died. */
  readonly attempts: number;
  readonly results: readonly (TypeResult & { readonly truncated: boolean })[];
}

/** A delivery as callers see it. */
export interface SearchDeliveryView
  extends Omit<SearchDelivery, 'recipientId' | 'openAt' | 'savedSearchId'> {
  readonly recipient: OwnerReference | null;
  /** ISO 8601: when it is tried again; null: not. */
  readonly nextAttempt: string | null;
}

const unzip = promisify(gunzip);

/** Reads runs, results and deliveries. */
export class SearchRuns {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** The newest first. @throws ServiceError `forbidden`, `not_found`, `request_invalid` */
  async list(
    caller: Caller,
    savedSearchId: string,
    parameters: ListParameters = {},
  ): Promise<Listed<SearchRunView>> {
    await this.#authorize(caller, savedSearchId);
    const runs = await this.#store.read.searchRuns(caller.tenantId, savedSearchId);
    return pageOf(runs.map(runView), parameters);
  }

  /** @throws ServiceError `forbidden`, `not_found` */
  async get(caller: Caller, savedSearchId: string, runId: string): Promise<SearchRunView> {
    return runView(await this.#run(caller, savedSearchId, runId));
  }

  /**
   * The rows of a run as UTF-8 CSV, in pieces that are read one after the other.
   * @param type a document type; may be left out if the run has one
   * @throws ServiceError `forbidden`, `not_found` also for a run that has not completed,
   * `request_invalid`; the pieces throw `not_found` if the run is deleted meanwhile
   */
  async csv(
    caller: Caller,
    savedSearchId: string,
    runId: string,
    type?: string,
  ): Promise<AsyncGenerator<Uint8Array>> {
    const run = await this.#run(caller, savedSearchId, runId);
    if (run.state !== 'COMPLETED') {
      throw new ServiceError('not_found', `The run has no results: its state is ${run.state}.`);
    }
    const types = run.results.map((result) => result.type);
    const [only] = types;
    const chosen = type ?? (types.length === 1 ? only : undefined);
    if (chosen === undefined || !types.includes(chosen)) {
      throw invalid(`type: expected one of ${types.join(', ')}`);
    }
    return this.#pieces(caller.tenantId, run, chosen);
  }

  /**
   * The deliveries of all kept runs, the newest first.
   * @throws ServiceError `forbidden`, `not_found`, `request_invalid`
   */
  async deliveries(
    caller: Caller,
    savedSearchId: string,
    parameters: ListParameters = {},
  ): Promise<Listed<SearchDeliveryView>> {
    await this.#authorize(caller, savedSearchId);
    const deliveries = await this.#store.read.searchDeliveries(caller.tenantId, savedSearchId);
    return pageOf(deliveries.map(deliveryView), parameters);
  }

  async *#pieces(tenantId: string, run: SearchRun, type: string): AsyncGenerator<Uint8Array> {
    const { read } = this.#store;
    for (let part = 0; ; part += 1) {
      const zipped = await read.runPart(tenantId, run, type, part);
      if (zipped === null) break;
      yield await unzip(zipped);
    }
    // The parts of a deleted run are gone, too: what was read may not be all.
    if ((await read.searchRun(tenantId, run.id)) === null) throw runMissing(run.id);
  }

  async #authorize(caller: Caller, savedSearchId: string): Promise<void> {
    authorize(caller, 'saved-search:results');
    authorize(caller, 'search');
    await changeableItem(SAVED_SEARCH, this.#store.read, caller, savedSearchId);
  }

  async #run(caller: Caller, savedSearchId: string, runId: string): Promise<SearchRun> {
    await this.#authorize(caller, savedSearchId);
    const run = await this.#store.read.searchRun(caller.tenantId, runId);
    if (run?.savedSearchId === savedSearchId) return run;
    throw runMissing(runId);
  }
}

function runMissing(runId: string): ServiceError {
  return new ServiceError('not_found', `The saved search has no run ${runId.slice(0, 60)}.`);
}

function pageOf<T>(items: readonly T[], parameters: ListParameters): Listed<T> {
  const { offset, limit, count } = readCollectionPage(parameters);
  const total = count ? items.length : null;
  return { items: items.slice(offset, offset + limit), total };
}

function runView(run: SearchRun): SearchRunView {
  const { id, savedSearchId, scheduleId, state, reason, due, created, started, ended } = run;
  return {
    ...{ id, savedSearchId, scheduleId, state, reason, due, created, started, ended },
    owner: { type: 'IDENTITY', id: run.ownerId },
    attempts: run.attempt,
    results: run.results.map((result) => ({ ...result, truncated: result.rows < result.count })),
  };
}

function deliveryView(delivery: SearchDelivery): SearchDeliveryView {
  const { recipientId, openAt, savedSearchId: _, ...shown } = delivery;
  return {
    ...shown,
    recipient: recipientId === null ? null : { type: 'IDENTITY', id: recipientId },
    nextAttempt: openAt === null ? null : new Date(openAt).toISOString(),
  };
}
