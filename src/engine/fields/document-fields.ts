// Walks a parsed document along its mapping and reports its leaf values by row: nested elements
// become rows of their table, other arrays and objects are flattened. Members without a mapping are
// skipped.
import type { Field, Mapping } from '../../query/mapping/mapping.ts';

/** A leaf value in JSON; null, [] and objects at a leaf are absent values. */
export type Scalar = string | number | boolean;

/** Receives the values of a document. */
export interface FieldSink {
  /**
   * Adds an element of nested path `table` (index into mapping.nestedPaths) to the current document
   * and returns its row.
   */
  addRow(table: number): number;
  /** Adds a value of field `slot` (index in `inPathOrder`) in a row of the field's table. */
  addValue(slot: number, row: number, value: Scalar): void;
}

interface Node {
  readonly children: Map<string, Node>;
  slot: number;
  table: number;
}

/** The mapping as a tree of names, built once for many documents. */
export class DocumentFields {
  readonly #root: Node = newNode();
  readonly #sink: FieldSink;

  constructor(mapping: Mapping, sink: FieldSink) {
    this.#sink = sink;
    let slot = 0;
    for (const { path } of inPathOrder(mapping)) descend(this.#root, path).slot = slot++;
    mapping.nestedPaths.forEach((path, table) => {
      descend(this.#root, path).table = table;
    });
  }

  /** Walks one object of a document, whose root row is `row`. */
  walk(document: object, row: number): void {
    this.#members(this.#root, document, row);
  }

  #members(node: Node, object: object, row: number): void {
    const members = object as Record<string, unknown>;
    for (const name in members) {
      const value = members[name];
      if (value === null) continue;
      const child = node.children.get(name) ?? dottedChild(node, name);
      if (child !== undefined) this.#value(child, value, row);
    }
  }

  #value(node: Node, value: unknown, row: number): void {
    switch (typeof value) {
      case 'string':
      case 'number':
      case 'boolean':
        if (node.slot >= 0) this.#sink.addValue(node.slot, row, value);
        return;
      case 'object':
        if (value === null) return;
        if (Array.isArray(value)) {
          for (const element of value) this.#value(node, element, row);
        } else if (node.table >= 0) {
          this.#members(node, value, this.#sink.addRow(node.table));
        } else {
          this.#members(node, value, row);
        }
    }
  }
}

/**
 * Returns the fields in the order of segments, which does not depend on the order in which they
 * were mapped.
 */
export function inPathOrder(mapping: Mapping): Field[] {
  return [...mapping.fields.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

function newNode(): Node {
  return { children: new Map(), slot: -1, table: -1 };
}

function descend(from: Node, path: string): Node {
  let node = from;
  for (const name of path.split('.')) {
    let child = node.children.get(name);
    if (child === undefined) {
      child = newNode();
      node.children.set(name, child);
    }
    node = child;
  }
  return node;
}

/**
 * Resolves a member named `a.b` like `b` in an object `a`; not if `a` is a nested path, as no element
 * of it would have the value.
 */
function dottedChild(node: Node, name: string): Node | undefined {
  if (!name.includes('.')) return undefined;
  let descendant = node;
  for (const part of name.split('.')) {
    const child = descendant.children.get(part);
    const isInElement = descendant !== node && descendant.table >= 0;
    if (child === undefined || isInElement) return undefined;
    descendant = child;
  }
  return descendant;
}
