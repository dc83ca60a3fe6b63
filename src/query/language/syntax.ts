// The syntax tree of a query text, before it is resolved against an index. Offsets are zero-based
// UTF-16 units into the text. Text is unescaped; a wildcard pattern keeps `\` before literal
// characters.
import { ServiceError } from '../../errors.ts';

/** A bound of a range; an absent bound means open. */
export interface Bound {
  readonly text: string;
  readonly inclusive: boolean;
}

/** Lucene's slop is an integer of 32 bits. */
export const MAX_SLOP = 2_147_483_647;

/** The condition of a clause on a field. */
export type Leaf =
  /** `all`: all words of the text must match, not just one. */
  | { readonly kind: 'term'; readonly text: string; readonly all?: true }
  /** `edits`: as written after `~`, null for a bare one. */
  | { readonly kind: 'fuzzy'; readonly text: string; readonly edits: number | null }
  | { readonly kind: 'phrase'; readonly text: string; readonly slop: number }
  | { readonly kind: 'prefix'; readonly text: string }
  | { readonly kind: 'wildcard'; readonly pattern: string }
  | { readonly kind: 'regexp'; readonly pattern: string }
  | { readonly kind: 'range'; readonly lower?: Bound; readonly upper?: Bound }
  /** A lone `*`. */
  | { readonly kind: 'any' };

export type Node =
  | {
      readonly kind: 'leaf';
      /** null: the field of the enclosing group, or the default fields. */
      readonly field: string | null;
      readonly leaf: Leaf;
      readonly boost?: number;
      readonly offset: number;
    }
  | {
      readonly kind: 'group';
      readonly field: string | null;
      readonly clauses: readonly Clause[];
      readonly boost?: number;
      readonly offset: number;
    }
  /** `@path(…)`: one element of the array must match all clauses. */
  | {
      readonly kind: 'nested';
      readonly path: string;
      readonly clauses: readonly Clause[];
      readonly boost?: number;
      readonly offset: number;
    }
  /**
   * `@path.name:…`: as above, but the mapping decides which part is the path. The field of `node`
   * is the whole name.
   */
  | { readonly kind: 'shorthand'; readonly node: Node; readonly offset: number };

export interface Clause {
  /** The conjunction before the clause. */
  readonly conjunction: 'and' | 'or' | null;
  readonly modifier: 'must' | 'mustNot' | null;
  readonly node: Node;
}

/** The error for a malformed text: the offset and what was expected there. */
export function queryFault(offset: number, problem: string): ServiceError {
  const sentence = `Query string, offset ${offset}: ${problem}`;
  return new ServiceError('query_malformed', sentence, { offset, causes: [sentence] });
}
