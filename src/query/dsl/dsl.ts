// Reads `queryDsl`: a clause of Elasticsearch's query DSL, without a wrapper. One table lists the
// supported clauses; scripts, geo queries, joins and others are rejected with name and place, at
// any level.
// Invariant: depth and clauses are counted while reading, so no body can exhaust the stack.

import { invalid } from '../body.ts';
import { limitFault, type QueryLimits } from '../limits.ts';
import { ROOT } from '../mapping/field-names.ts';
import type { Mapping } from '../mapping/mapping.ts';
import type { Query } from '../query.ts';
import { sizeOf } from '../query-parts.ts';
import { COMPOUND_CLAUSES } from './dsl-compound.ts';
import { objectOf } from './dsl-parameters.ts';
import { QUERY_STRING_CLAUSES } from './dsl-query-string.ts';
import type { ClauseReader, ReadClause } from './dsl-reader.ts';
import { type DslQuery, DslTarget } from './dsl-target.ts';
import { TERM_CLAUSES } from './dsl-terms.ts';
import { TEXT_CLAUSES } from './dsl-text.ts';

const CLAUSES: ReadonlyMap<string, ReadClause> = new Map(
  Object.entries({
    ...TERM_CLAUSES,
    ...TEXT_CLAUSES,
    ...COMPOUND_CLAUSES,
    ...QUERY_STRING_CLAUSES,
  }),
);

/**
 * Reads and validates a DSL query; the result resolves it against one index.
 * @param place the member that holds it
 * @throws ServiceError `request_invalid` or `query_malformed` with the place; `limit_exceeded`
 */
export function readDsl(
  value: unknown,
  limits: QueryLimits,
  now: number,
  place = 'queryDsl',
): (mapping: Mapping) => Query {
  const read = new Reader(limits, now).clause(value, place);
  return (mapping) => {
    const query = read(new DslTarget(mapping, limits), ROOT);
    const size = sizeOf(query);
    if (size > limits.maxTerms) throw limitFault('maxTerms', limits.maxTerms, 'terms in queryDsl');
    return query;
  };
}

/**
 * Returns a reader for clauses in other members of a request; its limits apply to all of them
 * together.
 */
export function clauseReader(limits: QueryLimits, now: number): ClauseReader {
  return new Reader(limits, now);
}

class Reader implements ClauseReader {
  readonly limits: QueryLimits;
  readonly now: number;
  private depth = 0;
  private count = 0;
  private characters = 0;

  constructor(limits: QueryLimits, now: number) {
    this.limits = limits;
    this.now = now;
  }

  clause(value: unknown, place: string): DslQuery {
    const record = objectOf(value, place);
    const names = Object.keys(record);
    const [name] = names;
    if (name === undefined || names.length > 1) {
      const actual = names.length === 0 ? 'none' : names.slice(0, 3).join(', ').slice(0, 80);
      const expected = `${place}: expected exactly one query clause, found ${actual}`;
      throw invalid(expected + wrapperHint(record, place));
    }
    const read = CLAUSES.get(name);
    const inner = `${place}.${name.slice(0, 60)}`;
    if (read === undefined) {
      throw invalid(
        `${inner}: is not supported${wrapperHint(record, place)}; supported clauses: ${[...CLAUSES.keys()].join(', ')}`,
      );
    }
    this.enterClause();
    const query = read(record[name] ?? undefined, inner, this);
    this.depth -= 1;
    return query;
  }

  countText(text: string): void {
    this.characters += text.length;
    const { maxQueryLength } = this.limits;
    if (this.characters > maxQueryLength) {
      throw limitFault('maxQueryLength', maxQueryLength, 'characters in the query texts together');
    }
  }

  private enterClause(): void {
    const { maxClauses, maxDepth } = this.limits;
    this.depth += 1;
    if (this.depth > maxDepth)
      throw limitFault('maxDepth', maxDepth, 'levels of clauses in queryDsl');
    this.count += 1;
    if (this.count > maxClauses) throw limitFault('maxClauses', maxClauses, 'clauses in queryDsl');
  }
}

/** The body of Elasticsearch wraps the clause, and has sizes and aggregations beside it. */
function wrapperHint(record: object, place: string): string {
  if (place !== 'queryDsl' || !Object.hasOwn(record, 'query')) return '';
  return '; send the clause itself as queryDsl, without "query" around it';
}
