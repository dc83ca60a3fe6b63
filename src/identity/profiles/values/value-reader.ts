// Values as callers send them to values as they are kept. A value comes as a text, as what JSON
// makes of one (a number, a boolean) or as an array of such; what points to other records comes as
// labels or ids, separated by commas.
// Invariant: `load` has looked up, in sets, all that `read` needs, so that a record of a large call
// costs no query.

import type { ProfileRecords, Shown, ValueItem } from '../../ports/profile-records.ts';
import type { Attribute } from '../resources/resources.ts';
import { DATE_FORMAT_DEFAULT, dayOf } from './date-format.ts';
import { readDecimal } from './decimal.ts';
import { foldText } from './fold-text.ts';
import type { ShownNames } from './shown-names.ts';
import { takesSeveral, valueClassOf } from './value-class.ts';

/** A value that was read, or what is wrong with it. */
export type ReadValue =
  | { readonly items: readonly ValueItem[]; readonly shown: string }
  | { readonly fault: string };

/** A value as sent. */
export interface SentValue {
  readonly attribute: Attribute;
  readonly value: unknown;
}

type Found = Shown;

const LENGTH_MAX = 10_000;
const QUOTED_MAX = 80;
/**
 * One `@`, no blanks, a dot in the domain: enough to catch slips, and no address in use fails it.
 */
const EMAIL = /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/;

export class ValueReader {
  readonly #records: ProfileRecords;
  readonly #tenantId: string;
  /** By attribute and folded label. */
  readonly #options = new Map<string, Found>();
  /** By id and by uid. */
  readonly #profiles = new Map<string, Found>();
  readonly #users = new Map<string, Found>();
  readonly #names: ShownNames | null;

  /** @param names finds profiles and users by the text they are shown as, too */
  constructor(records: ProfileRecords, tenantId: string, names: ShownNames | null = null) {
    this.#records = records;
    this.#tenantId = tenantId;
    this.#names = names;
  }

  /** Looks up whatever these values may point to. */
  async load(sent: readonly SentValue[]): Promise<void> {
    const attributeIds = new Set<string>();
    const keys = {
      option: new Set<string>(),
      profile: new Set<string>(),
      user: new Set<string>(),
    };
    for (const { attribute, value } of sent) {
      const kind = valueClassOf(attribute);
      if (kind !== 'option' && kind !== 'profile' && kind !== 'user') continue;
      if (kind === 'option') attributeIds.add(attribute.id);
      for (const text of textsOf(value) ?? []) {
        for (const part of [text, ...text.split(',')]) {
          keys[kind].add(kind === 'option' ? foldText(part) : part.trim());
        }
      }
    }
    const [records, tenantId] = [this.#records, this.#tenantId];
    const labels = [...keys.option];
    for (const match of await records.optionsByLabel(tenantId, [...attributeIds], labels)) {
      const { attributeId, folded, id, label } = match;
      this.#options.set(`${attributeId} ${folded}`, { id, text: label });
    }
    for (const { id, uid, name } of await records.profilesByKey(tenantId, [...keys.profile]))
      addBoth(this.#profiles, uid, { id, text: name });
    for (const { id, uid, text } of await records.usersByKey(tenantId, [...keys.user]))
      addBoth(this.#users, uid, { id, text });
    if (this.#names !== null) await this.#loadNames(sent, this.#names);
  }

  /**
   * What no id or uid tells: a name may hold commas, so its parts are looked up where it is none as
   * a whole.
   */
  async #loadNames(sent: readonly SentValue[], names: ShownNames): Promise<void> {
    for (const { attribute, value } of sent) {
      const kind = valueClassOf(attribute);
      if (kind !== 'profile' && kind !== 'user') continue;
      const found = kind === 'profile' ? this.#profiles : this.#users;
      for (const text of textsOf(value) ?? []) {
        await names.load(kind, [text.trim()], found);
        if (found.has(text.trim())) continue;
        const parts = text.split(',').map((part) => part.trim());
        if (parts.length > 1) await names.load(kind, parts, found);
      }
    }
  }

  /** Reads one value; nothing, or blanks alone, have no items. */
  read({ attribute, value }: SentValue): ReadValue {
    const texts = textsOf(value);
    if (texts === null) return { fault: 'must be a string or an array of strings' };
    const kind = valueClassOf(attribute);
    const { id } = attribute;
    switch (kind) {
      case 'text':
        return readText(attribute, texts);
      case 'date':
        return readDate(attribute, texts);
      case 'option':
        return chosen(attribute, texts, (label) => this.#options.get(`${id} ${foldText(label)}`));
      case 'profile':
        return chosen(attribute, texts, (key) => this.#profiles.get(key));
      case 'user':
        return chosen(attribute, texts, (key) => this.#users.get(key));
      case 'attachment':
        return { fault: 'cannot be written as JSON' };
    }
  }
}

/** An id wins over a uid that is spelt like it. */
function addBoth(map: Map<string, Found>, uid: string, found: Found): void {
  map.set(found.id, found);
  if (!map.has(uid)) map.set(uid, found);
}

/** The texts that are not blank; null where something is no text. */
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

const NOTHING: ReadValue = { items: [], shown: '' };

function readText(attribute: Attribute, texts: readonly string[]): ReadValue {
  const value = texts.join(', ');
  if (value === '') return NOTHING;
  if (value.length > LENGTH_MAX)
    return { fault: `is too long (maximum is ${LENGTH_MAX} characters)` };
  for (const { validationMethod } of attribute.validations) {
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
  if (text === undefined) return NOTHING;
  if (another !== undefined) return { fault: 'must be one date' };
  const format = dateFormat ?? DATE_FORMAT_DEFAULT;
  const value = text.trim();
  const day = dayOf(value, format);
  if (day === null) return { fault: `must be a date in the form ${format}` };
  return { items: [{ value, day, refId: null }], shown: value };
}

/**
 * What labels or ids point to, each once. A label may itself hold a comma, so a text is first taken
 * whole.
 */
function chosen(
  attribute: Attribute,
  texts: readonly string[],
  find: (key: string) => Found | undefined,
): ReadValue {
  const found = new Map<string, Found>();
  for (const text of texts) {
    const whole = find(text.trim());
    for (const part of whole === undefined ? text.split(',') : [text]) {
      const key = part.trim();
      if (key === '') continue;
      const one = find(key);
      if (one === undefined) return { fault: unknown(attribute, key) };
      found.set(one.id, one);
    }
  }
  if (found.size > 1 && !takesSeveral(attribute)) return { fault: 'takes one selection only' };
  const all = [...found.values()];
  return {
    items: all.map(({ id }) => ({ value: null, day: null, refId: id })),
    shown: all.map(({ text }) => text).join(', '),
  };
}

function unknown(attribute: Attribute, key: string): string {
  const quoted = JSON.stringify(key.slice(0, QUOTED_MAX));
  return valueClassOf(attribute) === 'option'
    ? `${quoted} is not included in the list`
    : `${quoted} was not found`;
}
