// What a name in a query stands for on one index: a field (or its exact form), a constant, an object, or nothing.
// Inside `@path(…)` names are relative to the path and the root is out of sight.
import type { Field, Mapping } from './mapping.ts';

/** Something a clause can be put to. */
export type Operand =
  | { readonly kind: 'field'; readonly field: Field; readonly exact: boolean }
  | { readonly kind: 'constant'; readonly value: string; readonly exact: boolean };

/** Where a clause stands: at the root, or inside one nested array. */
export interface Scope {
  readonly nested: string | null;
}

export const ROOT: Scope = { nested: null };

/** Hears which names a request looks up; for names that nobody knows. */
export interface NameListener {
  /** @param name absolute; `nested`: the path the clause stands below */
  field(name: string, nested: string | null, known: boolean): void;
  /** A nested array. */
  path(name: string, known: boolean): void;
}

/** A mapping that tells what is looked up in it. */
export interface HeardMapping extends Mapping {
  readonly listener: NameListener;
}

/** Other names of fields: the published schema and the published examples differ. */
const ALIASES = new Map([
  ['tagsCount', 'tagCount'],
  ['_id', 'id'],
]);
const EXACT = '.exact';

/** Looks names up in one mapping; remembers what was asked. */
export class FieldNames {
  readonly mapping: Mapping;
  private readonly listener: NameListener | undefined;
  private readonly leaves = new Map<string | null, readonly Field[]>();
  private readonly matches = new Map<string, readonly Field[]>();

  constructor(mapping: Mapping | HeardMapping) {
    this.mapping = mapping;
    this.listener = 'listener' in mapping ? mapping.listener : undefined;
  }

  /** What a plain name stands for, or undefined. */
  find(name: string, scope: Scope): Operand | undefined {
    const path = absolute(name, scope);
    let found = this.findForm(path, scope, false);
    if (found === undefined && path.endsWith(EXACT)) {
      found = this.findForm(path.slice(0, -EXACT.length), scope, true);
    }
    this.listener?.field(path, scope.nested, found !== undefined);
    return found;
  }

  /** Whether a path is a nested array. */
  isNested(path: string): boolean {
    const known = this.mapping.nestedPaths.includes(path);
    this.listener?.path(path, known);
    return known;
  }

  /** All that a name with `*` in it stands for, in order of path; constants are not among it. */
  match(pattern: string, scope: Scope): readonly Operand[] {
    const exact = pattern.endsWith(EXACT);
    const fields = this.matching(exact ? pattern.slice(0, -EXACT.length) : pattern, scope);
    return fields
      .filter((field) => !exact || isString(field))
      .map((field) => ({ kind: 'field', field, exact }));
  }

  /** The leaves at or below a name; with `*` in it, all that it matches. */
  below(name: string, scope: Scope): readonly Field[] {
    if (name.includes('*')) return this.matching(name, scope);
    const path = absolute(name, scope);
    const found =
      path === scope.nested ? this.inScope(scope) : startingWith(`${path}.`, this.inScope(scope));
    this.listener?.field(path, scope.nested, found.length > 0);
    return found;
  }

  /** The leaves that a clause can name: all of them at the root, those below the path inside one. */
  inScope(scope: Scope): readonly Field[] {
    let found = this.leaves.get(scope.nested);
    if (found === undefined) {
      found = [...this.mapping.fields.values()]
        .filter((field) => scope.nested === null || field.nested === scope.nested)
        .sort((a, b) => (a.path < b.path ? -1 : 1));
      this.leaves.set(scope.nested, found);
    }
    return found;
  }

  /** The nested path that a dotted name lies below, or undefined. */
  nestedPathOf(name: string): string | undefined {
    const found = this.mapping.nestedPaths.find(
      (path) => name === path || name.startsWith(`${path}.`),
    );
    this.listener?.path(found ?? name.split('.', 1)[0] ?? name, found !== undefined);
    return found;
  }

  private matching(pattern: string, scope: Scope): readonly Field[] {
    const path = absolute(pattern, scope);
    const key = `${scope.nested ?? ''} ${path}`;
    let found = this.matches.get(key);
    if (found === undefined) {
      const parts = path.split('*');
      found = startingWith(parts[0] ?? '', this.inScope(scope)).filter((field) =>
        globMeets(parts, field.path),
      );
      this.matches.set(key, found);
    }
    return found;
  }

  private findForm(path: string, scope: Scope, exact: boolean): Operand | undefined {
    const { fields, constants } = this.mapping;
    const field = fields.get(path) ?? fields.get(ALIASES.get(path) ?? '');
    if (field !== undefined) {
      if (scope.nested !== null && field.nested !== scope.nested) return undefined;
      return exact && !isString(field) ? undefined : { kind: 'field', field, exact };
    }
    if (scope.nested !== null || !Object.hasOwn(constants, path)) return undefined;
    return { kind: 'constant', value: constants[path] ?? '', exact };
  }
}

/** A string field: it has words or whole values. */
export function isString(field: Field): boolean {
  return field.type === 'text' || field.type === 'keyword';
}

/** The absolute path of a name; at the root a leading `@` says no more than the name does. */
function absolute(name: string, { nested }: Scope): string {
  if (nested === null || name === nested || name.startsWith(`${nested}.`)) return name;
  return `${nested}.${name}`;
}

/** The fields whose path starts with a prefix, out of a list in order of path. */
function startingWith(prefix: string, fields: readonly Field[]): readonly Field[] {
  let low = 0;
  let high = fields.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((fields[middle]?.path ?? '') < prefix) low = middle + 1;
    else high = middle;
  }
  let end = low;
  while (fields[end]?.path.startsWith(prefix) === true) end += 1;
  return fields.slice(low, end);
}

/** Whether a name consists of the parts in order with any runs between them. */
function globMeets(parts: readonly string[], name: string): boolean {
  const first = parts[0] ?? '';
  const last = parts.at(-1) ?? '';
  if (name.length < first.length + last.length) return false;
  if (!name.startsWith(first) || !name.endsWith(last)) return false;
  let at = first.length;
  for (let part = 1; part < parts.length - 1; part += 1) {
    const text = parts[part] ?? '';
    at = name.indexOf(text, at);
    if (at === -1) return false;
    at += text.length;
  }
  return at <= name.length - last.length;
}
