// How much an answer may hold. It is asked before memory is taken for what would be told.
import { ServiceError } from '../../errors.ts';
import { limitSetting } from '../../query/limits.ts';

export class Budget {
  readonly #max: number;
  #left: number;

  /** @param max buckets and hits */
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

  /** Throws where so many would be too many, without taking them. */
  check(count: number): void {
    if (!(count <= this.#left)) throw this.exceeded();
  }

  exceeded(): ServiceError {
    const cause = `The aggregations come to more than ${this.#max} buckets; the limit is ${limitSetting('maxBuckets')}. Use larger intervals, smaller sizes or fewer levels`;
    return new ServiceError('limit_exceeded', cause, { causes: [cause] });
  }
}
