// Counts the matches of a workload's sample request in each system. Systems with different counts
// have not done the same work.
import { type Address, ask, type HttpRequest } from './client.ts';
import type { Cell, SystemName } from './workload.ts';

/** The number of matches, or the sum of the aggregations; null if the response has neither. */
export async function countMatches(
  to: Address,
  cell: Cell,
  system: SystemName,
): Promise<number | null> {
  const { head, body } = await ask(to, withTotal(cell.sample(system), system));
  const total = /\r\nx-total-count: *(\d+)/i.exec(head)?.[1];
  const answer = body === null || body.length === 0 ? {} : (JSON.parse(String(body)) as Answer);
  if (answer.aggregations !== undefined) return sumOf(answer.aggregations);
  if (total !== undefined) return Number(total);
  return answer.count ?? answer.hits?.total?.value ?? null;
}

interface Answer {
  readonly aggregations?: unknown;
  readonly count?: number;
  readonly hits?: { readonly total?: { readonly value: number } };
}

/** The request, with the exact total requested. */
function withTotal(request: HttpRequest, system: SystemName): HttpRequest {
  const { path, body } = request;
  const isSearch = /\/(_search|search)\?|\/_search$/.test(path);
  if (!isSearch) return request;
  if (system === 'cardea') return { ...request, path: `${path}&count=true` };
  return { ...request, body: { ...(body as object), track_total_hits: true } };
}

/** The sum of all counts and values in a tree of aggregations. */
function sumOf(tree: unknown): number {
  if (typeof tree !== 'object' || tree === null) return 0;
  let sum = 0;
  for (const [name, value] of Object.entries(tree)) {
    sum += (name === 'doc_count' || name === 'value') && typeof value === 'number' ? value : 0;
    sum += sumOf(value);
  }
  return sum;
}
