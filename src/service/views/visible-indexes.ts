// The indexes of a tenant as a reader sees them: what use cases search and read documents through, so
// that none of them decides what is visible. visibility.ts makes them.
import { ServiceError } from '../../errors.ts';
import type { Plan } from '../../query/plan.ts';
import type { DocumentExplanation } from '../../query/plan-clause.ts';
import type { IndexName } from '../../query/query.ts';
import type {
  DocumentKey,
  Mappings,
  ReadOptions,
  SearchResult,
  TypeaheadResult,
} from '../ports/search-backend.ts';
import type { StoredDocument } from '../ports/stored-document.ts';

/** The indexes of a tenant as a reader sees them, at one moment. */
export interface VisibleIndexes {
  readonly tenantId: string;
  /** For planning and presenting: they have what is visible. */
  readonly mappings: Mappings;
  /** As the backend's; the plan was made with `mappings`. */
  search(plan: Plan, options: ReadOptions): Promise<SearchResult>;
  typeahead(plan: Plan, options: ReadOptions): Promise<TypeaheadResult>;
  count(plan: Plan, options: ReadOptions): Promise<number>;
  explain(
    plan: Plan,
    document: DocumentKey,
    options: ReadOptions,
  ): Promise<DocumentExplanation | null>;
  /**
   * The documents with these ids, in their order; missing ones are left out. From the store without
   * views, so readers see their own writes; otherwise from the index.
   */
  documentsById(index: IndexName, ids: readonly string[]): Promise<readonly StoredDocument[]>;
  /**
   * Checks that the reader may still read, and sees the same, for what reads page after page.
   * @throws ServiceError `token_invalid` or `forbidden` if a right was lost since, or a view was
   * changed, deleted or put in force
   */
  checkReader(): Promise<void>;
}

/**
 * One document.
 * @throws ServiceError `not_found`, the same for a hidden document as for one that does not exist
 */
export async function documentIn(
  indexes: VisibleIndexes,
  index: IndexName,
  id: string,
): Promise<StoredDocument> {
  const [document] = await indexes.documentsById(index, [id]);
  if (document !== undefined) return document;
  throw new ServiceError('not_found', `There is no document with that id in ${index}.`, {
    causes: [`index "${index}", id "${id}"`],
  });
}
