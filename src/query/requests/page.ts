// Reads the URL parameters `offset`, `limit` and `count`.
import { invalid } from '../body.ts';
import { limitFault, type QueryLimits } from '../limits.ts';

/** Raw parameter strings; absent ones have defaults. */
export interface SearchParameters {
  readonly offset?: string;
  readonly limit?: string;
  readonly count?: string;
}

export interface Page {
  readonly from: number;
  readonly size: number;
  readonly count: boolean;
}

const DEFAULT_SIZE = 250;
const MAX_INT32 = 2_147_483_647;

/** @throws ServiceError `request_invalid`, `limit_exceeded` */
export function pageOf(parameters: SearchParameters, limits: QueryLimits): Page {
  const from = integer('offset', parameters.offset, 0);
  const size = integer('limit', parameters.limit, DEFAULT_SIZE);
  const count = (parameters.count ?? 'false').toLowerCase();
  if (count !== 'true' && count !== 'false') throw invalid('count: expected true or false');
  if (size > limits.maxWindow) throw limitFault('maxWindow', limits.maxWindow, 'rows in limit');
  if (from + size > limits.maxWindow) {
    throw limitFault(
      'maxWindow',
      limits.maxWindow,
      'rows in offset + limit, use searchAfter to go on',
    );
  }
  return { from, size, count: count === 'true' };
}

function integer(name: string, text: string | undefined, defaultValue: number): number {
  if (text === undefined) return defaultValue;
  const value = /^[+-]?\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= 0 && value <= MAX_INT32) return value === 0 ? 0 : value;
  throw invalid(
    `${name}: ${JSON.stringify(text.slice(0, 40))} is not a whole number of at least 0`,
  );
}
