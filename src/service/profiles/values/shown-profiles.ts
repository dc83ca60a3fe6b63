// Profiles as callers read them: the record and the values of its attributes, each as one text.
// References are shown by the current name of the referent.
// Invariant: up to fifty records cost as many queries as one: their values, attributes not yet read and, by
// kind, the referents.
import { setImmediate as turn } from 'node:timers/promises';
import type {
  Profile,
  ProfileRecords,
  ProfileValue,
  Referent,
  ValueItem,
} from '../../ports/profile-records.ts';
import type { Attribute } from '../../ports/resources.ts';
import { type AnswerMemory, SMALL_PAGE_BYTES } from '../../ports/search-backend.ts';
import { parameterRefused } from '../resources/faults.ts';
import { wireName } from '../resources/wire-names.ts';
import { DATE_FORMAT_DEFAULT, dateText } from './date-format.ts';
import { type ValueClass, valueClassOf } from './value-class.ts';

/** A profile with wire names; the values by the uid of their attribute. */
export type ShownProfile = Readonly<Record<string, unknown>>;

/** The text of a value. */
export interface ShownValue {
  readonly attributeId: string;
  readonly uid: string;
  readonly text: string;
}

/** Texts of values by profile, in the order of their attributes' uids. */
export type ShownValues = ReadonlyMap<string, readonly ShownValue[]>;

export interface ShowOptions {
  /** Awaited before each turn of the event loop, which shows up to fifty profiles. */
  readonly pause?: (() => Promise<void>) | undefined;
  /**
   * Counts a large page while it is read, each character as a byte. Its size has no limit when
   * omitted.
   */
  readonly memory?: AnswerMemory | undefined;
  /** As for `valuesOf` of the port. */
  readonly setAside?: ((profileId: string) => void) | undefined;
}

/** The most profiles shown in one turn of the event loop. */
const SLICE_MAX = 50;
/** Those of the first turn, before it is known how large they are. */
const FIRST_SLICE = 10;
/** Characters of texts in one turn, if profiles are as large as those before. */
const SLICE_CHARACTERS = 4 * 2 ** 20;
/** The most characters of the texts of a page. */
const PAGE_CHARACTERS_MAX = 64 * 2 ** 20;

/**
 * Shows profiles with attributes, in the given order; of several, those with damaged values are left out.
 * @throws ServiceError `request_invalid` if `memory` is given and they are too large for one page;
 * `unavailable` if there is no room for them
 */
export async function showProfiles(
  records: ProfileRecords,
  tenantId: string,
  profiles: readonly Profile[],
  options: ShowOptions = {},
): Promise<readonly ShownProfile[]> {
  const ids = profiles.map(({ id }) => id);
  const damaged = new Set<string>();
  const setAside = ids.length === 1 ? undefined : (id: string) => damaged.add(id);
  const values = await shownValues(records, tenantId, ids, { ...options, setAside });
  // What follows, and serializing it, takes a turn of its own.
  if (ids.length > SLICE_MAX) await options.pause?.();
  const sound = damaged.size === 0 ? profiles : profiles.filter(({ id }) => !damaged.has(id));
  return sound.map((profile) => ({
    ...withoutAttributes(profile),
    attributes: Object.fromEntries(
      values.get(profile.id)?.map(({ uid, text }) => [uid, text]) ?? [],
    ),
  }));
}

/** A record that a value refers to. */
export interface ShownReference {
  readonly type: Referent;
  readonly id: string;
  /** The text by which the value shows it. */
  readonly text: string;
}

/** The records that the values of a profile refer to, by the uid of the attribute. */
export async function referencesOf(
  records: ProfileRecords,
  tenantId: string,
  profileId: string,
): Promise<Readonly<Record<string, readonly ShownReference[]>>> {
  const values = await records.valuesOf(tenantId, [profileId]);
  const ids = values.map(({ attributeId }) => attributeId);
  const rows = await records.attributesBy(tenantId, 'id', ids);
  const attributes = new Map(rows.map((attribute) => [attribute.id, attribute]));
  const names = await namesOf(records, tenantId, values, attributes);
  const entries = values.flatMap(({ attributeId, items }) => {
    const attribute = attributes.get(attributeId);
    const type = attribute === undefined ? 'text' : valueClassOf(attribute);
    if (type !== 'option' && type !== 'profile' && type !== 'user') return [];
    const shown = items.flatMap(({ refId }): ShownReference[] => {
      const text = refId === null ? undefined : names.get(refId);
      return refId === null || text === undefined ? [] : [{ type, id: refId, text }];
    });
    return attribute === undefined || shown.length === 0 ? [] : [[attribute.uid, shown] as const];
  });
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Shows the record alone. */
export function withoutAttributes(profile: Profile): ShownProfile {
  return Object.fromEntries(
    MEMBERS.map(([member, name]) => [name, profile[member as keyof Profile]]),
  );
}

const MEMBERS = (
  [
    ...['id', 'uid', 'name', 'profileTypeId', 'status', 'idProofingStatus', 'archived'],
    ...['createdAt', 'updatedAt'],
  ] as const
).map((member) => [member, wireName(member)] as const);

/** Counts the texts of a page; throws what `showProfiles` does. */
function textCounter(memory: AnswerMemory): (characters: number) => void {
  let all = 0;
  let held = 0;
  return (characters) => {
    all += characters;
    if (all > PAGE_CHARACTERS_MAX) {
      throw parameterRefused(
        `the values of this page have more than ${PAGE_CHARACTERS_MAX} characters: send a lower limit`,
      );
    }
    if (all <= SMALL_PAGE_BYTES) return;
    memory.holdBytes(all - held);
    held = all;
  };
}

/**
 * The texts of all values of these profiles, without empty ones.
 * @throws ServiceError as `showProfiles`
 */
export async function shownValues(
  records: ProfileRecords,
  tenantId: string,
  profileIds: readonly string[],
  { pause = turn, memory, setAside }: ShowOptions = {},
): Promise<ShownValues> {
  const count = memory === undefined ? undefined : textCounter(memory);
  const shown = new Map<string, ShownValue[]>();
  const attributes = new Map<string, Attribute>();
  let slice = FIRST_SLICE;
  for (let start = 0; start < profileIds.length; ) {
    await pause();
    const shownNow = profileIds.slice(start, start + slice);
    const values = await records.valuesOf(tenantId, shownNow, setAside);
    const ids = new Set(values.map(({ attributeId }) => attributeId));
    const unread = [...ids].filter((id) => !attributes.has(id));
    if (unread.length > 0) {
      for (const one of await records.attributesBy(tenantId, 'id', unread))
        attributes.set(one.id, one);
    }
    const names = await namesOf(records, tenantId, values, attributes);
    let characters = 0;
    for (const { profileId, attributeId, items } of values) {
      const attribute = attributes.get(attributeId);
      const text = attribute === undefined ? '' : textOf(attribute, items, names);
      if (attribute === undefined || text === '') continue;
      characters += text.length;
      const texts = shown.get(profileId) ?? [];
      texts.push({ attributeId, uid: attribute.uid, text });
      shown.set(profileId, texts);
    }
    count?.(characters);
    start += slice;
    slice = nextSlice(slice, characters);
  }
  for (const texts of shown.values()) texts.sort((a, b) => (a.uid < b.uid ? -1 : 1));
  return shown;
}

/** How many profiles to show in the next turn, by the size of those of the last one. */
function nextSlice(slice: number, characters: number): number {
  const fitting = Math.floor((SLICE_CHARACTERS * slice) / Math.max(1, characters));
  return Math.min(SLICE_MAX, Math.max(1, fitting));
}

/** Joins the items of a value; empty if all referents were deleted. */
function textOf(
  attribute: Attribute,
  items: readonly ValueItem[],
  names: ReadonlyMap<string, string>,
): string {
  return items
    .flatMap((item) =>
      item.refId === null ? itemText(attribute, item) : (names.get(item.refId) ?? []),
    )
    .join(', ');
}

/** The text of an item that is no reference: a date is written in the attribute's current format. */
export function itemText({ dateFormat }: Attribute, { value, day }: ValueItem): string {
  return day === null ? (value ?? '') : dateText(day, dateFormat ?? DATE_FORMAT_DEFAULT);
}

async function namesOf(
  records: ProfileRecords,
  tenantId: string,
  values: readonly ProfileValue[],
  attributes: ReadonlyMap<string, Attribute>,
): Promise<ReadonlyMap<string, string>> {
  const ids = { option: new Set<string>(), profile: new Set<string>(), user: new Set<string>() };
  for (const { attributeId, items } of values) {
    const attribute = attributes.get(attributeId);
    const kind: ValueClass = attribute === undefined ? 'text' : valueClassOf(attribute);
    if (kind !== 'option' && kind !== 'profile' && kind !== 'user') continue;
    for (const { refId } of items) if (refId !== null) ids[kind].add(refId);
  }
  const names = new Map<string, string>();
  for (const [referent, set] of Object.entries(ids)) {
    if (set.size === 0) continue;
    for (const { id, text } of await records.shownAs(tenantId, referent as Referent, [...set]))
      names.set(id, text);
  }
  return names;
}
