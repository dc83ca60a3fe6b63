// The four kinds of query a search request can hold. `queryType` alone decides which member is read; each becomes a
// way to ask one index, so that what is wrong with a request is found once and before any index is looked at.

import { invalid } from './body.ts';
import type { DateContext } from './dates/dates.ts';
import { timeZone, UTC } from './dates/time-zone.ts';
import { readDsl } from './dsl/dsl.ts';
import { readInnerHit, withElements } from './inner-hit.ts';
import { assemble } from './language/assembly.ts';
import { pointed } from './language/caret.ts';
import { defaultFieldsOf } from './language/default-fields.ts';
import { parseQueryString } from './language/query-string.ts';
import { queryFault } from './language/syntax.ts';
import { readText } from './language/text.ts';
import { readTypeahead } from './language/typeahead.ts';
import type { QueryLimits } from './limits.ts';
import type { Mapping } from './mapping/mapping.ts';
import type { InnerHit, Typeahead, TypeaheadField } from './plan.ts';
import { oneStep, type Steps } from './planning-steps.ts';
import type { Query } from './query.ts';
import type { QueryBody, SearchBody } from './search-body.ts';

/** A query that has been read and checked. */
export interface RequestQuery {
  /** What dates are read with, those of filters too. */
  readonly dates: DateContext;
  /** Present when the answer is values. */
  readonly typeahead?: Typeahead;
  /** Plans it for one index, in steps. */
  on(mapping: Mapping): Steps<IndexQuery>;
}

/** The query on one index, before filters. */
export interface IndexQuery {
  readonly query: Query;
  readonly innerHit?: InnerHit;
  readonly typeahead?: Omit<TypeaheadField, 'filter'>;
}

export const QUERY_TYPES: readonly string[] = ['DSL', 'SAILPOINT', 'TEXT', 'TYPEAHEAD'];

/**
 * @param mappings of the indexes asked
 * @param now epoch milliseconds
 * @throws ServiceError `request_invalid`, `query_malformed`, `limit_exceeded`
 */
export function readRequestQuery(
  request: SearchBody,
  mappings: readonly Mapping[],
  limits: QueryLimits,
  now: number,
): RequestQuery {
  const dates: DateContext = { now, zone: UTC };
  switch (request.queryType) {
    case 'DSL': {
      if (request.queryDsl === undefined) {
        throw invalid('queryDsl: is required for queryType DSL');
      }
      const on = readDsl(request.queryDsl, limits, now);
      return { dates, on: (mapping) => oneStep(() => ({ query: on(mapping) })) };
    }
    case 'TEXT': {
      const on = readText(request.textQuery, limits);
      return {
        dates,
        *on(mapping) {
          return { query: yield* on(mapping) };
        },
      };
    }
    case 'TYPEAHEAD': {
      const { typeahead, on } = readTypeahead(request.typeAheadQuery, limits);
      return {
        dates,
        typeahead,
        on: (mapping) =>
          oneStep(() => {
            const { query, field } = on(mapping);
            return { query, ...(field && { typeahead: field }) };
          }),
      };
    }
    default:
      return readQueryString(request.query, mappings, limits, now);
  }
}

function readQueryString(
  body: QueryBody | undefined,
  mappings: readonly Mapping[],
  limits: QueryLimits,
  now: number,
): RequestQuery {
  const query = requiredQuery(body);
  const clauses = pointed(query.text, () => parseQueryString(query.text, limits));
  const dates: DateContext = { now, zone: zoneOf(query.timeZone) };
  const defaultFields = defaultFieldsOf(query.fields, limits);
  const innerHit = query.innerHit && readInnerHit(query.innerHit, mappings, dates, limits);
  return {
    dates,
    on: (mapping) =>
      oneStep(() => {
        const found = pointed(query.text, () =>
          assemble(clauses, mapping, { dates, limits, defaultFields }),
        );
        if (innerHit === undefined) return { query: found };
        const elements = innerHit(mapping);
        return {
          query: withElements(found, elements),
          ...(elements !== null && { innerHit: elements }),
        };
      }),
  };
}

function requiredQuery(query: QueryBody | undefined): QueryBody & { readonly text: string } {
  if (query?.query === undefined) throw invalid('query.query: is required for queryType SAILPOINT');
  const text = query.query;
  if (/^[\s\u3000]*$/.test(text)) {
    const problem = 'the query is blank, expected at least one clause; * finds everything';
    pointed(text, () => {
      throw queryFault(0, problem);
    });
  }
  return { ...query, text };
}

function zoneOf(name: string | undefined): DateContext['zone'] {
  if (name === undefined || name === '') return UTC;
  const zone = timeZone(name);
  if (zone !== undefined) return zone;
  throw invalid(
    `query.timeZone: there is no time zone ${JSON.stringify(name.slice(0, 60))}, expected one like Europe/Paris or +02:00`,
  );
}
