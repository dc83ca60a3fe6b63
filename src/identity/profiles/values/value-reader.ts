// Reads values as callers send them. A value is a text, a number or boolean, or an array of such;
// references are labels or ids, separated by commas.
// Invariant: `load` has looked up, in sets, all that `read` needs, so a record of a large call
// costs no query.

import type { ProfileRecords, Shown, ValueItem } from '../../ports/profile-records.ts';
import type { Attribute } from '../resources/resources.ts';
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
}

const LENGTH_MAX = 10_000;
const QUOTED_MAX = 80;
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

  /** @param names also resolves profiles and users by the text they are shown as */
  constructor(records: ProfileRecords, tenantId: string, names: ShownNames | null = null) {
    this.#records = records;
    this.#tenantId = tenantId;
    this.#names = names;
  }

  /** Looks up everything these values may refer to. */
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
   * Loads what is no id or uid: a name may contain commas, so parts are looked up only if the whole
   * is no name.
   */
  async #loadNames(sent: readonly SentValue[], names: ShownNames): Promise<void> {
    for (const { attribute, value } of sent) {
      const kind = valueClassOf(attribute);
      if (kind !== 'profile' && kind !== 'user') continue;
      const byKey = kind === 'profile' ? this.#profiles : this.#users;
      for (const text of textsOf(value) ?? []) {
        await names.load(kind, [text.trim()], byKey);
        if (byKey.has(text.trim())) continue;
        const parts = text.split(',').map((part) => part.trim());
        if (parts.length > 1) await names.load(kind, parts, byKey);
      }
    }
  }

  /** Reads one value; an empty or blank one has no items. */
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
        return readReferences(attribute, texts, (label) =>
          this.#options.get(`${id} ${foldText(label)}`),
        );
      case 'profile':
        return readReferences(attribute, texts, (key) => this.#profiles.get(key));
      case 'user':
        return readReferences(attribute, texts, (key) => this.#users.get(key));
      case 'attachment':
        return { fault: 'cannot be written as JSON' };
    }
  }
}

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

const EMPTY: ReadValue = { items: [], shown: '' };

function readText(attribute: Attribute, texts: readonly string[]): ReadValue {
  const value = texts.join(', ');
  if (value === '') return EMPTY;
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
  if (text === undefined) return EMPTY;
  if (another !== undefined) return { fault: 'must be one date' };
  const format = dateFormat ?? DATE_FORMAT_DEFAULT;
  const value = text.trim();
  const day = dayOf(value, format);
  if (day === null) return { fault: `must be a date in the form ${format}` };
  return { items: [{ value, day, refId: null }], shown: value };
}

/**
 * Reads references, each once. A label may contain a comma, so a text is first looked up as a
 * whole.
 */
function readReferences(
  attribute: Attribute,
  texts: readonly string[],
  find: (key: string) => Shown | undefined,
): ReadValue {
  const selected = new Map<string, Shown>();
  for (const text of texts) {
    const whole = find(text.trim());
    for (const part of whole === undefined ? text.split(',') : [text]) {
      const key = part.trim();
      if (key === '') continue;
      const one = find(key);
      if (one === undefined) return { fault: unknown(attribute, key) };
      selected.set(one.id, one);
    }
  }
  if (selected.size > 1 && !takesSeveral(attribute)) return { fault: 'takes one selection only' };
  const all = [...selected.values()];
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
