// The words that a query text looks for, by field. They decide whether best match is the natural
// order, and which words of a row are marked. Like highlight.ts it accepts any text, and it has no
// part in the search itself.
import { piecesOf } from './highlight.ts';

/** A word or phrase of a query. */
export interface QueryTerm {
  /** Full path of the field, without `.exact`; null: any field. */
  readonly field: string | null;
  /** The nested array of the enclosing parentheses; null: none. */
  readonly nested: string | null;
  readonly kind: 'word' | 'phrase' | 'pattern';
  /** Without quotes and backslashes. */
  readonly text: string;
}

interface Scope {
  readonly nested: string | null;
  readonly field: string | null;
  readonly isNegated: boolean;
}

const TOP: Scope = { nested: null, field: null, isNegated: false };

/** The terms of a query, without those that must not match and without ranges. */
export function queryTerms(text: string): QueryTerm[] {
  const terms: QueryTerm[] = [];
  const open: Scope[] = [];
  let scope = TOP;
  let next = TOP;
  let inRange = false;
  for (const { kind, text: piece } of piecesOf(text)) {
    switch (kind) {
      case 'field':
        next = { ...next, field: pathOf(piece, scope.nested) };
        break;
      case 'nested':
        next = { ...next, nested: piece.slice(1), field: null };
        break;
      case 'operator':
        next = { ...scope, isNegated: scope.isNegated || piece === 'NOT' || piece === '!' };
        break;
      case 'sign':
        if (piece === '-') next = { ...next, isNegated: true };
        break;
      case 'bracket':
        inRange = piece === '[' || piece === '{';
        if (piece === '(') {
          open.push(scope);
          scope = next;
        } else if (piece === ')') scope = open.pop() ?? TOP;
        next = scope;
        break;
      case 'word':
      case 'literal':
      case 'phrase':
      case 'pattern':
        if (!inRange && !next.isNegated) terms.push(termOf(kind, piece, next));
        next = scope;
        break;
      case 'regexp':
        next = scope;
        break;
      case 'blank':
        break;
    }
  }
  return terms.filter((term) => term.text !== '' && !/^[*?]+$/.test(term.text));
}

/** True if a query has words without a field, for which best match is the natural order. */
export function hasFreeWords(text: string): boolean {
  return queryTerms(text).some(({ field, kind }) => field === null && kind !== 'pattern');
}

function termOf(
  kind: 'word' | 'literal' | 'phrase' | 'pattern',
  piece: string,
  { field, nested }: Scope,
): QueryTerm {
  const bare = kind === 'phrase' ? piece.replace(/^"|"$/g, '') : piece;
  return {
    field,
    nested,
    kind: kind === 'literal' ? 'word' : kind,
    text: bare.replace(/\\([\s\S])/g, '$1'),
  };
}

function pathOf(field: string, nested: string | null): string {
  const name = field.replace(/\\([\s\S])/g, '$1').replace(/\.exact$/, '');
  return nested === null ? name : `${nested}.${name}`;
}
