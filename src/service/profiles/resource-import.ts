// Imports records of profile management other than profiles: lines in the form of the API, wrapped in
// the name of their kind, such as `{"ne_attribute":{…}}`. They are written in the order of the lines,
// so a record must come after those that it refers to.
// Invariant: a record is identified by its id, otherwise by its uid; a new one keeps both, and its
// times; a line that changes nothing writes nothing.

import { ServiceError } from '../../errors.ts';
import { strictIsoDate } from '../../query/analysis/values.ts';
import { DocumentFault } from '../documents/document-shape.ts';
import type { SavedRule } from '../ports/advanced-search-records.ts';
import type { ResourceKind, ResourceTypes } from '../ports/resources.ts';
import type { PutOutcome, WritableRecords } from '../ports/store.ts';
import type { Descriptor, Draft } from './resources/descriptor.ts';
import { descriptors } from './resources/descriptors.ts';
import { type FieldErrors, isFaultless, sentenceOf } from './resources/faults.ts';
import { membersOf } from './resources/members-of.ts';
import { readRecord } from './resources/record-reader.ts';
import { wireName } from './resources/wire-names.ts';
import { resolveSentRules } from './rules/advanced-search-request.ts';
import { ruleSubjects } from './rules/rule-subjects.ts';
import { RULES, ruleIdOf, type Sent } from './rules/search-rule.ts';

type Body = ReadonlyMap<string, unknown>;

/** The name that wraps an advanced search. */
export const SEARCH_WRAPPER = 'advanced_search';

/** A record of a line. */
export interface SentRecord {
  /** null: an advanced search. */
  readonly kind: ResourceKind | null;
  readonly body: Body;
}

const KINDS: ReadonlyMap<string, ResourceKind | null> = new Map<string, ResourceKind | null>([
  ...Object.values(descriptors).map(({ kind, singular }) => [singular, kind] as const),
  [SEARCH_WRAPPER, null],
]);
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * The record in a line that has only the wrapped record; null for another line.
 * @throws DocumentFault for a record without a valid id
 */
export function wrappedRecord(line: Readonly<Record<string, unknown>>): SentRecord | null {
  const [[wrapper, value] = ['', null], ...others] = Object.entries(line);
  const kind = KINDS.get(wrapper);
  const body = membersOf(value);
  if (kind === undefined || body === null || others.length > 0) return null;
  const id = body.get('id') ?? null;
  const isKey = (key: unknown) => typeof key === 'string' && key.trim() !== '';
  if (id !== null && !(typeof id === 'string' && UUID.test(id))) {
    throw new DocumentFault(`${wrapper}: id must be a UUID in lower case`);
  }
  if (id === null && !isKey(body.get('uid'))) {
    throw new DocumentFault(`${wrapper}: id and uid are missing: one of them is needed`);
  }
  return { kind, body };
}

/** The lines of new records. @param now ISO 8601 with milliseconds */
export function wrapped(kind: ResourceKind, records: readonly object[], now: string): object[] {
  const { singular } = descriptors[kind];
  return records.map((record) => ({
    [singular]: { ...record, created_at: now, updated_at: now },
  }));
}

/** Writes records in one transaction. */
export class ResourceImport {
  readonly #records: WritableRecords;
  readonly #tenantId: string;
  readonly #now: string;

  /** @param now ISO 8601 with milliseconds, for records without times */
  constructor(records: WritableRecords, tenantId: string, now: string) {
    this.#records = records;
    this.#tenantId = tenantId;
    this.#now = now;
  }

  /** Writes one record; returns a fault, which has written nothing, for an invalid one. */
  async put({ kind, body }: SentRecord): Promise<PutOutcome | DocumentFault> {
    return kind === null ? this.#putSearch(body) : this.#putResource(kind, body);
  }

  async #putResource<K extends ResourceKind>(
    kind: K,
    body: Body,
  ): Promise<PutOutcome | DocumentFault> {
    const [records, tenantId] = [this.#records, this.#tenantId];
    const descriptor = descriptors[kind];
    const id = textIn(body, 'id');
    const before = await this.#stored(kind, [id, textIn(body, 'uid')]);
    const errors: FieldErrors = {};
    const now = timeIn(body, 'created_at') ?? this.#now;
    const draft = await readRecord(descriptor, {
      ...{ records, tenantId, now, errors, body },
      before: before as Readonly<Record<string, unknown>> | null,
      ...(id === null ? {} : { id, restores: true }),
    });
    if (!isFaultless(errors)) return refused(descriptor.singular, errors);
    if (before === null) {
      takeOver(descriptor, draft, body);
      draft['updatedAt'] = timeIn(body, 'updated_at') ?? now;
      await records.addResource(tenantId, kind, draft as unknown as ResourceTypes[K]);
      return 'created';
    }
    if (JSON.stringify(before) === JSON.stringify(draft)) return 'unchanged';
    draft['updatedAt'] = timeIn(body, 'updated_at') ?? this.#now;
    await records.updateResource(tenantId, kind, draft as unknown as ResourceTypes[K]);
    return 'updated';
  }

  async #stored<K extends ResourceKind>(
    kind: K,
    keys: readonly (string | null)[],
  ): Promise<ResourceTypes[K] | null> {
    for (const key of keys) {
      if (key === null) continue;
      const record = await this.#records.resource(this.#tenantId, kind, key);
      if (record !== null) return record;
    }
    return null;
  }

  /** Adds a search; an existing one stays as it is. */
  async #putSearch(body: Body): Promise<PutOutcome | DocumentFault> {
    const [records, tenantId] = [this.#records, this.#tenantId];
    const [id, uid] = [textIn(body, 'id'), textIn(body, 'uid')];
    if (id === null || uid === null) {
      return new DocumentFault(`${SEARCH_WRAPPER}: id and uid are needed`);
    }
    for (const key of [id, uid]) {
      if ((await records.advancedSearch(tenantId, key)) !== null) return 'unchanged';
    }
    const sent = body.get(RULES);
    if (!Array.isArray(sent) || sent.some((rule) => membersOf(rule) === null)) {
      return new DocumentFault(`${SEARCH_WRAPPER}: ${RULES} must be an array of rules`);
    }
    const createdAt = timeIn(body, 'created_at') ?? this.#now;
    // Rules are stored as they are sent, so the day makes no difference.
    const context = { subjects: ruleSubjects(records, tenantId), today: 0 };
    try {
      const resolved = await resolveSentRules(sent as readonly Sent[], context, 'create');
      const rules = resolved.map(({ rule }, place): SavedRule => {
        const key = membersOf(sent[place]);
        const ruleId = (key && textIn(key, 'id')) ?? ruleIdOf(id, place);
        return {
          id: ruleId,
          uid: (key && textIn(key, 'uid')) ?? ruleId.replaceAll('-', ''),
          ...rule,
        };
      });
      const updatedAt = timeIn(body, 'updated_at') ?? createdAt;
      const label = textIn(body, 'label');
      await records.addAdvancedSearch(tenantId, { id, uid, label, rules, createdAt, updatedAt });
      return 'created';
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'request_invalid') throw error;
      return refused(SEARCH_WRAPPER, error.details.errors ?? {});
    }
  }
}

/** Takes over members that callers of the API cannot write. */
function takeOver({ fields }: Descriptor, draft: Draft, body: Body): void {
  for (const [member, { write }] of Object.entries(fields)) {
    const value = body.get(wireName(member));
    if (write === 'never' && typeof value === 'string') draft[member] = value;
  }
}

function refused(wrapper: string, errors: Readonly<Record<string, unknown>>): DocumentFault {
  return new DocumentFault(`${wrapper}: ${sentenceOf(errors)}`);
}

function textIn(body: Body, name: string): string | null {
  const value = body.get(name);
  return typeof value === 'string' && value !== '' ? value : null;
}

function timeIn(body: Body, name: string): string | null {
  const text = textIn(body, name);
  const time = text === null ? undefined : strictIsoDate(text);
  return time === undefined ? null : new Date(time).toISOString();
}
