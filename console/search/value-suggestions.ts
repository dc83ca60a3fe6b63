// Suggests values of a field from the tenant's documents: the most frequent ones, or those from
// TYPEAHEAD once a prefix is typed.
import type { IndexName } from '../../src/query/query.ts';
import { aggregate, typeAhead } from '../api/search-api.ts';
import { printValue } from './completion.ts';
import type { KnownField } from './field-catalogue.ts';

/** A suggested value. */
export interface ValueSuggestion {
  /** The text to insert, quoted where necessary. */
  readonly written: string;
  readonly shown: string;
}

const SUGGESTIONS_MAX = 8;
const SPANS: readonly [string, string][] = [
  ['[now-1d TO now]', 'Last 24 hours'],
  ['[now-7d/d TO now]', 'Last 7 days'],
  ['[now-30d/d TO now]', 'Last 30 days'],
  ['[now-1y/d TO now]', 'Last 1 year'],
];

/** @throws ApiFault */
export async function valueSuggestions(
  index: IndexName,
  field: KnownField,
  prefix: string,
  signal: AbortSignal,
): Promise<ValueSuggestion[]> {
  switch (field.type) {
    case 'boolean':
      return ['true', 'false'].filter((word) => word.startsWith(prefix)).map(plain);
    case 'date':
      return prefix === '' ? SPANS.map(([written, shown]) => ({ written, shown })) : [];
    case 'long':
    case 'double':
      return [];
    case 'text':
    case 'keyword': {
      const values =
        prefix === ''
          ? await mostFrequent(index, field, signal)
          : await startingWith(index, field, prefix, signal);
      return values.map((value) => ({ written: printValue(value), shown: value }));
    }
  }
}

function startingWith(
  index: IndexName,
  field: KnownField,
  query: string,
  signal: AbortSignal,
): Promise<string[]> {
  const where =
    field.nested === null
      ? { field: field.path }
      : { field: field.path.slice(field.nested.length + 1), nestedType: field.nested };
  const typeAheadQuery = { query, ...where, size: SUGGESTIONS_MAX, maxExpansions: 50 };
  return typeAhead({ indices: [index], queryType: 'TYPEAHEAD', typeAheadQuery }, signal);
}

async function mostFrequent(
  index: IndexName,
  { path, nested }: KnownField,
  signal: AbortSignal,
): Promise<string[]> {
  const terms = { terms: { field: path, size: SUGGESTIONS_MAX } };
  const values = nested === null ? terms : { nested: { path: nested }, aggs: { values: terms } };
  const results = await aggregate({ indices: [index], aggregationsDsl: { values } }, signal);
  const result = nested === null ? results['values'] : results['values']?.values;
  return (result?.buckets ?? []).map(({ key, key_as_string }) => key_as_string ?? String(key));
}

function plain(word: string): ValueSuggestion {
  return { written: word, shown: word };
}
