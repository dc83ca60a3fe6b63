// The indexes of a tenant for a reader whom views restrict: see visibility.ts.

import type { Reader, ViewRules } from '../../auth/caller.ts';
import type { QueryLimits } from '../../query/limits.ts';
import { byIndex } from '../../query/mapping/document-types.ts';
import type { Plan } from '../../query/plan.ts';
import type { DocumentExplanation } from '../../query/plan-clause.ts';
import type { IndexName, Query } from '../../query/query.ts';
import type { Steps } from '../../query/steps.ts';
import { HiddenFields } from '../../query/visibility/hidden-fields.ts';
import type { VisibleDocuments } from '../../query/visibility/visible-documents.ts';
import { type VisibleParts, visiblePlan } from '../../query/visibility/visible-plan.ts';
import type { CooperativeScheduler } from '../../scheduling/cooperative.ts';
import { Deadline } from '../../scheduling/deadline.ts';
import type {
  AnswerMemory,
  DocumentKey,
  Hit,
  Mappings,
  ReadOptions,
  Searches,
  SearchOptions,
  SearchResult,
  TypeaheadResult,
} from '../ports/search-backend.ts';
import type { StoredDocument } from '../ports/stored-document.ts';
import { refuseChangedReader } from '../views/views-in-force.ts';
import type { VisibleIndexes } from '../views/visible-indexes.ts';
import { VisibleBytes } from './visible-bytes.ts';
import type { VisibleFields } from './visible-fields.ts';

/** What a restricted reader's requests use. */
export interface RestrictedSources {
  readonly backend: Searches;
  readonly fields: VisibleFields;
  readonly queries: VisibleDocuments;
  readonly clock: { now(): number };
  readonly limits: QueryLimits;
  readonly scheduler: CooperativeScheduler;
  /** Time limit of reading documents by id, in milliseconds. */
  readonly timeoutMs: number;
}

/** What the views of a reader leave of a tenant. */
interface Restriction {
  readonly reader: Reader;
  readonly hidden: HiddenFields;
  readonly documents: Readonly<Record<IndexName, Query>>;
  /** Of all fields, for the backend: the filter may read hidden ones. */
  readonly allMappings: Mappings;
  readonly mappings: Mappings;
}

/** Ids of one search. */
const IDS_AT_ONCE = 1_000;

export class RestrictedIndexes implements VisibleIndexes {
  readonly tenantId: string;
  readonly mappings: Mappings;
  readonly #sources: RestrictedSources;
  readonly #restriction: Restriction;
  readonly #parts: VisibleParts;

  private constructor(sources: RestrictedSources, restriction: Restriction) {
    const { hidden, documents, mappings } = restriction;
    this.#sources = sources;
    this.#restriction = restriction;
    this.tenantId = restriction.reader.tenantId;
    this.mappings = mappings;
    this.#parts = {
      hidden,
      limits: sources.limits,
      part: (index) => ({ documents: documents[index], mapping: mappings[index] }),
    };
  }

  /** @param allMappings of the tenant; throws as a search */
  static async open(
    sources: RestrictedSources,
    reader: Reader,
    allMappings: Mappings,
  ): Promise<RestrictedIndexes> {
    const views = reader.views ?? [];
    const { clock, fields, queries } = sources;
    const now = clock.now();
    const hidden = new HiddenFields(views.flatMap(({ hide }) => hide));
    const documents = byIndex((index) =>
      queries.of(views.map(queryOn(index)), allMappings[index], now),
    );
    const content = { key: JSON.stringify(views), documents, hidden };
    const mappings = await fields.of(reader.tenantId, content, allMappings);
    return new RestrictedIndexes(sources, { reader, hidden, documents, allMappings, mappings });
  }

  async search(plan: Plan, options: ReadOptions): Promise<SearchResult> {
    const { backend } = this.#sources;
    const visible = await this.#visible(plan, options);
    const result = await backend.search(this.tenantId, visible, this.#with(options));
    if (result.hits.length === 0 || this.#restriction.hidden.names.length === 0) return result;
    const hits = await this.#run(this.#visibleHits(result.hits, options.memory), options);
    return { ...result, hits };
  }

  async typeahead(plan: Plan, options: ReadOptions): Promise<TypeaheadResult> {
    const visible = await this.#visible(plan, options);
    return this.#sources.backend.typeahead(this.tenantId, visible, this.#with(options));
  }

  async count(plan: Plan, options: ReadOptions): Promise<number> {
    const visible = await this.#visible(plan, options);
    return this.#sources.backend.count(this.tenantId, visible, this.#with(options));
  }

  async explain(
    plan: Plan,
    document: DocumentKey,
    options: ReadOptions,
  ): Promise<DocumentExplanation | null> {
    const visible = await this.#visible(plan, options);
    return this.#sources.backend.explain(this.tenantId, visible, document, this.#with(options));
  }

  async documentsById(index: IndexName, ids: readonly string[]): Promise<StoredDocument[]> {
    const found = new Map<string, StoredDocument>();
    for (let from = 0; from < ids.length; from += IDS_AT_ONCE) {
      const values = ids.slice(from, from + IDS_AT_ONCE);
      const plan: Plan = {
        targets: [{ index, query: { kind: 'ids', values } }],
        ...{ sort: [], from: 0, size: values.length, trackTotal: false },
        source: { includes: [], excludes: [], nested: true },
      };
      const { timeoutMs } = this.#sources;
      const { hits } = await this.search(plan, { deadline: new Deadline(timeoutMs) });
      for (const { id, root, nested } of hits) found.set(id, { index, id, root, nested });
    }
    return ids.flatMap((id) => found.get(id) ?? []);
  }

  checkReader(): Promise<void> {
    return refuseChangedReader(this.#restriction.reader);
  }

  #visible(plan: Plan, options: ReadOptions): Promise<Plan> {
    return this.#run(visiblePlan(plan, this.#parts), options);
  }

  #run<T>(steps: Steps<T>, { deadline, signal }: ReadOptions): Promise<T> {
    const { tenantId } = this;
    return this.#sources.scheduler.run(steps, { tenantId, deadline, signal });
  }

  #with(options: ReadOptions): SearchOptions {
    return { ...options, mappings: this.#restriction.allMappings };
  }

  /** The hits without hidden members; what they share with `hits` lasts as long as these. */
  *#visibleHits(hits: readonly Hit[], memory: AnswerMemory | undefined): Steps<Hit[]> {
    const { hidden, allMappings } = this.#restriction;
    const bytes = new VisibleBytes(hidden);
    const visible: Hit[] = [];
    for (const { index, id, score, sort, root, nested, elementOf, elements } of hits) {
      const hit: Hit = {
        ...{ index, id, score, sort },
        root: bytes.object(root, elementOf ?? ''),
        nested: bytes.nested(nested, allMappings[index].nestedPaths),
        ...(elementOf !== undefined && { elementOf }),
        ...(elements !== undefined && { elements }),
      };
      const nestedBytes = hit.nested === nested ? 0 : hit.nested.length;
      memory?.holdBytes(hit.root.length + nestedBytes);
      visible.push(hit);
      yield;
    }
    return visible;
  }
}

function queryOn(index: IndexName): (view: ViewRules) => string | undefined {
  return ({ indices }) => (Object.hasOwn(indices, index) ? indices[index] : undefined);
}
