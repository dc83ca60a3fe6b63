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
}

/** The conditions of one request, with the grants that were looked up for them. */
export class AccessPaths {
  readonly #mapping: (index: GrantingIndex) => Mapping;
  readonly #conditions = new Map<string, PathCondition>();
  readonly #grants = new Map<string, readonly Grant[]>();

  /** @param mapping those that conditions are resolved on */
  constructor(mapping: (index: GrantingIndex) => Mapping) {
    this.#mapping = mapping;
  }

  mapping(index: GrantingIndex): Mapping {
    return this.#mapping(index);
  }

  /** The grants of a condition; empty until they are looked up. */
  grantsOf(condition: PathCondition): readonly Grant[] {
    const key = JSON.stringify(condition);
    this.#conditions.set(key, condition);
    return this.#grants.get(key) ?? [];
  }

  /** All conditions met so far. */
  get conditions(): readonly PathCondition[] {
    return [...this.#conditions.values()];
  }

  /** Sets the grants of a condition. */
  resolve(condition: PathCondition, grants: readonly Grant[]): void {
    this.#grants.set(JSON.stringify(condition), grants);
  }
}
