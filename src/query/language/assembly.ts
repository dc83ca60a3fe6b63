// Resolves a syntax tree against one index: each clause becomes a query or is dropped. The clauses
// of a group are combined as in Lucene's classic parser (QueryParserBase.addClause), which differs
// from the usual AND-before-OR.

import { ServiceError } from '../../errors.ts';
import { bestOf, bool, boosted, flattenedIn, MATCH_ALL, MATCH_NONE, nestedIn } from '../build.ts';
import { limitFault, type QueryLimits } from '../limits.ts';
import { FieldNames, type Operand, ROOT, type Scope } from '../mapping/field-names.ts';
import type { Mapping } from '../mapping/mapping.ts';
import type { Query } from '../query.ts';
import { sizeOf } from '../query-parts.ts';
import type { AccessPaths } from './access-paths.ts';
import { constantQuery } from './constant-query.ts';
import { existsQuery } from './exists-query.ts';
import { fieldQuery, Mismatch } from './field-query.ts';
import { freeWords, freeWordsBelow } from './free-words.ts';
import { EXISTS } from './query-string.ts';
import { addressRemark, quoteRemark } from './remarks.ts';
import type { RequestTexts } from './request-texts.ts';
import { type Clause, type Leaf, type Node, queryFault } from './syntax.ts';
import {
  ACCESS,
  checkViaField,
  isVia,
  misplacedVia,
  type ViaClause,
  viaClauseOf,
  viaQuery,
  viaSize,
} from './via-clause.ts';

/** A default field of a query; its name may contain `*`. */
export interface DefaultField {
  readonly name: string;
  readonly boost: number;
}

/** A field that a clause is resolved on, with its boost. */
interface WeightedOperand {
  readonly operand: Operand;
  readonly boost: number;
}

export interface AssemblyContext {
  readonly texts: RequestTexts;
  readonly limits: QueryLimits;
  /** Empty: all text, keyword and integer fields. */
  readonly defaultFields: readonly DefaultField[];
  /** Names of the mapping to reuse, with their cache. */
  readonly names?: FieldNames;
  /** Whose listener gets remarks on the clauses; `names` when absent. */
  readonly remarked?: FieldNames;
  /** Scope of the whole text; the root when absent. */
  readonly scope?: Scope;
  /**
   * Operator between clauses, and between words of one clause, without a written one; default `or`.
   */
  readonly defaultOperator?: 'and' | 'or';
  /** The grants that `via.…` refers to; without them it is an error. */
  readonly paths?: AccessPaths | undefined;
  /** A value that does not suit its field matches nothing instead of being an error. */
  readonly lenient?: boolean;
}

/**
 * Builds the query of a parsed text on one index. If all clauses are dropped it matches nothing.
 * @throws ServiceError `query_malformed` if a value does not suit its field; `limit_exceeded`
 */
export function assemble(
  clauses: readonly Clause[],
  mapping: Mapping,
  context: AssemblyContext,
): Query {
  return new Assembly(mapping, context).clauses(clauses, null, context.scope ?? ROOT) ?? MATCH_NONE;
}

class Assembly {
  private readonly names: FieldNames;
  private readonly remarked: FieldNames;
  private readonly context: AssemblyContext;
  private readonly scope: Scope;
  private readonly defaultsToAnd: boolean;
  /** Resolved default fields; they apply only in the scope of the whole text. */
  private defaults: readonly WeightedOperand[] | undefined;
  private clauseCount = 0;
  private termCount = 0;

  constructor(mapping: Mapping, context: AssemblyContext) {
    this.names = context.names ?? new FieldNames(mapping);
    this.remarked = context.remarked ?? this.names;
    this.context = context;
    this.scope = context.scope ?? ROOT;
    this.defaultsToAnd = context.defaultOperator === 'and';
  }

  /** Combines clauses. `field`: that of the enclosing groups. Null if every clause was dropped. */
  clauses(list: readonly Clause[], field: string | null, scope: Scope): Query | null {
    const combined: { occurs: 'must' | 'should' | 'mustNot'; readonly query: Query }[] = [];
    for (const { conjunction, modifier, node } of list) {
      const last = combined.at(-1);
      if (last !== undefined && last.occurs !== 'mustNot') {
        if (conjunction === 'and') last.occurs = 'must';
        else if (conjunction === 'or' && this.defaultsToAnd) last.occurs = 'should';
      }
      const query = this.node(node, field, scope);
      if (query !== null) combined.push({ occurs: this.occurs(conjunction, modifier), query });
    }
    if (combined.length === 0) return null;
    const queriesWith = (occurs: string) =>
      combined.filter((clause) => clause.occurs === occurs).map((clause) => clause.query);
    return bool({
      must: queriesWith('must'),
      should: queriesWith('should'),
      mustNot: queriesWith('mustNot'),
    });
  }

  /** As in Lucene, OR takes effect on a `+` where AND is the default. */
  private occurs(conjunction: Clause['conjunction'], modifier: Clause['modifier']) {
    if (modifier === 'mustNot') return modifier;
    if (this.defaultsToAnd) return conjunction === 'or' ? 'should' : 'must';
    return conjunction === 'and' ? 'must' : (modifier ?? 'should');
  }

  private node(node: Node, outerField: string | null, scope: Scope): Query | null {
    switch (node.kind) {
      case 'leaf': {
        const { leaf: written } = node;
        const leaf: Leaf =
          this.defaultsToAnd && written.kind === 'term' ? { ...written, all: true } : written;
        const query = this.leaf(leaf, node.field ?? outerField, scope, node.offset);
        return query && boosted(query, node.boost);
      }
      case 'group': {
        const query = this.clauses(node.clauses, node.field ?? outerField, scope);
        return query && boosted(query, node.boost);
      }
      case 'nested': {
        const query = this.elements(node.path, node.clauses, scope);
        return query && boosted(query, node.boost);
      }
      case 'shorthand':
        return this.shorthand(node.node, scope);
    }
  }

  private elements(path: string, clauses: readonly Clause[], scope: Scope): Query | null {
    const via = path === ACCESS ? viaClauseOf(clauses) : null;
    if (via !== null) return this.elementsVia(via, scope);
    return this.nested(path, scope, (inner) => this.clauses(clauses, null, inner));
  }

  /** `@access(via.role:… AND …)`, see via-clause.ts. */
  private elementsVia(via: ViaClause, scope: Scope): Query {
    const { paths, texts, limits } = this.context;
    if (paths === undefined) {
      const problem =
        'via.… is available in the query string of a search alone, not in the query DSL, nor in a view';
      throw queryFault(via.offset, problem);
    }
    if (scope.nested !== null) throw misplacedVia(via.offset);
    checkViaField(via, paths);
    const clause = { conjunction: null, modifier: null, node: via.node };
    const query = assemble([clause], paths.mapping(via.index), {
      texts,
      limits,
      defaultFields: [],
      remarked: this.remarked,
    });
    if (!this.names.isNested(ACCESS)) return MATCH_NONE;
    const rest = this.clauses(via.rest, null, { nested: ACCESS }) ?? MATCH_ALL;
    const { grants } = paths.find({ index: via.index, query, elements: rest });
    const size = viaSize(grants, rest);
    this.countClauses(size.clauses, via.offset);
    this.countTerms(size.terms, via.offset);
    return viaQuery(grants, rest);
  }

  /** Inside a nested array only that array itself is in scope. */
  private nested(path: string, scope: Scope, inner: (scope: Scope) => Query | null): Query | null {
    if (!this.names.isNested(path)) return MATCH_NONE;
    if (scope.nested !== null) return scope.nested === path ? inner(scope) : MATCH_NONE;
    const query = inner({ nested: path });
    return query && nestedIn(path, query);
  }

  private shorthand(node: Node, scope: Scope): Query | null {
    const name = node.kind === 'leaf' || node.kind === 'group' ? (node.field ?? '') : '';
    const path = this.names.nestedPathOf(name);
    if (path === undefined) return MATCH_NONE;
    return this.nested(path, scope, (inner) => this.node(node, null, inner));
  }

  private leaf(leaf: Leaf, field: string | null, scope: Scope, offset: number): Query | null {
    this.countClauses(1, offset);
    this.remarked.remark(quoteRemark(leaf));
    if (field === EXISTS) return this.exists(leaf, scope, offset);
    if (field !== null && field !== '*') return this.leafOnField(leaf, field, scope, offset);
    const { defaultFields, texts } = this.context;
    if (scope.nested === this.scope.nested && field === null && defaultFields.length > 0) {
      return this.leafOnDefaultFields(leaf, scope, offset);
    }
    if (leaf.kind === 'any') return MATCH_ALL;
    this.remarkAddress(leaf, null, null);
    return this.counted(offset, () =>
      scope.nested === null
        ? freeWords(leaf, this.names.mapping, texts)
        : freeWordsBelow(leaf, this.names.inScope(scope), texts),
    );
  }

  private leafOnField(leaf: Leaf, name: string, scope: Scope, offset: number): Query | null {
    if (isVia(name) && (scope.nested === ACCESS || name.startsWith(`${ACCESS}.`))) {
      throw misplacedVia(offset);
    }
    if (leaf.kind === 'any') return this.existsOn(name, scope, offset);
    if (name.includes('*')) {
      const operands = this.names.match(name, scope);
      this.countClauses(operands.length - 1, offset);
      this.remarkAddress(leaf, name, operands);
      return this.leafOnOperands(
        operands.map((operand) => ({ operand, boost: 1 })),
        leaf,
        scope,
        offset,
      );
    }
    const operand = this.names.find(name, scope);
    if (operand === undefined) return MATCH_NONE;
    this.remarkAddress(leaf, name, [operand]);
    const query = this.counted(offset, () => this.leafOnOperand(leaf, operand));
    if (query instanceof Mismatch) {
      if (this.context.lenient === true) return MATCH_NONE;
      throw queryFault(offset, query.problem);
    }
    return query && this.inNestedPath(query, operand, scope);
  }

  /**
   * Resolves a leaf on the default fields; like fields of a pattern, they ignore unsuitable values.
   */
  private leafOnDefaultFields(leaf: Leaf, scope: Scope, offset: number): Query | null {
    if (leaf.kind !== 'any') {
      const operands = this.defaultOperands(scope);
      this.remarkAddress(
        leaf,
        null,
        operands.map(({ operand }) => operand),
      );
      return this.leafOnOperands(operands, leaf, scope, offset);
    }
    const names = this.context.defaultFields.map(({ name }) => name);
    return bool({
      should: [MATCH_NONE, ...names.map((name) => this.existsOn(name, scope, offset))],
    });
  }

  /** Resolves the default fields, once for all clauses. */
  private defaultOperands(scope: Scope): readonly WeightedOperand[] {
    if (this.defaults !== undefined) return this.defaults;
    const operands: WeightedOperand[] = [];
    for (const { name, boost } of this.context.defaultFields) {
      if (name.includes('*')) {
        for (const operand of this.names.match(name, scope)) operands.push({ operand, boost });
      } else {
        const operand = this.names.find(name, scope);
        if (operand !== undefined) operands.push({ operand, boost });
      }
    }
    this.defaults = operands;
    return operands;
  }

  private leafOnOperands(
    operands: readonly WeightedOperand[],
    leaf: Leaf,
    scope: Scope,
    offset: number,
  ): Query | null {
    const queries: Query[] = [];
    let dropped = false;
    for (const { operand, boost } of operands) {
      const query = this.counted(offset, () => this.leafOnOperand(leaf, operand));
      if (query !== null && !(query instanceof Mismatch)) {
        queries.push(boosted(this.inNestedPath(query, operand, scope), boost));
        continue;
      }
      dropped ||= query === null;
      this.countTerms(1, offset); // it took as long as a term
    }
    return queries.length === 0 && dropped ? null : bestOf(queries);
  }

  private remarkAddress(
    leaf: Leaf,
    field: string | null,
    operands: readonly Operand[] | null,
  ): void {
    this.remarked.remark(addressRemark(leaf, field, operands, this.context.texts));
  }

  private leafOnOperand(leaf: Leaf, operand: Operand): Query | Mismatch | null {
    if (operand.kind === 'constant') return constantQuery(leaf, operand.value, operand.exact);
    return fieldQuery(leaf, operand.field, operand.exact, this.context.texts);
  }

  /** At the root, a field below a nested path matches if any element does. */
  private inNestedPath(query: Query, operand: Operand, scope: Scope): Query {
    if (operand.kind === 'constant' || scope.nested !== null) return query;
    const { nested } = operand.field;
    return nested === null ? query : flattenedIn(nested, query);
  }

  private exists(leaf: Leaf, scope: Scope, offset: number): Query {
    switch (leaf.kind) {
      case 'any':
        return MATCH_ALL;
      case 'term':
      case 'phrase':
        return this.existsOn(leaf.text, scope, offset);
      case 'prefix':
        return this.existsOn(`${leaf.text}*`, scope, offset);
      case 'wildcard':
        if (!/[?\\]/.test(leaf.pattern)) return this.existsOn(leaf.pattern, scope, offset);
        throw queryFault(offset, `only * is a wildcard in the name after ${EXISTS}:`);
      default:
        throw queryFault(offset, `expected the name of a field after ${EXISTS}:`);
    }
  }

  private existsOn(name: string, scope: Scope, offset: number): Query {
    return this.counted(offset, () => existsQuery(name, scope, this.names));
  }

  /**
   * Counts the terms of a leaf. A regular expression can still fail here, if lower-casing reverses
   * a range.
   */
  private counted<T extends Query | Mismatch | null>(offset: number, make: () => T): T {
    const query = withOffset(offset, make);
    if (query !== null && !(query instanceof Mismatch)) this.countTerms(sizeOf(query), offset);
    return query;
  }

  private countClauses(more: number, offset: number): void {
    this.clauseCount += Math.max(0, more);
    const { maxClauses } = this.context.limits;
    if (this.clauseCount > maxClauses) {
      throw limitFault('maxClauses', maxClauses, 'clauses in a query once expanded', { offset });
    }
  }

  private countTerms(more: number, offset: number): void {
    this.termCount += more;
    const { maxTerms } = this.context.limits;
    if (this.termCount > maxTerms) {
      throw limitFault('maxTerms', maxTerms, 'terms in a query once expanded', { offset });
    }
  }
}

/** Runs `make`; adds the offset to the error of a malformed leaf. */
function withOffset<T>(offset: number, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'query_malformed') {
      throw queryFault(offset, error.message);
    }
    throw error;
  }
}
