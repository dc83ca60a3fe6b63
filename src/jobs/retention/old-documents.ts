// The plan that finds documents older than an instant. The search finds them, because the store has
// no column of their time; documents that are not searchable yet are young.
import type { Plan } from '../../query/plan.ts';
import type { IndexName, Query } from '../../query/query.ts';

/** The indexes whose documents the retention deletes. */
export const RETAINED_INDEXES = ['events', 'accountactivities'] as const;
export type RetainedIndex = (typeof RETAINED_INDEXES)[number] & IndexName;

/** Documents of a page: what one transaction deletes. */
export const OLD_DOCUMENTS = 100;

/**
 * The plan of the first old documents, ordered by id.
 * @param before epoch milliseconds
 */
export function oldDocumentsPlan(index: RetainedIndex, before: number): Plan {
  return {
    targets: [{ index, query: OLDER[index](before) }],
    sort: [{ field: 'id', order: 'asc', type: 'string' }],
    from: 0,
    size: OLD_DOCUMENTS,
    trackTotal: false,
    source: { includes: [], excludes: [], nested: false },
  };
}

/**
 * An event never changes after its creation; an account activity counts from its last change, so
 * that an unfinished one stays. A document without such a date is kept.
 */
const OLDER: Readonly<Record<RetainedIndex, (before: number) => Query>> = {
  events: (before) => earlier('created', before),
  accountactivities: (before) => ({
    ...{ kind: 'bool', must: [], filter: [], mustNot: [] },
    should: [
      earlier('modified', before),
      {
        ...{ kind: 'bool', must: [], should: [] },
        filter: [earlier('created', before)],
        mustNot: [{ kind: 'exists', field: 'modified' }],
      },
    ],
  }),
};

function earlier(field: string, before: number): Query {
  return { kind: 'numberRange', field, column: 'value', lt: before };
}
