// The syntax tree of a query text: what was written, before any index has a say. Offsets are zero-based UTF-16
// units into the text. Text is unescaped; a wildcard pattern keeps `\` before what is meant literally.
import { ServiceError } from '../../errors.ts';

/** One end of a range; its absence means open. */
export interface Bound {
  readonly text: string;
  readonly inclusive: boolean;
}

/** What a field is asked for. */
export type Leaf =
  /** `all`: every word of the text must be there, not just one. */
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
      /** null: the one of the group around it, or the default fields. */
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
  /** `@path(…)`: one element of the array meets all of it. */
  | {
      readonly kind: 'nested';
      readonly path: string;
      readonly clauses: readonly Clause[];
      readonly boost?: number;
      readonly offset: number;
    }
  /** `@path.name:…`: as above; which part is the path only an index can tell. `node` has the whole name as its field. */
  | { readonly kind: 'shorthand'; readonly node: Node; readonly offset: number };

export interface Clause {
  /** The conjunction before it. */
  readonly conjunction: 'and' | 'or' | null;
  readonly modifier: 'must' | 'mustNot' | null;
  readonly node: Node;
}

/** The fault of a text that does not parse: where, and what was expected there. */
export function queryFault(offset: number, problem: string): ServiceError {
  const sentence = `Query string, offset ${offset}: ${problem}`;
  return new ServiceError('query_malformed', sentence, { offset, causes: [sentence] });
}
