// Plans of requests that came before. Dashboards and scripts ask the same again and again, and reading a query costs more
// than answering a small one.
// Invariant: a plan is given again only for the same body, parameters, tenant and fields, and never one that the clock
// went into.
import { nowReadCount } from '../../query/dates/dates.ts';
import type { SearchParameters } from '../../query/page.ts';
import type { Mappings } from '../documents/mapping-cache.ts';

/** A request as far as its plan depends on it. */
export interface Question {
  readonly asks: 'search' | 'count' | 'aggregate';
  readonly tenantId: string;
  /** Parsed JSON. One that may still change is never remembered; a frozen one must be frozen in depth. */
  readonly body: unknown;
  readonly parameters: SearchParameters;
  readonly mappings: Mappings;
}

interface Kept extends Question {
  readonly planned: object;
}

/** Plans of one body: as many pages, tenants and uses of it as this. */
const KEPT_MAX = 8;

/** Remembers a plan for as long as somebody keeps the body that it was made of. */
export class PlanCache {
  readonly #kept = new WeakMap<object, Kept[]>();

  /**
   * What `plan` resolves to, or resolved to before; for one `asks` always of the same type. A plan during which the clock
   * was read, by this request or by another one between its steps, is not kept.
   */
  async through<Planned extends object>(
    question: Question,
    plan: () => Promise<Planned>,
  ): Promise<Planned> {
    const { body } = question;
    if (typeof body !== 'object' || body === null) return plan();
    const known = this.#kept.get(body)?.find((one) => isSame(one, question));
    if (known?.mappings === question.mappings) return known.planned as Planned;
    const before = nowReadCount();
    const planned = await plan();
    if (nowReadCount() === before && Object.isFrozen(body))
      this.#keep(body, { ...question, planned });
    return planned;
  }

  /** In place of a plan for other fields, if there is one. */
  #keep(body: object, entry: Kept): void {
    const kept = this.#kept.get(body) ?? [];
    const at = kept.findIndex((one) => isSame(one, entry));
    if (at >= 0) kept.splice(at, 1);
    else if (kept.length >= KEPT_MAX) kept.shift();
    kept.push(entry);
    this.#kept.set(body, kept);
  }
}

function isSame(one: Question, other: Question): boolean {
  const { offset, limit, count } = one.parameters;
  return (
    one.asks === other.asks &&
    one.tenantId === other.tenantId &&
    offset === other.parameters.offset &&
    limit === other.parameters.limit &&
    count === other.parameters.count
  );
}
