// The number of buckets and hits that a response may still contain. It is checked before memory is
// allocated for them.
import { ServiceError } from '../../../errors.ts';
import { limitSetting } from '../../../query/limits.ts';

export class Budget {
  readonly #max: number;
  #left: number;

  /** @param max buckets and hits of the response */
  constructor(max: number) {
    this.#max = max;
    this.#left = max;
  }

  /** @throws ServiceError `limit_exceeded` */
  spend(count: number): void {
    this.#left -= count;
    if (!(this.#left < 0)) return;
    throw this.exceeded();
  }

  /** Throws if `count` is more than what is left, without spending it. */
  check(count: number): void {
    if (!(count <= this.#left)) throw this.exceeded();
  }

  exceeded(): ServiceError {
    const cause = `The aggregations create more than ${this.#max} buckets; the limit is ${limitSetting('maxBuckets')}. Use larger intervals, smaller sizes or fewer levels`;
    return new ServiceError('limit_exceeded', cause, { causes: [cause] });
  }
}
