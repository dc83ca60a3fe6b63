// Checks the form of a search request body: its members and their JSON types. Of the queries, only
// the member that `queryType` selects is read, because SDK samples send all of them at once.
import { Members, type Scalar, wrongType } from '../body.ts';
import { withExample } from '../mapping/misplaced-members.ts';
import { type FilterBody, readFilters } from './filters.ts';
import type { SearchParameters } from './page.ts';

export interface SearchBody {
  /** The whole body, for hints in errors. */
  readonly sent: unknown;
  readonly indices: readonly string[];
  readonly queryType: string;
  /** The `query` member if queryType is SAILPOINT. */
  readonly query: QueryBody | undefined;
  /** If queryType is DSL: an object, not yet parsed. */
  readonly queryDsl: unknown;
  /** If queryType is TEXT. */
  readonly textQuery: TextQueryBody | undefined;
  /** If queryType is TYPEAHEAD. */
  readonly typeAheadQuery: TypeAheadQueryBody | undefined;
  readonly aggregationType: string;
  readonly includeNested: boolean;
  readonly includes: readonly string[];
  readonly excludes: readonly string[];
  readonly filters: readonly FilterBody[];
  readonly sort: readonly string[];
  readonly searchAfter: readonly Scalar[];
  /** `limit` and `offset` as text, for a URL without them. */
  readonly page: Pick<SearchParameters, 'limit' | 'offset'>;
}

export interface QueryBody {
  readonly query: string | undefined;
  /** As sent; default-fields.ts parses the forms of a field list. */
  readonly fields: readonly string[];
  readonly timeZone: string | undefined;
  readonly innerHit: InnerHitBody | undefined;
}

export interface InnerHitBody {
  readonly query: string | undefined;
  readonly type: string | undefined;
}

export interface TextQueryBody {
  readonly terms: readonly string[] | undefined;
  readonly fields: readonly string[] | undefined;
  readonly matchAny: boolean;
  readonly contains: boolean;
}

export interface TypeAheadQueryBody {
  readonly query: string | undefined;
  readonly field: string | undefined;
  readonly nestedType: string | undefined;
  readonly maxExpansions: number | undefined;
  readonly size: number | undefined;
  readonly sort: string | undefined;
  readonly sortByValue: boolean;
}

/**
 * The members of a search; errors show examples.
 * @throws ServiceError `body_malformed` if the body is not an object
 */
export function searchMembers(body: unknown): Members {
  return new Members(body, '', (path, expected) => wrongType(path, withExample(path, expected)));
}

/** @throws ServiceError `body_malformed` for a member of the wrong JSON type */
export function readSearchBody(body: unknown): SearchBody {
  const members = searchMembers(body);
  for (const name of ['queryVersion', 'aggregationsVersion']) {
    if (typeof members.get(name) === 'object') throw wrongType(name, 'a string');
  }
  const queryType = members.string('queryType') ?? 'SAILPOINT';
  const filter = members.members('queryResultFilter');
  return {
    sent: body,
    indices: members.strings('indices') ?? [],
    queryType,
    query: queryType === 'SAILPOINT' ? readQuery(members.members('query')) : undefined,
    queryDsl: queryType === 'DSL' ? readDslMember(members) : undefined,
    textQuery: queryType === 'TEXT' ? readTextQuery(members.members('textQuery')) : undefined,
    typeAheadQuery:
      queryType === 'TYPEAHEAD' ? readTypeAheadQuery(members.members('typeAheadQuery')) : undefined,
    aggregationType: members.string('aggregationType') ?? 'DSL',
    includeNested: members.boolean('includeNested') ?? true,
    includes: filter?.strings('includes') ?? [],
    excludes: filter?.strings('excludes') ?? [],
    filters: readFilters(members.members('filters')),
    sort: members.strings('sort') ?? [],
    searchAfter: members.scalars('searchAfter') ?? [],
    page: pageMembers(members),
  };
}

/**
 * `limit` and `offset` of a body as text, as parameters of the URL are; absent ones are left out.
 * @throws ServiceError `body_malformed` unless they are numbers or strings
 */
export function pageMembers(members: Members): Pick<SearchParameters, 'limit' | 'offset'> {
  const textOf = (name: 'limit' | 'offset') => {
    const value = members.get(name);
    const text = typeof value === 'string' ? value : members.number(name);
    return text === undefined ? {} : { [name]: String(text) };
  };
  return { ...textOf('limit'), ...textOf('offset') };
}

function readQuery(query: Members | undefined): QueryBody | undefined {
  if (query === undefined) return undefined;
  const fields = query.get('fields');
  return {
    query: query.string('query'),
    fields: typeof fields === 'string' ? [fields] : (query.strings('fields') ?? []),
    timeZone: query.string('timeZone'),
    innerHit: readInnerHit(query.members('innerHit')),
  };
}

function readInnerHit(innerHit: Members | undefined): InnerHitBody | undefined {
  return innerHit && { query: innerHit.string('query'), type: innerHit.string('type') };
}

function readDslMember(members: Members): unknown {
  members.members('queryDsl');
  return members.get('queryDsl');
}

function readTextQuery(query: Members | undefined): TextQueryBody | undefined {
  return (
    query && {
      terms: query.strings('terms'),
      fields: query.strings('fields'),
      matchAny: query.boolean('matchAny') ?? false,
      contains: query.boolean('contains') ?? false,
    }
  );
}

function readTypeAheadQuery(query: Members | undefined): TypeAheadQueryBody | undefined {
  return (
    query && {
      query: query.string('query'),
      field: query.string('field'),
      nestedType: query.string('nestedType'),
      maxExpansions: query.number('maxExpansions'),
      size: query.number('size'),
      sort: query.string('sort'),
      sortByValue: query.boolean('sortByValue') ?? false,
    }
  );
}
