// Which dynamic fields the visible documents of an index have. The mapping of a tenant has those of
// all its documents, and a name that only hidden documents have must be unknown through a view.
// Invariant: the result depends on visible documents alone; it may be a second old.

import type { Aggregation } from '../../query/aggregation.ts';
import { BoundedMap } from '../../query/bounded-map.ts';
import { nestedIn } from '../../query/build.ts';
import { INDEX_NAMES } from '../../query/mapping/document-types.ts';
import type { Field, Mapping } from '../../query/mapping/mapping.ts';
import type { Plan } from '../../query/plan.ts';
import type { IndexName, Query } from '../../query/query.ts';
import type { HiddenFields } from '../../query/visibility/hidden-fields.ts';
import { Deadline } from '../../scheduling/deadline.ts';
import type { Mappings, SearchBackend } from '../ports/search-backend.ts';

export interface FieldSources {
  readonly backend: Pick<SearchBackend, 'search'>;
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
/** Fields of one search. */
const FIELDS_AT_ONCE = 500;

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
      for (let from = 0; from < fields.length; from += FIELDS_AT_ONCE) {
        const some = fields.slice(from, from + FIELDS_AT_ONCE);
        for (const path of await this.#absent(tenantId, documents, all, some)) absent.add(path);
      }
    }
    if (absent.size === 0) return all;
    const visible = [...all.fields].filter(([path]) => !absent.has(path));
    return { ...all, fields: new Map(visible) };
  }

  /** The fields that no visible document has. */
  async #absent(
    tenantId: string,
    visible: Query,
    all: Mapping,
    fields: readonly Field[],
  ): Promise<readonly string[]> {
    const aggregations = Object.fromEntries(
      fields.map(({ path: field, nested }, at): [string, Aggregation] => {
        const exists: Query = { kind: 'exists', field };
        const query = nested === null ? exists : nestedIn(nested, exists);
        return [`f${at}`, { kind: 'filter', query, aggregations: {} }];
      }),
    );
    const { index } = all;
    const plan: Plan = {
      targets: [{ index, query: { kind: 'matchAll' }, visible, aggregations }],
      ...{ sort: [], from: 0, size: 0, trackTotal: false, maxBuckets: fields.length + 1 },
      source: { includes: [], excludes: [], nested: false },
    };
    const { backend, timeoutMs } = this.#sources;
    const mappings = { [index]: all } as unknown as Mappings;
    const deadline = new Deadline(timeoutMs);
    const answer = await backend.search(tenantId, plan, { deadline, mappings });
    const counts = (answer.aggregations?.value() ?? {}) as Readonly<
      Record<string, { readonly doc_count: number } | undefined>
    >;
    return fields.flatMap(({ path }, at) => ((counts[`f${at}`]?.doc_count ?? 0) > 0 ? [] : [path]));
  }
}
