// What a reader sees of a tenant: the one way from the use cases to the search backend and to stored
// documents. Without views it passes plans on. Through views, a plan is made with mappings that lack
// what is hidden, is confined to the visible documents (query/visibility), and its hits come without
// hidden members.
// Invariant: no query is built without its tenant and its views, and no answer to a restricted reader
// depends on a document or a field that a view hides.
import type { Reader } from '../../auth/caller.ts';
import type { QueryLimits } from '../../query/limits.ts';
import type { Plan } from '../../query/plan.ts';
import type { IndexName } from '../../query/query.ts';
import { VisibleDocuments } from '../../query/visibility/visible-documents.ts';
import type { CooperativeScheduler } from '../../scheduling/cooperative.ts';
import type { MappedDocuments } from '../documents/bare-document.ts';
import type {
  DocumentKey,
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
import { RestrictedIndexes } from './restricted-indexes.ts';
import { VisibleFields } from './visible-fields.ts';

export interface VisibilitySources {
  readonly backend: Searches;
  readonly documents: MappedDocuments;
  readonly clock: { now(): number };
  readonly limits: QueryLimits;
  readonly scheduler: CooperativeScheduler;
  /** Time limit of what a reader does not wait for by itself, in milliseconds. */
  readonly timeoutMs: number;
  /** Milliseconds for which the fields of visible documents are kept; default 1,000. */
  readonly fieldsFreshMs?: number;
}

export class Visibility {
  readonly #sources: VisibilitySources;
  readonly #fields: VisibleFields;
  readonly #queries: VisibleDocuments;

  constructor(sources: VisibilitySources) {
    this.#sources = sources;
    this.#fields = new VisibleFields(sources);
    this.#queries = new VisibleDocuments(sources.limits);
  }

  /**
   * The indexes of a reader's tenant as the reader sees them.
   * @throws ServiceError `not_found` for an unknown tenant; as a search
   */
  async of(reader: Reader): Promise<VisibleIndexes> {
    const { tenantId, views } = reader;
    const mappings = await this.#sources.documents.mappings(tenantId);
    if (views === null) return new AllIndexes(this.#sources, reader, mappings);
    const kept = { fields: this.#fields, queries: this.#queries };
    return RestrictedIndexes.open({ ...this.#sources, ...kept }, reader, mappings);
  }
}

/** The indexes of a tenant for a reader whom no view restricts. */
class AllIndexes implements VisibleIndexes {
  readonly tenantId: string;
  readonly mappings: Mappings;
  readonly #sources: VisibilitySources;
  readonly #reader: Reader;

  constructor(sources: VisibilitySources, reader: Reader, mappings: Mappings) {
    this.#sources = sources;
    this.#reader = reader;
    this.tenantId = reader.tenantId;
    this.mappings = mappings;
  }

  search(plan: Plan, options: ReadOptions): Promise<SearchResult> {
    return this.#sources.backend.search(this.tenantId, plan, this.#with(options));
  }

  typeahead(plan: Plan, options: ReadOptions): Promise<TypeaheadResult> {
    return this.#sources.backend.typeahead(this.tenantId, plan, this.#with(options));
  }

  count(plan: Plan, options: ReadOptions): Promise<number> {
    return this.#sources.backend.count(this.tenantId, plan, this.#with(options));
  }

  explain(plan: Plan, document: DocumentKey, options: ReadOptions) {
    return this.#sources.backend.explain(this.tenantId, plan, document, this.#with(options));
  }

  documentsById(index: IndexName, ids: readonly string[]): Promise<readonly StoredDocument[]> {
    return this.#sources.documents.documentsById(this.tenantId, index, ids);
  }

  checkReader(): Promise<void> {
    return refuseChangedReader(this.#reader);
  }

  #with(options: ReadOptions): SearchOptions {
    return { mappings: this.mappings, ...options };
  }
}
