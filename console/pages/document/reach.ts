// The questions of a reviewer about a role, access profile or entitlement, as queries on identities:
// who holds it, who reaches which source through it, and who of them has left.
import { printValue } from '../../model/completion.ts';
import type { AccessGraph } from './graph/access-graph.ts';

/** A question, with the query that answers it. */
export interface ReachQuestion {
  readonly label: string;
  /** Whose matches are the people in question. */
  readonly query: string;
  /** How many entitlements are reached, and how many of them are privileged; null: not counted. */
  readonly entitlements: number | null;
  readonly privileged: number | null;
}

export interface Named {
  readonly id: string;
  readonly name: string;
}

/**
 * Who holds a role or access profile, and who reaches each of its sources through it.
 * @param graph what it grants
 */
export function grantQuestions(
  kind: 'role' | 'accessProfile',
  { id, name }: Named,
  graph: AccessGraph,
): ReachQuestion[] {
  const noun = kind === 'role' ? 'role' : 'access profile';
  const holders = { label: `Hold this ${noun}`, query: `@access(id:${printValue(id)})` };
  const sources = graph.nodes
    .filter((node) => node.kind === 'source')
    .map((source) => {
      const on = graph.nodes.filter(
        (node) => node.kind === 'entitlement' && node.source === source.key,
      );
      const via = `via.${kind}.exact:${printValue(name)}`;
      return {
        label: `Reach ${source.name} through it`,
        query: `@access(${via} AND source.name.exact:${printValue(source.name)})`,
        entitlements: on.length,
        privileged: on.filter(({ privileged }) => privileged).length,
      };
    })
    .sort((one, other) => other.entitlements - one.entitlements);
  return [{ ...holders, entitlements: null, privileged: null }, ...sources];
}

/** Who holds an entitlement, in which way, and who reaches anything on its source through a role. */
export function entitlementQuestions({ id }: Named, sourceName: string): ReachQuestion[] {
  const own = `id:${printValue(id)}`;
  const throughRole = `@access(via.role:* AND ${own})`;
  const throughProfile = `@access(via.accessProfile:* AND ${own})`;
  const questions: readonly (readonly [label: string, query: string])[] = [
    ['Hold this entitlement', `@access(${own})`],
    ['Hold it through a role', throughRole],
    [
      'Hold it through an access profile without a role',
      `${throughProfile} AND NOT ${throughRole}`,
    ],
    ['Hold it directly', `@access(${own}) AND NOT ${throughRole} AND NOT ${throughProfile}`],
    ...(sourceName === ''
      ? []
      : ([
          [
            `Reach ${sourceName} through a role`,
            `@access(via.role:* AND source.name.exact:${printValue(sourceName)})`,
          ],
        ] as const)),
  ];
  return questions.map(([label, query]) => ({
    label,
    query,
    entitlements: null,
    privileged: null,
  }));
}

/** The same question about people who have left: the inactive ones. */
export function inactiveOnly(query: string): string {
  return `inactive:true AND ${query}`;
}
