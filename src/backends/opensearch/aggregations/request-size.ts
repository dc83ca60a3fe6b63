// The size of an aggregation request. Sub-aggregations are repeated in each filter, range and
// bucket for missing values, so a small tree may expand to a body that exceeds the memory: it is
// counted before it is serialized.
import { ServiceError } from '../../../errors.ts';
import type { Json } from '../requests/query-to-body.ts';

const PARTS_MAX = 10_000;

/** @throws ServiceError `limit_exceeded` */
export function checkSize(aggs: Json): void {
  if (partsLeft(aggs, PARTS_MAX) >= 0) return;
  const cause = `The aggregations have more than ${PARTS_MAX} parts, which is the limit with OpenSearch: each filter, range and bucket for missing values repeats all its sub-aggregations. Use fewer of them, or fewer levels`;
  throw new ServiceError('limit_exceeded', cause, { causes: [cause] });
}

/** Stops as soon as none are left. */
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
