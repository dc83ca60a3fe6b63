// Splits a query into pieces for highlighting while it is being typed. It accepts any text, since
// most of its input is unfinished; the service reports syntax errors.
// Invariant: the pieces concatenated are the text.

export type PieceKind =
  | 'blank'
  | 'field'
  | 'nested'
  | 'operator'
  | 'bracket'
  | 'phrase'
  | 'regexp'
  | 'pattern'
  | 'literal'
  | 'sign'
  | 'word';

export interface Piece {
  readonly kind: PieceKind;
  readonly text: string;
  /** UTF-16 offset. */
  readonly start: number;
}

/** A name or a word: any characters but delimiters, or escaped characters. */
const WORD = String.raw`(?:\\[\s\S]|[^\s:()"\[\]{}\\^~])+`;
const STARTS_TERM = /^$|[\s(:+\-!@[{]$/;
const LITERAL =
  /^(?:true|false|null|-?\d+(?:\.\d+)?|\d{4}-\d\d(?:-\d\d)?(?:T.*)?|now(?:[+\-/|].*)?)$/i;

/** Tried in order; the first match wins. `begins`: only where a term can begin. */
const RULES: readonly { kind: PieceKind; pattern: RegExp; begins?: true }[] = [
  { kind: 'blank', pattern: /\s+/y },
  { kind: 'phrase', pattern: /"(?:\\[\s\S]|[^"\\])*"?/y },
  { kind: 'nested', pattern: /@[\w.]*/y, begins: true },
  { kind: 'operator', pattern: /(?:AND|OR|NOT|TO)(?=[\s()\]}]|$)/y, begins: true },
  { kind: 'operator', pattern: /&&|\|\||!/y, begins: true },
  { kind: 'bracket', pattern: /[()[\]{}]/y },
  { kind: 'sign', pattern: /[+-](?=\S)/y, begins: true },
  { kind: 'field', pattern: new RegExp(`${WORD}(?=:)`, 'y'), begins: true },
  { kind: 'sign', pattern: /:/y },
  { kind: 'sign', pattern: /[<>]=?/y, begins: true },
  { kind: 'sign', pattern: /[~^]\d*(?:\.\d+)?/y },
  { kind: 'regexp', pattern: /\/(?:\\[\s\S]|[^/\\])*\/?/y, begins: true },
  { kind: 'word', pattern: new RegExp(WORD, 'y') },
  { kind: 'word', pattern: /[\s\S]/y },
];

/** The pieces of a query text. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let start = 0;
  while (start < text.length) {
    const piece = pieceAt(text, start);
    pieces.push(piece);
    start += piece.text.length;
  }
  return pieces;
}

function pieceAt(text: string, start: number): Piece {
  const begins = STARTS_TERM.test(text.slice(Math.max(0, start - 1), start));
  for (const rule of RULES) {
    if (rule.begins && !begins) continue;
    rule.pattern.lastIndex = start;
    const [match] = rule.pattern.exec(text) ?? [];
    if (match !== undefined && match !== '') {
      return { kind: rule.kind === 'word' ? wordKind(match) : rule.kind, text: match, start };
    }
  }
  throw new Error('The last rule accepts any character');
}

function wordKind(word: string): PieceKind {
  if (/(?:^|[^\\])(?:\\\\)*[*?]/.test(word)) return 'pattern';
  return LITERAL.test(word) ? 'literal' : 'word';
}
