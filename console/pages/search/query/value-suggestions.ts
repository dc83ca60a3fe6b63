// Suggests values of a field from the tenant's documents: the most frequent ones, or those from
// TYPEAHEAD once a prefix is typed.
import type { IndexName } from '../../../../src/query/query.ts';
import { aggregate, typeAhead } from '../../../api/search-api.ts';
import { printField, printValue } from '../../../model/completion.ts';
import type { KnownField } from '../../../model/field-catalogue.ts';
import { type Facet, kindOf } from '../../../model/kinds.ts';
import { facetsBody } from '../../../model/search-body.ts';
import { defaultSearch } from '../../../model/search-state.ts';

/** A suggested value. */
export interface ValueSuggestion {
  /** The text to insert, quoted where necessary. */
  readonly written: string;
  readonly shown: string;
  /** The number of documents with the value; null: not counted. */
  readonly count: number | null;
}

/** A value found in some field, with a clause for it. */
export interface AnywhereSuggestion extends ValueSuggestion {
  readonly label: string;
  readonly count: number;
}

const SUGGESTIONS_MAX = 8;
const ANYWHERE_MAX = 4;
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
      return prefix === ''
        ? SPANS.map(([written, shown]) => ({ written, shown, count: null }))
        : [];
    case 'long':
    case 'double':
      return [];
    case 'text':
    case 'keyword': {
      const values =
        prefix === ''
          ? await counted(index, field, null, signal)
          : await startingWith(index, field, prefix, signal);
      return values.map(({ value, count }) => ({
        written: printValue(value),
        shown: value,
        count,
      }));
    }
  }
}

/**
 * Values of the facets that have a word with the given start, the most frequent first.
 * @throws ApiFault
 */
export async function valuesAnywhere(
  index: IndexName,
  start: string,
  signal: AbortSignal,
): Promise<AnywhereSuggestion[]> {
  const { facets } = kindOf(index);
  const texts = facets.filter(({ kind }) => kind !== 'boolean');
  const body = facetsBody(defaultSearch(index), texts, () => ANYWHERE_MAX, null, start);
  const results = await aggregate(body, signal);
  return texts
    .flatMap((facet, at) => {
      const result = results[`facet${at}`];
      const buckets = (facet.nested === undefined ? result : result?.values)?.buckets ?? [];
      return buckets.map((bucket) => ({
        written: clauseOf(facet, String(bucket.key)),
        shown: String(bucket.key),
        count: bucket.documents?.doc_count ?? bucket.doc_count,
        label: facet.label,
      }));
    })
    .sort((one, other) => other.count - one.count)
    .slice(0, ANYWHERE_MAX);
}

function clauseOf({ field, nested }: Facet, value: string): string {
  if (nested === undefined) return `${printField(field)}:${printValue(value)}`;
  return `@${nested}(${printField(field.slice(nested.length + 1))}:${printValue(value)})`;
}

interface Counted {
  readonly value: string;
  readonly count: number;
}

/** Completes a prefix, as the service does, and counts the values. */
async function startingWith(
  index: IndexName,
  field: KnownField,
  query: string,
  signal: AbortSignal,
): Promise<readonly Counted[]> {
  const where =
    field.nested === null
      ? { field: field.path }
      : { field: field.path.slice(field.nested.length + 1), nestedType: field.nested };
  const typeAheadQuery = { query, ...where, size: SUGGESTIONS_MAX, maxExpansions: 50 };
  const body = { indices: [index], queryType: 'TYPEAHEAD', typeAheadQuery };
  const values = await typeAhead(body, signal);
  const counts = values.length === 0 ? [] : await counted(index, field, values, signal);
  return values.map((value) => ({
    value,
    count: counts.find((one) => one.value === value)?.count ?? 0,
  }));
}

/** Counts the most frequent values. @param among only these; null: all */
async function counted(
  index: IndexName,
  { path, nested }: KnownField,
  among: readonly string[] | null,
  signal: AbortSignal,
): Promise<readonly Counted[]> {
  const include = among === null ? {} : { include: among };
  const terms = { terms: { field: path, size: SUGGESTIONS_MAX, ...include } };
  const values = nested === null ? terms : { nested: { path: nested }, aggs: { values: terms } };
  const results = await aggregate({ indices: [index], aggregationsDsl: { values } }, signal);
  const result = nested === null ? results['values'] : results['values']?.values;
  return (result?.buckets ?? []).map(({ key, key_as_string, doc_count }) => ({
    value: key_as_string ?? String(key),
    count: doc_count,
  }));
}

function plain(word: string): ValueSuggestion {
  return { written: word, shown: word, count: null };
}
