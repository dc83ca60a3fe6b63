// Parses wildcard patterns: `*` any text, `?` one code point, `\` escapes the next one.
import type { RegexpNode } from '../../query/language/regexp.ts';

export interface Wildcard {
  /** Common prefix of all matches. */
  readonly prefix: string;
  readonly node: RegexpNode;
}

export function parseWildcard(pattern: string): Wildcard {
  const nodes: RegexpNode[] = [];
  let text = '';
  const endText = (): void => {
    if (text !== '') nodes.push({ kind: 'string', value: text });
    text = '';
  };
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern.charAt(at);
    if (char === '\\' && at + 1 < pattern.length) {
      at += 1;
      text += pattern.charAt(at);
    } else if (char === '*') {
      endText();
      if (nodes.at(-1)?.kind !== 'anyString') nodes.push({ kind: 'anyString' });
    } else if (char === '?') {
      endText();
      nodes.push({ kind: 'any' });
    } else {
      text += char;
    }
  }
  endText();
  const first = nodes[0];
  const prefix = first?.kind === 'string' ? first.value : '';
  return { prefix, node: { kind: 'concat', nodes } };
}

/** The prefix that a regular expression visibly requires of all matches. */
export function literalPrefix(node: RegexpNode): string {
  if (node.kind === 'string') return node.value;
  if (node.kind !== 'concat') return '';
  let prefix = '';
  for (const part of node.nodes) {
    if (part.kind !== 'string') break;
    prefix += part.value;
  }
  return prefix;
}
