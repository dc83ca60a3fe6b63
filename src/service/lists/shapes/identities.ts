// Identities, public identities and identities that have a role (collections.md section 3).
import { type Json, objectOf, referenceOf, textOf } from './members.ts';

/** An identity of `/identities`. */
export function identity(document: Json): Json {
  const { id, created, modified, processingState = null, isManager } = document;
  const attributes = objectOf(document['attributes']);
  const state = textOf(attributes['cloudLifecycleState']);
  return {
    id,
    name: displayedName(document),
    created,
    modified,
    alias: document['name'],
    emailAddress: document['email'] ?? null,
    processingState,
    identityStatus: document['status'],
    managerRef: referenceOf(document['manager'], 'IDENTITY'),
    isManager,
    attributes,
    // Nobody sets a state by hand here.
    lifecycleState: state === undefined ? null : { stateName: state, manuallyUpdated: false },
  };
}

/** An identity of `/public-identities`. @param detail whether its attributes are shown */
export function publicIdentity(document: Json, detail: boolean): Json {
  const attributes = objectOf(document['attributes']);
  return {
    id: document['id'],
    name: displayedName(document),
    alias: document['name'],
    email: document['email'] ?? null,
    status: document['status'] ?? null,
    identityState: stateOf(attributes),
    manager: referenceOf(document['manager'], 'IDENTITY'),
    attributes: Object.entries(detail ? attributes : {}).map(([key, value]) => ({
      key,
      name: key,
      value: value === null || typeof value === 'string' ? value : JSON.stringify(value),
    })),
  };
}

/** An identity of `/roles/{id}/assigned-identities`. */
export function assignedIdentity(document: Json): Json {
  const { id, email } = document;
  return { id, aliasName: document['name'], name: displayedName(document), email };
}

export function displayedName(document: Json): unknown {
  return document['displayName'] ?? document['name'] ?? null;
}

const STATES: readonly unknown[] = ['ACTIVE', 'INACTIVE_SHORT_TERM', 'INACTIVE_LONG_TERM'];

/** The state of an identity, if it is one of the public specification. */
export function stateOf({ identityState }: Json): unknown {
  return STATES.includes(identityState) ? identityState : null;
}
