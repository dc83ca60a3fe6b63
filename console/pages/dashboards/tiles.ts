// The tiles of the built-in dashboard as data: the query of each, and the search it links to. Every
// figure has such a search.
import type { IndexName } from '../../../src/query/query.ts';
import { printValue } from '../../model/completion.ts';
import type { SearchBody } from '../../model/wire.ts';

/** A tile with the number of documents that match a query. */
export interface FigureTile {
  readonly title: string;
  readonly hint: string;
  readonly index: IndexName;
  readonly query: string;
  /** What any count above zero means; none by default. */
  readonly alarm?: 'bad' | 'warn';
  /** A query for those that were added lately, and what it finds in words. */
  readonly recent?: { readonly query: string; readonly words: string };
  /** True for events: those of the period are counted, and compared with the period before. */
  readonly isInPeriod?: true;
  /** True if its documents are failures, which are red. */
  readonly isFailure?: true;
}

/** A tile with the most frequent values of a field, among array elements or documents. */
export interface BarsTile {
  readonly title: string;
  readonly index: IndexName;
  readonly field: string;
  /** The nested array whose elements are counted, and a filter on them. */
  readonly of: { readonly path: string; readonly where?: SearchBody } | null;
  /** The documents to aggregate; all of them by default. */
  readonly query?: string;
  /** True if its documents are failures, which are red. */
  readonly isFailure?: boolean;
  /** The query for one value. @param value quoted where necessary */
  readonly search: (value: string) => string;
}

const DORMANT = 'disabled:false AND accountAttributes.lastLogin:[* TO now-90d/d]';

export const FIGURES: readonly FigureTile[] = [
  {
    title: 'Active people',
    hint: 'not marked as inactive',
    index: 'identities',
    query: 'NOT inactive:true',
    recent: {
      query: 'NOT inactive:true AND created:[now-30d/d TO now]',
      words: 'created in the last 30 days',
    },
  },
  {
    title: 'Inactive with enabled accounts',
    hint: 'inactive people with an account that is not disabled',
    index: 'identities',
    query: 'inactive:true AND @accounts(disabled:false)',
    alarm: 'bad',
  },
  {
    title: 'Dormant accounts',
    hint: 'people with an enabled account unused for 90 days',
    index: 'identities',
    query: `@accounts(${DORMANT})`,
    alarm: 'warn',
    recent: {
      query: '@accounts(disabled:false AND accountAttributes.lastLogin:[now-120d/d TO now-90d/d])',
      words: 'became dormant in the last 30 days',
    },
  },
  {
    title: 'Uncorrelated',
    hint: 'identities without an identity profile',
    index: 'identities',
    query: 'NOT _exists_:identityProfile',
    alarm: 'warn',
    recent: {
      query: 'created:[now-30d/d TO now] AND NOT _exists_:identityProfile',
      words: 'created in the last 30 days',
    },
  },
  {
    title: 'Manually correlated',
    hint: 'people with a manually correlated account',
    index: 'identities',
    query: '@accounts(manuallyCorrelated:true)',
  },
  {
    title: 'Privileged access',
    hint: 'people who hold a privileged entitlement',
    index: 'identities',
    query: '@access(privileged:true)',
  },
  {
    title: 'Failed events',
    hint: 'events with the status FAILED',
    index: 'events',
    query: 'status:FAILED',
    isInPeriod: true,
    isFailure: true,
  },
  {
    title: 'Failed activities',
    hint: 'account activities with the status Failure',
    index: 'accountactivities',
    query: 'status:Failure',
    isInPeriod: true,
    isFailure: true,
  },
];

export const BARS: readonly BarsTile[] = [
  {
    title: 'Access by source',
    index: 'identities',
    field: 'access.source.name',
    of: { path: 'access' },
    search: (value) => `@access(source.name.exact:${value})`,
  },
  {
    title: 'Access by type',
    index: 'identities',
    field: 'access.type',
    of: { path: 'access' },
    search: (value) => `@access(type:${value})`,
  },
  {
    title: 'Privileged access by source',
    index: 'identities',
    field: 'access.source.name',
    of: { path: 'access', where: { term: { 'access.privileged': true } } },
    search: (value) => `@access(privileged:true AND source.name.exact:${value})`,
  },
  {
    title: 'Dormant accounts by source',
    index: 'identities',
    field: 'accounts.source.name',
    of: {
      path: 'accounts',
      where: {
        bool: {
          filter: [
            { term: { 'accounts.disabled': false } },
            { range: { 'accounts.accountAttributes.lastLogin': { lte: 'now-90d/d' } } },
          ],
        },
      },
    },
    search: (value) => `@accounts(${DORMANT} AND source.name.exact:${value})`,
  },
  {
    title: 'Most common roles',
    index: 'identities',
    field: 'access.name',
    of: { path: 'access', where: { term: { 'access.type': 'ROLE' } } },
    search: (value) => `@access(type:ROLE AND name.exact:${value})`,
  },
  {
    title: 'Failed events by name',
    index: 'events',
    field: 'name',
    of: null,
    query: 'status:FAILED',
    isFailure: true,
    search: (value) => `status:FAILED AND name.exact:${value}`,
  },
];

const BARS_MAX = 6;

/**
 * The aggregation of a tile. It is named `values` at every level; nested buckets have a `documents`
 * count.
 */
export function barsBody({ index, field, of, query = '*' }: BarsTile): SearchBody {
  const body = { indices: [index], query: { query } };
  if (of === null)
    return { ...body, aggregationsDsl: { values: { terms: { field, size: BARS_MAX } } } };
  const documentCount = { documents: { reverse_nested: {} } };
  const values = {
    terms: { field, size: BARS_MAX, order: { documents: 'desc' } },
    aggs: documentCount,
  };
  const aggs =
    of.where === undefined ? { values } : { values: { filter: of.where, aggs: { values } } };
  return { ...body, aggregationsDsl: { values: { nested: { path: of.path }, aggs } } };
}

/** The query for a value of a tile. */
export function barSearch(tile: BarsTile, value: string): string {
  return tile.search(printValue(value));
}
