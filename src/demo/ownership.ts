// Inverts ownership: the catalogue has the owner of each object, an identity lists the objects that
// it owns.
import type { Catalogue } from './catalogue.ts';
import type { Company } from './company.ts';
import { TECHNOLOGY } from './company-tables.ts';
import type { Reference } from './person.ts';

/** One element of an identity's `owns` in its wire form. */
interface Owned {
  readonly sources: Reference[];
  readonly entitlements: Reference[];
  readonly accessProfiles: Reference[];
  readonly roles: Reference[];
  readonly apps: Reference[];
  readonly governanceGroups: Reference[];
  readonly fallbackApprover: boolean;
}

/** Every 20th entitlement has an owner in this service; the others only in their source. */
const OWNED_EVERY = 20;

/** The number of the owner of an entitlement, by its number. */
export function entitlementOwner(company: Company, number: number): number {
  return company.anchor(number % 18, number);
}

/** The objects that identities own, by number. */
export class Ownership {
  readonly #owned = new Map<number, Owned>();

  constructor(company: Company, catalogue: Catalogue) {
    const add = (
      owner: number,
      kind: Exclude<keyof Owned, 'fallbackApprover'>,
      object: Reference,
    ) => this.#of(owner)[kind].push({ id: object.id, name: object.name });
    for (const source of catalogue.sources) {
      add(company.anchor(TECHNOLOGY, source.number), 'sources', source.reference);
    }
    for (const app of catalogue.apps) add(app.owner, 'apps', app);
    for (const entitlement of catalogue.entitlements) {
      if (entitlement.number % OWNED_EVERY !== 3) continue;
      add(entitlementOwner(company, entitlement.number), 'entitlements', entitlement);
    }
    for (const profile of catalogue.accessProfiles) add(profile.owner, 'accessProfiles', profile);
    for (const role of catalogue.roles) add(role.owner, 'roles', role);
    for (const group of catalogue.groups) add(group.owner, 'governanceGroups', group);
  }

  /** The identity's `owns` and `ownsCount`. */
  of(n: number): { readonly list: readonly Owned[]; readonly count: number } {
    const owned = this.#owned.get(n);
    if (owned === undefined) return { list: [], count: 0 };
    const count =
      owned.sources.length +
      owned.entitlements.length +
      owned.accessProfiles.length +
      owned.roles.length +
      owned.apps.length +
      owned.governanceGroups.length;
    return { list: [owned], count };
  }

  #of(owner: number): Owned {
    let owned = this.#owned.get(owner);
    if (owned === undefined) {
      owned = {
        sources: [],
        entitlements: [],
        accessProfiles: [],
        roles: [],
        apps: [],
        governanceGroups: [],
        fallbackApprover: owner === 0,
      };
      this.#owned.set(owner, owned);
    }
    return owned;
  }
}
