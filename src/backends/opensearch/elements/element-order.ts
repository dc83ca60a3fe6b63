// Elements of nested arrays in an order of their own (Plan.elementOrder), which OpenSearch cannot
// sort across documents. It sorts documents by their first element by one key: of the first n of
// them, all elements before those of the last document are known, and are ordered here. Elements
// that tie with the last one may be in other documents, too: they are a group that is ordered by the
// next key in the same way, as far as the page needs it. Elements before the page are counted, not
// read.
// Invariant: the page is one of the documents as they are returned: if one of them has changed
// meanwhile, all is read again.

import type { InnerHit, Plan } from '../../../query/plan.ts';
import type { SortValue } from '../../../query/query.ts';
import type { Hit, SearchResult } from '../../../service/ports/search-backend.ts';
import { unavailable } from '../requests/client.ts';
import { STORED } from '../requests/columns.ts';
import { documentId } from '../requests/documents.ts';
import { type OpenTarget, targetQuery } from '../requests/plan-to-body.ts';
import { type Json, queryBody } from '../requests/query-to-body.ts';
import type {
  ResponseHit,
  Searches,
  SearchFunction,
  SearchLimits,
} from '../requests/search-response.ts';
import { comparePlaces, type ElementKey, elementKeys, keyAt, type Place } from './element-keys.ts';
import {
  type DocumentElements,
  ElementRequests,
  type ElementRow,
  idOf,
  type Scope,
  within,
} from './element-requests.ts';

/** How often a page is read while its documents change. */
const ATTEMPTS = 5;

/** The hits of a page, each a document with the position of one element. */
export async function orderedElements(
  target: OpenTarget,
  innerHit: InnerHit,
  plan: Plan,
  searches: Searches,
): Promise<Pick<SearchResult, 'hits' | 'release'>> {
  if (plan.size === 0 || !target.mapping.nestedPaths.includes(innerHit.path)) return { hits: [] };
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const rows = await rowsOf(target, innerHit, plan, searches);
    const page = await pageOf(rows, target, plan, searches.search);
    if (page !== null) return page;
  }
  throw unavailable(`The documents of a page have changed ${ATTEMPTS} times while it was read`);
}

async function rowsOf(
  target: OpenTarget,
  { path, query }: InnerHit,
  { sort, from, size, searchAfter }: Plan,
  { searchUncounted, limits }: Searches,
): Promise<readonly ElementRow[]> {
  const keys = elementKeys(sort, target, path);
  const requests = new ElementRequests(target, path, keys, searchUncounted);
  const walk = new ElementWalk(requests, keys, limits, { from, size });
  const scope: Scope = {
    documents: [targetQuery(target, false)],
    elements: [queryBody(query, { mapping: target.mapping, path })],
  };
  await walk.run({ scope, tied: [] }, searchAfter ?? null);
  return walk.rows;
}

/** The page, or null if one of its documents has changed since its elements were found. */
async function pageOf(
  rows: readonly ElementRow[],
  target: OpenTarget,
  { source }: Plan,
  search: SearchFunction,
): Promise<Pick<SearchResult, 'hits' | 'release'> | null> {
  if (rows.length === 0) return { hits: [] };
  const ids = [...new Set(rows.map(({ id }) => id))];
  const body = {
    query: { ids: { values: ids.map(documentId) } },
    ...{ size: ids.length, track_total_hits: false, sort: ['_doc'] },
    ...{ version: true, docvalue_fields: [STORED.id] },
  };
  const { hits: documents, release } = await searchDocuments(target, body, search);
  const hits: Hit[] = [];
  for (const { id, version, place } of rows) {
    const document = documents.get(id);
    const parts = document?.parts;
    if (parts === undefined || document?._version !== version) {
      release?.();
      return null;
    }
    if (document.stored !== undefined && !hasElement(document, target, place)) continue;
    hits.push({
      ...{ index: target.index, id, score: null, sort: place },
      root: parts.root,
      nested: source.nested ? parts.nested : EMPTY,
      elements: [Number(place.at(-1))],
    });
  }
  return { hits, release };
}

/** Whether the document of the store has the element that was found in OpenSearch. */
function hasElement(hit: ResponseHit, { index }: OpenTarget, place: Place): boolean {
  const elements = hit.inner_hits?.[index]?.hits.hits ?? [];
  return elements.some(({ _nested }) => _nested.offset === place.at(-1));
}

const EMPTY = new Uint8Array(0);

async function searchDocuments(target: OpenTarget, body: object, search: SearchFunction) {
  const { hits, release } = await search([target], body as Json, false);
  return { hits: new Map(hits.hits.map((hit) => [idOf(hit), hit] as const)), release };
}

/** Elements that tie on the first keys of an order. */
interface Group {
  readonly scope: Scope;
  /** Their values of these keys. */
  readonly tied: Place;
}

/** Collects the rows of a page. */
class ElementWalk {
  readonly rows: ElementRow[] = [];
  readonly #requests: ElementRequests;
  readonly #keys: readonly ElementKey[];
  readonly #limits: SearchLimits;
  readonly #size: number;
  /** Elements to pass before the page. */
  #skip: number;

  constructor(
    requests: ElementRequests,
    keys: readonly ElementKey[],
    limits: SearchLimits,
    { from, size }: { readonly from: number; readonly size: number },
  ) {
    this.#requests = requests;
    this.#keys = keys;
    this.#limits = limits;
    this.#skip = from;
    this.#size = size;
  }

  /**
   * Passes or collects the elements of a group until the page is full.
   * @param after only elements after this place
   */
  async run(group: Group, after: Place | null): Promise<void> {
    const key = this.#keys[group.tied.length];
    if (key === undefined) return this.#takePositions(group, after);
    let rest: Group | null = group;
    let bound = after;
    if (bound !== null) {
      const value = bound[group.tied.length] ?? null;
      if (this.#skip > this.#limits.elementsBefore) {
        // Elements that tie with the place are not all after it, so they are counted apart.
        await this.run(tiedAt(group, key, value), bound);
        rest = afterValue(group, key, value);
        bound = null;
      } else rest = part(group, key, key.from(value));
    }
    while (rest !== null && !this.#isFull) {
      if (this.#skip > this.#limits.elementsBefore) rest = await this.#pass(rest, group);
      else {
        rest = await this.#take(rest, group, bound);
        bound = null;
      }
    }
  }

  get #isFull(): boolean {
    return this.rows.length >= this.#size;
  }

  /**
   * Counts elements before the page.
   * @param rest those of the group that are left
   * @returns what is left then; null for nothing
   */
  async #pass(rest: Group, group: Group): Promise<Group | null> {
    const level = group.tied.length;
    const key = keyAt(this.#keys, level);
    let step = Math.min(this.#limits.window, this.#skip);
    for (;;) {
      const found = await this.#requests.valueAt(rest.scope, level, step - 1);
      if ('documents' in found) {
        if (found.documents === 0) return null;
        step = Math.ceil(found.documents / 2);
        continue;
      }
      const { value } = found;
      const before = await this.#requests.count(part(rest, key, key.before(value)).scope);
      if (before > this.#skip) {
        step = Math.max(1, Math.floor((step * this.#skip) / before / 2));
        continue;
      }
      this.#skip -= before;
      if (before > 0) return part(group, key, key.from(value));
      const tied = tiedAt(rest, key, value);
      const count = await this.#requests.count(tied.scope);
      if (count <= this.#skip) this.#skip -= count;
      else await this.run(tied, null);
      return afterValue(group, key, value);
    }
  }

  /**
   * Reads elements, and passes or collects them; parameters as those of `#pass`.
   * @param after only elements after this place
   */
  async #take(rest: Group, group: Group, after: Place | null): Promise<Group | null> {
    const level = group.tied.length;
    const key = keyAt(this.#keys, level);
    // One more than needed, and one for the element that the page comes after.
    const needed = this.#skip + this.#size - this.rows.length + 2;
    const size = Math.min(needed, this.#limits.documents);
    const most = { documents: size, elements: this.#limits.elements };
    const documents = await this.#requests.documents(rest.scope, level, most);
    const end = endOf(documents, key, size);
    const rows = documents
      .flatMap((document) => document.rows)
      .filter(({ place }) => isKnown(place[level] ?? null, end, key))
      .sort((one, other) => comparePlaces(this.#keys, one.place, other.place, level));
    for (const row of rows) {
      if (after === null || comparePlaces(this.#keys, row.place, after, level) > 0) {
        this.#offer(row);
      }
    }
    if (end === null || this.#isFull) return null;
    if (!end.isComplete) {
      const ties = after !== null && key.compare(after[level] ?? null, end.value) === 0;
      await this.run(tiedAt(rest, key, end.value), ties ? after : null);
    }
    return afterValue(group, key, end.value);
  }

  /** Takes the elements of one document, which tie on all keys. */
  async #takePositions({ scope, tied }: Group, after: Place | null): Promise<void> {
    const first = after === null ? 0 : Number(after[tied.length]) + 1;
    for (const { id, version, position } of await this.#requests.positions(scope)) {
      if (position >= first) this.#offer({ id, version, place: [...tied, position] });
    }
  }

  #offer(row: ElementRow): void {
    if (this.#skip > 0) this.#skip -= 1;
    else if (!this.#isFull) this.rows.push(row);
  }
}

function part({ scope, tied }: Group, key: ElementKey, condition: Json): Group {
  return { scope: within(scope, key, condition), tied };
}

function tiedAt({ scope, tied }: Group, key: ElementKey, value: SortValue): Group {
  return { scope: within(scope, key, key.at(value)), tied: [...tied, value] };
}

/** What comes after a value; null for nothing. */
function afterValue(group: Group, key: ElementKey, value: SortValue): Group | null {
  return value === null ? null : part(group, key, key.after(value));
}

/** Where what is known of an order ends. */
interface End {
  readonly value: SortValue;
  /** Whether all elements with this value are known, too. */
  readonly isComplete: boolean;
}

/**
 * @param size of documents that were asked for
 * @returns null if all elements are known
 */
function endOf(documents: readonly DocumentElements[], key: ElementKey, size: number): End | null {
  const last = documents.length === size ? documents.at(-1) : undefined;
  const ends = documents.flatMap(({ cutAt }) => (cutAt === undefined ? [] : [cutAt]));
  let end: End | null = last === undefined ? null : { value: last.value, isComplete: key.isId };
  for (const value of ends) {
    if (end === null || key.compare(value, end.value) <= 0) end = { value, isComplete: false };
  }
  return end;
}

function isKnown(value: SortValue, end: End | null, key: ElementKey): boolean {
  if (end === null) return true;
  const order = key.compare(value, end.value);
  return order < 0 || (order === 0 && end.isComplete);
}
