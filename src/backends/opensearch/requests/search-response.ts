// OpenSearch's answer to a search, as far as it is read, and the conversion of its hits.

import type { IndexName, SourceFilter } from '../../../query/query.ts';
import type { Hit } from '../../../service/ports/search-backend.ts';
import type { StoredDocument } from '../../../service/ports/stored-document.ts';
import { unavailable } from './client.ts';
import type { OpenTarget } from './plan-to-body.ts';
import type { Json } from './query-to-body.ts';
import type { SortBody } from './sort-body.ts';
import type { CutSource, DocumentParts } from './source.ts';

/** OpenSearch's explanation of a score. */
export interface LuceneExplanation {
  readonly value: number;
  readonly description: string;
  readonly details: readonly LuceneExplanation[];
}

export interface ResponseHit {
  readonly _index?: string;
  readonly _id?: string;
  /** If it was requested; it grows with each change of the document. */
  readonly _version?: number;
  readonly _score?: number | null;
  readonly _explanation?: LuceneExplanation;
  readonly sort: readonly unknown[];
  /** Values of columns, if they were requested. */
  readonly fields?: Readonly<Record<string, readonly unknown[]>>;
  /** The document as it is in OpenSearch, if it was requested; null: it is not what was fed. */
  readonly source?: Pick<CutSource, 'parts' | 'stamp'> | null;
  /** The document, once it was checked (foreign-writes/true-hits.ts). */
  parts?: DocumentParts;
  /** The document of the store, in place of what is in OpenSearch. */
  stored?: StoredDocument;
  inner_hits?: Readonly<Record<string, InnerHits>>;
}

export interface InnerHits {
  readonly hits: {
    readonly total?: { readonly value: number };
    readonly hits: readonly {
      readonly _nested: { readonly offset: number };
      readonly sort?: readonly unknown[];
    }[];
  };
}

export interface SearchResponse {
  readonly timed_out: boolean;
  readonly _shards: { readonly failed: number };
  readonly hits: {
    readonly total?: { readonly value: number };
    readonly hits: readonly ResponseHit[];
  };
  readonly aggregations?: Readonly<Record<string, unknown>>;
  /** Frees the memory of the documents: see SearchResult. */
  release?: () => void;
}

/**
 * Sends a body to the indexes of targets; throws ServiceErrors.
 * @param scored false: nothing of the answer depends on scores; true if omitted
 */
export type SearchFunction = (
  targets: readonly OpenTarget[],
  body: Json,
  scored?: boolean,
) => Promise<SearchResponse>;

/** Bounds of one request, whatever page a plan asks for. */
export interface SearchLimits {
  /** Most hits that OpenSearch orders for a page far from the start, or on the way to it. */
  readonly window: number;
  /** Most documents in an answer with elements in an order of their own. */
  readonly documents: number;
  /** Most elements of each of them: OpenSearch reserves memory for this many in each. */
  readonly elements: number;
  /** Most elements before a page that are read instead of counted. */
  readonly elementsBefore: number;
}

/** The searches of a page. */
export interface Searches {
  readonly limits: SearchLimits;
  /** Finds what is returned. */
  readonly search: SearchFunction;
  /** Finds what is needed on the way: its answers are not counted as memory of the page. */
  readonly searchUncounted: SearchFunction;
}

/** Sends many bodies to the index of a target and returns the answers in order. */
export type MultiSearchFunction = (
  target: OpenTarget,
  bodies: readonly Json[],
) => Promise<SearchResponse[]>;

/** @param source whether nested members were requested; OpenSearch always returns them */
export function hitOf(
  { _id, sort, parts, stored }: ResponseHit,
  order: SortBody,
  scored: boolean,
  source: Pick<SourceFilter, 'nested'>,
  targets: readonly OpenTarget[],
): Hit {
  if (parts === undefined) throw unavailable('A hit has no document');
  const index = targets.length === 1 ? onlyIndex(targets) : (sort[order.indexAt] as IndexName);
  return {
    index: stored?.index ?? index,
    id: stored?.id ?? String(order.idAt === -1 ? _id : sort[order.idAt]),
    score: scored ? Number(sort[order.scoreAt]) : null,
    sort: order.values(sort),
    root: parts.root,
    nested: source.nested ? parts.nested : EMPTY,
  };
}

function onlyIndex([target]: readonly OpenTarget[]): IndexName {
  if (target === undefined) throw new Error('No target');
  return target.index;
}

const EMPTY = new Uint8Array(0);
