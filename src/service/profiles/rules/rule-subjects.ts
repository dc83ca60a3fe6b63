// Looks up what rules can refer to: attributes, options, types, profiles, users and risk levels of
// one tenant, by id or uid. Records of other tenants are not found.

import type { Attribute, RiskLevel } from '../../ports/resources.ts';
import type { Records } from '../../ports/store.ts';

/** Lookups by name; null if there is no match. */
export interface RuleSubjects {
  attribute(key: string): Promise<Attribute | null>;
  /** The id of an option by its id, uid or label; the case of a label is ignored. */
  optionId(attributeId: string, key: string): Promise<string | null>;
  idOf(kind: 'profileType' | 'profile' | 'user', key: string): Promise<string | null>;
  riskLevels(): Promise<readonly RiskLevel[]>;
}

/** More levels than a tenant has in practice. */
const LEVELS_MAX = 1000;

/** Lookups for the rules of a tenant. */
export function ruleSubjects(records: Records, tenantId: string): RuleSubjects {
  return {
    attribute: (key) => records.resource(tenantId, 'attribute', key),
    async optionId(attributeId, key) {
      const option = await records.resource(tenantId, 'option', key);
      if (option?.neAttributeId === attributeId) return option.id;
      const { rows } = await records.resourcePage(tenantId, 'option', {
        where: [
          { member: 'neAttributeId', equals: attributeId },
          { member: 'option', equals: key },
        ],
        order: null,
        limit: 1,
        offset: 0,
        total: false,
      });
      return rows[0]?.id ?? null;
    },
    idOf: (kind, key) => records.resourceId(tenantId, kind, key),
    async riskLevels() {
      const all = { where: [], order: null, limit: LEVELS_MAX, offset: 0, total: false };
      return (await records.resourcePage(tenantId, 'riskLevel', all)).rows;
    },
  };
}
