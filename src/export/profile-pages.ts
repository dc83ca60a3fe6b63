// The profiles to export, in pages, in the form that an import reads: values as the API shows them,
// but references by id, as names may repeat.
// Invariant: a profile comes after the profiles and users that it refers to, so that an import of any
// size finds them. Those that refer to one another in a circle, or to a user of a profile, come twice:
// first without their references.
import type { Profile, ProfileValue } from '../service/ports/profile-records.ts';
import type { Attribute } from '../service/ports/resources.ts';
import type { Records } from '../service/ports/store.ts';
import { itemText, withoutAttributes } from '../service/profiles/values/shown-profiles.ts';
import { valueClassOf } from '../service/profiles/values/value-class.ts';
import { pagesById } from './pages-by-id.ts';

type Json = Readonly<Record<string, unknown>>;

/** Profiles in the form of an import. */
export interface ProfilePage {
  readonly profiles: readonly Json[];
  /** The number of profiles that no earlier page had. */
  readonly added: number;
  /** Values that are left out: an import accepts no attachments. */
  readonly attachments: number;
}

type ProfileRecords = Pick<Records, 'profilePage' | 'profilesByKey' | 'valuesOf' | 'shownAs'>;

const PAGE_SIZE = 500;

/** A profile with its values by uid of the attribute. */
interface ReadProfile {
  readonly profile: Profile;
  readonly values: ReadonlyMap<string, string | readonly string[]>;
  /** Ids of profiles and users, by uid of the attribute. */
  readonly references: ReadonlyMap<string, readonly string[]>;
  readonly attachments: number;
}

export class ProfilePages {
  readonly #records: ProfileRecords;
  readonly #tenantId: string;
  /** By id. */
  readonly #attributes: ReadonlyMap<string, Attribute>;
  /** Ids of the profiles and users that have been exported. */
  readonly #exported = new Set<string>();
  /** Ids of the profiles that refer to others. */
  #waiting: readonly string[] = [];

  /** Ids of profiles with a damaged value. */
  readonly #damaged = new Set<string>();
  readonly #setAside: (id: string) => void;

  /**
   * @param attributes all attributes of the tenant
   * @param setAside called with the id of a profile that is left out, as a value of it is damaged
   */
  constructor(
    records: ProfileRecords,
    tenantId: string,
    attributes: readonly Attribute[],
    setAside: (id: string) => void,
  ) {
    this.#setAside = setAside;
    this.#records = records;
    this.#tenantId = tenantId;
    this.#attributes = new Map(attributes.map((one) => [one.id, one]));
  }

  /** Whether a profile or user has been exported. */
  has(id: string): boolean {
    return this.#exported.has(id);
  }

  /** Records that users were exported, so that profiles may refer to them. */
  addUsers(ids: readonly string[]): void {
    for (const id of ids) this.#exported.add(id);
  }

  /**
   * All profiles: first those whose references have been exported, then the others, without their
   * references.
   */
  async *all(): AsyncGenerator<ProfilePage> {
    const read = (afterId: string) =>
      this.#records.profilePage(this.#tenantId, {}, { afterId, limit: PAGE_SIZE });
    for await (const profiles of pagesById(read)) yield await this.#readyOf(profiles);
    yield* this.#readyOfWaiting();
    for await (const profiles of this.#inPages(this.#waiting)) {
      const read = await this.#read(profiles);
      for (const { id } of profiles) this.#exported.add(id);
      yield pageOf(read, read.map(withoutReferences));
    }
  }

  /** Once more those that `all` yielded without their references, with them. */
  async *references(): AsyncGenerator<ProfilePage> {
    for await (const profiles of this.#inPages(this.#waiting)) {
      const read = await this.#read(profiles);
      yield { profiles: read.map((one) => this.#exportedForm(one)), added: 0, attachments: 0 };
    }
  }

  /** Without references to what is damaged, which an import would not find. */
  #exportedForm(read: ReadProfile): Json {
    const references = [...read.references].map(([uid, ids]): [string, readonly string[]] => [
      uid,
      ids.filter((id) => !this.#damaged.has(id)),
    ]);
    return wireProfile({ ...read, references: new Map(references) });
  }

  async *#readyOfWaiting(): AsyncGenerator<ProfilePage> {
    for (let before = -1; before !== this.#waiting.length; ) {
      const waiting = this.#waiting;
      before = waiting.length;
      this.#waiting = [];
      for await (const profiles of this.#inPages(waiting)) yield await this.#readyOf(profiles);
    }
  }

  async *#inPages(ids: readonly string[]): AsyncGenerator<readonly Profile[]> {
    for (let at = 0; at < ids.length; at += PAGE_SIZE) {
      const page = ids.slice(at, at + PAGE_SIZE);
      const profiles = await this.#records.profilesByKey(this.#tenantId, page);
      const byId = new Map(profiles.map((profile) => [profile.id, profile]));
      yield page.flatMap((id) => byId.get(id) ?? []);
    }
  }

  async #readyOf(profiles: readonly Profile[]): Promise<ProfilePage> {
    const ready: ReadProfile[] = [];
    const waiting: string[] = [];
    for (const one of await this.#read(profiles)) {
      const references = [...one.references.values()].flat();
      if (references.every((id) => this.#exported.has(id))) {
        this.#exported.add(one.profile.id);
        ready.push(one);
      } else waiting.push(one.profile.id);
    }
    this.#waiting = [...this.#waiting, ...waiting];
    return pageOf(ready, ready.map(wireProfile));
  }

  async #read(profiles: readonly Profile[]): Promise<readonly ReadProfile[]> {
    const ids = profiles.map(({ id }) => id);
    const setAside = (id: string) => {
      this.#damaged.add(id);
      this.#setAside(id);
    };
    const values =
      ids.length === 0 ? [] : await this.#records.valuesOf(this.#tenantId, ids, setAside);
    const labels = await this.#labelsOf(values);
    const byProfile = new Map<string, ProfileValue[]>();
    for (const value of values) {
      const list = byProfile.get(value.profileId);
      if (list === undefined) byProfile.set(value.profileId, [value]);
      else list.push(value);
    }
    return profiles
      .filter(({ id }) => !this.#damaged.has(id))
      .map((profile) => this.#withValues(profile, byProfile.get(profile.id) ?? [], labels));
  }

  #withValues(
    profile: Profile,
    stored: readonly ProfileValue[],
    labels: ReadonlyMap<string, string>,
  ): ReadProfile {
    const values = new Map<string, string | readonly string[]>();
    const references = new Map<string, readonly string[]>();
    let attachments = 0;
    for (const { attributeId, items } of stored) {
      const attribute = this.#attributes.get(attributeId);
      if (attribute === undefined) continue;
      const kind = valueClassOf(attribute);
      const ids = items.flatMap(({ refId }) => refId ?? []);
      if (kind === 'attachment') attachments += 1;
      else if (kind === 'profile' || kind === 'user') references.set(attribute.uid, ids);
      else if (kind === 'option')
        values.set(
          attribute.uid,
          ids.flatMap((id) => labels.get(id) ?? []),
        );
      else values.set(attribute.uid, items.map((item) => itemText(attribute, item)).join(', '));
    }
    return { profile, values, references, attachments };
  }

  /** The labels of options, by id. */
  async #labelsOf(values: readonly ProfileValue[]): Promise<ReadonlyMap<string, string>> {
    const ids = new Set<string>();
    for (const { attributeId, items } of values) {
      const attribute = this.#attributes.get(attributeId);
      if (attribute === undefined || valueClassOf(attribute) !== 'option') continue;
      for (const { refId } of items) if (refId !== null) ids.add(refId);
    }
    if (ids.size === 0) return new Map();
    const shown = await this.#records.shownAs(this.#tenantId, 'option', [...ids]);
    return new Map(shown.map(({ id, text }) => [id, text]));
  }
}

function pageOf(read: readonly ReadProfile[], profiles: readonly Json[]): ProfilePage {
  const attachments = read.reduce((sum, one) => sum + one.attachments, 0);
  return { profiles, added: profiles.length, attachments };
}

function wireProfile({ profile, values, references }: ReadProfile): Json {
  const attributes = Object.fromEntries([...values, ...references]);
  return { ...withoutAttributes(profile), attributes };
}

function withoutReferences({ profile, values }: ReadProfile): Json {
  return { ...withoutAttributes(profile), attributes: Object.fromEntries(values) };
}
