// JavaScript syntax trees (ESTree) for the mutators, from the parser of Vite.
import { parseAst } from 'vite';

/** A node: its kind, its range in the text, and its members, some of which are nodes. */
export type SyntaxNode = {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
};

/** @throws if the text is not an ECMAScript module */
export function parse(text: string): SyntaxNode {
  return parseAst(text) as unknown as SyntaxNode;
}

/** The node in a member, or null if there is none. */
export function child(node: SyntaxNode, member: string): SyntaxNode | null {
  const value = node[member];
  return isNode(value) ? value : null;
}

/** The child nodes, in the order of the text. */
export function children(node: SyntaxNode): SyntaxNode[] {
  return Object.values(node).flat().filter(isNode);
}

/** The last name of `a`, `a.b` and `this.#b`: `a`, `b`, `b`; empty for anything else. */
export function nameOf(node: SyntaxNode | null): string {
  if (node === null) return '';
  if (node.type === 'Identifier' || node.type === 'PrivateIdentifier') return String(node['name']);
  if (node.type === 'MemberExpression' && node['computed'] !== true) {
    return nameOf(child(node, 'property'));
  }
  return '';
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}
