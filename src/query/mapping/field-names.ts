// Resolves names of a query on one index: to a field (or its exact form), a constant, an object, or
// nothing. Inside `@path(…)` names are relative to the path and root fields are out of scope.
import type { Field, Mapping } from './mapping.ts';

/** What a clause is evaluated on: a field or a constant. */
export type Operand =
  | { readonly kind: 'field'; readonly field: Field; readonly exact: boolean }
  | { readonly kind: 'constant'; readonly value: string; readonly exact: boolean };

/** Scope of a clause: the root, or one nested array. */
export interface Scope {
  readonly nested: string | null;
}

export const ROOT: Scope = { nested: null };

/** What a person should know of a clause that means something else than it seems to. */
export interface Remark {
  /** The member that the clause is about, and what to write instead; null for none. */
  readonly field: string | null;
  readonly nearest: string | null;
  /** A sentence. */
  readonly text: string;
}

/** Receives each name that a request looks up, to report unknown names, and remarks on its clauses. */
export interface NameListener {
  /** @param name absolute; `nested`: the nested path of the clause */
  field(name: string, nested: string | null, exists: boolean): void;
  /** A nested array. */
  path(name: string, exists: boolean): void;
  /** A sentence for a person about a clause. */
  remark(remark: Remark): void;
}

/** A mapping that reports each lookup to a listener. */
export interface ObservedMapping extends Mapping {
  readonly listener: NameListener;
}

/** Fields by their aliases: the published schema and the published examples differ. */
export const ALIASES: ReadonlyMap<string, string> = new Map([
  ['tagsCount', 'tagCount'],
  ['_id', 'id'],
]);
const EXACT = '.exact';

/** Looks up names in one mapping, with a cache for patterns. */
export class FieldNames {
  readonly mapping: Mapping;
  private readonly listener: NameListener | undefined;
  private readonly leaves = new Map<string | null, readonly Field[]>();
  private readonly matches = new Map<string, readonly Field[]>();

  constructor(mapping: Mapping | ObservedMapping) {
    this.mapping = mapping;
    this.listener = 'listener' in mapping ? mapping.listener : undefined;
  }

  /** Reports a remark on a clause, if there is one. */
  remark(text: string | null): void {
    if (text !== null) this.listener?.remark({ field: null, nearest: null, text });
  }

  /** Resolves a plain name; undefined if unknown. */
  find(name: string, scope: Scope): Operand | undefined {
    const path = absolute(name, scope);
    let operand = this.findForm(path, scope, false);
    if (operand === undefined && path.endsWith(EXACT)) {
      operand = this.findForm(path.slice(0, -EXACT.length), scope, true);
    }
    this.listener?.field(path, scope.nested, operand !== undefined);
    return operand;
  }

  /** Whether a path is a nested array. */
  isNested(path: string): boolean {
    const exists = this.mapping.nestedPaths.includes(path);
    this.listener?.path(path, exists);
    return exists;
  }

  /** Resolves a name with `*` to all matching fields, ordered by path, without constants. */
  match(pattern: string, scope: Scope): readonly Operand[] {
    const exact = pattern.endsWith(EXACT);
    const fields = this.matching(exact ? pattern.slice(0, -EXACT.length) : pattern, scope);
    return fields
      .filter((field) => !exact || isString(field))
      .map((field) => ({ kind: 'field', field, exact }));
  }

  /** Returns the leaves at or below a name, or all that match a pattern with `*`. */
  leavesBelow(name: string, scope: Scope): readonly Field[] {
    if (name.includes('*')) return this.matching(name, scope);
    const path = absolute(name, scope);
    const leaves =
      path === scope.nested ? this.inScope(scope) : startingWith(`${path}.`, this.inScope(scope));
    this.listener?.field(path, scope.nested, leaves.length > 0);
    return leaves;
  }

  /**
   * Returns the leaves in scope, ordered by path: all at the root, those below the path inside
   * nested.
   */
  inScope(scope: Scope): readonly Field[] {
    let leaves = this.leaves.get(scope.nested);
    if (leaves === undefined) {
      leaves = [...this.mapping.fields.values()]
        .filter((field) => scope.nested === null || field.nested === scope.nested)
        .sort((a, b) => (a.path < b.path ? -1 : 1));
      this.leaves.set(scope.nested, leaves);
    }
    return leaves;
  }

  /** Returns the nested path of a dotted name, or undefined. */
  nestedPathOf(name: string): string | undefined {
    const nestedPath = this.mapping.nestedPaths.find(
      (path) => name === path || name.startsWith(`${path}.`),
    );
    this.listener?.path(nestedPath ?? name.split('.', 1)[0] ?? name, nestedPath !== undefined);
    return nestedPath;
  }

  private matching(pattern: string, scope: Scope): readonly Field[] {
    const path = absolute(pattern, scope);
    const key = `${scope.nested ?? ''} ${path}`;
    let fields = this.matches.get(key);
    if (fields === undefined) {
      const parts = path.split('*');
      fields = startingWith(parts[0] ?? '', this.inScope(scope)).filter((field) =>
        globMatches(parts, field.path),
      );
      this.matches.set(key, fields);
    }
    return fields;
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

/** True for fields of type text or keyword. */
export function isString(field: Field): boolean {
  return field.type === 'text' || field.type === 'keyword';
}

/** Returns the absolute path of a name. */
function absolute(name: string, { nested }: Scope): string {
  if (nested === null || name === nested || name.startsWith(`${nested}.`)) return name;
  return `${nested}.${name}`;
}

/**
 * Returns the fields whose path starts with a prefix, by binary search in a list ordered by path.
 */
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

/** True if a name is the parts in order with any text between them. */
function globMatches(parts: readonly string[], name: string): boolean {
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
