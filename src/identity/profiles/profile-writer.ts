// Writes the profiles of one call, be it one or a thousand: what all of them need is looked up in
// sets, then each is judged, then those that hold together are written (contract/profiles.md
// section 4.1).
// Invariant: runs in one transaction; where one record is at fault, nothing of any is written.
import { setImmediate as turn } from 'node:timers/promises';
import type { Profile, ProfileValue } from '../ports/profile-records.ts';
import type { WritableRecords } from '../ports/store.ts';
import { addError, isFaultless } from './faults.ts';
import { draftProfile, nameProfile, type Origin, type ProfileDraft } from './profile-draft.ts';
import type { Attribute, ProfileType } from './resources/resources.ts';
import { type ShownValues, shownValues } from './shown-profiles.ts';
import { Distinctness } from './values/distinctness.ts';
import type { ShownNames } from './values/shown-names.ts';
import { valueClassOf } from './values/value-class.ts';
import { type SentValue, ValueReader } from './values/value-reader.ts';

type Body = ReadonlyMap<string, unknown>;

/** A record as sent, with what is stored of it; `before` is null for a new one. */
export interface ProfileRequest {
  readonly body: Body;
  readonly before: Profile | null;
  readonly origin?: Origin;
}

/** What became of the records of a call, in their order. */
export interface Written {
  readonly drafts: readonly ProfileDraft[];
  /** Profiles that are other than before; none where there are faults. */
  readonly changed: readonly ChangedProfile[];
}

/** A profile before and after a call; null: it was created. */
export interface ChangedProfile {
  readonly before: Profile | null;
  readonly after: Profile;
  /** Uids of the attributes whose values changed. */
  readonly attributes: readonly string[];
}

/** After so many records of a large call others get their turn. */
const TURN_EVERY = 100;
/** Most attributes of one profile type that are looked through for required ones. */
const TYPE_ATTRIBUTES_MAX = 1000;

export class ProfileWriter {
  readonly #records: WritableRecords;
  readonly #tenantId: string;
  readonly #now: string;
  readonly #names: ShownNames | null;
  /** By id and by uid. */
  readonly #types = new Map<string, ProfileType>();
  readonly #byUid = new Map<string, Attribute>();
  /** By profile type: attributes that a new profile must have. */
  readonly #required = new Map<string, readonly Attribute[]>();

  /**
   * @param now ISO 8601 with milliseconds
   * @param names finds what values point to by the text it is shown as, too; null where ids alone
   * count
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

  /** Judges all, and writes them if none is at fault; faults stand in the drafts. */
  async write(requests: readonly ProfileRequest[]): Promise<Written> {
    const context = {
      now: this.#now,
      types: this.#types,
      taken: await this.#takenUids(requests),
    };
    await this.#loadTypes(requests);
    const drafts = requests.map(({ body, before, origin }) =>
      draftProfile(body, before, context, origin),
    );
    refuseRepeatedUids(drafts);
    await this.#readValues(drafts);
    for (const draft of drafts) nameProfile(draft, this.#types.get(draft.profile.profileTypeId));
    const distinctness = new Distinctness(this.#records, this.#tenantId, [...this.#byUid.values()]);
    await distinctness.judge(drafts, this.#types);
    if (!drafts.every(({ errors }) => isFaultless(errors))) return { drafts, changed: [] };
    return { drafts, changed: await this.#store(drafts) };
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

  /** Values as sent over those that are stored. */
  async #readValues(drafts: readonly ProfileDraft[]): Promise<void> {
    const [records, tenantId] = [this.#records, this.#tenantId];
    const uids = drafts.flatMap(({ attributes }) => [...attributes.keys()]);
    for (const attribute of await records.attributesBy(tenantId, 'uid', uids))
      this.#byUid.set(attribute.uid, attribute);
    const stored = await this.#storedTexts(drafts);
    const reader = new ValueReader(records, tenantId, this.#names);
    const sent = drafts.map((draft) => this.#sentValues(draft, stored));
    await reader.load(sent.flat());
    for (const [place, draft] of drafts.entries()) {
      if (place % TURN_EVERY === TURN_EVERY - 1) await turn();
      for (const value of sent[place] ?? []) readValue(draft, value, reader);
      if (draft.before === null) await this.#demandRequired(draft);
    }
    await this.#dropUnchanged(drafts);
  }

  /** A value that is stored already is not written again, so that nothing changes by it. */
  async #dropUnchanged(drafts: readonly ProfileDraft[]): Promise<void> {
    const ids = drafts.flatMap(({ before, values }) =>
      before === null || values.length === 0 ? [] : [before.id],
    );
    if (ids.length === 0) return;
    const stored = new Set<string>();
    for (const value of await this.#records.valuesOf(this.#tenantId, ids)) stored.add(told(value));
    for (const { before, values } of drafts) {
      if (before === null) continue;
      values.splice(0, values.length, ...values.filter((value) => !stored.has(told(value))));
    }
  }

  /** Texts of the profiles that are changed; also into each draft. */
  async #storedTexts(drafts: readonly ProfileDraft[]): Promise<ShownValues> {
    const ids = drafts.flatMap(({ before }) => (before === null ? [] : [before.id]));
    const shown = await shownValues(this.#records, this.#tenantId, ids);
    for (const { profile, texts } of drafts) {
      for (const { attributeId, text } of shown.get(profile.id) ?? []) texts.set(attributeId, text);
    }
    return shown;
  }

  /** What is to be read; a value that comes back as it was read stays as it is. */
  #sentValues({ attributes, profile, errors }: ProfileDraft, stored: ShownValues): SentValue[] {
    const texts = new Map(stored.get(profile.id)?.map(({ uid, text }) => [uid, text]));
    const sent: SentValue[] = [];
    for (const [uid, value] of attributes) {
      const attribute = this.#byUid.get(uid);
      if (attribute === undefined) addError(errors, uid, 'is not the uid of an attribute');
      else if (value === '' || value !== texts.get(uid)) sent.push({ attribute, value });
    }
    return sent;
  }

  /** A new profile has what its type's own attributes demand, even if nothing was sent for them. */
  async #demandRequired({ profile, attributes, errors }: ProfileDraft): Promise<void> {
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
      ...{ where, order: 'id', limit: TYPE_ATTRIBUTES_MAX, offset: 0, total: false },
    });
    // Of an attribute that selects profiles, the type is the one to select from.
    return rows.filter((row) => valueClassOf(row) !== 'profile' && isRequired(row));
  }

  async #store(drafts: readonly ProfileDraft[]): Promise<readonly ChangedProfile[]> {
    const [records, tenantId] = [this.#records, this.#tenantId];
    const made = drafts.filter(({ before }) => before === null);
    const changed = drafts.filter(
      ({ before, profile, values }) =>
        before !== null &&
        (values.length > 0 || JSON.stringify(before) !== JSON.stringify(profile)),
    );
    for (const draft of changed) draft.profile = { ...draft.profile, updatedAt: this.#now };
    await records.addProfiles(
      tenantId,
      made.map(({ profile }) => profile),
    );
    await records.updateProfiles(
      tenantId,
      changed.map(({ profile }) => profile),
    );
    await records.addValues(
      tenantId,
      made.flatMap(({ values }) => values),
    );
    await records.putValues(
      tenantId,
      changed.flatMap(({ values }) => values),
    );
    const uids = new Map([...this.#byUid.values()].map(({ id, uid }) => [id, uid]));
    return [...made, ...changed].map(({ before, profile: after, values }) => {
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
  else if (read.items.length === 0 && isRequired(sent.attribute))
    addError(draft.errors, uid, "can't be blank");
  else {
    const had = draft.texts.has(attributeId);
    if (read.items.length > 0 || had)
      draft.values.push({ profileId: draft.profile.id, attributeId, items: read.items });
    draft.texts.set(attributeId, read.shown);
  }
}

function told({ profileId, attributeId, items }: ProfileValue): string {
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
