// Walks through all matches of a plan, however many, page by page: each page begins after the last hit
// of the one before. A document that changes meanwhile may be missed or come twice if its place in
// the order changes.
// Invariant: the last sort key of the plan is unique, so that no two hits tie.
import type { Plan } from '../../../query/plan.ts';
import type {
  Hit,
  Mappings,
  ReadOptions,
  SearchBackend,
  SearchResult,
} from '../../ports/search-backend.ts';
import type { VisibleIndexes } from '../../views/visible-indexes.ts';

/** What reads the pages. */
export interface HitSources {
  readonly indexes: Pick<VisibleIndexes, 'search' | 'checkReader'>;
  /** The options of the next page. */
  readonly options: () => ReadOptions;
}

/** All documents of a tenant, for jobs of the service that answer no reader. */
export function wholeTenant(
  backend: Pick<SearchBackend, 'search'>,
  { tenantId, mappings }: { readonly tenantId: string; readonly mappings: Mappings },
): HitSources['indexes'] {
  return {
    search: (plan, options) => backend.search(tenantId, plan, { mappings, ...options }),
    checkReader: async () => {},
  };
}

/**
 * The pages of a plan, none of them empty. The hits of one are not read after the next is requested.
 * Only the first has a total, if the plan tracks it.
 * @param nextSize the size of the page after these hits; by default that of the plan
 */
export async function* hitPages(
  plan: Plan,
  { indexes, options }: HitSources,
  nextSize: (hits: readonly Hit[]) => number = () => plan.size,
): AsyncGenerator<Pick<SearchResult, 'hits' | 'total'>> {
  for (let page = plan; ; ) {
    await indexes.checkReader();
    const { hits, total, release } = await indexes.search(page, options());
    const last = hits.at(-1);
    if (last === undefined) return;
    const size = nextSize(hits);
    yield { hits, total };
    release?.();
    if (hits.length < page.size) return;
    page = { ...page, searchAfter: last.sort, size, trackTotal: false };
  }
}
