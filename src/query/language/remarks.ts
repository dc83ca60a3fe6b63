// Remarks on clauses that mean something else than their author probably thinks: quotes that are none,
// and addresses without quotes, which are words (docs/differences.md, docs/search.md). They change no
// plan. Planning collects them (mapping/unknown-names.ts), so each way to search has the same ones.

import type { Operand } from '../mapping/field-names.ts';
import { cut } from '../plan-clause.ts';
import type { RequestTexts } from './request-texts.ts';
import type { Leaf } from './syntax.ts';

const SHOWN_CHARACTERS = 60;

/** Double quotes anywhere in a word, as no word has them; single ones may be apostrophes inside. */
const TYPOGRAPHIC = /[\u201c-\u201f\u00ab\u00bb\u301d-\u301f\uff02]|^[\u2018\u201a\u201b\u2039]/;
/** An at sign with something on both sides. */
const ADDRESS = /[^\s@]@[^\s@]/;

/** The remark on typographic quotes outside of plain ones; null for none. */
export function quoteRemark(leaf: Leaf): string | null {
  const text = textsOf(leaf).find((one) => TYPOGRAPHIC.test(one));
  if (text === undefined) return null;
  const word = shown(text.replace(new RegExp(TYPOGRAPHIC, 'g'), ''));
  return `Typographic quotes are no quotes but characters (at "${word}"): write plain ones, such as name:"Ada Lovelace"`;
}

/**
 * The remark on a word with an at sign where words are searched, which has none of them; null for
 * none.
 * @param field as written; null without one
 * @param operands what the clause is resolved on; null for the words of all fields
 */
export function addressRemark(
  leaf: Leaf,
  field: string | null,
  operands: readonly Operand[] | null,
  texts: RequestTexts,
): string | null {
  const [text = ''] = textsOf(leaf);
  if (!ADDRESS.test(text) || !(operands?.some(hasWords) ?? true)) return null;
  const prefix = field === null ? '' : `${field}:`;
  if (leaf.kind === 'term') {
    const words = texts.words(text);
    if (leaf.all === true || words.length < 2) return null;
    const any = shown(words.join(' OR '));
    return `Without quotes ${shown(text)} is any of its words, ${any}: write ${prefix}"${shown(text)}"`;
  }
  // The words of all fields come with the whole values of some.
  if (operands === null || !operands.every(hasWords) || leaf.kind === 'range') return null;
  return `No word has an @, so ${prefix}${shown(text)} finds nothing: write ${field}.exact:${shown(text)} for whole values`;
}

/** Whether a clause on it searches words, not whole values. */
function hasWords(operand: Operand): boolean {
  return operand.kind === 'field' && operand.field.type === 'text' && !operand.exact;
}

/** What is written outside of plain quotes and regular expressions. */
function textsOf(leaf: Leaf): readonly string[] {
  switch (leaf.kind) {
    case 'term':
    case 'fuzzy':
      return [leaf.text];
    case 'prefix':
      return [`${leaf.text}*`];
    case 'wildcard':
      return [leaf.pattern];
    case 'range':
      return [leaf.lower, leaf.upper].flatMap((bound) => bound?.text ?? []);
    case 'phrase':
    case 'regexp':
    case 'any':
      return [];
  }
}

function shown(text: string): string {
  return cut(text, SHOWN_CHARACTERS);
}
