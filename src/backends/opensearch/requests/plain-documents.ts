// Decides whether OpenSearch may read a document by itself: whether its own parser finds the same
// values in it as the engine does. Nearly all documents are like that. The columns of any other one
// are written explicitly.
// Invariant: when in doubt, a document is not plain.
import { isAscii } from 'node:buffer';
import type { Field, Mapping } from '../../../query/mapping/mapping.ts';
import { isPlainName } from './columns.ts';
import { copiesOf } from './index-template.ts';
import { isFoldedAlike, isPlainNumber } from './plain-values.ts';

/** A member that OpenSearch knows: an object, an array of elements, or a field's values. */
interface Node {
  readonly kind: 'object' | 'elements' | Field;
  readonly children: Map<string, Node>;
}

export class PlainDocuments {
  readonly #root: Node = { kind: 'object', children: new Map() };
  /** False if OpenSearch cannot find the elements of the mapping. */
  readonly #isPossible: boolean;
  readonly #longest: number;
  #rows = 0;
  #checksLetters = false;

  /** @param longest UTF-16 units of the longest value that columns hold whole */
  constructor(mapping: Mapping, longest: number) {
    this.#longest = longest;
    this.#isPossible = mapping.nestedPaths.every(isPlainName);
    for (const path of mapping.nestedPaths) this.#root.children.set(path, newNode('elements'));
    for (const field of mapping.fields.values()) this.#add(field);
  }

  /**
   * @param rows the number of elements that the engine finds in the document
   * @param parts the bytes of the document, and what they hold when parsed
   */
  accepts(
    rows: number,
    parts: readonly { readonly bytes: Uint8Array; readonly value: object }[],
  ): boolean {
    if (!this.#isPossible) return false;
    this.#rows = 0;
    this.#checksLetters = !parts.every(({ bytes }) => isAscii(bytes) && !bytes.includes(BACKSLASH));
    return parts.every(({ value }) => this.#members(this.#root, value)) && this.#rows === rows;
  }

  /** A name that is not plain needs no node: no document with such a member is plain. */
  #add(field: Field): void {
    const names = field.path.split('.');
    const last = names.pop() ?? '';
    let node = this.#root;
    for (const name of names) {
      let child = node.children.get(name);
      if (child === undefined) {
        child = newNode('object');
        node.children.set(name, child);
      }
      node = child;
    }
    if (copiesOf(field) !== null) node.children.set(last, newNode(field));
  }

  #members(node: Node, object: object): boolean {
    const members = object as Record<string, unknown>;
    for (const name in members) {
      const child = node.children.get(name);
      if (child === undefined) {
        if (!isPlainName(name)) return false;
        continue; // OpenSearch ignores it
      }
      const value = members[name];
      if (value !== null && !this.#value(child, value)) return false;
    }
    return true;
  }

  #value(node: Node, value: unknown): boolean {
    const { kind } = node;
    if (Array.isArray(value)) return value.every((element) => this.#value(node, element));
    if (typeof kind === 'object') return this.#scalar(kind, value);
    if (typeof value !== 'object' || value === null) return false;
    if (kind === 'elements') this.#rows += 1;
    return this.#members(node, value);
  }

  #scalar(field: Field, value: unknown): boolean {
    if (field.type !== 'text' && field.type !== 'keyword') return isPlainNumber(field, value);
    return typeof value === 'string' && this.#isPlainText(value);
  }

  #isPlainText(text: string): boolean {
    if (text.length > this.#longest) return false;
    return !this.#checksLetters || isFoldedAlike(text);
  }
}

const BACKSLASH = 0x5c;

function newNode(kind: Node['kind']): Node {
  return { kind, children: new Map() };
}
