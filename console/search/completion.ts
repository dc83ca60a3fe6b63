// What can be completed at the caret: a field's name or a field's value, inside the parentheses of which array, and
// which characters the completion takes the place of.
import { type Piece, piecesOf } from './highlight.ts';

/** What is being typed. */
export interface Typed {
  readonly kind: 'field' | 'value';
  /** What is there already, without quote or backslashes. */
  readonly prefix: string;
  /** The characters a completion takes the place of. */
  readonly from: number;
  readonly to: number;
  /** The array whose elements the parentheses around are about; null: none. */
  readonly nested: string | null;
  /** Of a value: its field, as it is written. */
  readonly field: string;
}

/** What is being typed at the caret; null where nothing can be completed. */
export function typedAt(text: string, caret: number): Typed | null {
  const before = piecesOf(text.slice(0, caret));
  const around = surroundings(before);
  if (around.inRange) return null;
  const last = before.at(-1);
  const { nested } = around;
  const value = (prefix: string, from: number, field: string): Typed => ({
    kind: 'value',
    prefix,
    from,
    to: endOfWord(text, caret, text[from] === '"'),
    nested,
    field,
  });
  const name = (prefix: string, from: number): Typed => ({
    kind: 'field',
    prefix: unescaped(prefix),
    from,
    to: endOfWord(text, caret, false),
    nested,
    field: '',
  });
  if (last === undefined || last.kind === 'blank' || last.text === '(') {
    return around.field === null ? name('', caret) : value('', caret, around.field);
  }
  const owner = fieldBefore(before) ?? around.field;
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
      return around.field === null ? name(last.text, last.start) : null;
    case 'sign':
      if (last.text === ':') return owner === null ? null : value('', caret, owner);
      return last.text === '+' || last.text === '-' ? name('', caret) : null;
    case 'field':
    case 'bracket':
    case 'regexp':
      return null;
  }
}

/** A value as it is written behind a field: bare where it is one plain word, else in quotes. */
export function writtenValue(value: string): string {
  return /^[\p{L}\p{N}][\p{L}\p{N}_.@-]*$/u.test(value) && !/^(?:AND|OR|NOT|TO)$/.test(value)
    ? value
    : `"${value.replace(/["\\]/g, '\\$&')}"`;
}

/** A field's name as it is written before a colon. */
export function writtenField(name: string): string {
  return name.replace(/[\s:()"[\]{}\\^~*?@/!&|+]/g, '\\$&');
}

interface Surroundings {
  readonly nested: string | null;
  readonly field: string | null;
  readonly inRange: boolean;
}

/** The parentheses that are open at the end of the pieces. */
function surroundings(pieces: readonly Piece[]): Surroundings {
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

/** The field whose value the last piece is, or begins. */
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
