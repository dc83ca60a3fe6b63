// Accounts: elements of `accounts` of identities (collections.md section 3).
import { displayedName, stateOf } from './identities.ts';
import { flagOf, type Json, objectOf, textOf } from './members.ts';

/** The source of the accounts that the service itself makes, one for each identity. */
export const OWN_SOURCE = 'IdentityNow';

/**
 * An account.
 * @param element one of the accounts of the document
 * @param detail false: without its attributes, as with `detailLevel=SLIM`
 */
export function account(document: Json, element: Json, detail = true): Json {
  const source = objectOf(element['source']);
  const own = objectOf(element['accountAttributes']);
  const entitlements = objectOf(element['entitlementAttributes']);
  const attributes = objectOf(document['attributes']);
  const { id } = document;
  const name = displayedName(document);
  return {
    id: element['id'],
    name: element['name'] ?? null,
    created: element['created'],
    sourceId: source['id'] ?? null,
    sourceName: source['name'] ?? null,
    identityId: id,
    cloudLifecycleState: textOf(attributes['cloudLifecycleState']) ?? null,
    identityState: stateOf(attributes),
    attributes: detail ? { ...own, ...entitlements } : null,
    // Identities come from the source that is authoritative for them.
    authoritative: source['id'] !== undefined && source['id'] === sourceIdOf(document),
    disabled: flagOf(element['disabled']) ?? null,
    locked: flagOf(element['locked']) ?? null,
    nativeIdentity: element['accountId'] ?? null,
    systemAccount: source['name'] === OWN_SOURCE,
    uncorrelated: false,
    manuallyCorrelated: flagOf(element['manuallyCorrelated']) ?? null,
    hasEntitlements: Object.values(entitlements).some(hasValue),
    identity: { type: 'IDENTITY', id, name },
  };
}

function sourceIdOf(document: Json): unknown {
  return objectOf(document['source'])['id'];
}

/** As `_exists_` of a search. */
function hasValue(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasValue);
  return value !== null && value !== undefined;
}
