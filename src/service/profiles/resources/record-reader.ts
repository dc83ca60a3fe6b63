// Reads a record from a request: the wrapper, then each member by its rule. All errors of a record
// are collected, so a caller can fix them at once. Unknown and read-only members are ignored: one
// client sends whole records back as it read them.
import { randomUUID } from 'node:crypto';
import { newId } from '../../../auth/secrets.ts';
import type { ReferableKind } from '../../ports/resources.ts';
import type { Descriptor, Draft, FieldRule, Writing } from './descriptor.ts';
import { addError, parameterMissing, parameterRefused } from './faults.ts';
import { membersOf } from './members-of.ts';
import { missingWrapperHints } from './misplaced-members.ts';
import { wireName } from './wire-names.ts';

/** Most records of one call. */
export const BULK_MAX = 1000;
/** Most items of an array inside a record. */
export const ITEMS_MAX = 1000;
const LENGTH_MAX = 10_000;
const UID_LENGTH_MAX = 255;

type Body = ReadonlyMap<string, unknown>;

/**
 * Returns the record in a body.
 * @param wrapper the member that holds the record
 * @throws ServiceError if it is absent, empty or not an object
 */
export function unwrapOne(body: unknown, wrapper: string): Body {
  const value = membersOf(body)?.get(wrapper);
  if (isEmpty(value)) throw parameterMissing(wrapper, missingWrapperHints(body, wrapper));
  const members = membersOf(value);
  if (members === null) throw parameterRefused(`${wrapper} must be an object`);
  return members;
}

/**
 * Returns the records in a body, without reading them.
 * @param wrapper the member that holds the records
 * @throws ServiceError if they are absent, empty, too many or not an array
 */
export function unwrapMany(body: unknown, wrapper: string): readonly unknown[] {
  const value = membersOf(body)?.get(wrapper);
  if (isEmpty(value)) throw parameterMissing(wrapper, missingWrapperHints(body, wrapper));
  if (!Array.isArray(value)) throw parameterRefused(`${wrapper} must be an array of objects`);
  if (value.length > BULK_MAX) {
    throw parameterRefused(
      `${wrapper} must hold at most ${BULK_MAX} records, and holds ${value.length}`,
    );
  }
  return value;
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** The record to write; errors are added to `writing.errors`. */
export async function readRecord(descriptor: Descriptor, writing: Writing): Promise<Draft> {
  const { before, now, body, id = randomUUID() } = writing;
  const draft: Draft =
    before === null
      ? { ...blank(descriptor), createdAt: now, updatedAt: now, id, uid: newId() }
      : ({ ...before } as Draft);
  if (before === null) await readUid(descriptor, draft, writing);
  for (const [member, rule] of Object.entries(descriptor.fields)) {
    if (rule.type === 'own' || rule.write === 'never') continue;
    if (rule.write === 'create' && before !== null) continue;
    const name = wireName(member);
    if (body.has(name)) draft[member] = await readMember(body.get(name), name, rule, writing);
    const value = draft[member];
    if (rule.required && isBlank(value) && writing.errors[name] === undefined) {
      addError(writing.errors, name, "can't be blank");
    }
  }
  await descriptor.complete?.(draft, writing);
  await refuseRepeated(descriptor, draft, writing);
  return draft;
}

function blank({ fields }: Descriptor): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([member, { type, byDefault }]) => {
      if (byDefault !== undefined) return [member, byDefault];
      if (type === 'flag') return [member, false];
      return [member, type === 'texts' || type === 'references' ? [] : null];
    }),
  );
}

function isBlank(value: unknown): boolean {
  return (
    value === null || value === undefined || (typeof value === 'string' && value.trim() === '')
  );
}

async function readUid(
  { kind }: Descriptor,
  draft: Draft,
  { body, errors, records, tenantId }: Writing,
): Promise<void> {
  const uid = body.get('uid');
  if (uid === undefined || uid === null || uid === '') return;
  if (typeof uid !== 'string') addError(errors, 'uid', 'must be a string');
  else if (uid.length > UID_LENGTH_MAX || isBlank(uid)) {
    addError(errors, 'uid', `must have 1 to ${UID_LENGTH_MAX} characters`);
  } else if ((await records.resourceId(tenantId, kind, uid)) !== null) {
    addError(errors, 'uid', 'has already been taken');
  } else draft.uid = uid;
}

/** Reads a value by its rule; null if it is cleared or invalid. */
async function readMember(
  value: unknown,
  name: string,
  rule: FieldRule,
  writing: Writing,
): Promise<unknown> {
  const invalid = (sentence: string) => {
    addError(writing.errors, name, sentence);
    return null;
  };
  const idOf = (key: string, to: ReferableKind) =>
    writing.records.resourceId(writing.tenantId, to, key);
  const cleared = value === null || value === '';
  switch (rule.type) {
    case 'own':
      return value;
    case 'flag':
      return value === null ? false : (readFlag(value) ?? invalid('must be true or false'));
    case 'integer':
      if (cleared) return null;
      return Number.isSafeInteger(value) ? value : invalid('must be an integer');
    case 'number':
      if (cleared) return null;
      return Number.isFinite(value) ? value : invalid('must be a number');
    case 'texts':
      return readTexts(value, invalid);
    case 'references': {
      const keys = readTexts(value, invalid);
      const ids = await Promise.all((keys ?? []).map((key) => idOf(key, rule.to)));
      return ids.includes(null) ? invalid('was not found') : [...new Set(ids)];
    }
  }
  if (cleared) return null;
  if (typeof value !== 'string') return invalid('must be a string');
  switch (rule.type) {
    case 'word':
      return rule.words.includes(value) ? value : invalid('is not included in the list');
    case 'reference':
      return (await idOf(value, rule.to)) ?? invalid('was not found');
    case 'text': {
      const { lengthMax = LENGTH_MAX } = rule;
      if (value.length <= lengthMax) return value;
      return invalid(`is too long (maximum is ${lengthMax} characters)`);
    }
  }
}

function readTexts(value: unknown, invalid: (sentence: string) => null): readonly string[] | null {
  if (value === null) return [];
  if (!Array.isArray(value) || value.some((item) => typeof item !== 'string')) {
    return invalid('must be an array of strings');
  }
  return value.length > ITEMS_MAX ? invalid(`must hold at most ${ITEMS_MAX} items`) : value;
}

/** Reads the spellings of true and false that clients send; undefined for anything else. */
export function readFlag(value: unknown): boolean | undefined {
  if (value === true || value === 'true' || value === 1 || value === '1') return true;
  if (value === false || value === 'false' || value === 0 || value === '0') return false;
  return undefined;
}

async function refuseRepeated(
  { kind, fields, unique = [] }: Descriptor,
  draft: Draft,
  { records, tenantId, errors }: Writing,
): Promise<void> {
  for (const members of unique) {
    // A member that has an error already is not checked for uniqueness.
    const invalid = members.some(
      (member) =>
        errors[wireName(member)] !== undefined ||
        (fields[member]?.required && isBlank(draft[member])),
    );
    if (invalid) continue;
    const where = members.map((member) => ({ member, equals: draft[member] as string | null }));
    const { rows } = await records.resourcePage(tenantId, kind, {
      where,
      order: null,
      limit: 2,
      offset: 0,
      total: false,
    });
    if (rows.some(({ id }) => id !== draft.id)) {
      addError(errors, wireName(members.at(-1) ?? ''), 'has already been taken');
    }
  }
}
