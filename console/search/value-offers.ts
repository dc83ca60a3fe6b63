// Values to complete a field's value to: what the tenant's documents hold, by TYPEAHEAD once something is typed, and
// the most frequent ones before that.
import type { IndexName } from '../../src/query/query.ts';
import { aggregate, typeAhead } from '../api/search-api.ts';
import { writtenValue } from './completion.ts';
import type { KnownField } from './field-catalogue.ts';

/** A value to choose. */
export interface ValueOffer {
  /** As it stands in the query then. */
  readonly written: string;
  readonly shown: string;
}

const MOST = 8;
const SPANS: readonly [string, string][] = [
  ['[now-1d TO now]', 'the last day'],
  ['[now-7d/d TO now]', 'the last 7 days'],
  ['[now-30d/d TO now]', 'the last 30 days'],
  ['[now-1y/d TO now]', 'the last year'],
];

/** @throws ApiFault */
export async function valueOffers(
  index: IndexName,
  field: KnownField,
  prefix: string,
  signal: AbortSignal,
): Promise<ValueOffer[]> {
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
          ? await frequent(index, field, signal)
          : await begun(index, field, prefix, signal);
      return values.map((value) => ({ written: writtenValue(value), shown: value }));
    }
  }
}

function begun(
  index: IndexName,
  field: KnownField,
  query: string,
  signal: AbortSignal,
): Promise<string[]> {
  const where =
    field.nested === null
      ? { field: field.path }
      : { field: field.path.slice(field.nested.length + 1), nestedType: field.nested };
  const typeAheadQuery = { query, ...where, size: MOST, maxExpansions: 50 };
  return typeAhead({ indices: [index], queryType: 'TYPEAHEAD', typeAheadQuery }, signal);
}

async function frequent(
  index: IndexName,
  { path, nested }: KnownField,
  signal: AbortSignal,
): Promise<string[]> {
  const terms = { terms: { field: path, size: MOST } };
  const values = nested === null ? terms : { nested: { path: nested }, aggs: { values: terms } };
  const found = await aggregate({ indices: [index], aggregationsDsl: { values } }, signal);
  const result = nested === null ? found['values'] : found['values']?.values;
  return (result?.buckets ?? []).map(({ key, key_as_string }) => key_as_string ?? String(key));
}

function plain(word: string): ValueOffer {
  return { written: word, shown: word };
}
