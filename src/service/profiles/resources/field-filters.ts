// The filters of a collection: every attribute of its records is one (contract/profiles.md section
// 3.2), so they follow from the members of a kind, and a new member is a filter at once.
import type { FilterRule } from '../../ports/collection.ts';
import type { FieldRule } from './descriptor.ts';

/** Attributes that every record has. */
export const COMMON_FILTERS = {
  id: { type: 'key' },
  uid: { type: 'exact' },
  createdAt: { type: 'time' },
  updatedAt: { type: 'time' },
} as const satisfies Readonly<Record<string, FilterRule>>;

/**
 * A filter for each member, in the order in which documentation and warnings name them.
 * @param own replaces the rules of members, and adds filters that are no members
 */
export function filtersOf(
  fields: Readonly<Record<string, FieldRule>>,
  own: Readonly<Record<string, FilterRule>> = {},
): Readonly<Record<string, FilterRule>> {
  const { id, uid, ...times } = COMMON_FILTERS;
  const members = Object.entries(fields).map(([member, rule]) => [member, filterOf(rule)] as const);
  return { id, uid, ...Object.fromEntries(members), ...own, ...times };
}

function filterOf(rule: FieldRule): FilterRule {
  switch (rule.type) {
    case 'text':
    case 'flag':
      return { type: rule.type };
    case 'integer':
    case 'number':
      return { type: 'number' };
    case 'word':
      return { type: 'word', words: rule.words };
    case 'reference':
      return { type: 'reference', to: rule.to };
    case 'texts':
      return { type: 'item' };
    case 'references':
      return { type: 'itemReference', to: rule.to };
    case 'own':
      return { type: 'none' };
  }
}
