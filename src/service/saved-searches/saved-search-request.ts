// Reads the body of a saved search (contract/search.md section 8). Members that callers cannot choose,
// such as `owner`, are ignored, because clients send back what they have read. Whether the query, the
// filters and the sort keys are valid is checked by planning them (saved-searches.ts).
import { invalid, Members, wrongType } from '../../query/body.ts';
import { INDEX_NAMES, indexOfType, typeOf } from '../../query/mapping/document-types.ts';
import type { ResultColumn, SavedSearchDefinition } from '../../query/search-definition.ts';

const MAX_NAME_LENGTH = 255;
const MAX_DESCRIPTION_LENGTH = 2_000;
const MAX_COLUMNS = 100;
const MAX_FIELD_LENGTH = 500;
const MAX_KEYS = 32;
/** Types that the contract names in addition to those of documents; no search returns them. */
const OTHER_TYPES: readonly string[] = ['account', 'aggregation'];

/**
 * Reads a saved search.
 * @param isShared whether it is shared where the body does not say
 * @throws ServiceError `body_malformed`, `request_invalid`
 */
export function readSavedSearch(body: unknown, isShared = false): SavedSearchDefinition {
  const members = new Members(body, '');
  const indices = members.strings('indices');
  if (indices === undefined || indices.length === 0) {
    throw invalid('indices: at least one index is needed, such as identities');
  }
  const query = members.string('query');
  if (query === undefined || query.trim() === '') {
    throw invalid('query: a query string is needed; * matches everything');
  }
  return {
    name: readText(members, 'name', MAX_NAME_LENGTH) ?? '',
    description: readText(members, 'description', MAX_DESCRIPTION_LENGTH) ?? null,
    indices: [...new Set(indices)],
    query,
    columns: readColumns(members.members('columns')),
    fields: readNames(members, 'fields'),
    sort: readNames(members, 'sort'),
    orderBy: readOrder(members.members('orderBy')),
    filters:
      members.members('filters') === undefined
        ? null
        : (members.get('filters') as object as Record<string, unknown>),
    shared: members.boolean('shared') ?? isShared,
  };
}

/** A text without control characters, trimmed; undefined for none. */
export function readText(members: Members, name: string, maxLength: number): string | undefined {
  const text = members.string(name)?.trim();
  if (text === undefined) return undefined;
  if (text.length > maxLength)
    throw invalid(`${members.pathOf(name)}: at most ${maxLength} characters`);
  if (/[\p{Cs}\0]/u.test(text))
    throw invalid(`${members.pathOf(name)}: holds characters that are no text`);
  return text;
}

/** An empty list counts as none: clients send one for what was not chosen. */
function readNames(members: Members, name: string): readonly string[] | null {
  const list = members.strings(name);
  if (list === undefined || list.length === 0) return null;
  if (list.length > MAX_KEYS) throw invalid(`${members.pathOf(name)}: at most ${MAX_KEYS}`);
  return list;
}

function readOrder(members: Members | undefined): SavedSearchDefinition['orderBy'] {
  if (members === undefined) return null;
  const entries = members.names().map((type) => {
    checkType(members, type);
    return [type, readNames(members, type) ?? []] as const;
  });
  return entries.length === 0 ? null : Object.fromEntries(entries);
}

function readColumns(members: Members | undefined): SavedSearchDefinition['columns'] {
  if (members === undefined) return {};
  return Object.fromEntries(
    members.names().map((type) => {
      checkType(members, type);
      const path = members.pathOf(type);
      const list = members.get(type);
      if (!Array.isArray(list)) throw wrongType(path, 'an array of columns');
      if (list.length > MAX_COLUMNS) throw invalid(`${path}: at most ${MAX_COLUMNS} columns`);
      return [type, list.map((column, at) => readColumn(new Members(column, `${path}[${at}]`)))];
    }),
  );
}

function readColumn(members: Members): ResultColumn {
  const field = readText(members, 'field', MAX_FIELD_LENGTH) ?? '';
  if (field === '') throw invalid(`${members.pathOf('field')}: the name of a field is needed`);
  return { field, header: readText(members, 'header', MAX_NAME_LENGTH) ?? null };
}

function checkType(members: Members, type: string): void {
  if (indexOfType(type) !== undefined || OTHER_TYPES.includes(type)) return;
  throw invalid(
    `${members.pathOf(type)}: ${JSON.stringify(type.slice(0, 60))} is no document type; they are ${INDEX_NAMES.map(typeOf).join(', ')}`,
  );
}
