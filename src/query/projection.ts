// Which members of a document go into an answer (contract/search.md section 4.4). Patterns are dotted names with `*`;
// a name covers all below it; excludes win; both work inside arrays. A decision is made once per path and kept,
// because every document of an index has the same paths.
import type { SourceFilter } from './plan.ts';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** keep: with all below it; descend: something below may be kept; filter: kept, but something below may go. */
type Decision = 'keep' | 'drop' | 'descend' | 'filter';

/** Whether a filter changes anything beyond leaving nested members out. */
export function projects(filter: SourceFilter): boolean {
  return filter.includes.length > 0 || filter.excludes.length > 0;
}

/** Applies one filter to many documents. */
export class Projection {
  readonly #includes: readonly string[];
  readonly #excludes: readonly string[];
  readonly #decisions = new Map<string, Decision>();

  constructor(filter: SourceFilter) {
    this.#includes = filter.includes;
    this.#excludes = filter.excludes;
  }

  /** The document reduced to what the filter keeps; a new object. Objects and arrays that the filter emptied are left out. */
  apply(document: { readonly [key: string]: unknown }): Record<string, unknown> {
    return this.#object(document as { [key: string]: Json }, '', this.#includes.length === 0) ?? {};
  }

  #object(
    object: { readonly [key: string]: Json },
    prefix: string,
    included: boolean,
  ): { [key: string]: Json } | undefined {
    const entries: [string, Json][] = [];
    for (const [key, value] of Object.entries(object)) {
      const kept = this.#member(value, prefix === '' ? key : `${prefix}.${key}`, included);
      if (kept !== undefined) entries.push([key, kept]);
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
      const kept = value
        .map((element) => this.#below(element, path, included))
        .filter((element) => element !== undefined);
      return kept.length === 0 && (value.length > 0 || !included) ? undefined : kept;
    }
    if (typeof value === 'object' && value !== null) return this.#object(value, path, included);
    return included ? value : undefined;
  }

  #decide(path: string, parentIncluded: boolean): Decision {
    // Whether a parent was included follows from the path alone, so the path is the whole key.
    let decision = this.#decisions.get(path);
    if (decision === undefined) {
      decision = this.#judge(path, parentIncluded);
      this.#decisions.set(path, decision);
    }
    return decision;
  }

  #judge(path: string, parentIncluded: boolean): Decision {
    if (this.#excludes.some((pattern) => matchesName(pattern, path))) return 'drop';
    const included = parentIncluded || this.#includes.some((pattern) => matchesName(pattern, path));
    const mayExcludeBelow = this.#excludes.some((pattern) => mayMatchBelow(pattern, path));
    if (included) return mayExcludeBelow ? 'filter' : 'keep';
    return this.#includes.some((pattern) => mayMatchBelow(pattern, path)) ? 'descend' : 'drop';
  }
}

/** Whether `*`-pattern and name are the same, in time proportional to their product at worst. */
export function matchesName(pattern: string, name: string): boolean {
  let p = 0;
  let n = 0;
  let star = -1;
  let resume = 0;
  while (n < name.length) {
    if (p < pattern.length && pattern[p] === '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.length && pattern[p] === name[n]) {
      p++;
      n++;
    } else if (star >= 0) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}

/** Whether the pattern can match some name below `path`; may say yes too often, never no wrongly. */
function mayMatchBelow(pattern: string, path: string): boolean {
  const star = pattern.indexOf('*');
  const literal = star < 0 ? pattern : pattern.slice(0, star);
  const below = `${path}.`;
  return star < 0
    ? literal.startsWith(below)
    : literal.startsWith(below) || below.startsWith(literal);
}
