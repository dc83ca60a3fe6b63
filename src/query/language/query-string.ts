// Parses query text to a syntax tree: recursive descent over the grammar of Lucene's classic query
// parser, extended by `@path(…)`. It does not depend on an index; one tree serves all of them.
// Invariant: depth and clauses are counted while reading, so no text can exhaust the stack.

import { limitFault, type QueryLimits } from '../limits.ts';
import { Lexer, type Token } from './lexer.ts';
import { parseRegexp } from './regexp.ts';
import { type Clause, type Leaf, MAX_SLOP, type Node, queryFault } from './syntax.ts';

/**
 * Parses a query text to clauses.
 * @throws ServiceError `query_malformed` with the offset and what was expected; `limit_exceeded`
 */
export function parseQueryString(
  text: string,
  limits: QueryLimits,
  { nested = true }: Grammar = {},
): readonly Clause[] {
  if (text.length > limits.maxQueryLength) {
    throw limitFault('maxQueryLength', limits.maxQueryLength, 'characters in a query');
  }
  return new Parser(text, limits, nested).parse();
}

export interface Grammar {
  /** Whether the language has `@path(…)`, true by default; else `@` is an ordinary character. */
  readonly nested?: boolean;
}

/** The field whose value is a field name. */
export const EXISTS = '_exists_';

class Parser {
  private readonly lexer: Lexer;
  private readonly limits: QueryLimits;
  private readonly nested: boolean;
  private token: Token;
  private depth = 0;
  private leaves = 0;

  constructor(text: string, limits: QueryLimits, nested: boolean) {
    this.lexer = new Lexer(text);
    this.limits = limits;
    this.nested = nested;
    this.token = this.read();
  }

  parse(): readonly Clause[] {
    const clauses = this.clauses(null);
    if (this.token.kind !== 'end')
      throw this.unexpected('a clause, AND, OR or the end of the query');
    return clauses;
  }

  /** `field`: that of the enclosing groups, or null. */
  private clauses(field: string | null): Clause[] {
    const clauses: Clause[] = [this.clause(null, field)];
    for (;;) {
      const { kind } = this.token;
      if (kind === 'end' || kind === ')') return clauses;
      let conjunction: 'and' | 'or' | null = null;
      if (kind === 'and' || kind === 'or') {
        conjunction = kind;
        this.advance();
      }
      clauses.push(this.clause(conjunction, field));
    }
  }

  private clause(conjunction: Clause['conjunction'], field: string | null): Clause {
    const { kind } = this.token;
    let modifier: Clause['modifier'] = null;
    if (kind === '+' || kind === '-' || kind === 'not') {
      modifier = kind === '+' ? 'must' : 'mustNot';
      this.advance();
    }
    return { conjunction, modifier, node: this.node(field) };
  }

  private node(outerField: string | null): Node {
    const { token } = this;
    if (token.kind === '(') return this.group(null, outerField);
    if (token.kind === 'at') return this.atSign(token, outerField);
    if (token.kind !== 'term' && token.kind !== '*') return this.leaf(null, outerField);
    this.advance();
    if (this.token.kind !== ':') return this.leafFrom(token, null, outerField);
    this.advance();
    const field = token.kind === 'term' ? token.text : '*';
    return this.body(field, `"${field}:"`);
  }

  /** Parses the part after `field:`. */
  private body(field: string, after: string): Node {
    if (this.token.kind === '(') return this.group(field, field);
    if (this.token.kind === 'at') {
      const { token } = this;
      this.advance();
      return this.leafFrom(token, field, field);
    }
    if (!isLeafStart(this.token)) throw this.unexpected(`a value or ( after ${after}`);
    return this.leaf(field, field);
  }

  private group(field: string | null, outerField: string | null): Node {
    const { offset } = this.token;
    const clauses = this.parenthesised(outerField);
    return { kind: 'group', field, clauses, ...this.boost(), offset };
  }

  private parenthesised(field: string | null): readonly Clause[] {
    const { offset } = this.token;
    this.depth += 1;
    if (this.depth > this.limits.maxDepth) {
      throw limitFault('maxDepth', this.limits.maxDepth, 'levels of parentheses', { offset });
    }
    this.advance();
    const clauses = this.clauses(field);
    if (this.token.kind !== ')') throw this.unexpected(`) for the ( at offset ${offset}`);
    this.advance();
    this.depth -= 1;
    return clauses;
  }

  /** Parses `@path(…)`, `@path.name:…`, or a word that starts with an at sign. */
  private atSign(token: Token & { readonly kind: 'at' }, outerField: string | null): Node {
    const { offset } = token;
    const path = token.text.slice(1);
    this.advance();
    if (this.token.kind === '(') {
      if (path === '') throw queryFault(offset + 1, 'expected the name of a nested array after @');
      const clauses = this.parenthesised(null);
      return { kind: 'nested', path, clauses, ...this.boost(), offset };
    }
    if (this.token.kind !== ':') return this.leafFrom(token, null, outerField);
    this.advance();
    return { kind: 'shorthand', node: this.body(path, `"${token.text}:"`), offset };
  }

  private leaf(field: string | null, outerField: string | null): Node {
    const { token } = this;
    if (!isLeafStart(token)) throw this.unexpected('a word, a phrase, a range or (');
    this.advance();
    return this.leafFrom(token, field, outerField);
  }

  /** Parses the suffixes of a consumed token. */
  private leafFrom(token: Token, field: string | null, outerField: string | null): Node {
    this.leaves += 1;
    if (this.leaves > this.limits.maxClauses) {
      throw limitFault('maxClauses', this.limits.maxClauses, 'clauses in a query', {
        offset: token.offset,
      });
    }
    const { offset } = token;
    let boost = this.boost();
    let fuzzy: { readonly edits: number | null } | null = null;
    if (this.token.kind === 'fuzzy' && token.kind !== 'range') {
      fuzzy = { edits: this.token.value };
      this.advance();
      if (boost.boost === undefined) boost = this.boost();
    }
    const leaf = leafOf(token, fuzzy, outerField !== null && outerField !== EXISTS, this.limits);
    return { kind: 'leaf', field, leaf, ...boost, offset };
  }

  private boost(): { readonly boost?: number } {
    const { token } = this;
    if (token.kind !== 'boost') return {};
    this.advance();
    return { boost: token.value };
  }

  private advance(): void {
    this.token = this.read();
  }

  private read(): Token {
    const token = this.lexer.next();
    return token.kind === 'at' && !this.nested ? { ...token, kind: 'term', operator: null } : token;
  }

  private unexpected(expected: string): Error {
    const { token } = this;
    return queryFault(token.offset, `unexpected ${describeToken(token)}, expected ${expected}`);
  }
}

function isLeafStart({ kind }: Token): boolean {
  return (
    kind === 'term' ||
    kind === 'at' ||
    kind === 'prefix' ||
    kind === 'wildcard' ||
    kind === 'quoted' ||
    kind === 'regexp' ||
    kind === 'range' ||
    kind === '*'
  );
}

function leafOf(
  token: Token,
  fuzzy: { readonly edits: number | null } | null,
  inField: boolean,
  limits: QueryLimits,
): Leaf {
  switch (token.kind) {
    case 'term':
      if (fuzzy !== null) return fuzzyLeaf(token.text, fuzzy.edits, token.offset);
      if (inField && token.operator !== null) return comparison(token.text, token.operator);
      return { kind: 'term', text: token.text };
    case 'at':
      if (fuzzy !== null) return fuzzyLeaf(token.text, fuzzy.edits, token.offset);
      return { kind: 'term', text: token.text };
    case 'quoted': {
      const slop = Math.min(MAX_SLOP, Math.trunc(fuzzy?.edits ?? 0));
      return { kind: 'phrase', text: token.text, slop };
    }
    case 'prefix':
      return { kind: 'prefix', text: token.text };
    case 'wildcard':
      return { kind: 'wildcard', pattern: token.pattern };
    case 'regexp':
      if (token.pattern.length > limits.maxRegexLength) {
        const what = 'characters in a regular expression';
        throw limitFault('maxRegexLength', limits.maxRegexLength, what, { offset: token.offset });
      }
      parseRegexp(token.pattern, token.offset + 1);
      return { kind: 'regexp', pattern: token.pattern };
    case 'range': {
      const { lower, upper } = token;
      return { kind: 'range', ...(lower && { lower }), ...(upper && { upper }) };
    }
    default:
      return { kind: 'any' };
  }
}

function fuzzyLeaf(text: string, edits: number | null, offset: number): Leaf {
  if (edits !== null && edits >= 1 && !Number.isInteger(edits)) {
    throw queryFault(offset, 'a number of edits after ~ must be whole');
  }
  return { kind: 'fuzzy', text, edits };
}

/** Converts `>3` and other comparisons to a range with one bound. */
function comparison(text: string, operator: '>=' | '>' | '<=' | '<'): Leaf {
  const bound = { text: text.slice(operator.length), inclusive: operator.length === 2 };
  return operator.startsWith('>')
    ? { kind: 'range', lower: bound }
    : { kind: 'range', upper: bound };
}

/** Describes a token for an error message. */
function describeToken(token: Token): string {
  switch (token.kind) {
    case 'end':
      return 'end of the query';
    case 'and':
    case 'or':
    case 'not':
      return token.kind.toUpperCase();
    case 'boost':
      return `^${token.value}`;
    case 'fuzzy':
      return '~';
    case 'term':
    case 'at':
    case 'quoted':
    case 'prefix':
      return JSON.stringify(token.text.slice(0, 40));
    case 'wildcard':
    case 'regexp':
      return JSON.stringify(token.pattern.slice(0, 40));
    case 'range':
      return 'a range';
    default:
      return `"${token.kind}"`;
  }
}
