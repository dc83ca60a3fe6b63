// Counts the hits of some questions in each system. A question without hits measures nothing, and
// systems with different counts have not done the same work.
import { type Address, ask, type HttpRequest } from '../client.ts';
import type { Question, SystemName } from '../questions/question.ts';
import { median } from './figures.ts';

export interface Hits {
  /** Share of the questions that have hits, 0 to 1. */
  readonly share: number;
  /** Median over the questions: matches of a page, sum of counts of an aggregation. */
  readonly median: number;
}

export async function sampleHits(
  system: SystemName,
  questions: readonly Question[],
  address: (question: Question) => Promise<Address>,
): Promise<Hits> {
  const counts: number[] = [];
  for (const question of questions) {
    counts.push(await countHits(await address(question), question[system], system));
  }
  const some = counts.filter((count) => count > 0).length;
  return { share: some / counts.length, median: median(counts) };
}

/** The number of matches, or the sum of the counts of an aggregation; 1 for a single document. */
export async function countHits(
  to: Address,
  request: HttpRequest,
  system: SystemName,
): Promise<number> {
  const { head, body } = await ask(to, withTotal(request, system));
  const total = /\r\nx-total-count: *(\d+)/i.exec(head)?.[1];
  const answer = body === null || body.length === 0 ? {} : (JSON.parse(String(body)) as Answer);
  if (answer.aggregations !== undefined) return sumOf(answer.aggregations);
  if (total !== undefined) return Number(total);
  return answer.count ?? answer.hits?.total?.value ?? 1;
}

interface Answer {
  readonly aggregations?: unknown;
  readonly count?: number;
  readonly hits?: { readonly total?: { readonly value: number } };
}

/** The request, with the exact total requested. */
function withTotal(request: HttpRequest, system: SystemName): HttpRequest {
  const { path, body } = request;
  const isSearch = /\/(_search|search)(\?|$)/.test(path);
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
