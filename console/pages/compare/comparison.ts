// Compares the documents of two people: attributes, access, accounts, and what they own.
// Invariant: swapping the people swaps `first` and `second` and changes nothing else.

import { firstText, textOf, valuesAt } from '../../model/document-value.ts';
import { labelOf } from '../../model/kinds.ts';
import type { Document } from '../../model/wire.ts';
import { accountStates } from '../document/summary.ts';

/** Who of the two has something. */
export type Presence = 'first' | 'both' | 'second';

export interface AttributeRow {
  readonly name: string;
  readonly label: string;
  /** undefined: no value. */
  readonly first: unknown;
  readonly second: unknown;
  readonly differs: boolean;
}

export interface AccessRow {
  readonly id: string;
  /** ROLE, ACCESS_PROFILE or ENTITLEMENT. */
  readonly type: string;
  readonly name: string;
  /** '' for roles, which have none. */
  readonly source: string;
  readonly privileged: boolean;
  readonly presence: Presence;
}

/** The accounts of both people on one source. */
export interface AccountRow {
  readonly source: string;
  readonly first: readonly unknown[];
  readonly second: readonly unknown[];
  readonly differs: boolean;
}

export interface OwnedRow {
  /** The member of `owns`, such as `accessProfiles`. */
  readonly kind: string;
  readonly id: string;
  readonly name: string;
  readonly presence: Presence;
}

export interface Comparison {
  readonly attributes: readonly AttributeRow[];
  readonly access: readonly AccessRow[];
  readonly accounts: readonly AccountRow[];
  readonly owned: readonly OwnedRow[];
}

/** Compares two identities. @param nowMs decides which accounts are dormant */
export function compareIdentities(first: Document, second: Document, nowMs: number): Comparison {
  return {
    attributes: attributeRows(first, second),
    access: accessRows(first, second),
    accounts: accountRows(first, second, nowMs),
    owned: ownedRows(first, second),
  };
}

/** What of a comparison is not the same for both. */
export function differencesOf({ attributes, access, accounts, owned }: Comparison): Comparison {
  return {
    attributes: attributes.filter(({ differs }) => differs),
    access: access.filter(({ presence }) => presence !== 'both'),
    accounts: accounts.filter(({ differs }) => differs),
    owned: owned.filter(({ presence }) => presence !== 'both'),
  };
}

/** Members of an identity that are compared besides its attributes. */
const MEMBERS = ['manager', 'status', 'inactive', 'isManager', 'protected', 'identityProfile'];
/** Attributes that a reviewer compares first. */
const LEADING = ['manager', 'department', 'jobTitle', 'location', 'employeeType'];
/** Names and numbers of a person, which nearly always differ. */
const PERSONAL =
  /^(?:uid|name|display_?name|first_?name|last_?name|email|phone|employee_?number|identification_?number)$/i;

function attributeRows(first: Document, second: Document): AttributeRow[] {
  const paths = new Map(MEMBERS.map((member) => [member.toLowerCase(), member]));
  for (const person of [first, second])
    for (const name of Object.keys(valuesAt(person, 'attributes')[0] ?? {}))
      if (!paths.has(name.toLowerCase())) paths.set(name.toLowerCase(), `attributes.${name}`);
  const rank = ({ name }: AttributeRow) => {
    const leading = LEADING.indexOf(name);
    if (leading !== -1) return leading;
    return LEADING.length + (PERSONAL.test(name) ? 1 : 0);
  };
  return [...paths.values()]
    .map((path) => attributeRow(path, first, second))
    .filter((row) => row.first !== undefined || row.second !== undefined)
    .sort((one, other) => rank(one) - rank(other) || compareTexts(one.label, other.label));
}

function attributeRow(path: string, first: Document, second: Document): AttributeRow {
  const [one, other] = [valueAt(first, path), valueAt(second, path)];
  return {
    name: path.replace(/^attributes\./, ''),
    label: labelOf(path),
    first: one,
    second: other,
    differs: comparable(one) !== comparable(other),
  };
}

function valueAt(person: Document, path: string): unknown {
  const values = valuesAt(person, path).filter((value) => value !== '');
  return values.length > 1 ? values : values[0];
}

/** A reference is compared by its id, a list without its order. */
function comparable(value: unknown): string {
  if (Array.isArray(value)) return JSON.stringify(value.map(comparable).sort());
  return firstText(value, 'id') || textOf(value);
}

const TYPES = ['ROLE', 'ACCESS_PROFILE', 'ENTITLEMENT'];

/** By type and source, privileged access first in each of them. */
function accessRows(first: Document, second: Document): AccessRow[] {
  const typeOf = (element: unknown) => firstText(element, 'type').toUpperCase();
  const keyOf = (element: unknown) => `${typeOf(element)} ${firstText(element, 'id')}`;
  const rank = ({ type }: AccessRow) =>
    (TYPES.indexOf(type) + TYPES.length + 1) % (TYPES.length + 1);
  return joined(valuesAt(first, 'access'), valuesAt(second, 'access'), keyOf)
    .map(({ one, other, presence }): AccessRow => {
      const element = one ?? other;
      return {
        id: firstText(element, 'id'),
        type: typeOf(element),
        name: firstText(element, 'displayName', 'name', 'id'),
        source: firstText(element, 'source.name'),
        privileged: [one, other].some((held) => valuesAt(held, 'privileged')[0] === true),
        presence,
      };
    })
    .sort(
      (one, other) =>
        rank(one) - rank(other) ||
        compareTexts(one.source, other.source) ||
        Number(other.privileged) - Number(one.privileged) ||
        compareTexts(one.name, other.name) ||
        compareTexts(one.id, other.id),
    );
}

/** By source; the same if both have as many accounts in the same states there. */
function accountRows(first: Document, second: Document, nowMs: number): AccountRow[] {
  const bySource = (person: Document) => {
    const map = new Map<string, unknown[]>();
    for (const account of valuesAt(person, 'accounts')) {
      const source = firstText(account, 'source.name', 'source.id');
      map.set(source, [...(map.get(source) ?? []), account]);
    }
    return map;
  };
  const statesOf = (accounts: readonly unknown[]) =>
    JSON.stringify(
      accounts
        .map((account) =>
          accountStates(account, nowMs)
            .map(({ text }) => text)
            .join(),
        )
        .sort(),
    );
  const [one, other] = [bySource(first), bySource(second)];
  return [...new Set([...one.keys(), ...other.keys()])].sort(compareTexts).map((source) => {
    const [ofFirst, ofSecond] = [one.get(source) ?? [], other.get(source) ?? []];
    return {
      source,
      first: ofFirst,
      second: ofSecond,
      differs: statesOf(ofFirst) !== statesOf(ofSecond),
    };
  });
}

function ownedRows(first: Document, second: Document): OwnedRow[] {
  const owned = (person: Document) =>
    valuesAt(person, 'owns').flatMap((owns) =>
      Object.entries(owns as Document).flatMap(([kind, things]) =>
        Array.isArray(things) ? things.map((thing: unknown) => ({ kind, thing })) : [],
      ),
    );
  return joined(
    owned(first),
    owned(second),
    ({ kind, thing }) => `${kind} ${firstText(thing, 'id')}`,
  )
    .flatMap(({ one, other, presence }): OwnedRow[] => {
      const item = one ?? other;
      if (item === undefined) return [];
      const { kind, thing } = item;
      const name = firstText(thing, 'displayName', 'name', 'id');
      return [{ kind, id: firstText(thing, 'id'), name, presence }];
    })
    .sort((one, other) => compareTexts(one.kind, other.kind) || compareTexts(one.name, other.name));
}

interface Joined<T> {
  readonly one: T | undefined;
  readonly other: T | undefined;
  readonly presence: Presence;
}

/** The elements of two lists by key; repeated ones once. */
function joined<T>(
  first: readonly T[],
  second: readonly T[],
  keyOf: (element: T) => string,
): Joined<T>[] {
  const one = new Map(first.map((element) => [keyOf(element), element]));
  const other = new Map(second.map((element) => [keyOf(element), element]));
  return [...new Set([...one.keys(), ...other.keys()])].map((key) => ({
    one: one.get(key),
    other: other.get(key),
    presence: !other.has(key) ? 'first' : one.has(key) ? 'both' : 'second',
  }));
}

function compareTexts(one: string, other: string): number {
  return one.localeCompare(other, 'en') || (one < other ? -1 : Number(one > other));
}
