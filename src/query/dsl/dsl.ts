// `queryDsl`: the clause itself in Elasticsearch's query DSL, without a wrapper. What is served stands in one
// table; scripts, geography, joins and the like are refused by name and place, wherever they stand.
// Invariant: depth and clauses are counted while reading, so no body can exhaust the stack.
import { invalid } from '../body.ts';
import { limitFault, type QueryLimits } from '../limits.ts';
import { ROOT } from '../mapping/field-names.ts';
import type { Mapping } from '../mapping/mapping.ts';
import type { Query } from '../query.ts';
import { sizeOf } from '../query-size.ts';
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
 * Reads and checks a DSL query; what comes back is put to each index.
 * @param now epoch milliseconds
 * @param place the member it came in
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

/** Reads the clauses that stand elsewhere in a request: all of them together keep the limits. */
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
      const found = names.length === 0 ? 'none' : names.slice(0, 3).join(', ').slice(0, 80);
      throw invalid(`${place}: expected exactly one query clause, found ${found}`);
    }
    const read = CLAUSES.get(name);
    const inner = `${place}.${name.slice(0, 60)}`;
    if (read === undefined) {
      throw invalid(
        `${inner}: is not served; these clauses are: ${[...CLAUSES.keys()].join(', ')}`,
      );
    }
    this.enter();
    const query = read(record[name] ?? undefined, inner, this);
    this.depth -= 1;
    return query;
  }

  spendText(text: string): void {
    this.characters += text.length;
    const { maxQueryLength } = this.limits;
    if (this.characters > maxQueryLength) {
      throw limitFault('maxQueryLength', maxQueryLength, 'characters in the query texts together');
    }
  }

  private enter(): void {
    const { maxClauses, maxDepth } = this.limits;
    this.depth += 1;
    if (this.depth > maxDepth)
      throw limitFault('maxDepth', maxDepth, 'levels of clauses in queryDsl');
    this.count += 1;
    if (this.count > maxClauses) throw limitFault('maxClauses', maxClauses, 'clauses in queryDsl');
  }
}
