// Reads DSL clauses that hold a query text: query_string (the language of SAILPOINT queries without
// `@path(…)`) and simple_query_string (whose texts are never malformed).

import { invalid } from '../body.ts';
import { UTC } from '../dates/time-zone.ts';
import { withPlace } from '../fault-place.ts';
import { assemble } from '../language/assembly.ts';
import { withCaret } from '../language/caret.ts';
import { parseQueryString } from '../language/query-string.ts';
import { RequestTexts } from '../language/request-texts.ts';
import { sizeOf } from '../query-parts.ts';
import { Parameters } from './dsl-parameters.ts';
import {
  type ClauseReader,
  fieldsOf,
  type ReadClause,
  requestTextsOf,
  withBoost,
} from './dsl-reader.ts';
import type { DslQuery } from './dsl-target.ts';
import { parseSimpleQueryString } from './simple-query-string.ts';

export const QUERY_STRING_CLAUSES: Readonly<Record<string, ReadClause>> = {
  query_string: readQueryString,
  simple_query_string: readSimpleQueryString,
};

function readQueryString(value: unknown, place: string, reader: ClauseReader): DslQuery {
  const parameters = new Parameters(value, place, [
    'query',
    'fields',
    'default_field',
    'default_operator',
    'time_zone',
    'lenient',
    'analyze_wildcard',
    'boost',
  ]);
  const text = parameters.requiredText('query');
  const queryPlace = parameters.pathOf('query');
  reader.countText(text);
  if (/^[\s\u3000]*$/.test(text)) throw invalid(`${queryPlace}: is blank, expected a clause`);
  const { limits } = reader;
  const inText = <T>(make: () => T) => withPlace(queryPlace, () => withCaret(text, make));
  const clauses = inText(() => parseQueryString(text, limits, { nested: false }));
  const defaultFields = fieldsOf(
    parameters,
    parameters.has('fields') ? 'fields' : 'default_field',
    reader,
  );
  const defaultOperator = operatorOf(parameters);
  const lenient = parameters.boolean('lenient') ?? false;
  parameters.boolean('analyze_wildcard');
  const texts = requestTextsOf(parameters, reader);
  const query: DslQuery = (target, scope) => {
    const resolved = inText(() =>
      assemble(clauses, target.names.mapping, {
        texts,
        limits,
        defaultFields,
        names: target.names,
        scope,
        defaultOperator,
        lenient,
      }),
    );
    target.countTerms(sizeOf(resolved));
    return resolved;
  };
  return withBoost(query, parameters.factor('boost'));
}

function readSimpleQueryString(value: unknown, place: string, reader: ClauseReader): DslQuery {
  const parameters = new Parameters(value, place, ['query', 'fields', 'default_operator', 'boost']);
  const text = parameters.requiredText('query');
  reader.countText(text);
  const { limits, now } = reader;
  const defaultFields = fieldsOf(parameters, 'fields', reader);
  const defaultOperator = operatorOf(parameters);
  const clauses = withCaret(text, () => parseSimpleQueryString(text, defaultOperator, limits));
  const texts = new RequestTexts(now, UTC);
  const query: DslQuery = (target, scope) => {
    const { names } = target;
    const context = { texts, limits, defaultFields, names, scope, lenient: true };
    const resolved = assemble(clauses, names.mapping, context);
    target.countTerms(sizeOf(resolved));
    return resolved;
  };
  return withBoost(query, parameters.factor('boost'));
}

function operatorOf(parameters: Parameters): 'and' | 'or' {
  return parameters.choice('default_operator', ['or', 'and']) ?? 'or';
}
