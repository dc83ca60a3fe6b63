// Finds what can be completed at the caret: a field name or a value, inside the parentheses of
// which nested array, and which characters the completion replaces.
import { type Piece, piecesOf } from './highlight.ts';

/** The token at the caret. */
export interface CaretToken {
  readonly kind: 'field' | 'value';
  /** The text before the caret, without quote and backslashes. */
  readonly prefix: string;
  /** The range that a completion replaces. */
  readonly from: number;
  readonly to: number;
  /** The nested array of the enclosing parentheses; null: none. */
  readonly nested: string | null;
  /** The field name of a value, as written in the query; '' for a field name. */
  readonly field: string;
}

/** The token at the caret; null if it cannot be completed. */
export function tokenAt(text: string, caret: number): CaretToken | null {
  const before = piecesOf(text.slice(0, caret));
  const context = contextOf(before);
  if (context.inRange) return null;
  const last = before.at(-1);
  const { nested } = context;
  const value = (prefix: string, from: number, field: string): CaretToken => ({
    kind: 'value',
    prefix,
    from,
    to: endOfWord(text, caret, text[from] === '"'),
    nested,
    field,
  });
  const name = (prefix: string, from: number): CaretToken => ({
    kind: 'field',
    prefix: unescaped(prefix),
    from,
    to: endOfWord(text, caret, false),
    nested,
    field: '',
  });
  if (last === undefined || last.kind === 'blank' || last.text === '(') {
    return context.field === null ? name('', caret) : value('', caret, context.field);
  }
  const owner = fieldBefore(before) ?? context.field;
  switch (last.kind) {
    case 'word':
    case 'literal':
    case 'pattern':
      return owner === null
        ? name(last.text, last.start)
        : value(unescaped(last.text), last.start, owner);
    case 'phrase':
      if (owner === null || isClosed(last.text)) return null;
      return value(unescaped(last.text.slice(1)), last.start, owner);
    case 'nested':
      return name(last.text, last.start);
    case 'operator':
      return context.field === null ? name(last.text, last.start) : null;
    case 'sign':
      if (last.text === ':') return owner === null ? null : value('', caret, owner);
      return last.text === '+' || last.text === '-' ? name('', caret) : null;
    case 'field':
    case 'bracket':
    case 'regexp':
      return null;
  }
}

/** Writes a value for a query: a plain word as it is, anything else in quotes. */
export function printValue(value: string): string {
  return /^[\p{L}\p{N}][\p{L}\p{N}_.@-]*$/u.test(value) && !/^(?:AND|OR|NOT|TO)$/.test(value)
    ? value
    : `"${value.replace(/["\\]/g, '\\$&')}"`;
}

/** Writes a field name for a query, with special characters escaped. */
export function printField(name: string): string {
  return name.replace(/[\s:()"[\]{}\\^~*?@/!&|+]/g, '\\$&');
}

interface Context {
  readonly nested: string | null;
  readonly field: string | null;
  readonly inRange: boolean;
}

/** The context at the end of the pieces: open parentheses and ranges. */
function contextOf(pieces: readonly Piece[]): Context {
  const open: { nested: string | null; field: string | null }[] = [];
  let inRange = false;
  pieces.forEach((piece, at) => {
    if (piece.kind !== 'bracket') return;
    if (piece.text === '[' || piece.text === '{') inRange = true;
    else if (piece.text === ']' || piece.text === '}') inRange = false;
    else if (piece.text === ')') open.pop();
    else {
      const previous = pieces[at - 1];
      const path = previous?.kind === 'nested' ? previous.text.slice(1) : null;
      const field = fieldBefore(pieces.slice(0, at));
      const outer = open.at(-1);
      open.push({ nested: path ?? outer?.nested ?? null, field: field ?? outer?.field ?? null });
    }
  });
  return { nested: open.at(-1)?.nested ?? null, field: open.at(-1)?.field ?? null, inRange };
}

/** The field of the value at the end of the pieces. */
function fieldBefore(pieces: readonly Piece[]): string | null {
  let at = pieces.length - 1;
  if (pieces[at]?.text !== ':') at--;
  if (pieces[at]?.text !== ':') return null;
  const field = pieces[at - 1];
  return field?.kind === 'field' ? unescaped(field.text) : null;
}

function isClosed(phrase: string): boolean {
  return phrase.length > 1 && /(?:^|[^\\])(?:\\\\)*"$/.test(phrase.slice(1));
}

function endOfWord(text: string, caret: number, quoted: boolean): number {
  const rest = quoted ? /^[^"]*"?/ : /^[^\s:()"[\]{}^~]*/;
  return caret + (rest.exec(text.slice(caret))?.[0].length ?? 0);
}

function unescaped(text: string): string {
  return text.replace(/\\([\s\S])/g, '$1');
}
