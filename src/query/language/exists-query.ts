// Builds the query "has a value" for a name: a field, a constant, an object (any leaf below it), a
// nested array seen from the root, or a pattern (any match).
import { anyOf, MATCH_ALL, MATCH_NONE, nestedIn } from '../build.ts';
import type { FieldNames, Scope } from '../mapping/field-names.ts';
import type { Query } from '../query.ts';

/** Builds the query; an unknown name matches nothing. */
export function existsQuery(name: string, scope: Scope, names: FieldNames): Query {
  if (!name.includes('*')) {
    const operand = names.find(name, scope);
    if (operand?.kind === 'constant') return MATCH_ALL;
    if (operand?.kind === 'field') {
      const query: Query = { kind: 'exists', field: operand.field.path };
      const { nested } = operand.field;
      return nested === null || scope.nested !== null ? query : nestedIn(nested, query);
    }
  }
  const byPath = new Map<string | null, Query[]>();
  for (const field of names.leavesBelow(name, scope)) {
    const path = scope.nested === null ? field.nested : null;
    const queries = byPath.get(path) ?? [];
    queries.push({ kind: 'exists', field: field.path });
    byPath.set(path, queries);
  }
  if (byPath.size === 0) return MATCH_NONE;
  return anyOf(
    [...byPath].map(([path, queries]) =>
      path === null ? anyOf(queries) : nestedIn(path, anyOf(queries)),
    ),
  );
}
