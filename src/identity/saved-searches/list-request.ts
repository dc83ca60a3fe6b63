// Reads `offset`, `limit`, `count` and `filters` of a list of saved or scheduled searches.
import { ServiceError } from '../../errors.ts';
import { invalid } from '../../query/body.ts';
import type { ListPage } from '../ports/saved-search-records.ts';

export const MAX_LIST = 250;

/** Query parameters as text. */
export interface ListParameters {
  readonly offset?: string;
  readonly limit?: string;
  readonly count?: string;
  readonly filters?: string;
}

/** A page of a list. */
export interface Listed<T> {
  readonly items: readonly T[];
  /** null unless the caller requested the count. */
  readonly total: number | null;
}

/** @throws ServiceError `request_invalid` */
export function readPage({ offset, limit }: ListParameters): ListPage {
  return {
    offset: readNumber('offset', offset, 0, Number.MAX_SAFE_INTEGER),
    limit: readNumber('limit', limit, MAX_LIST, MAX_LIST),
  };
}

/** @throws ServiceError `request_invalid` */
export function readCount({ count }: ListParameters): boolean {
  if (count === undefined || count === '' || count === 'false') return false;
  if (count === 'true') return true;
  throw invalid('count: must be true or false');
}

/**
 * Reads comparisons joined by `and`, such as `owner.id eq "a" and savedSearchId eq "b"`.
 * @param fields those that may be compared
 * @returns the values by field
 * @throws ServiceError `request_invalid`
 */
export function readEqualities(
  filters: string | undefined,
  fields: readonly string[],
): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  const text = filters?.trim() ?? '';
  if (text === '') return values;
  const comparison = /\s*([\w.]+)\s+eq\s+(?:"((?:[^"\\]|\\.)*)"|([^\s"()]+))\s*(?:and(?=\s)|$)/iy;
  while (comparison.lastIndex < text.length) {
    const match = comparison.exec(text);
    const field = fields.find((name) => name === match?.[1]);
    if (match === null || field === undefined || values.has(field)) {
      const forms = fields.map((name) => `${name} eq "…"`).join(' and ');
      throw new ServiceError('request_invalid', 'The filter cannot be read.', {
        causes: [`filters: expected ${forms}`],
      });
    }
    values.set(field, (match[2] ?? match[3] ?? '').replaceAll(/\\(.)/g, '$1'));
    if (comparison.lastIndex === 0) break;
  }
  return values;
}

function readNumber(
  name: string,
  text: string | undefined,
  byDefault: number,
  max: number,
): number {
  if (text === undefined || text === '') return byDefault;
  const number = Number(text);
  if (/^\d{1,16}$/.test(text) && number <= max) return number;
  throw invalid(`${name}: a whole number from 0${max === MAX_LIST ? ` to ${MAX_LIST}` : ''}`);
}
