// What a system found for a sample of a workload, as one number to hold beside the other system's: two that do not find
// the same have not done the same work.
import { type Address, ask, type HttpRequest } from './client.ts';
import type { Cell, SystemName } from './workload.ts';

/** Documents found, or what the aggregations counted; null where the answer has no such number. */
export async function countFound(
  to: Address,
  cell: Cell,
  system: SystemName,
): Promise<number | null> {
  const { head, body } = await ask(to, counting(cell.sample(system), system));
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

/** The request with a wish for the exact total. */
function counting(request: HttpRequest, system: SystemName): HttpRequest {
  const { path, body } = request;
  const isSearch = /\/(_search|search)\?|\/_search$/.test(path);
  if (!isSearch) return request;
  if (system === 'cardea') return { ...request, path: `${path}&count=true` };
  return { ...request, body: { ...(body as object), track_total_hits: true } };
}

/** All counts and values of a tree of aggregations. */
function sumOf(tree: unknown): number {
  if (typeof tree !== 'object' || tree === null) return 0;
  let sum = 0;
  for (const [name, value] of Object.entries(tree)) {
    sum += (name === 'doc_count' || name === 'value') && typeof value === 'number' ? value : 0;
    sum += sumOf(value);
  }
  return sum;
}
