// Generates the profile management of the demo company: first the records that profiles refer to,
// then the profiles, then the records that refer to profiles. Seed and reference date are
// arguments, and profiles are generated one by one.
// Invariant: the same options give the same records in the same order, byte for byte as JSON.
import { Company } from './company.ts';
import type { DemoOptions } from './documents.ts';
import { People } from './person.ts';
import { type DemoKind, ResourceKeys, type WireRecord } from './profile-keys.ts';
import { ProfileUsers } from './profile-people.ts';
import { ProfileRecords, RISKY_CONTRACTOR } from './profile-record.ts';
import { demoSearches } from './profile-searches.ts';
import { ATTRIBUTES, RISK_LEVELS, ROLES, TYPES } from './profile-tables.ts';
import { Random } from './random.ts';

export interface DemoProfileOptions extends DemoOptions {
  /** Number of profiles; 0: no records at all. */
  readonly profiles: number;
}

/** Records of one kind as the API accepts them, with their keys. */
export interface DemoResources {
  readonly kind: Exclude<DemoKind, 'search'>;
  readonly records: readonly WireRecord[];
}

/** Every third contractor has a risk score; scores are generated in batches. */
const SCORED_EVERY = 3;
const SCORES_PER_BATCH = 500;
/** Most contractors who sign in for their vendor. */
const DELEGATES_MOST = 20;

export class DemoProfiles {
  readonly #options: DemoProfileOptions;
  readonly #keys: ResourceKeys;
  readonly #users: ProfileUsers;
  readonly #profiles: ProfileRecords;

  constructor(options: DemoProfileOptions) {
    const { seed, identities, now, profiles } = options;
    const people = new People(new Company(seed, identities), now);
    this.#options = options;
    this.#keys = new ResourceKeys(seed);
    this.#users = new ProfileUsers(people, this.#keys);
    this.#profiles = new ProfileRecords(people, this.#users, profiles);
  }

  /** The records that profiles refer to, in an order in which they can be created. */
  definitions(): readonly DemoResources[] {
    const keys = this.#keys;
    const types = TYPES.map(({ uid, name, category }) => {
      return { ...keys.of('profileType', uid), name, category, isc_synced: uid === 'contractor' };
    });
    const attributes = ATTRIBUTES.map(({ options: _, ...attribute }) => {
      return { ...keys.of('attribute', attribute.uid), ...attribute };
    });
    const levels = RISK_LEVELS.map(([label, order, points]) => {
      return { ...keys.of('riskLevel', label.toLowerCase()), label, order, points };
    });
    const roles = ROLES.map((role) => ({ ...role, ...keys.of('role', role.uid) }));
    return [
      { kind: 'role', records: roles },
      { kind: 'user', records: this.#users.users() },
      { kind: 'userRole', records: this.#users.userRoles() },
      { kind: 'userManager', records: this.#users.userManagers() },
      { kind: 'profileType', records: types },
      { kind: 'attribute', records: attributes },
      { kind: 'option', records: this.#labels() },
      { kind: 'riskLevel', records: levels },
    ];
  }

  *profiles(): Generator<WireRecord> {
    for (let n = 0; n < this.#options.profiles; n += 1) yield this.#profiles.record(n);
  }

  /**
   * Generates the records that refer to profiles: delegates of vendors and risk scores of
   * contractors. The naming and duplicate attributes of types come first, after the profiles, since
   * searching duplicates of each imported profile would take half of the time.
   */
  *dependents(): Generator<DemoResources> {
    yield { kind: 'profileType', records: this.#finishedTypes() };
    const delegates = this.#delegates();
    yield { kind: 'user', records: delegates.map(({ user }) => user) };
    yield { kind: 'userRole', records: delegates.map(({ userRole }) => userRole) };
    const { contractors } = this.#profiles.counts;
    for (let from = 0; from < contractors; from += SCORED_EVERY * SCORES_PER_BATCH) {
      const records: WireRecord[] = [];
      const end = Math.min(contractors, from + SCORED_EVERY * SCORES_PER_BATCH);
      for (let k = from; k < end; k += SCORED_EVERY) records.push(this.#score(k));
      yield { kind: 'riskScore', records };
    }
  }

  /** The saved advanced searches. */
  searches(): readonly WireRecord[] {
    const vendor = { id: this.#profiles.id(0), name: this.#profiles.vendorName(0) };
    return demoSearches(this.#keys, vendor);
  }

  #finishedTypes(): WireRecord[] {
    const items = (uids: readonly string[]) =>
      uids.map((uid, order) => ({ ne_attribute_id: this.#keys.id('attribute', uid), order }));
    return TYPES.map(({ uid, naming, duplicates }) => ({
      ...this.#keys.of('profileType', uid),
      profile_type_namings_attributes: items(naming),
      profile_type_dup_attributes_attributes: items(duplicates),
    }));
  }

  #labels(): WireRecord[] {
    return ATTRIBUTES.flatMap(({ uid: attribute, options = [] }) =>
      options.map((option) => ({
        ...this.#keys.of('option', `${attribute}-${option.toLowerCase().replaceAll(' ', '-')}`),
        ...{ ne_attribute_id: attribute, option },
      })),
    );
  }

  #delegates() {
    const { contractors, vendors } = this.#profiles.counts;
    const count = Math.min(DELEGATES_MOST, vendors, contractors);
    return Array.from({ length: count }, (_, k) => {
      const profile = this.#profiles.record(this.#profiles.contractor(k));
      const { email } = profile['attributes'] as { readonly email: string };
      const keys = this.#keys.of('user', `delegate-${k + 1}`);
      const user = {
        ...keys,
        ...{ name: profile['name'], email, login: `${profile['uid']}`, title: 'Vendor Delegate' },
        ...{ type: 'NeaccessUser', status: k % 5 === 4 ? 'Pending' : 'Active' },
        profile_id: profile['id'],
      };
      const userRole = {
        ...this.#keys.of('userRole', `${keys.uid}-vendor-delegate`),
        ...{ user_id: keys.uid, role_id: 'vendor-delegate' },
      };
      return { user, userRole };
    });
  }

  #score(k: number): WireRecord {
    const n = this.#profiles.contractor(k);
    const random = new Random(this.#options.seed, 'resource', n);
    const drawn = [random.below(100), random.below(100)] as const;
    const [impact, probability] = k === RISKY_CONTRACTOR ? [88, 76] : drawn;
    const overall = Math.round((impact + probability) / 2);
    const level = (score: number) => {
      const [label] =
        RISK_LEVELS.findLast(([, , points]) => score >= points) ?? RISK_LEVELS[0] ?? [];
      return this.#keys.id('riskLevel', `${label}`.toLowerCase());
    };
    return {
      ...this.#keys.of('riskScore', `score-${k + 1}`),
      ...{ object_id: this.#profiles.id(n), object_type: 'Profile' },
      ...{ overall_score: overall, overall_risk_level_id: level(overall) },
      ...{ impact_score: impact, impact_risk_level_id: level(impact) },
      ...{ probability_score: probability, probability_risk_level_id: level(probability) },
    };
  }
}
