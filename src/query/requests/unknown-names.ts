// Finds names in a request that no requested index has. They are not errors: such a clause matches
// nothing. Most are typing errors, so the response warns about them and suggests the nearest known
// name. The request readers are unaware of this: they receive mappings that record each lookup, and
// the remarks on clauses, such as those of language/remarks.ts.

import { INDEX_NAMES } from '../mapping/document-types.ts';
import type { NameListener, ObservedMapping, Remark } from '../mapping/field-names.ts';
import type { Mapping } from '../mapping/mapping.ts';
import { cut } from '../plan-clause.ts';
import type { IndexName } from '../query.ts';
import type { Steps } from '../steps.ts';
import type { PlanContext } from './search-request.ts';

/** A name that no requested index has. */
export interface Warning {
  /** Absolute name, including the path of a nested array. */
  readonly field: string;
  /** The nearest known name, or null. */
  readonly nearest: string | null;
  /** Message for a person. */
  readonly text: string;
}

/** Most warnings of one request. */
const MAX_WARNINGS = 8;
const MAX_CHARACTERS = 100;

/** A planned request and its unknown names. */
export interface PlannedRequest<T> {
  readonly planned: T;
  readonly warnings: readonly Warning[];
  /**
   * Names that an index does not have, by index, even if another index has them; no empty lists.
   */
  readonly unknown: Readonly<Partial<Record<IndexName, readonly string[]>>>;
  /** Remarks on clauses, each once. */
  readonly remarks: readonly Remark[];
}

/** Plans a request and records the names it looks up. */
export function* warningSteps<T>(
  context: PlanContext,
  plan: (context: PlanContext) => Steps<T>,
): Steps<PlannedRequest<T>> {
  const lookups = new Map<IndexName, NameLookups>();
  const planned = yield* plan({
    ...context,
    mapping(index) {
      const names = lookups.get(index) ?? new NameLookups(context.mapping(index));
      lookups.set(index, names);
      return names.mapping;
    },
  });
  yield;
  const indexes = [...lookups.values()];
  const texts = new Map(indexes.flatMap((index) => [...index.remarks]));
  const remarks = [...texts.values()].slice(0, MAX_WARNINGS);
  if (!indexes.some(({ failed }) => failed)) return { planned, warnings: [], unknown: {}, remarks };
  return {
    ...{ planned, remarks },
    warnings: warningsOf(indexes, context),
    unknown: Object.fromEntries(
      indexes
        .filter(({ unknown }) => unknown.length > 0)
        .map(({ mapping, unknown }) => [mapping.index, namesIn(unknown)]),
    ),
  };
}

interface Lookup {
  readonly name: string;
  readonly kind: 'field' | 'path';
  /** The nested path of the clause. */
  readonly nested: string | null;
}

/** Records the names that are looked up in one mapping. */
class NameLookups implements NameListener {
  readonly mapping: ObservedMapping;
  /** By their texts. */
  readonly remarks = new Map<string, Remark>();
  readonly #known = new Set<string>();
  readonly #unknown = new Map<string, Lookup>();

  constructor(mapping: Mapping) {
    this.mapping = { listener: this, ...mapping };
  }

  field(name: string, nested: string | null, exists: boolean): void {
    this.#record({ name, kind: 'field', nested }, exists);
  }

  path(name: string, exists: boolean): void {
    this.#record({ name, kind: 'path', nested: null }, exists);
  }

  remark(remark: Remark): void {
    if (this.remarks.size < MAX_WARNINGS) this.remarks.set(remark.text, remark);
  }

  /** True if a lookup of this key succeeded. */
  has(key: string): boolean {
    return this.#known.has(key);
  }

  /** True if a lookup failed. */
  get failed(): boolean {
    return this.#unknown.size > 0;
  }

  /** Failed lookups. A name that fails as a field may still succeed as an object. */
  get unknown(): readonly (readonly [key: string, lookup: Lookup])[] {
    return [...this.#unknown].filter(([key]) => !this.#known.has(key));
  }

  #record(lookup: Lookup, exists: boolean): void {
    const key = `${lookup.kind} ${lookup.name}`;
    if (exists) this.#known.add(key);
    else if (!this.#unknown.has(key)) this.#unknown.set(key, lookup);
  }
}

function namesIn(unknown: NameLookups['unknown']): string[] {
  return unknown.slice(0, MAX_WARNINGS).map(([, { name }]) => cut(name, MAX_CHARACTERS));
}

function warningsOf(indexes: readonly NameLookups[], context: PlanContext): readonly Warning[] {
  const unknown = new Map(indexes.flatMap((index) => index.unknown));
  return [...unknown]
    .filter(([key]) => !indexes.some((index) => index.has(key)))
    .slice(0, MAX_WARNINGS)
    .map(([, lookup]) => warningOf(lookup, indexes, context));
}

function warningOf(lookup: Lookup, indexes: readonly NameLookups[], context: PlanContext): Warning {
  const { name, kind, nested } = lookup;
  const field = cut(name, MAX_CHARACTERS);
  const what = kind === 'field' ? 'field' : 'nested array';
  const text = `No requested index has a ${what} "${field}"`;
  const plain = name.replace(/\.exact$/, '');
  const requested = indexes.map(({ mapping }) => mapping.index);
  const owner = INDEX_NAMES.find(
    (index) => !requested.includes(index) && hasName(context.mapping(index), plain, kind),
  );
  if (owner !== undefined) return { field, nearest: null, text: `${text}; ${owner} has it` };
  const mappings = requested.map((index) => context.mapping(index));
  const nearest = context.nearestNames.nearest(plain, mappings, `${kind} ${nested ?? ''}`, () => [
    ...new Set(mappings.flatMap((mapping) => namesOf(mapping, kind, nested))),
  ]);
  const hint = nearest === null ? '' : `; did you mean "${nearest}"?`;
  return { field, nearest, text: text + hint };
}

/** True if a search of this index alone would know the name. */
function hasName(mapping: Mapping, name: string, kind: Lookup['kind']): boolean {
  return kind === 'path' ? mapping.nestedPaths.includes(name) : mapping.fields.has(name);
}

function namesOf(mapping: Mapping, kind: Lookup['kind'], nested: string | null): readonly string[] {
  if (kind === 'path') return mapping.nestedPaths;
  const fields = [...mapping.fields.values()];
  if (nested === null) {
    return [...fields.map(({ path }) => path), ...Object.keys(mapping.constants)];
  }
  return fields.filter((field) => field.nested === nested).map(({ path }) => path);
}
