// Checks uniqueness: values of unique attributes, and, for new profiles, the values by which their
// type identifies duplicates (contract/profiles.md section 6). Both are checked against stored
// profiles and those of the same call. Restored profiles are not checked, but others against them.
// Invariant: runs inside the write transaction and by index, so two concurrent calls cannot both
// pass.
import { setImmediate as turn } from 'node:timers/promises';
import type {
  DuplicateKeys,
  ProfileRecords,
  ProfileValue,
  ValueKey,
} from '../../ports/profile-records.ts';
import type { Attribute, ProfileType } from '../../ports/resources.ts';
import { addError } from '../resources/faults.ts';
import type { ProfileDraft } from './profile-draft.ts';
import { keyOf } from './value-class.ts';

/** Records of a large call between two turns of the event loop. */
const TURN_EVERY = 20;
/** Most duplicates in an error. */
const DUPLICATES_MAX = 100;

/** A value of a draft that must be unique. */
interface Claim {
  readonly draft: ProfileDraft;
  readonly key: string;
}

export class Distinctness {
  readonly #records: ProfileRecords;
  readonly #tenantId: string;
  readonly #attributes: readonly Attribute[];

  /** @param attributes all attributes that the call writes */
  constructor(records: ProfileRecords, tenantId: string, attributes: readonly Attribute[]) {
    this.#records = records;
    this.#tenantId = tenantId;
    this.#attributes = attributes;
  }

  /** Adds errors to the drafts. */
  async check(
    drafts: readonly ProfileDraft[],
    types: ReadonlyMap<string, ProfileType>,
  ): Promise<void> {
    for (const attribute of this.#attributes) {
      if (attribute.validations.some(({ validationMethod }) => validationMethod === 'unique'))
        await this.#checkUnique(attribute, drafts);
    }
    await this.#checkDuplicates(drafts, types);
  }

  async #checkUnique(attribute: Attribute, drafts: readonly ProfileDraft[]): Promise<void> {
    const claims = new Map<ValueKey, Claim[]>();
    /** Profiles whose stored value is replaced, so that it is no conflict. */
    const writers = new Set<string>();
    for (const draft of drafts) {
      const value = draft.values.find(({ attributeId }) => attributeId === attribute.id);
      if (value === undefined) continue;
      writers.add(draft.profile.id);
      for (const item of value.items) {
        const { by, key } = keyOf(item);
        const claimed = claims.get(by) ?? [];
        claimed.push({ draft, key });
        claims.set(by, claimed);
      }
    }
    for (const [by, claimed] of claims) {
      const keys = claimed.map(({ key }) => key);
      const holders = await this.#records.holdersOf(this.#tenantId, attribute.id, by, keys);
      const taken = new Set(
        holders.filter(({ profileId }) => !writers.has(profileId)).map(({ key }) => key),
      );
      for (const { draft, key } of claimed) {
        if (taken.has(key) && !draft.restores)
          addError(draft.errors, attribute.uid, 'has already been taken');
        taken.add(key);
      }
    }
  }

  async #checkDuplicates(
    drafts: readonly ProfileDraft[],
    types: ReadonlyMap<string, ProfileType>,
  ): Promise<void> {
    const seen = new Map<string, number>();
    for (const [place, draft] of drafts.entries()) {
      if (draft.before !== null) continue;
      const type = types.get(draft.profile.profileTypeId);
      const duplicateKeys = type === undefined ? null : duplicateKeysOf(type, draft.values);
      if (type === undefined || duplicateKeys === null) continue;
      const key = JSON.stringify([type.id, duplicateKeys]);
      const twin = seen.get(key);
      seen.set(key, twin ?? place);
      if (draft.restores) continue;
      if (place % TURN_EVERY === TURN_EVERY - 1) await turn();
      const ids = await this.#records.profilesWith(
        this.#tenantId,
        type.id,
        duplicateKeys,
        DUPLICATES_MAX,
      );
      if (ids.length > 0) draft.errors['possible_duplicates'] = [ids.map((id) => ({ id }))];
      else if (twin !== undefined)
        addError(draft.errors, 'base', `is a duplicate of the record at ${twin}`);
    }
  }
}

/**
 * The values that identify duplicates; null if some are missing, or the type has no such
 * attributes.
 */
function duplicateKeysOf(
  { bypassDupProtection, profileTypeDupAttributes }: ProfileType,
  values: readonly ProfileValue[],
): readonly DuplicateKeys[] | null {
  if (bypassDupProtection || profileTypeDupAttributes.length === 0) return null;
  const duplicateKeys: DuplicateKeys[] = [];
  for (const { neAttributeId } of profileTypeDupAttributes) {
    const items = values.find(({ attributeId }) => attributeId === neAttributeId)?.items ?? [];
    const [first] = items;
    if (first === undefined) return null;
    const keys = items.map((item) => keyOf(item).key).sort();
    duplicateKeys.push({ attributeId: neAttributeId, by: keyOf(first).by, keys });
  }
  // The longest text is usually the rarest, so the search begins with it.
  return duplicateKeys.sort((a, b) => rarity(b) - rarity(a));
}

function rarity({ by, keys }: DuplicateKeys): number {
  return by === 'folded' ? Math.max(...keys.map(({ length }) => length)) : 0;
}
