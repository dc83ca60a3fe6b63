// What profiles must not share: values of attributes that are unique, and, for new ones, all values
// by which their type tells duplicates (contract/profiles.md section 6). Both are judged on what is
// stored and on the call's own records.
// Invariant: asked inside the write transaction and by index, so two calls at once cannot both
// pass.
import { setImmediate as turn } from 'node:timers/promises';
import type {
  ProfileRecords,
  ProfileValue,
  SoughtValue,
  ValueKey,
} from '../../ports/profile-records.ts';
import { addError } from '../faults.ts';
import type { ProfileDraft } from '../profile-draft.ts';
import type { Attribute, ProfileType } from '../resources/resources.ts';
import { keyOf } from './value-class.ts';

/** After so many records of a large call others get their turn. */
const TURN_EVERY = 20;
/** Duplicates that are told. */
const DUPLICATES_MAX = 100;

/** A value of one draft that must be unique. */
interface Claim {
  readonly draft: ProfileDraft;
  readonly key: string;
}

export class Distinctness {
  readonly #records: ProfileRecords;
  readonly #tenantId: string;
  readonly #attributes: readonly Attribute[];

  /** @param attributes all that the call writes values of */
  constructor(records: ProfileRecords, tenantId: string, attributes: readonly Attribute[]) {
    this.#records = records;
    this.#tenantId = tenantId;
    this.#attributes = attributes;
  }

  /** Complains in the drafts. */
  async judge(
    drafts: readonly ProfileDraft[],
    types: ReadonlyMap<string, ProfileType>,
  ): Promise<void> {
    for (const attribute of this.#attributes) {
      if (attribute.validations.some(({ validationMethod }) => validationMethod === 'unique'))
        await this.#judgeUnique(attribute, drafts);
    }
    await this.#judgeDuplicates(drafts, types);
  }

  async #judgeUnique(attribute: Attribute, drafts: readonly ProfileDraft[]): Promise<void> {
    const claims = new Map<ValueKey, Claim[]>();
    /** Whoever writes the attribute gives up the value that is stored. */
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
        if (taken.has(key)) addError(draft.errors, attribute.uid, 'has already been taken');
        taken.add(key);
      }
    }
  }

  async #judgeDuplicates(
    drafts: readonly ProfileDraft[],
    types: ReadonlyMap<string, ProfileType>,
  ): Promise<void> {
    const seen = new Map<string, number>();
    for (const [place, draft] of drafts.entries()) {
      if (draft.before !== null) continue;
      const type = types.get(draft.profile.profileTypeId);
      const sought = type === undefined ? null : soughtValues(type, draft.values);
      if (type === undefined || sought === null) continue;
      const key = JSON.stringify([type.id, sought]);
      const twin = seen.get(key);
      seen.set(key, twin ?? place);
      if (place % TURN_EVERY === TURN_EVERY - 1) await turn();
      const ids = await this.#records.profilesWith(this.#tenantId, type.id, sought, DUPLICATES_MAX);
      if (ids.length > 0) draft.errors['possible_duplicates'] = [ids.map((id) => ({ id }))];
      else if (twin !== undefined)
        addError(draft.errors, 'base', `is a duplicate of the record at ${twin}`);
    }
  }
}

/** The values that tell duplicates; null where not all are there, or nobody asks. */
function soughtValues(
  { bypassDupProtection, profileTypeDupAttributes }: ProfileType,
  values: readonly ProfileValue[],
): readonly SoughtValue[] | null {
  if (bypassDupProtection || profileTypeDupAttributes.length === 0) return null;
  const sought: SoughtValue[] = [];
  for (const { neAttributeId } of profileTypeDupAttributes) {
    const items = values.find(({ attributeId }) => attributeId === neAttributeId)?.items ?? [];
    const [first] = items;
    if (first === undefined) return null;
    const keys = items.map((item) => keyOf(item).key).sort();
    sought.push({ attributeId: neAttributeId, by: keyOf(first).by, keys });
  }
  // The longest text is the rarest, as a rule, so the search begins with it.
  return sought.sort((a, b) => rarity(b) - rarity(a));
}

function rarity({ by, keys }: SoughtValue): number {
  return by === 'folded' ? Math.max(...keys.map(({ length }) => length)) : 0;
}
