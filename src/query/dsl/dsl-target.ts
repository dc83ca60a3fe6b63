// One index that the clauses of a DSL query are resolved against. Names are absolute: inside
// `nested` only names below its path are in scope; at the root a field below a nested path matches
// if any element does.
import { invalid } from '../body.ts';
import { boosted, flattenedIn, MATCH_NONE } from '../build.ts';
import { constantQuery } from '../language/constant-query.ts';
import { Mismatch } from '../language/field-query.ts';
import type { Leaf } from '../language/syntax.ts';
import { limitFault, type QueryLimits } from '../limits.ts';
import { FieldNames, type Operand, type Scope } from '../mapping/field-names.ts';
import type { Field, Mapping } from '../mapping/mapping.ts';
import type { Query } from '../query.ts';

/**
 * A parsed and validated clause; resolves to a query on one index, at the root or inside a nested
 * array.
 */
export type DslQuery = (target: DslTarget, scope: Scope) => Query;

/** Builds the query of a clause on one field; null: its text has no words. */
export type OnField = (field: Field, exact: boolean) => Query | Mismatch | null;

export class DslTarget {
  readonly names: FieldNames;
  readonly limits: QueryLimits;
  private termCount = 0;

  constructor(mapping: Mapping, limits: QueryLimits) {
    this.names = new FieldNames(mapping);
    this.limits = limits;
  }

  /** Resolves an absolute name. */
  operand(name: string, scope: Scope): Operand | undefined {
    return isInScope(name, scope) ? this.names.find(name, scope) : undefined;
  }

  /** Resolves a name, or all names that match a pattern with `*`. */
  operands(name: string, scope: Scope): readonly Operand[] {
    if (name.includes('*')) return isInScope(name, scope) ? this.names.match(name, scope) : [];
    const operand = this.operand(name, scope);
    return operand === undefined ? [] : [operand];
  }

  /**
   * Resolves a clause on one field. A value that does not suit the field is an error with the
   * place.
   */
  resolveName(name: string, scope: Scope, place: string, leaf: Leaf, onField: OnField): Query {
    const operand = this.operand(name, scope);
    if (operand === undefined) return MATCH_NONE;
    const query = this.resolveOperand(operand, scope, leaf, onField);
    if (query instanceof Mismatch) throw invalid(`${place}: ${query.problem}`);
    return query ?? MATCH_NONE;
  }

  /** `leaf`: the condition for a field that has the same value in all documents. */
  resolveOperand(
    operand: Operand,
    scope: Scope,
    leaf: Leaf,
    onField: OnField,
    boost = 1,
  ): Query | Mismatch | null {
    if (operand.kind === 'constant') return constantQuery(leaf, operand.value, operand.exact);
    const query = onField(operand.field, operand.exact);
    if (query === null || query instanceof Mismatch) return query;
    const { nested } = operand.field;
    return boosted(
      nested === null || scope.nested !== null ? query : flattenedIn(nested, query),
      boost,
    );
  }

  /**
   * Counts terms of the resolved clauses.
   * @throws ServiceError `limit_exceeded`
   */
  countTerms(terms: number): void {
    this.termCount += terms;
    const { maxTerms } = this.limits;
    if (this.termCount > maxTerms) throw limitFault('maxTerms', maxTerms, 'terms in queryDsl');
  }
}

function isInScope(name: string, { nested }: Scope): boolean {
  return nested === null || name === nested || name.startsWith(`${nested}.`);
}
