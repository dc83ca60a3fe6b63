// OpenSearch's answer to a search, as far as it is read, and the conversion of its hits.
import type { Hit } from '../../identity/ports/search-backend.ts';
import type { IndexName } from '../../query/query.ts';
import { STORED } from './columns.ts';
import type { OpenTarget } from './plan-to-body.ts';
import type { Json } from './query-to-body.ts';
import type { SortBody } from './sort-body.ts';

/** OpenSearch's explanation of a score. */
export interface LuceneExplanation {
  readonly value: number;
  readonly description: string;
  readonly details: readonly LuceneExplanation[];
}

export interface ResponseHit {
  readonly _score?: number | null;
  readonly _explanation?: LuceneExplanation;
  readonly sort: readonly unknown[];
  readonly fields: Readonly<Record<string, readonly string[]>>;
  readonly inner_hits?: Readonly<Record<string, InnerHits>>;
}

export interface InnerHits {
  readonly hits: { readonly hits: readonly { readonly _nested: { readonly offset: number } }[] };
}

export interface SearchResponse {
  readonly timed_out: boolean;
  readonly _shards: { readonly failed: number };
  readonly hits: {
    readonly total?: { readonly value: number };
    readonly hits: readonly ResponseHit[];
  };
  readonly aggregations?: Readonly<Record<string, unknown>>;
}

/** Sends a body to the indexes of targets; throws ServiceErrors. */
export type SearchFunction = (
  targets: readonly OpenTarget[],
  body: Json,
) => Promise<SearchResponse>;

/** Sends many bodies to the index of a target and returns the answers in order. */
export type MultiSearchFunction = (
  target: OpenTarget,
  bodies: readonly Json[],
) => Promise<SearchResponse[]>;

export function hitOf({ sort, fields }: ResponseHit, order: SortBody, scored: boolean): Hit {
  return {
    index: sort[order.indexAt] as IndexName,
    id: String(sort[order.idAt]),
    score: scored ? Number(sort[order.scoreAt]) : null,
    sort: order.values(sort),
    root: bytesOf(fields[STORED.root]),
    nested: bytesOf(fields[STORED.nested]),
  };
}

function bytesOf(values: readonly string[] | undefined): Uint8Array {
  const text = values?.[0];
  return text === undefined ? EMPTY : Buffer.from(text);
}

const EMPTY = new Uint8Array(0);
