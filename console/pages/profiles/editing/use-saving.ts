// Sends the changes of a profile, and then shows it. Before a stored profile is changed it is read
// again: the service has no conditional request for profiles, so this is what protects a change of
// somebody else. What the service refuses is sorted by field.
import { useState } from 'preact/hooks';
import { type ApiFault, asFault } from '../../../api/fault.ts';
import {
  changeProfile,
  createProfile,
  type Profile,
  readProfile,
} from '../../../api/profiles-api.ts';
import type { ProfileAttribute } from '../../../model/profiles/attributes.ts';
import {
  changesBody,
  conflicts,
  draftOf,
  type FieldChange,
  type FieldFaults,
  fieldChanges,
  type ProfileDraft,
} from '../../../model/profiles/profile-draft.ts';
import { go, href, whileHere } from '../../../ui/route.ts';

export interface SavingOptions {
  /** null: a new one. */
  readonly profile: Profile | null;
  readonly typeId: string;
  readonly attributes: readonly ProfileAttribute[];
  readonly base: ProfileDraft;
  /** Called before the profile is shown. */
  readonly onSaved: (changes: readonly FieldChange[]) => void;
}

export interface Saving {
  readonly isBusy: boolean;
  /** Why the last attempt failed. */
  readonly fault: ApiFault | null;
  /** The part of the fault that is about fields. */
  readonly fieldFaults: FieldFaults;
  /** Ids of profiles with the same values. */
  readonly duplicates: readonly string[];
  /** Fields that somebody else has changed meanwhile; empty unless that stopped the last attempt. */
  readonly conflict: readonly FieldChange[];
  /**
   * @param accepted the conflict that the user has seen and overwrites
   * @returns true if the changes were saved
   */
  save(draft: ProfileDraft, accepted: readonly FieldChange[]): Promise<boolean>;
}

export function useSaving(options: SavingOptions): Saving {
  const { profile, typeId, attributes, base, onSaved } = options;
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<ApiFault | null>(null);
  const [conflict, setConflict] = useState<readonly FieldChange[]>([]);
  const save = async (draft: ProfileDraft, accepted: readonly FieldChange[]) => {
    const goOn = whileHere(go);
    const finish = (id: string) => {
      onSaved(fieldChanges(base, draft, attributes));
      goOn(href('profiles', 'of', id));
    };
    setBusy(true);
    setFault(null);
    setConflict([]);
    try {
      const members = changesBody(base, draft, attributes);
      if (profile === null) {
        const { id } = await createProfile({
          ...members,
          ...{ profile_type_id: typeId, status: draft.status },
        });
        finish(id);
        return true;
      }
      const found = await foundConflicts(profile, options, draft);
      if (!isWithin(found, accepted)) {
        setConflict(found);
        return false;
      }
      await changeProfile(profile.id, members);
      finish(profile.id);
      return true;
    } catch (error) {
      setFault(asFault(error));
      return false;
    } finally {
      setBusy(false);
    }
  };
  const { possible_duplicates: duplicates, ...members } = fault?.members ?? {};
  return {
    ...{ isBusy, fault, conflict, save },
    fieldFaults: fieldFaultsOf(members),
    duplicates: duplicateIds(duplicates),
  };
}

/** True if each change is among others, with the same values. */
function isWithin(changes: readonly FieldChange[], others: readonly FieldChange[]): boolean {
  const known = new Set(others.map((change) => JSON.stringify(change)));
  return changes.every((change) => known.has(JSON.stringify(change)));
}

async function foundConflicts(
  profile: Profile,
  { base, attributes }: SavingOptions,
  draft: ProfileDraft,
): Promise<readonly FieldChange[]> {
  const current = await readProfile(profile.id);
  if (current.updated_at === profile.updated_at) return [];
  return conflicts(base, draftOf(current, attributes), draft, attributes);
}

function fieldFaultsOf(members: Readonly<Record<string, unknown>>): FieldFaults {
  return Object.fromEntries(
    Object.entries(members).map(([name, sentences]) => [
      name,
      (Array.isArray(sentences) ? sentences : [sentences]).map(String),
    ]),
  );
}

/** The service lists them as `[[{"id":"…"}]]`. */
function duplicateIds(listed: unknown): readonly string[] {
  if (!Array.isArray(listed)) return [];
  return listed.flat().flatMap((item: unknown) => {
    const id = typeof item === 'object' && item !== null && 'id' in item ? item.id : null;
    return typeof id === 'string' ? [id] : [];
  });
}
