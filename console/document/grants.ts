// Through which roles and access profiles a person holds an entitlement or an access profile. The
// person's document lists all of them side by side; the documents of roles and access profiles say
// what they contain.
import type { Document } from '../api/wire.ts';
import { firstText, valuesAt } from '../search/document-value.ts';

/** A role or access profile. */
export interface Granter {
  readonly index: 'roles' | 'accessprofiles';
  readonly id: string;
  readonly name: string;
}

/** From the role to the access profile, or one of them alone. */
export type Grant = readonly Granter[];

/** The documents of what a person holds. */
export interface HeldDocuments {
  readonly roles: readonly Document[];
  readonly accessProfiles: readonly Document[];
}

/** Ids of the person's elements of `access` of a type. */
export function heldIds(access: readonly unknown[], type: string): string[] {
  const elements = access.filter((one) => firstText(one, 'type').toUpperCase() === type);
  return [...new Set(elements.map((one) => firstText(one, 'id')).filter((id) => id !== ''))];
}

/** How an element of `access` was granted; empty if no held document contains it. */
export function grantsOf(element: unknown, { roles, accessProfiles }: HeldDocuments): Grant[] {
  const id = firstText(element, 'id');
  const rolesWith = (profile: string) =>
    roles.filter((role) => contains(role, 'accessProfiles', profile));
  switch (firstText(element, 'type').toUpperCase()) {
    case 'ACCESS_PROFILE':
      return rolesWith(id).map((role) => [granter('roles', role)]);
    case 'ENTITLEMENT': {
      const profiles = accessProfiles.filter((profile) => contains(profile, 'entitlements', id));
      const chains = profiles.flatMap((profile): Grant[] => {
        const last = granter('accessprofiles', profile);
        const through = rolesWith(last.id);
        return through.length === 0
          ? [[last]]
          : through.map((role) => [granter('roles', role), last]);
      });
      // A role lists the entitlements of its access profiles, too.
      const named = new Set(chains.map(([first]) => first?.id));
      const direct = roles
        .filter((role) => contains(role, 'entitlements', id) && !named.has(firstText(role, 'id')))
        .map((role): Grant => [granter('roles', role)]);
      return [...chains, ...direct];
    }
    default:
      return [];
  }
}

function contains(document: Document, member: string, id: string): boolean {
  return valuesAt(document, `${member}.id`).includes(id);
}

function granter(index: Granter['index'], document: Document): Granter {
  return { index, id: firstText(document, 'id'), name: firstText(document, 'name', 'id') };
}
