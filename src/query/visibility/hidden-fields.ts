// Fields that a view hides: by name in mappings, and as members of documents.
// Invariant: what is left of a document does not depend on whether it has hidden members, nor on their
// values.
import type { Mapping } from '../mapping/mapping.ts';

/** Dotted names, each of which hides everything below it, too. */
export class HiddenFields {
  readonly names: readonly string[];
  readonly #names: ReadonlySet<string>;
  /** The objects that the names lie below. */
  readonly #parents = new Set<string>();

  constructor(names: readonly string[]) {
    this.names = [...new Set(names)].sort();
    this.#names = new Set(names);
    for (const name of names) {
      for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
        this.#parents.add(name.slice(0, dot));
      }
    }
  }

  /** True if a path is hidden, or lies below a hidden one. Names of members may have dots. */
  has(path: string): boolean {
    if (this.#names.size === 0) return false;
    if (this.#names.has(path)) return true;
    for (let dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) {
      if (this.#names.has(path.slice(0, dot))) return true;
    }
    return false;
  }

  /** The mapping without hidden fields; the same one if it has none. */
  visibleMapping(mapping: Mapping): Mapping {
    const { fields, nestedPaths, dynamicRoots, identifying } = mapping;
    const visible = [...fields].filter(([path]) => !this.has(path));
    const isSame =
      visible.length === fields.size && ![...nestedPaths, ...dynamicRoots].some((p) => this.has(p));
    if (isSame) return mapping;
    return {
      ...mapping,
      fields: new Map(visible),
      nestedPaths: nestedPaths.filter((path) => !this.has(path)),
      dynamicRoots: dynamicRoots.filter((path) => !this.has(path)),
      identifying: identifying.filter(({ path }) => !this.has(path)),
    };
  }

  /**
   * A copy of an object without hidden members. Objects that hidden members may lie in are left out
   * where nothing else is in them, whether they have hidden members or not; elements of arrays stay.
   * @param path of the object; empty for a document
   */
  visibleMembers(object: Readonly<Record<string, unknown>>, path: string): Record<string, unknown> {
    const entries: [string, unknown][] = [];
    for (const [name, value] of Object.entries(object)) {
      const at = path === '' ? name : `${path}.${name}`;
      if (this.has(at)) continue;
      const visible = this.mayHideBelow(at) ? this.#visibleValue(value, at) : value;
      if (visible !== undefined) entries.push([name, visible]);
    }
    // fromEntries defines own members, so a member named __proto__ stays a plain member.
    return Object.fromEntries(entries);
  }

  #visibleValue(value: unknown, path: string): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#visibleItem(item, path));
    if (typeof value !== 'object' || value === null) return value;
    const visible = this.visibleMembers(value as Record<string, unknown>, path);
    return Object.keys(visible).length === 0 ? undefined : visible;
  }

  #visibleItem(item: unknown, path: string): unknown {
    if (Array.isArray(item)) return item.map((inner) => this.#visibleItem(inner, path));
    if (typeof item !== 'object' || item === null) return item;
    return this.visibleMembers(item as Record<string, unknown>, path);
  }

  /**
   * Whether a hidden path begins with this one. A member named `a.b` may be the parent of the hidden
   * `a.b.c`, or part of its name.
   */
  mayHideBelow(path: string): boolean {
    return this.#parents.has(path);
  }
}
