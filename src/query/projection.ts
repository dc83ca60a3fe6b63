// Selects the members of a document for a response (contract/search.md section 4.4). Patterns are
// dotted names with `*`; a name includes everything below it; excludes win; both apply inside
// arrays. Decisions are cached by path, because all documents of an index share their paths.
import type { SourceFilter } from './query.ts';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/**
 * keep: including everything below; descend: members below may be kept; filter: kept, but members
 * below may be dropped.
 */
type Decision = 'keep' | 'drop' | 'descend' | 'filter';

/** True if a filter has includes or excludes. */
export function selectsMembers(filter: SourceFilter): boolean {
  return filter.includes.length > 0 || filter.excludes.length > 0;
}

/** Applies one filter to many documents. */
export class Projection {
  readonly #includes: NamePatterns;
  readonly #excludes: NamePatterns;
  readonly #decisions = new Map<string, Decision>();

  constructor(filter: SourceFilter) {
    this.#includes = new NamePatterns(filter.includes);
    this.#excludes = new NamePatterns(filter.excludes);
  }

  /**
   * Returns a copy of the document with the members that the filter keeps, without objects and
   * arrays that it emptied.
   */
  apply(document: { readonly [key: string]: unknown }): Record<string, unknown> {
    return this.#object(document as { [key: string]: Json }, '', this.#includes.isEmpty) ?? {};
  }

  #object(
    object: { readonly [key: string]: Json },
    prefix: string,
    included: boolean,
  ): { [key: string]: Json } | undefined {
    const entries: [string, Json][] = [];
    for (const [key, value] of Object.entries(object)) {
      const projected = this.#member(value, prefix === '' ? key : `${prefix}.${key}`, included);
      if (projected !== undefined) entries.push([key, projected]);
    }
    // fromEntries defines own members, so a key named __proto__ stays a plain member.
    return entries.length === 0 && prefix !== '' ? undefined : Object.fromEntries(entries);
  }

  #member(value: Json, path: string, included: boolean): Json | undefined {
    const decision = this.#decide(path, included);
    if (decision === 'drop') return undefined;
    if (decision === 'keep') return value;
    return this.#below(value, path, decision === 'filter');
  }

  #below(value: Json, path: string, included: boolean): Json | undefined {
    if (Array.isArray(value)) {
      const elements = value
        .map((element) => this.#below(element, path, included))
        .filter((element) => element !== undefined);
      return elements.length === 0 && (value.length > 0 || !included) ? undefined : elements;
    }
    if (typeof value === 'object' && value !== null) return this.#object(value, path, included);
    return included ? value : undefined;
  }

  #decide(path: string, parentIncluded: boolean): Decision {
    // The path alone determines whether a parent is included, so it is a sufficient key.
    let decision = this.#decisions.get(path);
    if (decision === undefined) {
      decision = this.#newDecision(path, parentIncluded);
      this.#decisions.set(path, decision);
    }
    return decision;
  }

  #newDecision(path: string, parentIncluded: boolean): Decision {
    if (this.#excludes.match(path)) return 'drop';
    const included = parentIncluded || this.#includes.match(path);
    if (included) return this.#excludes.mayMatchBelow(path) ? 'filter' : 'keep';
    return this.#includes.mayMatchBelow(path) ? 'descend' : 'drop';
  }
}

/** A set of patterns: plain names are looked up, patterns with `*` are tried one by one. */
class NamePatterns {
  readonly isEmpty: boolean;
  readonly #names: ReadonlySet<string>;
  /** Objects that a plain name lies below. */
  readonly #parents = new Set<string>();
  /** The parts between `*`, per pattern. */
  readonly #wildcards: readonly (readonly string[])[];

  constructor(patterns: readonly string[]) {
    this.isEmpty = patterns.length === 0;
    this.#names = new Set(patterns.filter((pattern) => !pattern.includes('*')));
    for (const name of this.#names) {
      for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
        this.#parents.add(name.slice(0, dot));
      }
    }
    const wildcards = new Set(patterns.filter((pattern) => pattern.includes('*')));
    this.#wildcards = [...wildcards].map((pattern) => pattern.split('*'));
  }

  match(path: string): boolean {
    return this.#names.has(path) || this.#wildcards.some((parts) => matchesParts(parts, path));
  }

  /** Whether a name below `path` can match; may have false positives but no false negatives. */
  mayMatchBelow(path: string): boolean {
    if (this.#parents.has(path)) return true;
    const below = `${path}.`;
    return this.#wildcards.some(
      ([first = '']) => first.startsWith(below) || below.startsWith(first),
    );
  }
}

/**
 * True if the name is the parts in order with any text between them; matches each part at its
 * leftmost position.
 */
function matchesParts(parts: readonly string[], name: string): boolean {
  const first = parts[0] ?? '';
  const last = parts.at(-1) ?? '';
  if (first.length + last.length > name.length) return false;
  if (!name.startsWith(first) || !name.endsWith(last)) return false;
  const end = name.length - last.length;
  let from = first.length;
  for (let i = 1; i < parts.length - 1; i++) {
    const part = parts[i] ?? '';
    const at = name.indexOf(part, from);
    if (at < 0 || at + part.length > end) return false;
    from = at + part.length;
  }
  return true;
}
