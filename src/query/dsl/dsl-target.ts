// One index as the clauses of a DSL query see it. Names are absolute: inside `nested` only what lies below its path
// is in sight; at the root a field below a nested path is met by any element.
import { invalid } from '../body.ts';
import { boosted, flattenedIn, MATCH_NONE } from '../build.ts';
import { constantQuery } from '../language/constant-query.ts';
import { Mismatch } from '../language/field-query.ts';
import type { Leaf } from '../language/syntax.ts';
import { limitFault, type QueryLimits } from '../limits.ts';
import { FieldNames, type Operand, type Scope } from '../mapping/field-names.ts';
import type { Field, Mapping } from '../mapping/mapping.ts';
import type { Query } from '../query.ts';

/** A clause that has been read and checked: it can be put to any index, at the root or inside a nested array. */
export type DslQuery = (target: DslTarget, scope: Scope) => Query;

/** What a clause with fields in it does to one of them; null: nothing is left of its text. */
export type OnField = (field: Field, exact: boolean) => Query | Mismatch | null;

export class DslTarget {
  readonly names: FieldNames;
  readonly limits: QueryLimits;
  private terms = 0;

  constructor(mapping: Mapping, limits: QueryLimits) {
    this.names = new FieldNames(mapping);
    this.limits = limits;
  }

  /** What an absolute name stands for. */
  operand(name: string, scope: Scope): Operand | undefined {
    return isInSight(name, scope) ? this.names.find(name, scope) : undefined;
  }

  /** What a name stands for, all of it where it has `*` in it. */
  operands(name: string, scope: Scope): readonly Operand[] {
    if (name.includes('*')) return isInSight(name, scope) ? this.names.match(name, scope) : [];
    const operand = this.operand(name, scope);
    return operand === undefined ? [] : [operand];
  }

  /** A clause on one field. A value that the field cannot hold is a fault, told with the place. */
  onName(name: string, scope: Scope, place: string, leaf: Leaf, onField: OnField): Query {
    const operand = this.operand(name, scope);
    if (operand === undefined) return MATCH_NONE;
    const query = this.onOperand(operand, scope, leaf, onField);
    if (query instanceof Mismatch) throw invalid(`${place}: ${query.problem}`);
    return query ?? MATCH_NONE;
  }

  /** `leaf`: what is asked of a field that has the same value in all documents. */
  onOperand(
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

  /** Counts what the clauses come to, before or after they are made. */
  spend(terms: number): void {
    this.terms += terms;
    const { maxTerms } = this.limits;
    if (this.terms > maxTerms) throw limitFault('maxTerms', maxTerms, 'terms in queryDsl');
  }
}

function isInSight(name: string, { nested }: Scope): boolean {
  return nested === null || name === nested || name.startsWith(`${nested}.`);
}
