// The settings and mappings of an index in OpenSearch, generated from the one Mapping. Undeclared
// members are ignored and never mapped dynamically. A declared member is copied to its columns and
// to the catch-all, and has no values of its own.
// Invariant: a Mapping that grows only adds properties.

import { POSITION_GAP } from '../../../engine/sections/segment.ts';
import type { Field, Mapping } from '../../../query/mapping/mapping.ts';
import { CATCH_ALL, type NumberColumn } from '../../../query/query.ts';
import {
  type Column,
  columnName,
  columnsOf,
  encodedPath,
  isPlainName,
  numberTypeOf,
  SOURCE,
  STORED,
  storedName,
} from './columns.ts';
import { ID_KEYS } from './id-keys.ts';

/** Increased when documents must be indexed again; part of every index name. */
export const FORMAT = 10;

/** Splits at line feeds, which no word contains: for phrases of words that are already analysed. */
export const PHRASE_ANALYZER = 'cardea_terms';
export const PHRASE_SEPARATOR = '\n';

/** Lower case as query/analysis/fold.ts makes it. */
const FOLD = 'cardea_fold';

export interface Property {
  readonly [parameter: string]: unknown;
  readonly properties?: Record<string, Property>;
}

export interface IndexMappings {
  readonly dynamic: 'false';
  readonly _meta?: Readonly<Record<string, unknown>>;
  readonly properties: Record<string, Property>;
}

/** The most levels of objects in a mapping; a path of 512 characters (document-shape.ts) has 256. */
const DEPTH_LIMIT = 300;

/**
 * The service enforces its own limits on every request first, so OpenSearch's are set very high.
 */
export const SETTINGS = {
  // The indexer refreshes what it wrote. This is for merges: the segments that they replace stay on
  // disk, and are searched, until the next refresh.
  refresh_interval: '30s',
  gc_deletes: '1h', // a replay within it cannot bring a deleted document back
  max_result_window: 1_000_000,
  max_inner_result_window: 1_000_000,
  max_terms_count: 10_000_000,
  max_regex_length: 1_000_000,
  'mapping.total_fields.limit': 1_000_000,
  'mapping.depth.limit': DEPTH_LIMIT,
  'mapping.nested_fields.limit': 1000,
  'mapping.nested_objects.limit': 10_000_000,
  analysis: {
    normalizer: { [FOLD]: { type: 'custom', filter: ['lowercase'] } },
    analyzer: { [PHRASE_ANALYZER]: { type: 'custom', tokenizer: PHRASE_ANALYZER } },
    tokenizer: { [PHRASE_ANALYZER]: { type: 'pattern', pattern: PHRASE_SEPARATOR } },
  },
} as const;

const WORDS: Property = {
  type: 'text',
  analyzer: 'standard',
  position_increment_gap: POSITION_GAP,
};
const EXACT: Property = { type: 'keyword', use_similarity: true };
const FOLDED: Property = { ...EXACT, normalizer: FOLD };
/** Nothing sorts by the catch-all. */
const FOLDED_ALL: Property = { ...FOLDED, doc_values: false };
/** Numbers are milliseconds, whatever year they could be. */
const DATE: Property = { type: 'date', format: 'epoch_millis||strict_date_optional_time' };
/** Only copied. */
const COPIED: Property = { type: 'keyword', index: false, doc_values: false };
/** Only aggregated. */
const LISTED: Property = { type: 'keyword', index: false };
/** Without an index, documents are skipped by no key (sort-body.ts). */
const SORTED_BY: Property = { type: 'long', index: false };
/** Parsed, but not looked into. */
const OPAQUE: Property = { type: 'object', enabled: false };

/** The setting of a number of replicas; `auto`: one, if there is a second node. */
export function replicaSettings(replicas: number | 'auto'): Readonly<Record<string, unknown>> {
  return replicas === 'auto'
    ? { auto_expand_replicas: '0-1' }
    : { auto_expand_replicas: false, number_of_replicas: replicas };
}

/** The mapping of an index. */
export function indexMappings(mapping: Mapping): IndexMappings {
  const properties: Record<string, Property> = {};
  put(properties, STORED.id, EXACT);
  for (const key of ID_KEYS) put(properties, key, SORTED_BY);
  put(properties, STORED.index, EXACT);
  put(properties, STORED.sequence, SORTED_BY);
  put(properties, STORED.repeats, LISTED);
  put(properties, SOURCE.root, OPAQUE);
  put(properties, SOURCE.nested, OPAQUE);
  put(properties, columnName(CATCH_ALL, 'words'), WORDS);
  put(properties, columnName(CATCH_ALL, 'folded'), FOLDED_ALL);
  put(properties, columnName(CATCH_ALL, 'value'), { type: 'long', doc_values: false });
  for (const name of Object.keys(mapping.constants)) {
    put(properties, columnName(name, 'exact'), EXACT);
  }
  for (const path of mapping.nestedPaths) {
    put(properties, encodedPath(path), {
      type: 'nested',
      dynamic: 'false',
      properties: Object.create(null) as Record<string, Property>,
    });
    put(properties, storedName(path, STORED.repeats), LISTED);
  }
  for (const field of mapping.fields.values()) {
    const copies = copiesOf(field);
    if (copies !== null) put(properties, field.path, { ...COPIED, copy_to: copies });
    for (const column of columnsOf(field)) {
      const property =
        column === 'value' || column === 'date' || column === 'number'
          ? numberProperty(field, column)
          : STRINGS[column];
      put(properties, columnName(field.path, column), property);
    }
  }
  return { dynamic: 'false', properties };
}

/**
 * The columns that OpenSearch fills from the member itself; null for a field whose columns are
 * always written explicitly. A dynamic field that becomes text gets them, and then has no others.
 */
export function copiesOf({ path, type, dynamic }: Field): readonly string[] | null {
  if (!path.split('.').every(isPlainName)) return null;
  if (dynamic && type !== 'text') return null;
  const whole = [columnName(path, 'exact'), columnName(path, 'folded')];
  switch (type) {
    case 'text':
      return [columnName(path, 'words'), ...whole, columnName(CATCH_ALL, 'words')];
    case 'keyword':
      return [...whole, columnName(CATCH_ALL, 'folded')];
    case 'long':
      return [columnName(path, 'value'), columnName(CATCH_ALL, 'value')];
    case 'double':
    case 'date':
    case 'boolean':
      return [columnName(path, 'value')];
  }
}

function numberProperty(field: Field, column: NumberColumn): Property {
  const type = numberTypeOf(field, column);
  return type === 'date' ? DATE : { type };
}

const STRINGS: Readonly<Record<Exclude<Column, 'value' | 'date' | 'number'>, Property>> = {
  words: WORDS,
  exact: EXACT,
  folded: FOLDED,
};

/** Sets a property at a dotted path and creates the objects above it. */
function put(properties: Record<string, Property>, path: string, property: Property): void {
  const names = path.split('.');
  const last = names.pop() ?? path;
  let level = properties;
  for (const name of names) {
    let below = level[name];
    if (below?.properties === undefined) {
      below = { properties: Object.create(null) as Record<string, Property> };
      level[name] = below;
    }
    level = below.properties as Record<string, Property>;
  }
  level[last] = property;
}
