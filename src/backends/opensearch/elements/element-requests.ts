// The requests that find elements of nested arrays in an order of their own (element-order.ts): the
// first documents by a key with their elements, a value some documents further on, a number of
// elements, and whole documents.
import type { SortValue } from '../../../query/query.ts';
import { encodedPath, STORED } from '../requests/columns.ts';
import { documentId } from '../requests/documents.ts';
import { ELEMENTS_MAX, type OpenTarget } from '../requests/plan-to-body.ts';
import { type Json, MATCH_ALL } from '../requests/query-to-body.ts';
import type { ResponseHit, SearchFunction } from '../requests/search-response.ts';
import { UNSKIPPABLE } from '../requests/sort-body.ts';
import { type ElementKey, keyAt, type Place } from './element-keys.ts';

/** Which elements are asked for: those that match all conditions, in documents that match all theirs. */
export interface Scope {
  readonly documents: readonly Json[];
  readonly elements: readonly Json[];
}

/** The elements of a scope for which a condition of a key is true. */
export function within(scope: Scope, { of }: ElementKey, condition: Json): Scope {
  return { ...scope, [of]: [...scope[of], condition] };
}

/** One element. */
export interface ElementRow {
  readonly id: string;
  readonly version: number;
  /** The values of all keys, then the position of the element. */
  readonly place: Place;
}

/** Documents in the order of one key. */
export interface DocumentElements {
  readonly rows: readonly ElementRow[];
  /** Its value of the key. */
  readonly value: SortValue;
  /** Where the rows of a document with more elements end: the value of the key of the last of them. */
  readonly cutAt: SortValue | undefined;
}

export class ElementRequests {
  readonly #target: OpenTarget;
  readonly #path: string;
  readonly #keys: readonly ElementKey[];
  readonly #search: SearchFunction;

  constructor(
    target: OpenTarget,
    path: string,
    keys: readonly ElementKey[],
    search: SearchFunction,
  ) {
    this.#target = target;
    this.#path = path;
    this.#keys = keys;
    this.#search = search;
  }

  /** The first documents by a key, with their first elements by all keys. */
  async documents(
    scope: Scope,
    level: number,
    most: { readonly documents: number; readonly elements: number },
  ): Promise<DocumentElements[]> {
    const key = keyAt(this.#keys, level);
    const others = this.#keys.filter((one) => one !== key && one.of === 'documents' && !one.isId);
    const inner = this.#keys.filter(({ of }) => of === 'elements');
    const byKey = sortBy(key, scope);
    const hits = await this.#documents(scope, {
      size: most.documents,
      sort: [...byKey, ...others.map((one) => one.entry(MATCH_ALL))],
      elements: { size: most.elements, sort: inner.map(({ innerEntry }) => innerEntry) },
    });
    return hits.map((hit) => {
      const { id, version, elements, total } = partsOf(hit);
      const documentValue = (one: ElementKey) =>
        one.isId
          ? id
          : one.value(hit.sort[byKey.length + (one === key ? -1 : others.indexOf(one))] ?? null);
      const rows = elements.map(({ sort = [], _nested }): ElementRow => {
        const values = this.#keys.map((one) =>
          one.of === 'elements' ? one.value(sort[inner.indexOf(one)] ?? null) : documentValue(one),
        );
        return { id, version, place: [...values, _nested.offset] };
      });
      const value = documentValue(key);
      const last = key.of === 'elements' ? (rows.at(-1)?.place[level] ?? null) : value;
      return { rows, value, cutAt: rows.length < total ? last : undefined };
    });
  }

  /** All elements of a scope with one document, by position. */
  async positions(
    scope: Scope,
  ): Promise<(Pick<ElementRow, 'id' | 'version'> & { readonly position: number })[]> {
    const elements = { size: ELEMENTS_MAX, sort: [] };
    const hits = await this.#documents(scope, { size: 1, sort: ['_doc'], elements });
    return hits.flatMap((hit) => {
      const { id, version, elements } = partsOf(hit);
      return elements.map(({ _nested }) => ({ id, version, position: _nested.offset }));
    });
  }

  /**
   * The value of the document at a position in the order of a key; if there are not so many, their
   * number.
   */
  async valueAt(
    scope: Scope,
    level: number,
    position: number,
  ): Promise<{ readonly value: SortValue } | { readonly documents: number }> {
    const key = keyAt(this.#keys, level);
    const { hits } = await this.#search(
      [this.#target],
      {
        query: this.#query(scope),
        ...{ from: position, size: 1, track_total_hits: position + 1 },
        ...{ _source: false, stored_fields: '_none_', sort: sortBy(key, scope) },
      },
      false,
    );
    const [hit] = hits.hits;
    if (hit === undefined) return { documents: Math.min(position, hits.total?.value ?? 0) };
    return { value: key.value(hit.sort.at(-1) ?? null) };
  }

  /** The number of elements. */
  async count({ documents, elements }: Scope): Promise<number> {
    const { aggregations } = await this.#search(
      [this.#target],
      {
        query: { bool: { filter: documents } },
        ...{ size: 0, track_total_hits: false },
        aggs: {
          elements: {
            nested: { path: encodedPath(this.#path) },
            aggs: { matching: { filter: { bool: { filter: elements } } } },
          },
        },
      },
      false,
    );
    const counted = aggregations?.['elements'] as { matching: { doc_count: number } } | undefined;
    return counted?.matching.doc_count ?? 0;
  }

  /** @param elements their most in each document, and what they are sorted by before their position */
  async #documents(
    scope: Scope,
    {
      elements,
      ...page
    }: {
      readonly size: number;
      readonly sort: readonly unknown[];
      readonly elements: { readonly size: number; readonly sort: readonly unknown[] };
    },
  ): Promise<readonly ResponseHit[]> {
    const innerHits = {
      ...{ name: ELEMENTS, _source: false, stored_fields: '_none_' },
      ...{ size: elements.size, sort: [...elements.sort, '_doc'] },
    };
    const body = {
      query: this.#query(scope, innerHits),
      ...page,
      ...{ track_total_hits: false, _source: false, version: true, docvalue_fields: [STORED.id] },
    };
    const { hits } = await this.#search([this.#target], body, false);
    return hits.hits;
  }

  /** Documents of a scope that have elements of it. */
  #query({ documents, elements }: Scope, innerHits?: Json): Json {
    const owns = {
      nested: {
        path: encodedPath(this.#path),
        query: { bool: { filter: elements } },
        ...{ score_mode: 'none', ignore_unmapped: true },
        ...(innerHits !== undefined && { inner_hits: innerHits }),
      },
    };
    return { bool: { filter: [...documents, owns] } };
  }
}

const ELEMENTS = 'elements';

/** Sorts documents by one key, whose value is the last one of a hit. */
function sortBy(key: ElementKey, { elements }: Scope): Json[] {
  const entry = key.entry({ bool: { filter: elements } });
  return key.isBelowPath ? [UNSKIPPABLE.body, entry] : [entry];
}

function partsOf(hit: ResponseHit) {
  const inner = hit.inner_hits?.[ELEMENTS]?.hits;
  return {
    ...{ id: idOf(hit), version: hit._version ?? 0 },
    ...{ elements: inner?.hits ?? [], total: inner?.total?.value ?? 0 },
  };
}

/**
 * The id of a hit with this column, as `_id` is a digest of a long one; the `_id` of a copy that another
 * program has made of a document.
 */
export function idOf({ _id = '', fields, stored }: ResponseHit): string {
  if (stored !== undefined) return stored.id;
  const id = String(fields?.[STORED.id]?.[0] ?? '');
  return documentId(id) === _id ? id : _id;
}
