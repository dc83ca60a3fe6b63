// The users of profile management in the demo company: the first members of each department, their
// roles and their managers. Each is an identity of the documents, with the same names and
// addresses.
import { administratorNumber } from './auth-users.ts';
import { DEPARTMENTS } from './company-tables.ts';
import type { People } from './person.ts';
import type { ResourceKeys, WireRecord } from './profile-keys.ts';

/** Users per department. */
const PER_DEPARTMENT = 4;
/** Numbers of departments. */
const PROCUREMENT = 14;
const COMPLIANCE = 17;

export class ProfileUsers {
  readonly #people: People;
  readonly #keys: ResourceKeys;
  /** Numbers of identities, ascending. */
  readonly numbers: readonly number[];

  constructor(people: People, keys: ResourceKeys) {
    this.#people = people;
    this.#keys = keys;
    const { company } = people;
    const numbers = new Set([0, administratorNumber(company)]);
    for (let department = 0; department < DEPARTMENTS.length; department += 1) {
      for (let local = 0; local < PER_DEPARTMENT; local += 1) {
        numbers.add(company.anchor(department, local));
      }
    }
    this.numbers = [...numbers].sort((a, b) => a - b);
  }

  /** The uid of a user, chosen by any number. */
  uid(pick: number): string {
    return this.#people.reference(this.numbers[pick % this.numbers.length] ?? 0).name;
  }

  users(): WireRecord[] {
    return this.numbers.map((n) => {
      const { id, name, email, title, place } = this.#people.person(n);
      return {
        ...this.#keys.of('user', name.login),
        ...{ name: name.display, email, login: name.login, title, type: 'NeprofileUser' },
        status: 'Active',
        preferred_language: place.country === 'DE' ? 'de' : 'en',
        group_strings: this.#rolesOf(n).join(','),
        sailpoint_identity_id: id,
      };
    });
  }

  userRoles(): WireRecord[] {
    return this.numbers.flatMap((n) => {
      const { name: login } = this.#people.reference(n);
      return this.#rolesOf(n).map((role) => ({
        ...this.#keys.of('userRole', `${login}-${role}`),
        ...{ user_id: login, role_id: role },
      }));
    });
  }

  userManagers(): WireRecord[] {
    return this.numbers.flatMap((n) => {
      const { managerNumber } = this.#people.company.seat(n);
      if (managerNumber === null || !this.numbers.includes(managerNumber)) return [];
      const { name: login } = this.#people.reference(n);
      const { name: manager } = this.#people.reference(managerNumber);
      return [
        {
          ...this.#keys.of('userManager', `${login}-${manager}`),
          ...{ user_id: login, manager_id: manager },
        },
      ];
    });
  }

  #rolesOf(n: number): string[] {
    const { company } = this.#people;
    const { departmentNumber } = company.seat(n);
    const roles = ['sponsor'];
    if (n === administratorNumber(company)) roles.push('profile-administrator');
    if (departmentNumber === PROCUREMENT) roles.push('vendor-coordinator');
    if (departmentNumber === COMPLIANCE) roles.push('profile-auditor');
    return roles;
  }
}
