// Folds text of profile management: the store has a folded copy of text, so that filters, orders
// and rules compare bytes and use an index.
import { fold } from '../../../query/analysis/fold.ts';

/** Trims the text and converts it to lower case. */
export function foldText(text: string): string {
  return fold(text.trim());
}
