// The values of a field that complete a text: OpenSearch lists the distinct values of the elements
// that have a term with the prefix, with the matching documents of each, and this module decides
// which values complete the text. It has to list all of them to find the first terms of the index,
// for which OpenSearch has no other request.
import { orderOfValues, type ValueCount } from '../../engine/hits/typeahead.ts';
import { completes, termsOfValue } from '../../engine/terms/value-completion.ts';
import type { Typeahead, TypeaheadField } from '../../query/plan.ts';
import type { TypeaheadResult } from '../../service/ports/search-backend.ts';
import { columnName, encodedPath } from './requests/columns.ts';
import type { OpenTarget } from './requests/plan-to-body.ts';
import { type Json, queryBody } from './requests/query-to-body.ts';
import type { SearchFunction } from './requests/search-response.ts';

const VALUES_PER_REQUEST = 5_000;

export async function completeValues(
  targets: readonly OpenTarget[],
  typeahead: Typeahead,
  search: SearchFunction,
): Promise<TypeaheadResult> {
  const counts = new Map<string, number>();
  for (const target of targets) {
    const field = target.typeahead;
    const last = field?.terms.at(-1);
    if (field === undefined || last === undefined) continue;
    const values = await valuesOf(target, field, last, search);
    const ends = firstTerms(values.keys(), field, last, typeahead.maxExpansions);
    for (const [value, count] of values) {
      if (count === 0 || !completes(field, ends, value)) continue;
      counts.set(value, (counts.get(value) ?? 0) + count);
    }
  }
  const all: ValueCount[] = [...counts].map(([value, count]) => ({ value, count }));
  all.sort(orderOfValues(typeahead));
  return { values: all.slice(0, typeahead.size), total: all.length };
}

/** The terms that the last term expands to: the first terms of the index with that prefix. */
function firstTerms(
  values: Iterable<string>,
  { form }: TypeaheadField,
  last: string,
  most: number,
): ReadonlySet<string> {
  const terms = new Set<string>();
  for (const value of values) {
    for (const term of termsOfValue(value, form)) if (term.startsWith(last)) terms.add(term);
  }
  const byValue = orderOfValues({ by: 'value', order: 'asc' });
  const sorted = [...terms].map((value) => ({ value, count: 0 })).sort(byValue);
  return new Set(sorted.slice(0, most).map(({ value }) => value));
}

interface Bucket {
  readonly key: { readonly value: string };
  readonly counted?: { readonly doc_count: number };
  readonly roots?: { readonly counted?: { readonly doc_count: number } };
}

interface Values {
  readonly after_key?: Json;
  readonly buckets: readonly Bucket[];
}

/** Distinct values and the number of counted documents with each, page by page. */
async function valuesOf(
  target: OpenTarget,
  field: TypeaheadField,
  last: string,
  search: SearchFunction,
): Promise<Map<string, number>> {
  const countByValue = new Map<string, number>();
  let after: Json | undefined;
  do {
    const body = valuesBody(target, field, last, after);
    const { aggregations = {} } = await search([target], body, false);
    const values = valuesIn(aggregations);
    for (const { key, counted, roots } of values.buckets) {
      countByValue.set(key.value, (counted ?? roots?.counted)?.doc_count ?? 0);
    }
    after = values.after_key;
  } while (after !== undefined);
  return countByValue;
}

function valuesIn(aggregations: Readonly<Record<string, unknown>>): Values {
  const outer = aggregations['elements'] ?? aggregations['held'];
  const { held, values } = outer as { held?: { values: Values }; values?: Values };
  return held?.values ?? values ?? { buckets: [] };
}

function valuesBody(
  { mapping, visible }: OpenTarget,
  field: TypeaheadField,
  last: string,
  after: Json | undefined,
): Json {
  const counted = { filter: queryBody(field.filter, { mapping, path: null }) };
  const below =
    field.nested === null ? { counted } : { roots: { reverse_nested: {}, aggs: { counted } } };
  const values = {
    composite: {
      size: VALUES_PER_REQUEST,
      sources: [{ value: { terms: { field: columnName(field.field, 'exact') } } }],
      ...(after === undefined ? {} : { after }),
    },
    aggs: below,
  };
  const prefix = { kind: 'prefix', field: field.field, form: field.form, value: last } as const;
  const held = {
    filter: queryBody(prefix, { mapping, path: field.nested }),
    aggs: { values },
  };
  const aggs =
    field.nested === null
      ? { held }
      : { elements: { nested: { path: encodedPath(field.nested) }, aggs: { held } } };
  const query =
    visible === undefined ? { match_all: {} } : queryBody(visible, { mapping, path: null });
  return { query, size: 0, track_total_hits: false, aggs };
}
