// Where a long word may be broken over lines: an e-mail address, a distinguished name or a technical
// name after a separator, not in the middle of a part.

/** Letters without a space from which on a word may not fit into a column. */
const LONG = /\S{18}/;

/** The parts of a text between which a line may break; one part for a text of short words. */
export function breakParts(text: string): string[] {
  return LONG.test(text) ? text.split(/(?<=[,;@/\\_])(?=[^\s,;@/\\_])/) : [text];
}
