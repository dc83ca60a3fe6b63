// `via.role` and `via.accessProfile` inside `@access(…)`: an element that the identity holds through
// a role or an access profile, `@access(via.role:"Finance Analyst" AND source.name:Payroll)`. It is
// an extension of the language. A path joins two elements of one list, the role and what it grants,
// so it is a condition on the document, and only a required clause can be rewritten to one:
// for each role, "holds the role" and "holds an element that it grants and that matches the rest".
import { bestOf, bool, MATCH_ALL, nestedIn } from '../build.ts';
import { FieldNames, ROOT } from '../mapping/field-names.ts';
import { nearestName } from '../mapping/nearest-name.ts';
import type { Query } from '../query.ts';
import { sizeOf, sumOfLeaves } from '../query-parts.ts';
import type { AccessPaths, Grant, GrantingIndex } from './access-paths.ts';
import { type Clause, type Node, queryFault } from './syntax.ts';

/** The nested array that paths are about. */
export const ACCESS = 'access';

const INDEXES: Readonly<Record<string, GrantingIndex>> = {
  role: 'roles',
  accessProfile: 'accessprofiles',
};

/** The clause `via.…` of a list of clauses. */
export interface ViaClause {
  readonly index: GrantingIndex;
  /** The condition on the role or access profile, with the names of its index. */
  readonly node: Node;
  /** The other clauses of the list. */
  readonly rest: readonly Clause[];
  readonly offset: number;
}

/** Whether a name is one of `via.…`, with or without the array before it. */
export function isVia(name: string): boolean {
  return /^(?:access\.)?via(?:\.|$)/.test(name);
}

/** The error for `via.…` where it cannot be rewritten. */
export function misplacedVia(offset: number): Error {
  return queryFault(
    offset,
    'via.role and via.accessProfile must be joined to the other conditions of one @access(…) by AND, as in @access(via.role:"Finance Analyst" AND source.name:Payroll)',
  );
}

/**
 * Finds the clause `via.…` among the clauses of `@access(…)`.
 * @returns null if there is none
 * @throws ServiceError `query_malformed` if it is not required, or there are two
 */
export function viaClauseOf(clauses: readonly Clause[]): ViaClause | null {
  const at = clauses.findIndex(({ node }) => isVia(fieldOf(node)));
  const via = clauses[at];
  if (via === undefined) return null;
  const { offset } = via.node;
  const second = clauses.find(({ node }, index) => index > at && isVia(fieldOf(node)));
  if (second !== undefined) {
    throw queryFault(second.node.offset, 'one @access(…) can have one via.… only');
  }
  if (via.modifier === 'mustNot' || !clauses.every(isRequired)) throw misplacedVia(offset);
  const [, member = '', field = 'name'] =
    /^(?:access\.)?via\.(\w+)(?:\.(.+))?$/.exec(fieldOf(via.node)) ?? [];
  const index = Object.hasOwn(INDEXES, member) ? INDEXES[member] : undefined;
  if (index === undefined) {
    throw queryFault(offset, `expected ${Object.keys(INDEXES).join(' or ')} after via.`);
  }
  const rest = clauses.filter((_, index) => index !== at);
  const name = field === 'exact' ? 'name.exact' : field;
  return {
    index,
    node: { ...via.node, field: name } as Node,
    rest: rest.map((clause, index) => (index === 0 ? { ...clause, conjunction: null } : clause)),
    offset,
  };
}

/**
 * The name that a clause on a role or access profile uses.
 * @throws ServiceError `query_malformed` if its index does not have it
 */
export function checkViaField({ index, node, offset }: ViaClause, paths: AccessPaths): void {
  const name = fieldOf(node);
  const mapping = paths.mapping(index);
  if (name.includes('*') || new FieldNames(mapping).find(name, ROOT) !== undefined) return;
  const near = nearestName(name, [...mapping.fields.keys()]);
  const hint = near === null ? '' : `; did you mean ${near}?`;
  throw queryFault(offset, `${index} have no field ${JSON.stringify(name.slice(0, 60))}${hint}`);
}

/** The query of the holders; `rest` matches elements. */
export function viaQuery(grants: readonly Grant[], rest: Query): Query {
  return bestOf(grants.map(({ id, grantedIds }) => holderQuery(id, grantedIds, rest)));
}

/** The clauses and terms that each grant adds to a query. */
export function viaSize(grants: readonly Grant[], rest: Query): { clauses: number; terms: number } {
  const clausesEach = 2 + sumOfLeaves(rest, () => 1);
  const terms = grants.reduce((sum, { grantedIds }) => sum + 1 + grantedIds.length, 0);
  return { clauses: grants.length * clausesEach, terms: terms + grants.length * sizeOf(rest) };
}

function holderQuery(id: string, grantedIds: readonly string[], rest: Query): Query {
  const granted: Query = {
    kind: 'terms',
    field: `${ACCESS}.id`,
    form: 'exact',
    values: grantedIds,
  };
  const element = rest === MATCH_ALL ? granted : bool({ must: [rest], filter: [granted] });
  const holds: Query = {
    kind: 'nested',
    path: ACCESS,
    query: { kind: 'terms', field: `${ACCESS}.id`, form: 'exact', values: [id] },
    scoreMode: 'none',
  };
  return bool({ must: [nestedIn(ACCESS, element)], filter: [holds] });
}

/** Required or excluded: written with AND, +, - or NOT. */
function isRequired({ conjunction, modifier }: Clause, at: number, all: readonly Clause[]) {
  if (conjunction === 'or') return false;
  if (at > 0) return conjunction === 'and' || modifier !== null;
  const next = all[1];
  return (
    next === undefined ||
    modifier !== null ||
    next.conjunction === 'and' ||
    next.modifier === 'mustNot'
  );
}

function fieldOf(node: Node): string {
  return node.kind === 'leaf' || node.kind === 'group' ? (node.field ?? '') : '';
}
