// A plan with an inner query on OpenSearch: its rows are elements of nested arrays, in the order of the documents
// that own them. Each document owns at least one, so the first documents are enough for the first rows.
import type { Hit, SearchResult } from '../../identity/ports/search-backend.ts';
import type { Plan } from '../../query/plan.ts';
import type { IndexName } from '../../query/query.ts';
import { STORED } from './columns.ts';
import { elementCountBody, type OpenTarget, searchBody } from './plan-to-body.ts';
import { type Ask, type FoundHit, hitOf } from './search-answer.ts';

const encoder = new TextEncoder();
const EMPTY = new Uint8Array(0);

export async function searchElements(
  targets: readonly OpenTarget[],
  plan: Plan,
  ask: Ask,
): Promise<SearchResult> {
  const asked = targets.filter(({ innerHit }) => innerHit !== undefined);
  const hits = plan.size === 0 || asked.length === 0 ? [] : await rowsOf(asked, plan, ask);
  return { hits, total: plan.trackTotal ? await countElements(asked, ask) : null };
}

/** How many rows there are in all. */
export async function countElements(targets: readonly OpenTarget[], ask: Ask): Promise<number> {
  let total = 0;
  for (const target of targets) {
    const { aggregations } = await ask([target], elementCountBody(target));
    const elements = aggregations?.['elements'] as { met?: { doc_count: number } } | undefined;
    total += elements?.met?.doc_count ?? 0;
  }
  return total;
}

async function rowsOf(targets: readonly OpenTarget[], plan: Plan, ask: Ask): Promise<Hit[]> {
  const documents: Plan = {
    ...plan,
    from: 0,
    size: plan.from + plan.size,
    trackTotal: false,
    source: { ...plan.source, nested: true },
  };
  const { body, order, scored } = searchBody(documents, targets);
  const answer = await ask(targets, body);
  const paths = new Map(targets.map(({ index, innerHit }) => [index, innerHit?.path ?? '']));
  const hits: Hit[] = [];
  let skip = plan.from;
  for (const found of answer.hits.hits) {
    if (hits.length >= plan.size) break;
    const document = hitOf(found, order, scored);
    const places = placesOf(found, document.index);
    if (skip >= places.length) {
      skip -= places.length;
      continue;
    }
    const path = paths.get(document.index) ?? '';
    const elements = elementsOf(found, path);
    for (const place of places.slice(skip, skip + plan.size - hits.length)) {
      const root = encoder.encode(JSON.stringify(elements[place]));
      hits.push({ ...document, root, nested: EMPTY, elementOf: path });
    }
    skip = 0;
  }
  return hits;
}

/** Which of the document's elements were found, ascending. */
function placesOf({ inner_hits }: FoundHit, index: IndexName): number[] {
  const found = inner_hits?.[index]?.hits.hits ?? [];
  return found.map(({ _nested }) => _nested.offset).sort((a, b) => a - b);
}

/** The objects of the array in order, as they were indexed. */
function elementsOf({ fields }: FoundHit, path: string): readonly unknown[] {
  const members = JSON.parse(`{${fields[STORED.nested]?.[0] ?? ''}}`) as Record<string, unknown>;
  return objectsIn(members[path]);
}

function objectsIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn);
  return typeof value === 'object' && value !== null ? [value] : [];
}
