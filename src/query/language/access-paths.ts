// Grants of roles and access profiles, which `via.role` and `via.accessProfile` in a query refer to.
// Planning does no I/O: it records the conditions that it meets, the caller looks them up, and plans
// again. So the plan that a backend gets has the ids of today's catalogue, and nothing else is new.
import type { Mapping } from '../mapping/mapping.ts';
import type { IndexName, Query } from '../query.ts';

/** The indexes of what grants access. */
export type GrantingIndex = Extract<IndexName, 'roles' | 'accessprofiles'>;

/** A role or access profile, and the ids of the access that it grants to its holders. */
export interface Grant {
  readonly id: string;
  /** Distinct, ascending. */
  readonly grantedIds: readonly string[];
}

/** The roles or access profiles that a clause refers to. */
export interface PathCondition {
  readonly index: GrantingIndex;
  /** Resolved on that index. */
  readonly query: Query;
  /** The elements of access that the clause is about; roles that grant none of them do not matter. */
  readonly elements: Query;
}

/** What was looked up for a condition. */
export interface FoundGrants {
  /** The number of roles or access profiles that match. */
  readonly matched: number;
  /** Those of them that may grant an element that the clause is about. */
  readonly grants: readonly Grant[];
}

/** The conditions of one request, with the grants that were looked up for them. */
export class AccessPaths {
  readonly #mapping: (index: GrantingIndex) => Mapping;
  readonly #conditions = new Map<string, PathCondition>();
  readonly #found = new Map<string, FoundGrants>();

  /** @param mapping those that conditions are resolved on */
  constructor(mapping: (index: GrantingIndex) => Mapping) {
    this.#mapping = mapping;
  }

  mapping(index: GrantingIndex): Mapping {
    return this.#mapping(index);
  }

  /** The grants of a condition; none until they are looked up. */
  find(condition: PathCondition): FoundGrants {
    const key = JSON.stringify(condition);
    this.#conditions.set(key, condition);
    return this.#found.get(key) ?? { matched: 0, grants: [] };
  }

  /** All conditions met so far. */
  get conditions(): readonly PathCondition[] {
    return [...this.#conditions.values()];
  }

  /** Sets what was looked up for a condition. */
  resolve(condition: PathCondition, found: FoundGrants): void {
    this.#found.set(JSON.stringify(condition), found);
  }
}
