// The tiles of the dashboard as data: what each asks, and the search it opens as. A tile shows nothing that cannot be
// looked into.
import type { IndexName } from '../../src/query/query.ts';
import type { SearchBody } from '../api/wire.ts';
import { writtenValue } from '../search/completion.ts';

/** How many documents a query finds. */
export interface FigureTile {
  readonly title: string;
  readonly hint: string;
  readonly index: IndexName;
  readonly query: string;
}

/** The most frequent values of a field among the elements of an array, or among documents. */
export interface BarsTile {
  readonly title: string;
  readonly index: IndexName;
  readonly field: string;
  /** The array whose elements are looked at, and which of them. */
  readonly of: { readonly path: string; readonly where?: SearchBody } | null;
  /** Which documents are looked at; all of them where it is left out. */
  readonly query?: string;
  /** The search for one value. @param value as it is written in a query */
  readonly search: (value: string) => string;
}

const DORMANT = 'disabled:false AND accountAttributes.lastLogin:[* TO now-90d/d]';

export const FIGURES: readonly FigureTile[] = [
  {
    title: 'Active people',
    hint: 'not marked as inactive',
    index: 'identities',
    query: 'inactive:false',
  },
  {
    title: 'Left, with open accounts',
    hint: 'inactive, and an account is not disabled',
    index: 'identities',
    query: 'inactive:true AND @accounts(disabled:false)',
  },
  {
    title: 'Dormant accounts',
    hint: 'people with an open account unused for 90 days',
    index: 'identities',
    query: `@accounts(${DORMANT})`,
  },
  {
    title: 'Uncorrelated',
    hint: 'accounts that belong to no identity profile',
    index: 'identities',
    query: 'NOT _exists_:identityProfile',
  },
  {
    title: 'Correlated by hand',
    hint: 'people with an account that was assigned manually',
    index: 'identities',
    query: '@accounts(manuallyCorrelated:true)',
  },
  {
    title: 'Privileged access',
    hint: 'people who hold a privileged entitlement',
    index: 'identities',
    query: '@access(privileged:true)',
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
    title: 'Most held roles',
    index: 'identities',
    field: 'access.name',
    of: { path: 'access', where: { term: { 'access.type': 'ROLE' } } },
    search: (value) => `@access(type:ROLE AND name.exact:${value})`,
  },
  {
    title: 'Failed events',
    index: 'events',
    field: 'technicalName',
    of: null,
    query: 'status:FAILED',
    search: (value) => `status:FAILED AND technicalName.exact:${value}`,
  },
];

const MOST = 6;

/** The aggregation of a tile, named `values` however deep it lies; its buckets count documents in `documents`. */
export function barsBody({ index, field, of, query = '*' }: BarsTile): SearchBody {
  const body = { indices: [index], query: { query } };
  if (of === null)
    return { ...body, aggregationsDsl: { values: { terms: { field, size: MOST } } } };
  const counted = { documents: { reverse_nested: {} } };
  const values = { terms: { field, size: MOST, order: { documents: 'desc' } }, aggs: counted };
  const chosen =
    of.where === undefined ? { values } : { values: { filter: of.where, aggs: { values } } };
  return { ...body, aggregationsDsl: { values: { nested: { path: of.path }, aggs: chosen } } };
}

/** The search for a value of a tile. */
export function barSearch(tile: BarsTile, value: string): string {
  return tile.search(writtenValue(value));
}
