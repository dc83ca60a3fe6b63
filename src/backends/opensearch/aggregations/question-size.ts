// How large a request for aggregations comes to be. What is inside of a filter, a range or a bucket
// for missing values is asked for once in each, so a small tree may come to a body that no memory
// holds: it is counted before it is written.
import { ServiceError } from '../../../errors.ts';
import type { Json } from '../query-to-body.ts';

const PARTS_MAX = 10_000;

/** @throws ServiceError `limit_exceeded` */
export function checkSize(aggs: Json): void {
  if (partsLeft(aggs, PARTS_MAX) >= 0) return;
  const cause = `The aggregations come to more than ${PARTS_MAX} parts, which is the limit with OpenSearch: each filter, range and bucket for missing values has all that is inside. Use fewer of them, or fewer levels`;
  throw new ServiceError('limit_exceeded', cause, { causes: [cause] });
}

/** Ends as soon as none are left. */
function partsLeft(aggs: Json, most: number): number {
  let left = most;
  for (const part of Object.values(aggs)) {
    left -= 1;
    const { aggs: inside } = part as { readonly aggs?: Json };
    if (inside !== undefined && left >= 0) left = partsLeft(inside, left);
    if (left < 0) break;
  }
  return left;
}
