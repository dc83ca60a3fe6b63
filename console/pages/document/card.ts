// What the card of a document's page shows, by type.
import type { IndexName } from '../../../src/query/query.ts';
import { firstText, valuesAt } from '../../model/document-value.ts';
import type { Document } from '../../model/wire.ts';
import { isOpen } from './summary.ts';

/** The paths of the card, the most important first. */
export const CARD: Readonly<Record<IndexName, readonly string[]>> = {
  identities: [
    ...['manager', 'attributes.department', 'attributes.location', 'attributes.employeeType'],
    ...['attributes.startDate', 'attributes.endDate', 'accounts', 'access', 'email'],
  ],
  roles: ['owner', 'accessProfiles', 'entitlements', 'modified'],
  accessprofiles: ['source', 'owner', 'entitlements', 'modified'],
  entitlements: ['source', 'owner', 'attribute', 'value', 'modified'],
  events: ['created', 'actor', 'target', 'operation', 'type', 'ipAddress'],
  accountactivities: ['created', 'requester', 'recipient', 'sources', 'stage', 'modified'],
};

/** Paths with long values, which take two columns. */
export const WIDE_FACTS: ReadonlySet<string> = new Set(['email', 'value']);

/** Attributes that the head shows: the line below the name, and the state. */
const IN_HEAD: readonly string[] = ['jobTitle', 'cloudLifecycleState'];

/** The title of the page of a document. */
export function titleOf(document: Document): string {
  return firstText(document, 'displayName', 'name', 'action', 'id');
}

/** The attributes of a document whose values the card shows. */
export function cardAttributes(index: IndexName, document: Document): readonly string[] {
  const [attributes] = valuesAt(document, 'attributes');
  if (typeof attributes !== 'object' || attributes === null) return [];
  const shown = CARD[index];
  return Object.entries(attributes)
    .filter(
      ([name, value]) =>
        IN_HEAD.includes(name) ||
        shown.includes(`attributes.${name}`) ||
        (shown.includes(name) && value === document[name]) ||
        value === titleOf(document),
    )
    .map(([name]) => name);
}

/** The paths of the card that a document has. */
export function cardPaths(index: IndexName, document: Document): readonly string[] {
  return CARD[index].filter(
    (path) => valuesAt(document, path).length > 0 || Array.isArray(document[path]),
  );
}

/** The size of a list that the card counts, with what matters of it; null for any other path. */
export function listText(document: Document, path: string): string | null {
  const list = document[path];
  if (!Array.isArray(list)) return null;
  if (path === 'accounts') return `${list.filter(isOpen).length} open of ${list.length}`;
  const privileged = list.filter((one) => valuesAt(one, 'privileged')[0] === true).length;
  return `${list.length}${privileged === 0 ? '' : `, ${privileged} privileged`}`;
}
