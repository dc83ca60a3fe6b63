// Writes the profiles of one call, one or a thousand: loads what all of them need in sets,
// validates each, then writes them (contract/profiles.md section 4.1). A restored profile, which is
// the copy of an existing one, is not held to rules that came after it: see `restores`.
// Invariant: runs in one transaction; if one profile is invalid, none is written.
import { setImmediate as turn } from 'node:timers/promises';
import type { Profile, ProfileValue } from '../ports/profile-records.ts';
import type { Attribute, ProfileType } from '../ports/resources.ts';
import type { WritableRecords } from '../ports/store.ts';
import { addError, isFaultless } from './resources/faults.ts';
import { Distinctness } from './values/distinctness.ts';
import {
  draftProfile,
  isBlank,
  nameProfile,
  PROFILE_MEMBERS,
  type ProfileDraft,
  type ProfileRequest,
} from './values/profile-draft.ts';
import type { ShownNames } from './values/shown-names.ts';
import { type ShownValues, shownValues } from './values/shown-profiles.ts';
import { valueClassOf } from './values/value-class.ts';
import { type SentValue, ValueReader } from './values/value-reader.ts';

/** The result of a call; drafts are in the order of the requests. */
export interface Written {
  readonly drafts: readonly ProfileDraft[];
  /** Profiles that were created or changed; empty if there are errors. */
  readonly changed: readonly ChangedProfile[];
}

/** A profile before and after a call; `before` is null if it was created. */
export interface ChangedProfile {
  readonly before: Profile | null;
  readonly after: Profile;
  /** Uids of the attributes whose values changed. */
  readonly attributes: readonly string[];
}

/** Values of a large call that are read between two turns of the event loop. */
const TURN_EVERY = 50;
/** Most attributes of one profile type that are searched for required ones. */
const TYPE_ATTRIBUTES_MAX = 1000;

export class ProfileWriter {
  readonly #records: WritableRecords;
  readonly #tenantId: string;
  readonly #now: string;
  readonly #names: ShownNames | null;
  /** By id and by uid. */
  readonly #types = new Map<string, ProfileType>();
  readonly #byUid = new Map<string, Attribute>();
  /** Attributes that a new profile must have, by profile type. */
  readonly #required = new Map<string, readonly Attribute[]>();

  /**
   * @param now ISO 8601 with milliseconds
   * @param names also resolves references by the text they are shown as; null if only ids are
   * allowed
   */
  constructor(
    records: WritableRecords,
    tenantId: string,
    now: string,
    names: ShownNames | null = null,
  ) {
    this.#records = records;
    this.#tenantId = tenantId;
    this.#now = now;
    this.#names = names;
  }

  /** Validates all, and writes them if there is no error; errors are in the drafts. */
  async write(requests: readonly ProfileRequest[]): Promise<Written> {
    const context = {
      now: this.#now,
      types: this.#types,
      taken: await this.#takenUids(requests),
    };
    await this.#loadTypes(requests);
    const drafts = requests.map((request) => draftProfile(request, context));
    refuseRepeatedUids(drafts);
    await this.#readValues(drafts);
    for (const draft of drafts) nameProfile(draft, this.#types.get(draft.profile.profileTypeId));
    const distinctness = new Distinctness(this.#records, this.#tenantId, [...this.#byUid.values()]);
    await distinctness.check(drafts, this.#types);
    if (!drafts.every(({ errors }) => isFaultless(errors))) return { drafts, changed: [] };
    return { drafts, changed: await this.#store(drafts, requests) };
  }

  async #takenUids(requests: readonly ProfileRequest[]): Promise<Set<string>> {
    const uids = requests.flatMap(({ body, before }) => {
      const uid = body.get('uid');
      return before === null && typeof uid === 'string' ? [uid] : [];
    });
    const holders = await this.#records.profilesByKey(this.#tenantId, uids);
    return new Set(holders.flatMap(({ id, uid }) => [id, uid]));
  }

  async #loadTypes(requests: readonly ProfileRequest[]): Promise<void> {
    const keys = new Set<string>();
    for (const { body, before } of requests) {
      const key = body.get('profile_type_id');
      if (typeof key === 'string') keys.add(key);
      if (before !== null) keys.add(before.profileTypeId);
    }
    for (const key of keys) {
      const type = await this.#records.resource(this.#tenantId, 'profileType', key);
      if (type === null) continue;
      this.#types.set(key, type);
      this.#types.set(type.id, type);
    }
  }

  /** Reads the sent values; others keep the stored ones. */
  async #readValues(drafts: readonly ProfileDraft[]): Promise<void> {
    const [records, tenantId] = [this.#records, this.#tenantId];
    const uids = drafts.flatMap(({ attributes }) => [...attributes.keys()]);
    for (const attribute of await records.attributesBy(tenantId, 'uid', uids))
      this.#byUid.set(attribute.uid, attribute);
    const stored = await this.#storedTexts(drafts);
    const reader = new ValueReader(records, tenantId, this.#names);
    const sent = drafts.map((draft) => this.#sentValues(draft, stored));
    await reader.load(sent.flat());
    let values = 0;
    for (const [place, draft] of drafts.entries()) {
      for (const value of sent[place] ?? []) {
        values += 1;
        if (values % TURN_EVERY === 0) await turn();
        readValue(draft, value, reader);
      }
      if (draft.before === null && !draft.restores) await this.#checkRequired(draft);
    }
    await this.#dropUnchanged(drafts);
  }

  /** Drops values that equal the stored ones, so that they are no change. */
  async #dropUnchanged(drafts: readonly ProfileDraft[]): Promise<void> {
    const ids = drafts.flatMap(({ before, values }) =>
      before === null || values.length === 0 ? [] : [before.id],
    );
    if (ids.length === 0) return;
    const stored = new Set<string>();
    for (const value of await this.#records.valuesOf(this.#tenantId, ids)) stored.add(keyOf(value));
    for (const { before, values } of drafts) {
      if (before === null) continue;
      values.splice(0, values.length, ...values.filter((value) => !stored.has(keyOf(value))));
    }
  }

  /** Shown texts of the stored profiles; copies them into each draft. */
  async #storedTexts(drafts: readonly ProfileDraft[]): Promise<ShownValues> {
    const ids = drafts.flatMap(({ before }) => (before === null ? [] : [before.id]));
    const shown = await shownValues(this.#records, this.#tenantId, ids);
    for (const { profile, texts } of drafts) {
      for (const { attributeId, text } of shown.get(profile.id) ?? []) texts.set(attributeId, text);
    }
    return shown;
  }

  /** The values to read; a value that equals its shown text is unchanged. */
  #sentValues(draft: ProfileDraft, stored: ShownValues): SentValue[] {
    const { attributes, profile, restores, errors } = draft;
    const texts = new Map(stored.get(profile.id)?.map(({ uid, text }) => [uid, text]));
    const sent: SentValue[] = [];
    for (const [uid, value] of attributes) {
      const attribute = this.#byUid.get(uid);
      if (attribute === undefined) {
        addError(errors, uid, 'is not the uid of an attribute');
        if (PROFILE_MEMBERS.includes(uid))
          addError(errors, uid, 'is a member of the profile; send it beside "attributes"');
      } else if (value !== '' && value === texts.get(uid)) continue;
      else if (restores && valueClassOf(attribute) === 'attachment') {
        if (!isBlank(value)) draft.attachments.push(uid);
      } else sent.push({ attribute, value, restores });
    }
    return sent;
  }

  /** A new profile needs the required attributes of its type, even if no attributes were sent. */
  async #checkRequired({ profile, attributes, errors }: ProfileDraft): Promise<void> {
    const { profileTypeId } = profile;
    if (profileTypeId === '') return;
    const required = this.#required.get(profileTypeId) ?? (await this.#requiredOf(profileTypeId));
    this.#required.set(profileTypeId, required);
    for (const { uid } of required)
      if (!attributes.has(uid)) addError(errors, uid, "can't be blank");
  }

  async #requiredOf(profileTypeId: string): Promise<readonly Attribute[]> {
    const where = [
      { member: 'profileTypeId', equals: profileTypeId },
      { member: 'archived', equals: false },
    ];
    const { rows } = await this.#records.resourcePage(this.#tenantId, 'attribute', {
      where,
      order: 'id',
      limit: TYPE_ATTRIBUTES_MAX,
      offset: 0,
      total: false,
    });
    // For an attribute that selects profiles, the type is the one to select from.
    return rows.filter((row) => valueClassOf(row) !== 'profile' && isRequired(row));
  }

  async #store(
    drafts: readonly ProfileDraft[],
    requests: readonly ProfileRequest[],
  ): Promise<readonly ChangedProfile[]> {
    const [records, tenantId] = [this.#records, this.#tenantId];
    const created = drafts.filter(({ before }) => before === null);
    const times = new Map(drafts.map((draft, i) => [draft, requests[i]?.changedAt]));
    const changed = drafts.filter((draft) => {
      const { before, profile, values } = draft;
      if (before === null) return false;
      const isDated = (times.get(draft) ?? before.updatedAt) !== before.updatedAt;
      return isDated || values.length > 0 || JSON.stringify(before) !== JSON.stringify(profile);
    });
    for (const draft of changed) {
      const updatedAt = times.get(draft) ?? this.#now;
      draft.profile = { ...draft.profile, updatedAt };
    }
    await records.addProfiles(
      tenantId,
      created.map(({ profile }) => profile),
    );
    await records.updateProfiles(
      tenantId,
      changed.map(({ profile }) => profile),
    );
    await records.addValues(
      tenantId,
      created.flatMap(({ values }) => values),
    );
    await records.putValues(
      tenantId,
      changed.flatMap(({ values }) => values),
    );
    const uids = new Map([...this.#byUid.values()].map(({ id, uid }) => [id, uid]));
    return [...created, ...changed].map(({ before, profile: after, values }) => {
      return {
        before,
        after,
        attributes: values.map((value) => uids.get(value.attributeId) ?? value.attributeId),
      };
    });
  }
}

function readValue(draft: ProfileDraft, sent: SentValue, reader: ValueReader): void {
  const { uid, id: attributeId } = sent.attribute;
  const read = reader.read(sent);
  if ('fault' in read) addError(draft.errors, uid, read.fault);
  else if (read.items.length === 0 && isRequired(sent.attribute) && !draft.restores)
    addError(draft.errors, uid, "can't be blank");
  else {
    const had = draft.texts.has(attributeId);
    if (read.items.length > 0 || had)
      draft.values.push({ profileId: draft.profile.id, attributeId, items: read.items });
    draft.texts.set(attributeId, read.shown);
  }
}

function keyOf({ profileId, attributeId, items }: ProfileValue): string {
  const parts = items.map(({ value, day, refId }) => [value, day, refId]);
  return JSON.stringify([profileId, attributeId, parts]);
}

function isRequired({ validations, archived }: Attribute): boolean {
  return !archived && validations.some(({ validationMethod }) => validationMethod === 'required');
}

function refuseRepeatedUids(drafts: readonly ProfileDraft[]): void {
  const seen = new Set<string>();
  for (const { before, body, profile, errors } of drafts) {
    if (before !== null || body.get('uid') !== profile.uid) continue;
    if (seen.has(profile.uid)) addError(errors, 'uid', 'has already been taken');
    seen.add(profile.uid);
  }
}
