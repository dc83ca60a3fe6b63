// The part of the store's port for advanced searches, and for the profiles that match their
// conditions.
// Invariant: every method takes the tenant; another tenant's search is not found.
import type { Page, PageQuery } from './collection.ts';
import type { BetweenStatements, ProfileMatches, ProfileSearch } from './profile-search.ts';

/** Members of a rule except `id` and `uid`. */
export const RULE_MEMBERS = [
  'type',
  'comparisonOperator',
  'value',
  'objectType',
  'conditionObjectId',
  'conditionObjectType',
  'secondaryAttributeType',
  'secondaryAttributeId',
  'secondaryValue',
  'tertiaryValue',
] as const;

export type RuleMember = (typeof RULE_MEMBERS)[number];

/** The members of a rule; all are texts, and absent if not set. */
export type Rule = { readonly [member in RuleMember]?: string };

/** A stored rule. */
export interface SavedRule extends Rule {
  readonly id: string;
  readonly uid: string;
}

/** A stored advanced search. */
export interface AdvancedSearch {
  /** UUID, lower case. */
  readonly id: string;
  readonly uid: string;
  /** ISO 8601 with milliseconds. */
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly label: string | null;
  /** In the order of creation. */
  readonly rules: readonly SavedRule[];
}

export interface AdvancedSearchRecords {
  /** One search by id, otherwise by uid. */
  advancedSearch(tenantId: string, idOrUid: string): Promise<AdvancedSearch | null>;
  advancedSearchPage(tenantId: string, query: PageQuery): Promise<Page<AdvancedSearch>>;
  /** The profiles that match all conditions. */
  matchingProfiles(
    tenantId: string,
    search: ProfileSearch,
    between: BetweenStatements,
  ): Promise<ProfileMatches>;
}

export interface WritableAdvancedSearchRecords extends AdvancedSearchRecords {
  addAdvancedSearch(tenantId: string, search: AdvancedSearch): Promise<void>;
  /** Updates label, rules and the time of the change. */
  updateAdvancedSearch(tenantId: string, search: AdvancedSearch): Promise<void>;
  deleteAdvancedSearch(tenantId: string, id: string): Promise<void>;
}
