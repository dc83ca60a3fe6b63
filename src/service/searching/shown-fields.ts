// What is shown of an index without a choice, by what the visible documents have: fields of the tenant's
// own are looked at only where default fields are empty.
import { valuesOf } from '../../query/aggregation/aggregation-source.ts';
import type { Field, Kind } from '../../query/mapping/mapping.ts';
import type { Plan } from '../../query/plan.ts';
import type { IndexName } from '../../query/query.ts';
import type { RowsPlan } from '../../query/rows/rows-request.ts';
import {
  countedFields,
  isFilled,
  needsNoOthers,
  type ShownFields,
  shownFields,
} from '../../query/rows/shown-fields.ts';
import type { ReadOptions } from '../ports/search-backend.ts';
import type { VisibleIndexes } from '../views/visible-indexes.ts';
import { fieldBuckets } from './field-buckets.ts';

/** Own fields whose values are counted: those that most documents have. */
const OWN_MAX = 40;

/** @throws ServiceError as a search */
export async function shownIn(
  indexes: Pick<VisibleIndexes, 'mappings' | 'search' | 'count'>,
  index: IndexName,
  options: ReadOptions,
): Promise<ShownFields> {
  const { fields } = indexes.mappings[index];
  const search = (plan: Plan) => indexes.search(plan, options);
  const known = countedFields(index).flatMap((path) => fields.get(path) ?? []);
  const [total, buckets] = await Promise.all([
    indexes.count(allDocuments(index), options),
    fieldBuckets(search, index, known),
  ]);
  const documents = new Map(known.map(({ path }, at) => [path, buckets[at]?.doc_count ?? 0]));
  const filling = { total, documents };
  if (needsNoOthers(index, filling)) return shownFields(index, filling, []);
  const own = [...fields.values()].filter(
    ({ dynamic, nested, path }) => dynamic && nested === null && !documents.has(path),
  );
  const ownBuckets = await fieldBuckets(search, index, own);
  own.forEach(({ path }, at) => {
    documents.set(path, ownBuckets[at]?.doc_count ?? 0);
  });
  const countOf = ({ path }: Field) => documents.get(path) ?? 0;
  const filled = own
    .filter(({ path }) => isFilled(filling, path))
    .sort((a, b) => countOf(b) - countOf(a))
    .slice(0, OWN_MAX);
  const values = await fieldBuckets(search, index, filled, {
    inside: (field) => ({ values: { kind: 'cardinality', source: valuesOf(field) } }),
  });
  return shownFields(
    index,
    filling,
    filled.map((field, at) => ({
      ...{ path: field.path, kind: field.type as Kind, documents: countOf(field) },
      values: (values[at]?.['values'] as { readonly value: number } | undefined)?.value ?? 0,
    })),
  );
}

/** The plan with the columns that are shown, if it names none and its rows are documents of one index. */
export async function withShownColumns(
  plan: RowsPlan,
  indexes: Pick<VisibleIndexes, 'mappings' | 'search' | 'count'>,
  options: ReadOptions,
): Promise<RowsPlan> {
  const [only, second] = plan.targets;
  if (!plan.hasDefaultColumns || plan.path !== null || only === undefined || second) return plan;
  const { columns } = await shownIn(indexes, only.index, options);
  return {
    ...plan,
    columns: columns.map((field) => ({ header: field, field, path: field, ofElement: false })),
  };
}

function allDocuments(index: IndexName): Plan {
  return {
    targets: [{ index, query: { kind: 'matchAll' } }],
    ...{ sort: [], from: 0, size: 0, trackTotal: true },
    source: { includes: [], excludes: [], nested: false },
  };
}
