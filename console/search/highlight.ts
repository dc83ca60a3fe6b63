// A query cut into coloured pieces while it is being typed: it never fails and never corrects, since most of what it
// sees is not finished. Whether a query is right, the service says.
// Invariant: the pieces side by side are the text.

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

/** What a name or a word is made of: anything but what ends one, or a character behind a backslash. */
const WORD = String.raw`(?:\\[\s\S]|[^\s:()"\[\]{}\\^~])+`;
const STARTS_TERM = /^$|[\s(:+\-!@[{]$/;
const LITERAL =
  /^(?:true|false|null|-?\d+(?:\.\d+)?|\d{4}-\d\d(?:-\d\d)?(?:T.*)?|now(?:[+\-/|].*)?)$/i;

/** In order: the first that matches at a place is taken. `begins`: only where a term can begin. */
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
    const [found] = rule.pattern.exec(text) ?? [];
    if (found !== undefined && found !== '') {
      return { kind: rule.kind === 'word' ? wordKind(found) : rule.kind, text: found, start };
    }
  }
  throw new Error('The last rule takes any character');
}

function wordKind(word: string): PieceKind {
  if (/(?:^|[^\\])(?:\\\\)*[*?]/.test(word)) return 'pattern';
  return LITERAL.test(word) ? 'literal' : 'word';
}
