// How many buckets OpenSearch makes for one request, and how it is told that they were not enough.
// Whoever aggregates asks for fewer documents at a time then; only what a single document comes to
// cannot be divided.
import { ServiceError } from '../../../errors.ts';

/** OpenSearch's default of `search.max_buckets`; also the values that are asked for at a time. */
export const BUCKETS_MAX = 65_535;

/** OpenSearch has more buckets or values than it gives. */
export class TooManyBuckets extends ServiceError {
  constructor() {
    const cause =
      'A single document comes to more buckets than OpenSearch makes (search.max_buckets): filter the values or use fewer levels';
    super('limit_exceeded', cause, { causes: [cause] });
  }
}
