// The records of profile management to export, in the form that an import reads: each wrapped in the
// name of its kind, in an order in which they can be created.
// Invariant: a record comes after those it refers to. A type refers to attributes and they to types,
// so types come twice: first without their attributes.
import type { AdvancedSearch } from '../service/ports/advanced-search-records.ts';
import type { PageQuery } from '../service/ports/collection.ts';
import type {
  Attribute,
  ProfileType,
  ResourceKind,
  ResourceTypes,
} from '../service/ports/resources.ts';
import type { Records } from '../service/ports/store.ts';
import { SEARCH_WRAPPER } from '../service/profiles/resource-import.ts';
import { descriptors } from '../service/profiles/resources/descriptors.ts';
import { wireName, wireValue } from '../service/profiles/resources/wire-names.ts';
import { RULES } from '../service/profiles/rules/search-rule.ts';
import { pagesById } from './pages-by-id.ts';

type Json = Readonly<Record<string, unknown>>;

/** A record in its wire form, and the name that wraps it. */
export interface WrappedRecord {
  readonly wrapper: string;
  readonly record: Json;
}

const FIRST: PageQuery = { where: [], order: 'id', limit: 500, offset: 0, total: false };

/** All records of a kind, in pages. */
export function resourcePages<K extends ResourceKind>(
  records: Pick<Records, 'resourcePage'>,
  tenantId: string,
  kind: K,
): AsyncGenerator<readonly ResourceTypes[K][]> {
  return pagesById(async (afterId) => {
    const { rows } = await records.resourcePage(tenantId, kind, { ...FIRST, afterId });
    return rows;
  });
}

/** All advanced searches, in pages. */
export function searchPages(
  records: Pick<Records, 'advancedSearchPage'>,
  tenantId: string,
): AsyncGenerator<readonly AdvancedSearch[]> {
  return pagesById(async (afterId) => {
    const { rows } = await records.advancedSearchPage(tenantId, { ...FIRST, afterId });
    return rows;
  });
}

/** Members that refer to records which come later. */
const LATER: Partial<Readonly<Record<ResourceKind, readonly string[]>>> = {
  profileType: ['profileTypeDupAttributes', 'profileTypeNamings'],
  attribute: ['filteringNeAttributeId', 'neAttributeFilterId'],
};

/** A record without what refers to later ones. */
export function firstForm(kind: ResourceKind, record: object): WrappedRecord {
  const members = Object.entries(record).filter(([name]) => !LATER[kind]?.includes(name));
  return { wrapper: descriptors[kind].singular, record: wireRecord(Object.fromEntries(members)) };
}

/** A record with all its members. */
export function wholeForm(kind: ResourceKind, record: object): WrappedRecord {
  return { wrapper: descriptors[kind].singular, record: wireRecord(record) };
}

/** What a type or an attribute refers to later, with its keys; null if there is nothing. */
export function laterForm(
  kind: 'profileType' | 'attribute',
  record: ProfileType | Attribute,
): WrappedRecord | null {
  const { id, uid, updatedAt } = record;
  const members = Object.entries(record).filter(
    ([name, value]) =>
      LATER[kind]?.includes(name) && value !== null && (!Array.isArray(value) || value.length > 0),
  );
  if (members.length === 0) return null;
  const wire = wireRecord({ id, uid, updatedAt, ...Object.fromEntries(members) });
  return { wrapper: descriptors[kind].singular, record: wire };
}

export function searchForm(search: AdvancedSearch): WrappedRecord {
  const { rules, ...members } = search;
  const record = { ...(wireValue(members) as Json), [RULES]: wireValue(rules) };
  return { wrapper: SEARCH_WRAPPER, record };
}

/** Members that are written under another name than they are shown. */
const WRITTEN_NAMES: Readonly<Record<string, string>> = {
  validations: 'validations_attributes',
  profileTypeDupAttributes: 'profile_type_dup_attributes_attributes',
  profileTypeNamings: 'profile_type_namings_attributes',
};

function wireRecord(record: object): Json {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => {
      const written = WRITTEN_NAMES[name];
      if (written === undefined) return [wireName(name), wireValue(value)];
      return [written, (value as readonly object[]).map(nestedForm)];
    }),
  );
}

/** An item of a record, without keys: they would name an item that does not exist yet. */
function nestedForm(item: object): unknown {
  const members = Object.entries(item).filter(
    ([name]) => !['id', 'uid', 'profileTypeId'].includes(name),
  );
  return wireValue(Object.fromEntries(members));
}
