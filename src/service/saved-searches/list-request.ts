// Reads `filters` of a list of saved or scheduled searches.
import { invalid } from '../../query/body.ts';
import {
  type CollectionFilter,
  readCollectionFilter,
} from '../../query/collections/collection-filter.ts';
import type { CollectionForm } from '../../query/collections/collection-form.ts';

/** Query parameters as text. */
export interface ListParameters {
  readonly offset?: string;
  readonly limit?: string;
  readonly count?: string;
  readonly filters?: string;
}

/** A page of a list. */
export interface Listed<T> {
  readonly items: readonly T[];
  /** null unless the caller requested the count. */
  readonly total: number | null;
}

/** What lists of saved and of scheduled searches can be compared with, by `eq`. */
export const SAVED_SEARCH_FIELDS = ['owner.id'] as const;
export const SCHEDULED_SEARCH_FIELDS = ['owner.id', 'savedSearchId'] as const;

/** What such a list is filtered by, for hints. */
export function equalityForm(fields: readonly string[]): CollectionForm {
  const field = { kind: 'text', operators: ['eq'] } as const;
  const filters = Object.fromEntries(fields.map((name) => [name, field]));
  return { filters, sorters: [] };
}

/**
 * Reads comparisons joined by `and`, such as `owner.id eq "a" and savedSearchId eq "b"`.
 * @param fields those that may be compared, each once
 * @returns the values by field
 * @throws ServiceError `request_invalid`
 */
export function readEqualities(
  filters: string | undefined,
  fields: readonly string[],
): ReadonlyMap<string, string> {
  const filter = readCollectionFilter(filters, equalityForm(fields).filters);
  const values = new Map<string, string>();
  for (const part of partsOf(filter)) {
    const isNew = part.kind === 'compare' && part.operator === 'eq' && !values.has(part.field);
    if (!isNew) {
      const forms = fields.map((name) => `${name} eq "…"`).join(' and ');
      throw invalid(`filters: expected ${forms}`);
    }
    values.set(part.field, String(part.values[0]));
  }
  return values;
}

function partsOf(filter: CollectionFilter | null): readonly CollectionFilter[] {
  if (filter === null) return [];
  return filter.kind === 'and' ? filter.parts.flatMap(partsOf) : [filter];
}
