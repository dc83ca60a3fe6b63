// Reads values as callers send them. A value is a text, a number or boolean, or an array of such;
// references are labels or ids, separated by commas.
// Invariant: `load` has looked up, in sets, all that `read` needs, so a record of a large call
// costs no query.
import { setImmediate as turn } from 'node:timers/promises';
import type { ProfileRecords, Shown, ValueItem } from '../../ports/profile-records.ts';
import type { Attribute } from '../../ports/resources.ts';
import { DATE_FORMAT_DEFAULT, dayOf } from './date-format.ts';
import { readDecimal } from './decimal.ts';
import { foldText } from './fold-text.ts';
import type { ShownNames } from './shown-names.ts';
import { takesSeveral, valueClassOf } from './value-class.ts';

/** A value that was read, or its error. */
export type ReadValue =
  | { readonly items: readonly ValueItem[]; readonly shown: string }
  | { readonly fault: string };

/** A value of a request. */
export interface SentValue {
  readonly attribute: Attribute;
  readonly value: unknown;
  /** True for a value of a restored profile: it need not fulfil the validations. */
  readonly restores?: boolean;
}

const LENGTH_MAX = 10_000;
const QUOTED_MAX = 80;
/** Most labels, ids or names of one value: finding each takes time in the transaction. */
const SELECTIONS_MAX = 1000;
/** Most parts, between commas, of one label or name. */
const RUN_PARTS_MAX = 8;
/** In a value of more parts, no label or name is searched that has several. */
const PARTS_MAX = 100;
/** Characters of a large call that are read between two turns of the event loop. */
const TURN_CHARACTERS = 4096;
/** Labels that are looked up at a time, so that those of a large call are never all in memory. */
const LABELS_AT_ONCE = 10_000;
/**
 * One `@`, no blanks, a dot in the domain: catches typing errors, and accepts every address in use.
 */
const EMAIL = /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/;

export class ValueReader {
  readonly #records: ProfileRecords;
  readonly #tenantId: string;
  /** By attribute and folded label. */
  readonly #options = new Map<string, Shown>();
  /** By id and by uid. */
  readonly #profiles = new Map<string, Shown>();
  readonly #users = new Map<string, Shown>();
  readonly #names: ShownNames | null;
  #untilTurn = TURN_CHARACTERS;

  /** @param names also resolves profiles and users by the text they are shown as */
  constructor(records: ProfileRecords, tenantId: string, names: ShownNames | null = null) {
    this.#records = records;
    this.#tenantId = tenantId;
    this.#names = names;
  }

  /** Looks up everything these values may refer to. */
  async load(all: readonly SentValue[]): Promise<void> {
    const sent = all.filter((value) => !selectsTooMany(value));
    await this.#loadOptions(sent, (text) => [text, ...partsOf(text)]);
    await this.#loadOptions(sent, runsIn);
    await this.#loadKeys(sent);
    if (this.#names !== null) await this.#loadNames(sent, this.#names);
  }

  /** Loads the options with these labels, for texts that are not found yet. */
  async #loadOptions(
    sent: readonly SentValue[],
    labelsIn: (text: string, find: Find, runParts: number) => readonly string[],
  ): Promise<void> {
    const [attributeIds, labels] = [new Set<string>(), new Set<string>()];
    for (const { attribute, value } of sent) {
      if (valueClassOf(attribute) !== 'option') continue;
      const find = (label: string) => this.#option(attribute, label);
      const texts = textsOf(value) ?? [];
      const runParts = runPartsOf(texts);
      for (const text of texts) {
        if (this.#isTurn(text)) await turn();
        if (isFound(text, find)) continue;
        attributeIds.add(attribute.id);
        for (const label of labelsIn(text, find, runParts)) labels.add(foldText(label));
        if (labels.size >= LABELS_AT_ONCE) await this.#lookUpOptions(attributeIds, labels);
      }
    }
    await this.#lookUpOptions(attributeIds, labels);
  }

  /** Looks up options, and clears what was looked up. */
  async #lookUpOptions(attributeIds: Set<string>, labels: Set<string>): Promise<void> {
    const [ids, folded] = [[...attributeIds], [...labels]];
    attributeIds.clear();
    labels.clear();
    for (const match of await this.#records.optionsByLabel(this.#tenantId, ids, folded)) {
      const { id, label } = match;
      this.#options.set(`${match.attributeId} ${match.folded}`, { id, text: label });
    }
  }

  /** Loads profiles and users by id or uid. */
  async #loadKeys(sent: readonly SentValue[]): Promise<void> {
    const keys = { profile: new Set<string>(), user: new Set<string>() };
    for (const { attribute, value } of sent) {
      const kind = valueClassOf(attribute);
      if (kind !== 'profile' && kind !== 'user') continue;
      for (const text of textsOf(value) ?? []) {
        if (this.#isTurn(text)) await turn();
        for (const key of [text.trim(), ...partsOf(text)]) keys[kind].add(key);
      }
    }
    const [records, tenantId] = [this.#records, this.#tenantId];
    for (const { id, uid, name } of await records.profilesByKey(tenantId, [...keys.profile]))
      addBoth(this.#profiles, uid, { id, text: name });
    for (const { id, uid, text } of await records.usersByKey(tenantId, [...keys.user]))
      addBoth(this.#users, uid, { id, text });
  }

  /** Loads what is no id or uid. A name costs a query, so runs are looked up last. */
  async #loadNames(sent: readonly SentValue[], names: ShownNames): Promise<void> {
    for (const { attribute, value } of sent) {
      const kind = valueClassOf(attribute);
      if (kind !== 'profile' && kind !== 'user') continue;
      const byKey = kind === 'profile' ? this.#profiles : this.#users;
      const find = (key: string) => byKey.get(key);
      const texts = textsOf(value) ?? [];
      const runParts = runPartsOf(texts);
      for (const text of texts) {
        await names.load(kind, [text.trim()], byKey);
        if (byKey.has(text.trim()) || !text.includes(',')) continue;
        await names.load(kind, partsOf(text), byKey);
        if (!isFound(text, find)) await names.load(kind, runsIn(text, find, runParts), byKey);
      }
    }
  }

  /** Counts a text; true where the next one is to be read in a later turn of the event loop. */
  #isTurn({ length }: string): boolean {
    this.#untilTurn -= length;
    if (this.#untilTurn > 0) return false;
    this.#untilTurn = TURN_CHARACTERS;
    return true;
  }

  /** Reads one value; an empty or blank one has no items. */
  read(sent: SentValue): ReadValue {
    const { attribute, value } = sent;
    const texts = textsOf(value);
    if (texts === null) return { fault: 'must be a string or an array of strings' };
    if (selectsTooMany(sent)) return { fault: `must hold at most ${SELECTIONS_MAX} items` };
    switch (valueClassOf(attribute)) {
      case 'text':
        return readText(sent, texts);
      case 'date':
        return readDate(attribute, texts);
      case 'option':
        return readReferences(sent, texts, (label) => this.#option(attribute, label));
      case 'profile':
        return readReferences(sent, texts, (key) => this.#profiles.get(key));
      case 'user':
        return readReferences(sent, texts, (key) => this.#users.get(key));
      case 'attachment':
        return { fault: 'cannot be written as JSON' };
    }
  }

  #option({ id }: Attribute, label: string): Shown | undefined {
    return this.#options.get(`${id} ${foldText(label)}`);
  }
}

/** Looks up a label, id, uid or name. */
type Find = (key: string) => Shown | undefined;

/** An id wins over an equal uid. */
function addBoth(map: Map<string, Shown>, uid: string, record: Shown): void {
  map.set(record.id, record);
  if (!map.has(uid)) map.set(uid, record);
}

/** The texts that are not blank; null if an item is not a text. */
function textsOf(value: unknown): readonly string[] | null {
  const texts: string[] = [];
  for (const item of Array.isArray(value) ? (value as unknown[]) : [value ?? '']) {
    if (typeof item !== 'string' && typeof item !== 'number' && typeof item !== 'boolean') {
      return null;
    }
    const text = String(item);
    if (text.trim() !== '') texts.push(text);
  }
  return texts;
}

/** Whether a value refers to more than SELECTIONS_MAX records; a restored one may. */
function selectsTooMany({ attribute, value, restores = false }: SentValue): boolean {
  if (restores || !['option', 'profile', 'user'].includes(valueClassOf(attribute))) return false;
  const texts: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (texts.length > SELECTIONS_MAX) return true;
  let items = 0;
  for (const text of texts) {
    items += typeof text === 'string' ? text.split(',', SELECTIONS_MAX + 1).length : 1;
  }
  return items > SELECTIONS_MAX;
}

const EMPTY: ReadValue = { items: [], shown: '' };

function readText({ attribute, restores = false }: SentValue, texts: readonly string[]): ReadValue {
  const value = texts.join(', ');
  if (value === '') return EMPTY;
  if (value.length > LENGTH_MAX)
    return { fault: `is too long (maximum is ${LENGTH_MAX} characters)` };
  for (const { validationMethod } of restores ? [] : attribute.validations) {
    if (validationMethod === 'numericality' && readDecimal(value.trim()) === null) {
      return { fault: 'is not a number' };
    }
    if (validationMethod === 'email_format' && !EMAIL.test(value.trim())) {
      return { fault: 'is not an email address' };
    }
  }
  return { items: [{ value, day: null, refId: null }], shown: value };
}

function readDate({ dateFormat }: Attribute, texts: readonly string[]): ReadValue {
  const [text, another] = texts;
  if (text === undefined) return EMPTY;
  if (another !== undefined) return { fault: 'must be one date' };
  const format = dateFormat ?? DATE_FORMAT_DEFAULT;
  const value = text.trim();
  const day = dayOf(value, format);
  if (day === null) return { fault: `must be a date in the form ${format}` };
  return { items: [{ value, day, refId: null }], shown: value };
}

/** Reads references, each once. */
function readReferences(
  { attribute, restores = false }: SentValue,
  texts: readonly string[],
  find: Find,
): ReadValue {
  const selected = new Map<string, Shown>();
  const runParts = runPartsOf(texts);
  for (const text of texts) {
    for (const key of keysIn(text, find, runParts)) {
      const one = find(key);
      if (one === undefined) return { fault: unknown(attribute, key) };
      selected.set(one.id, one);
    }
  }
  const takesOne = !restores && !takesSeveral(attribute);
  if (selected.size > 1 && takesOne) return { fault: 'takes one selection only' };
  const all = [...selected.values()];
  return {
    items: all.map(({ id }) => ({ value: null, day: null, refId: id })),
    shown: all.map(({ text }) => text).join(', '),
  };
}

/** Most parts of a label or name that is searched in a value. */
function runPartsOf(texts: readonly string[]): number {
  let parts = 0;
  for (const text of texts) {
    parts += text.split(',').length;
    if (parts > PARTS_MAX) return 1;
  }
  return RUN_PARTS_MAX;
}

/**
 * The keys in a text. A label or name may contain commas: the text is one key if it is found as a
 * whole, otherwise each part is one, and if some are not found, the longest runs of parts that are.
 */
function keysIn(text: string, find: Find, runParts: number): readonly string[] {
  if (find(text.trim()) !== undefined) return [text.trim()];
  return isFound(text, find) ? partsOf(text) : longestRuns(text, find, runParts);
}

/** Whether a text is found as a whole, or all its parts are. */
function isFound(text: string, find: Find): boolean {
  return find(text.trim()) !== undefined || partsOf(text).every((part) => find(part) !== undefined);
}

/** The texts between commas, without blank ones. */
function partsOf(text: string): readonly string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** Splits a text into its longest runs that are found; a part that begins none stands alone. */
function longestRuns(text: string, find: Find, runParts: number): readonly string[] {
  const parts = text.split(',');
  const runs: string[] = [];
  for (let place = 0; place < parts.length; ) {
    const [first, ...longer] = runsFrom(parts, place, find, runParts);
    const run = longer.findLast(({ key }) => find(key) !== undefined) ?? first;
    runs.push(run.key);
    place += run.length;
  }
  return runs.filter((run) => run !== '');
}

/** The runs of several parts that begin at each part of a text. */
function runsIn(text: string, find: Find, runParts: number): readonly string[] {
  const parts = text.split(',');
  return parts.flatMap((_, place) => {
    const [, ...longer] = runsFrom(parts, place, find, runParts);
    return longer.map(({ key }) => key);
  });
}

/** Consecutive parts of a text as one key, and how many they are. */
interface Run {
  readonly key: string;
  readonly length: number;
}

/**
 * The runs that begin at a part: the part alone, then longer ones in which a part is not found by
 * itself. Others are not searched, as each name costs a query.
 */
function runsFrom(
  parts: readonly string[],
  place: number,
  find: Find,
  runParts: number,
): readonly [Run, ...(readonly Run[])] {
  const keys = parts.slice(place, place + runParts).map((part) => part.trim());
  const first = { key: keys[0] ?? '', length: 1 };
  const missed = keys.findIndex((key) => find(key) === undefined);
  if (missed === -1) return [first];
  const longer: Run[] = [];
  for (let length = Math.max(2, missed + 1); length <= keys.length; length++) {
    const run = parts.slice(place, place + length);
    longer.push({ key: run.join(',').trim(), length });
  }
  return [first, ...longer];
}

function unknown(attribute: Attribute, key: string): string {
  const quoted = JSON.stringify(key.slice(0, QUOTED_MAX));
  return valueClassOf(attribute) === 'option'
    ? `${quoted} is not included in the list`
    : `${quoted} was not found`;
}
