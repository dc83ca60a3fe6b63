// The conditions of a query as the user wrote them: the clauses that are joined by AND at its top,
// or the alternatives that are joined by OR. It follows the same loose reading as highlight.ts; the
// service decides what each clause matches.
import { type Piece, piecesOf } from '../../model/highlight.ts';

/** The conditions of a query. */
export interface QueryClauses {
  /** `all`: each clause must match. `any`: one is enough. */
  readonly mode: 'all' | 'any';
  /** As written, with their sign or NOT. Empty: the query matches everything. */
  readonly clauses: readonly string[];
}

type Joint = 'and' | 'or';

/** Splits a query. A query that mixes AND and OR at its top is one clause. */
export function queryClauses(query: string): QueryClauses {
  const text = withoutOuterParentheses(query.trim());
  if (text === '' || text === '*') return { mode: 'all', clauses: [] };
  const { operands, joints } = operandsOf(text);
  if (operands.every((operand) => /^[+-]/.test(operand)))
    return { mode: 'all', clauses: operands.map((operand) => operand.replace(/^\+/, '')) };
  if (joints.every((joint) => joint === 'and')) return { mode: 'all', clauses: operands };
  if (joints.every((joint) => joint === 'or') && !operands.some((one) => /^[+-]/.test(one)))
    return { mode: 'any', clauses: operands };
  return { mode: 'all', clauses: [text] };
}

/** Writes clauses as a query, the reverse of `queryClauses`. */
export function joinClauses({ mode, clauses }: QueryClauses): string {
  return clauses.join(mode === 'all' ? ' AND ' : ' OR ');
}

/** The field and the value of a plain clause, `field:word` or `field:"phrase"`; null: another one. */
export function plainClause(
  clause: string,
): { readonly field: string; readonly value: string } | null {
  const [field, colon, value, ...more] = piecesOf(clause.trim());
  if (field?.kind !== 'field' || colon?.text !== ':' || value === undefined || more.length > 0)
    return null;
  if (!['word', 'literal', 'phrase'].includes(value.kind)) return null;
  const unescaped = (text: string) => text.replace(/\\([\s\S])/g, '$1');
  return {
    field: unescaped(field.text),
    value: unescaped(value.kind === 'phrase' ? value.text.replace(/^"|"$/g, '') : value.text),
  };
}

function operandsOf(text: string): { operands: string[]; joints: Joint[] } {
  const operands: string[] = [];
  const joints: Joint[] = [];
  let depth = 0;
  let operand = '';
  let joint: Joint | null = null;
  const finish = () => {
    if (operand.trim() === '') return;
    if (operands.length > 0) joints.push(joint ?? 'or');
    operands.push(operand.trim());
    operand = '';
    joint = null;
  };
  for (const piece of piecesOf(text)) {
    if (depth === 0 && isJoint(piece)) {
      finish();
      joint = /^(?:AND|&&)$/.test(piece.text) ? 'and' : 'or';
      continue;
    }
    // A blank ends an operand, but not between NOT and its operand, or after a colon.
    if (depth === 0 && piece.kind === 'blank' && !/(?:^|\s)(?:NOT|!)$|:$|^[+-]$/.test(operand))
      finish();
    else operand += piece.text;
    depth += depthChange(piece);
  }
  finish();
  return { operands, joints };
}

function isJoint({ kind, text }: Piece): boolean {
  return kind === 'operator' && /^(?:AND|OR|&&|\|\|)$/.test(text);
}

function depthChange({ kind, text }: Piece): number {
  if (kind !== 'bracket') return 0;
  return '([{'.includes(text) ? 1 : -1;
}

function withoutOuterParentheses(text: string): string {
  const pieces = piecesOf(text);
  if (pieces[0]?.text !== '(' || pieces.at(-1)?.text !== ')') return text;
  let depth = 0;
  for (const piece of pieces.slice(0, -1)) {
    depth += depthChange(piece);
    if (depth === 0) return text;
  }
  return withoutOuterParentheses(text.slice(1, -1).trim());
}
