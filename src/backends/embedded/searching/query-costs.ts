// Estimates the time of a request by the recent times of requests of the same shape, before it
// runs. A shape is a request without its values.
// Invariant: an estimate decides where a request runs, never its result.
import { HASH_START, hashNumber, hashText } from '../../../query/fnv-hash.ts';
import type { QueryRequest } from './query-request.ts';

/** Most shapes; beyond that all are removed. A tenant's clients send a few dozen. */
const SHAPES_MAX = 4_096;
/** Weight of the newest measurement. */
const NEWEST = 0.3;
/** A measurement at most doubles the estimate, as it may include a pause of the machine. */
const GROWTH_MAX = 2;

export class QueryCosts {
  readonly #estimates = new Map<number, number>();
  /** Shapes whose next request the main thread runs to its end. */
  readonly #unfinished = new Set<number>();

  /** Milliseconds; undefined for an unknown shape. */
  estimate(shape: number): number | undefined {
    return this.#estimates.get(shape);
  }

  /**
   * @param triedMs time after which the main thread sent the request to a worker; 0: it did not
   */
  record(shape: number, tookMs: number, triedMs = 0): void {
    // The worker had cached what the main thread did not have the time to compute.
    if (tookMs < triedMs) this.#unfinished.add(shape);
    const previous = this.#estimates.get(shape);
    if (previous === undefined) {
      if (this.#estimates.size >= SHAPES_MAX) {
        this.#estimates.clear();
        this.#unfinished.clear();
      }
      this.#estimates.set(shape, tookMs);
      return;
    }
    const bounded = Math.min(tookMs, previous * GROWTH_MAX);
    this.#estimates.set(shape, previous + (bounded - previous) * NEWEST);
  }

  /**
   * True once after a worker took less time than the main thread had tried: the main thread should
   * run this request to its end, so that it caches as much. Otherwise it would try each time.
   */
  takeUnfinished(shape: number): boolean {
    return this.#unfinished.delete(shape);
  }
}

/** Members that are values and do not belong to the shape. */
const VALUES = new Set(['value', 'values', 'pattern', 'gt', 'gte', 'lt', 'lte', 'searchAfter']);

/** Characters of a value that its hash includes. */
const HASHED_CHARACTERS = 64;
/**
 * Most values that a shape includes. A plan with more is large: walking all of it, or serializing
 * it for a worker, takes longer than one step of the event loop should.
 */
const VALUES_MAX = 4_096;

export interface Shape {
  /** A hash that requests of the same tenant and shape share. */
  readonly hash: number;
  /** A hash that equal requests of the same tenant share, and few others. */
  readonly requestHash: number;
  /** True if the plan is too large to process in one step, by its clauses and values. */
  readonly isLarge: boolean;
}

export function shapeOf(tenantId: string, { kind, plan }: QueryRequest): Shape {
  const { targets, sort, size, from, trackTotal } = plan;
  const walk = new ShapeWalk();
  walk.number(magnitude(size));
  walk.number(magnitude(from));
  walk.number(trackTotal ? 1 : 0);
  walk.value(sort);
  walk.value(targets);
  const hash = hashText(hashText(walk.hash, tenantId), kind) >>> 0;
  return { hash, requestHash: hash ^ walk.valuesHash, isLarge: walk.remaining < 0 };
}

const magnitude = (count: number): number => 32 - Math.clz32(count);

/** Hashes a value without the parts that do not belong to its shape, up to VALUES_MAX. */
class ShapeWalk {
  hash = HASH_START;
  /** Of the parts that do not belong to the shape. */
  valuesHash = HASH_START;
  remaining = VALUES_MAX;

  number(number: number): void {
    this.hash = hashNumber(this.hash, number);
  }

  value(value: unknown): void {
    this.remaining -= 1;
    if (this.remaining < 0) return;
    if (typeof value === 'string') this.hash = hashText(this.hash, value);
    else if (Array.isArray(value)) this.#elements(value);
    else if (typeof value === 'object' && value !== null) {
      this.#members(value as Readonly<Record<string, unknown>>);
    }
  }

  #elements(list: readonly unknown[]): void {
    for (const one of list) {
      if (this.remaining < 0) return;
      this.value(one);
      this.number(1);
    }
  }

  #members(members: Readonly<Record<string, unknown>>): void {
    // Plain JSON: it inherits nothing. `for … in` makes no arrays, as each search takes this walk.
    for (const name in members) {
      const member = members[name];
      if (!VALUES.has(name)) {
        this.hash = hashText(this.hash, name);
        this.value(member);
      } else if (Array.isArray(member)) this.#values(member);
      else this.#oneValue(member);
    }
  }

  #values(list: readonly unknown[]): void {
    this.remaining -= list.length;
    if (this.remaining >= 0) for (const one of list) this.#oneValue(one);
  }

  #oneValue(value: unknown): void {
    const text = String(value);
    const start = text.slice(0, HASHED_CHARACTERS);
    this.valuesHash = hashText(hashNumber(this.valuesHash, text.length), start);
  }
}
