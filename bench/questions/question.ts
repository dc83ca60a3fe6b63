// A question: what a client asks, as a request to Cardea and as the one that a user of OpenSearch
// would send for the same result. A kind of question makes many of them from values of documents.
import type { HttpRequest } from '../client.ts';
import type { Draw } from './draw.ts';

export type SystemName = 'cardea' | 'opensearch';

/** A query that scores on one system scores on the other, too. */
export interface Question extends Readonly<Record<SystemName, HttpRequest>> {
  readonly dataset: Dataset;
}

/**
 * The documents that are searched. `company` is the corpus; `heavy` has identities with 500 access
 * rows; the five tenants have the same small part of the corpus each.
 */
export type Dataset = 'company' | 'heavy' | TenantName;
export type TenantName = (typeof TENANTS)[number];
export const TENANTS = ['tenant1', 'tenant2', 'tenant3', 'tenant4', 'tenant5'] as const;

/** Decides which target a cell has. */
export type Group = 'page' | 'aggregation' | 'lookup' | 'mixture';

export interface QuestionKind {
  readonly name: string;
  readonly group: Group;
  /** Page sizes, each a cell of its own; `[0]`: it returns no page, or pages of all sizes. */
  readonly sizes: readonly number[];
  /** The least share of questions that have hits; the rest are right to find nothing. */
  readonly hitShareMin: number;
  /** The datasets that are searched, if not only the company. */
  readonly datasets?: readonly Dataset[];
  /** Writes during the questions, one document each; none if absent. */
  readonly writesPerSecond?: number;
  question(draw: Draw, size: number): Question;
}

/** The page sizes of most kinds: what a console shows, and what a program reads. */
export const PAGE_SIZES: readonly number[] = [10, 250];

type Index = 'identities' | 'events';

/** A page of hits. The members of the bodies are those besides indexes and size. */
export function page(
  index: Index,
  size: number,
  cardea: object,
  opensearch: object,
  dataset: Dataset = 'company',
): Question {
  return {
    dataset,
    cardea: {
      ...{ method: 'POST', path: `/v2024/search?limit=${size}` },
      body: { indices: [index], ...cardea },
    },
    opensearch: {
      ...{ method: 'POST', path: `/${indexPrefix(dataset)}${index}/_search` },
      body: { size, track_total_hits: false, ...opensearch },
    },
  };
}

/** An aggregation on the matches of a query. */
export function aggregation(
  index: Index,
  query: { readonly cardea: string; readonly opensearch: object },
  aggs: { readonly cardea: object; readonly opensearch: object },
  dataset: Dataset = 'company',
): Question {
  return {
    dataset,
    cardea: {
      ...{ method: 'POST', path: '/v2024/search/aggregate?limit=0' },
      body: { indices: [index], query: { query: query.cardea }, aggregationsDsl: aggs.cardea },
    },
    opensearch: {
      method: 'POST',
      path: `/${indexPrefix(dataset)}${index}/_search?request_cache=false`,
      body: { size: 0, track_total_hits: false, query: query.opensearch, aggs: aggs.opensearch },
    },
  };
}

/** The same question as one that is asked repeatedly: OpenSearch may answer from its cache. */
export function repeatable(question: Question): Question {
  const { opensearch } = question;
  const path = opensearch.path.replace('request_cache=false', 'request_cache=true');
  return { ...question, opensearch: { ...opensearch, path } };
}

/** The prefix of OpenSearch's indexes of a dataset; in Cardea each is a tenant. */
export function indexPrefix(dataset: Dataset): string {
  return dataset === 'company' ? '' : `${dataset}-`;
}

/** OpenSearch's `bool` query: a list that must match, and one query that must not. */
export function allBut(must: readonly object[], mustNot: object): object {
  return { bool: { must, must_not: [mustNot] } };
}

export function phrase(field: string, text: string): object {
  return { match_phrase: { [field]: text } };
}
