// The four kinds of query of a search request. Only the member that `queryType` selects is read.
// Each is validated once and returns a function that resolves it on one index.

import type { Zone } from 'luxon';
import type { ServiceError } from '../../errors.ts';
import { invalid } from '../body.ts';
import { timeZone, UTC } from '../dates/time-zone.ts';
import { readDsl } from '../dsl/dsl.ts';
import type { AccessPaths } from '../language/access-paths.ts';
import { assemble } from '../language/assembly.ts';
import { withCaret } from '../language/caret.ts';
import { defaultFieldsOf } from '../language/default-fields.ts';
import { parseQueryString } from '../language/query-string.ts';
import { RequestTexts } from '../language/request-texts.ts';
import { queryFault } from '../language/syntax.ts';
import type { QueryLimits } from '../limits.ts';
import type { Mapping } from '../mapping/mapping.ts';
import { misplacedMembers } from '../mapping/misplaced-members.ts';
import type { InnerHit, Typeahead, TypeaheadField } from '../plan.ts';
import type { Query } from '../query.ts';
import { oneStep, type Steps } from '../steps.ts';
import { readInnerHit, withElements } from './inner-hit.ts';
import type { QueryBody, SearchBody } from './search-body.ts';
import { readText } from './text.ts';
import { readTypeahead } from './typeahead.ts';

/** A parsed and validated query. */
export interface RequestQuery {
  /** Reads dates and words, those of filters included. */
  readonly texts: RequestTexts;
  /** Present if the results are values. */
  readonly typeahead?: Typeahead;
  /** Resolves it on one index, in steps. */
  resolve(mapping: Mapping): Steps<IndexQuery>;
}

/** The query on one index, before filters. */
export interface IndexQuery {
  readonly query: Query;
  readonly innerHit?: InnerHit;
  readonly typeahead?: Omit<TypeaheadField, 'filter'>;
}

export const QUERY_TYPES: readonly string[] = ['DSL', 'SAILPOINT', 'TEXT', 'TYPEAHEAD'];

/**
 * Reads and validates the query of a request.
 * @param mappings of the requested indexes
 * @param paths the grants that `via.…` in a query text refers to; without them it is an error
 * @throws ServiceError `request_invalid`, `query_malformed`, `limit_exceeded`
 */
export function readRequestQuery(
  request: SearchBody,
  mappings: readonly Mapping[],
  limits: QueryLimits,
  now: number,
  paths?: AccessPaths,
): RequestQuery {
  const texts = new RequestTexts(now, UTC);
  switch (request.queryType) {
    case 'DSL': {
      if (request.queryDsl === undefined) throw missing('queryDsl', request);
      const queryOn = readDsl(request.queryDsl, limits, now);
      return { texts, resolve: (mapping) => oneStep(() => ({ query: queryOn(mapping) })) };
    }
    case 'TEXT': {
      if (request.textQuery === undefined) throw missing('textQuery', request);
      const querySteps = readText(request.textQuery, limits);
      return { texts, resolve: (mapping) => indexQuery(querySteps(mapping)) };
    }
    case 'TYPEAHEAD': {
      if (request.typeAheadQuery === undefined) throw missing('typeAheadQuery', request);
      const { typeahead, resolve } = readTypeahead(request.typeAheadQuery, limits);
      return {
        texts,
        typeahead,
        resolve: (mapping) =>
          oneStep(() => {
            const { query, field } = resolve(mapping);
            return { query, ...(field && { typeahead: field }) };
          }),
      };
    }
    default:
      if (request.query?.query === undefined) throw missing('query.query', request);
      return readQueryString(
        { text: request.query.query, ...request.query },
        mappings,
        limits,
        now,
        paths,
      );
  }
}

function* indexQuery(steps: Steps<Query>): Steps<IndexQuery> {
  return { query: yield* steps };
}

const SENDS_QUERY = /^"(query|queryType|queryDsl|textQuery|typeAheadQuery)":/;

/** The error for a query that is not there, with what may be meant to be it. */
function missing(path: string, { queryType, sent }: SearchBody): ServiceError {
  const hint = misplacedMembers(sent).find(({ send }) => SENDS_QUERY.test(send));
  const expected = `${path}: is required for queryType ${queryType}`;
  return invalid(hint === undefined ? expected : `${expected}; ${hint.text}`);
}

function readQueryString(
  query: QueryBody & { readonly text: string },
  mappings: readonly Mapping[],
  limits: QueryLimits,
  now: number,
  paths?: AccessPaths,
): RequestQuery {
  refuseBlank(query.text);
  const clauses = withCaret(query.text, () => parseQueryString(query.text, limits));
  const texts = new RequestTexts(now, zoneOf(query.timeZone));
  const defaultFields = defaultFieldsOf(query.fields, limits);
  const innerHit = query.innerHit && readInnerHit(query.innerHit, mappings, texts, limits);
  return {
    texts,
    resolve: (mapping) =>
      oneStep(() => {
        const outerQuery = withCaret(query.text, () =>
          assemble(clauses, mapping, { texts, limits, defaultFields, paths }),
        );
        if (innerHit === undefined) return { query: outerQuery };
        const elements = innerHit(mapping);
        return {
          query: withElements(outerQuery, elements),
          ...(elements !== null && { innerHit: elements }),
        };
      }),
  };
}

function refuseBlank(text: string): void {
  if (!/^[\s\u3000]*$/.test(text)) return;
  const problem = 'the query is blank, expected at least one clause; * finds everything';
  withCaret(text, () => {
    throw queryFault(0, problem);
  });
}

function zoneOf(name: string | undefined): Zone {
  if (name === undefined || name === '') return UTC;
  const zone = timeZone(name);
  if (zone !== undefined) return zone;
  throw invalid(
    `query.timeZone: there is no time zone ${JSON.stringify(name.slice(0, 60))}, expected one like Europe/Paris or +02:00`,
  );
}
