// Searches whose hits hold what this service fed. Another program may write documents into the
// indexes, change, replace or copy them: such a hit is answered with the document of the store, and
// is reported, so that the document is fed again. One that the store does not have, or that does not
// match as it is in the store, is left out, and the search is repeated without it.
// Invariant: the bytes of a hit were fed for its document, or are read from the store.
import { setImmediate as turn } from 'node:timers/promises';
import { ServiceError } from '../../../errors.ts';
import type { Plan, Target } from '../../../query/plan.ts';
import type { IndexName, Query } from '../../../query/query.ts';
import type { Records } from '../../../service/ports/store.ts';
import type { StoredDocument, StoredDocumentKey } from '../../../service/ports/stored-document.ts';
import { unavailable } from '../requests/client.ts';
import { documentId, isDigest } from '../requests/documents.ts';
import type { OpenTarget } from '../requests/plan-to-body.ts';
import type { ResponseHit, SearchFunction } from '../requests/search-response.ts';
import { keyBeginning, keyOfId } from '../requests/source.ts';
import { matchingDocuments } from './matching-documents.ts';

/** The store that the indexes are fed from. */
export interface TrueDocuments {
  readonly records: Pick<Records, 'documentsById' | 'documentVersions' | 'documentVersionsById'>;
  /** Called for each document in OpenSearch that is not what was fed, also many times for one. */
  onUntrue(document: StoredDocumentKey): void;
}

/** What a hit must match as it is in the store: documents of buckets only their view. */
export type Checked = 'query' | 'visible';

/** How often a search is repeated without documents that do not belong to it. */
const ATTEMPTS = 10;
/** Documents that are matched before other work gets a turn. */
const DOCUMENTS_AT_ONCE = 100;
/** Ids with the same beginning that are read to find the one of a digest. */
const SAME_BEGINNING = 1_000;

/** The documents in OpenSearch that do not belong to a search: `_id`s by index. */
export class SurplusDocuments {
  readonly #ids = new Map<IndexName, string[]>();

  /** @returns a plan that finds none of them */
  without(plan: Plan): Plan {
    return this.#ids.size === 0
      ? plan
      : { ...plan, targets: plan.targets.map((target) => this.#confined(target)) };
  }

  add(index: IndexName, _id: string): void {
    const ids = this.#ids.get(index) ?? [];
    ids.push(_id);
    this.#ids.set(index, ids);
  }

  #confined<T extends Target>(target: T): T {
    const values = this.#ids.get(target.index);
    if (values === undefined) return target;
    const mustNot: Query[] = [{ kind: 'ids', values }];
    const query: Query = {
      ...{ kind: 'bool', must: [target.query], should: [], filter: [] },
      mustNot,
    };
    return { ...target, query };
  }
}

/** Ends a search that has found surplus documents. */
class FoundSurplus extends Error {}

/**
 * Runs a search, and repeats it while it finds documents that do not belong to it.
 * @throws ServiceError `unavailable` if there are too many of them; they are all reported
 */
export async function withoutSurplus<Result>(
  plan: Plan,
  run: (plan: Plan, surplus: SurplusDocuments) => Promise<Result>,
): Promise<Result> {
  const surplus = new SurplusDocuments();
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    try {
      return await run(surplus.without(plan), surplus);
    } catch (error) {
      if (!(error instanceof FoundSurplus)) throw error;
    }
  }
  throw new ServiceError('unavailable', 'Another program has changed the search index', {
    causes: ['It is mended from the store; the log names the documents'],
    retryAfterSeconds: 5,
  });
}

/** Checks the documents of the hits of one tenant. */
export class TrueHits {
  readonly #tenantId: string;
  readonly #documents: TrueDocuments | undefined;
  readonly #surplus: SurplusDocuments;
  /** What the keys of an index have in common. */
  readonly #beginnings = new Map<IndexName, number>();

  constructor(tenantId: string, documents: TrueDocuments | undefined, surplus: SurplusDocuments) {
    this.#tenantId = tenantId;
    this.#documents = documents;
    this.#surplus = surplus;
  }

  /** The same search with `parts` of all hits that have a source. */
  of(search: SearchFunction, checked: Checked): SearchFunction {
    return async (targets, body, scored) => {
      const answer = await search(targets, body, scored);
      const untrue = answer.hits.hits.filter((hit) => !this.#isTrue(hit, targets));
      if (untrue.length === 0) return answer;
      try {
        for (const target of targets) {
          const own = untrue.filter((hit) => targetOf(hit, targets) === target);
          for (let from = 0; from < own.length; from += DOCUMENTS_AT_ONCE) {
            await this.#replace(own.slice(from, from + DOCUMENTS_AT_ONCE), target, checked);
            await turn();
          }
        }
        if (untrue.some(({ parts }) => parts === undefined)) throw new FoundSurplus();
      } catch (error) {
        answer.release?.();
        throw error;
      }
      return answer;
    };
  }

  #isTrue(hit: ResponseHit, targets: readonly OpenTarget[]): boolean {
    const { source, _id = '' } = hit;
    if (source === undefined) return true;
    const { index } = targetOf(hit, targets);
    if (source === null || source.stamp.key !== this.#keyOf(index, _id)) return false;
    hit.parts = source.parts;
    return true;
  }

  #keyOf(index: IndexName, _id: string): number {
    let beginning = this.#beginnings.get(index);
    if (beginning === undefined) {
      beginning = keyBeginning(this.#tenantId, index);
      this.#beginnings.set(index, beginning);
    }
    return keyOfId(beginning, _id);
  }

  /** Gives hits of one target the documents of the store, or notes them as surplus. */
  async #replace(
    hits: readonly ResponseHit[],
    target: OpenTarget,
    checked: Checked,
  ): Promise<void> {
    const { index, visible } = target;
    const tenantId = this.#tenantId;
    if (this.#documents === undefined) {
      throw unavailable('Another program has changed documents of the index');
    }
    const { records } = this.#documents;
    const ids = await Promise.all(hits.map(({ _id = '' }) => this.#storedId(index, _id)));
    for (const id of ids) this.#documents.onUntrue({ tenantId, index, id });
    const stored = await records.documentsById(tenantId, index, [...new Set(ids)], () => {});
    const whole = { ...target, query: visible ?? ({ kind: 'matchAll' } as const) };
    const matches = matchingDocuments(checked === 'query' ? target : whole, stored);
    const byId = new Map(stored.map((document) => [document.id, document]));
    for (const [at, hit] of hits.entries()) {
      const document = byId.get(ids[at] ?? '');
      const elements = matches.get(ids[at] ?? '');
      if (document === undefined || elements === undefined) this.#surplus.add(index, hit._id ?? '');
      else replace(hit, document, elements);
    }
  }

  /** The id of the document that belongs to an `_id`; the `_id` itself if there is none. */
  async #storedId(index: IndexName, _id: string): Promise<string> {
    if (!isDigest(_id)) return _id;
    const beginning = _id.slice(0, _id.lastIndexOf('~'));
    const records = this.#documents?.records;
    const versions =
      (await records?.documentVersions(this.#tenantId, index, beginning, SAME_BEGINNING)) ?? [];
    return versions.find(({ id }) => documentId(id) === _id)?.id ?? _id;
  }
}

function replace(hit: ResponseHit, document: StoredDocument, elements: readonly number[]): void {
  hit.stored = document;
  hit.parts = { root: document.root, nested: document.nested };
  const hits = elements.map((offset) => ({ _nested: { offset } }));
  hit.inner_hits = { [document.index]: { hits: { total: { value: hits.length }, hits } } };
}

function targetOf({ _index }: ResponseHit, targets: readonly OpenTarget[]): OpenTarget {
  const target = targets.find(({ concreteIndex }) => concreteIndex === _index);
  if (target === undefined) throw new Error(`OpenSearch answered for the index ${_index}`);
  return target;
}
