// OpenSearch's limit of buckets in one request, and the error for exceeding it. The caller then
// requests fewer documents at a time; only the buckets of a single document cannot be divided.
import { ServiceError } from '../../../errors.ts';

/** OpenSearch's default of `search.max_buckets`; also the most values of a field in one request. */
export const BUCKETS_MAX = 65_535;

/** OpenSearch has more buckets or values than it returns. */
export class TooManyBuckets extends ServiceError {
  constructor() {
    const cause =
      'A single document has more buckets than OpenSearch returns (search.max_buckets): filter the values or use fewer levels';
    super('limit_exceeded', cause, { causes: [cause] });
  }
}
