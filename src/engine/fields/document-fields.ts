// Walks a parsed document along its mapping and says which leaf values it has in which row: nested elements become
// rows of their table, other arrays and objects are flattened. What the mapping does not know is passed over.
import type { Field, Mapping } from '../../query/mapping/mapping.ts';

/** A leaf value as JSON has it; null, [] and objects at a leaf are absent. */
export type Scalar = string | number | boolean;

/** Takes what the walk finds. */
export interface FieldSink {
  /** A new element below nested path `table` (index into mapping.nestedPaths) of the current document; answers its row. */
  addRow(table: number): number;
  /** A value of field `slot` (place in `inPathOrder`) in a row of the field's table. */
  addValue(slot: number, row: number, value: Scalar): void;
}

interface Node {
  readonly children: Map<string, Node>;
  slot: number;
  table: number;
}

/** The mapping as a tree of names, made once for many documents. */
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
      const child = node.children.get(name) ?? dotted(node, name);
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

/** The fields as segments list them: independent of the order in which a mapping learnt of them. */
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

/** A member named `a.b` is what `b` in an object `a` would be. */
function dotted(node: Node, name: string): Node | undefined {
  if (!name.includes('.')) return undefined;
  let found: Node | undefined = node;
  for (const part of name.split('.')) found = found?.children.get(part);
  return found;
}
