// Which dynamic fields the visible documents of an index have. The mapping of a tenant has those of
// all its documents, and a name that only hidden documents have must be unknown through a view.
// Invariant: the result depends on visible documents alone; it may be a second old.

import { BoundedMap } from '../../query/bounded-map.ts';
import { INDEX_NAMES } from '../../query/mapping/document-types.ts';
import type { Mapping } from '../../query/mapping/mapping.ts';
import type { Plan } from '../../query/plan.ts';
import type { IndexName, Query } from '../../query/query.ts';
import type { HiddenFields } from '../../query/visibility/hidden-fields.ts';
import { Deadline } from '../../scheduling/deadline.ts';
import type { Mappings, Searches } from '../ports/search-backend.ts';
import { fieldBuckets } from './field-buckets.ts';

export interface FieldSources {
  readonly backend: Pick<Searches, 'search'>;
  readonly timeoutMs: number;
  readonly fieldsFreshMs?: number;
}

/** What is visible of a tenant. */
export interface VisibleContent {
  /** The same for the same views at any time: their queries may have `now`. */
  readonly key: string;
  readonly documents: Readonly<Record<IndexName, Query>>;
  readonly hidden: HiddenFields;
}

const FRESH_MS = 1_000;

interface Kept {
  readonly all: Mappings;
  readonly mappings: Promise<Mappings>;
  /** Of the clock of the process. */
  readonly until: number;
}

export class VisibleFields {
  readonly #sources: FieldSources;
  readonly #freshMs: number;
  readonly #kept = new BoundedMap<string, Kept>({ kept: 128 });

  constructor(sources: FieldSources) {
    this.#sources = sources;
    this.#freshMs = sources.fieldsFreshMs ?? FRESH_MS;
  }

  /**
   * The mappings without hidden fields, and of dynamic ones with those that visible documents have.
   * @param all of the tenant
   */
  of(tenantId: string, visible: VisibleContent, all: Mappings): Promise<Mappings> {
    const key = `${tenantId} ${visible.key}`;
    const now = performance.now();
    const kept = this.#kept.get(key);
    if (kept !== undefined && kept.all === all && now < kept.until) return kept.mappings;
    const mappings = this.#mappings(tenantId, visible, all);
    this.#kept.add(key, { all, mappings, until: now + this.#freshMs });
    mappings.catch(() => this.#kept.delete(key));
    return mappings;
  }

  async #mappings(
    tenantId: string,
    { documents, hidden }: VisibleContent,
    all: Mappings,
  ): Promise<Mappings> {
    const entries = await Promise.all(
      INDEX_NAMES.map(async (index) => [
        index,
        await this.#read(tenantId, documents[index], hidden.visibleMapping(all[index])),
      ]),
    );
    return Object.fromEntries(entries) as Mappings;
  }

  async #read(tenantId: string, documents: Query, all: Mapping): Promise<Mapping> {
    if (documents.kind === 'matchAll') return all;
    const fields = [...all.fields.values()].filter(({ dynamic }) => dynamic);
    const absent = new Set<string>();
    if (documents.kind === 'matchNone') for (const { path } of fields) absent.add(path);
    else {
      const { backend, timeoutMs } = this.#sources;
      const mappings = { [all.index]: all } as unknown as Mappings;
      const search = (plan: Plan) =>
        backend.search(tenantId, plan, { deadline: new Deadline(timeoutMs), mappings });
      const buckets = await fieldBuckets(search, all.index, fields, { visible: documents });
      fields.forEach(({ path }, at) => {
        if (buckets[at]?.doc_count === 0) absent.add(path);
      });
    }
    if (absent.size === 0) return all;
    const visible = [...all.fields].filter(([path]) => !absent.has(path));
    return { ...all, fields: new Map(visible) };
  }
}
