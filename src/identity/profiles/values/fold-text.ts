// How text of profile management is made comparable: the store keeps it folded beside the text
// itself, so that filters, orders and rules compare bytes and use an index.
import { fold } from '../../../analysis/fold.ts';

/** Without blanks around it and in lower case. */
export function foldText(text: string): string {
  return fold(text.trim());
}
