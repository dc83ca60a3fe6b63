// Paging, sorting and filtering parameters of the collections of profile management, and the
// envelope of their pages (contract/profiles.md section 3). Unknown parameters are ignored with a
// warning; of a repeated one the last counts.
// Invariant: a page is as large as requested or the request fails, since clients page on by the
// limit they sent.
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  type Collection,
  type FilterRule,
  type FilterValue,
  LIMIT_DEFAULT,
  type Page,
  type PageRequest,
} from '../../../service/ports/collection.ts';
import { parameterRefused } from '../../../service/profiles/resources/faults.ts';
import { readTimeSpan } from '../../../service/profiles/resources/sent-time.ts';
import { wireName } from '../../../service/profiles/resources/wire-names.ts';
import { parameterWarnings } from '../../responses/misplaced-parameters.ts';
import { writeWarnings } from '../../responses/warning-header.ts';

/** The form of a collection whose request did not ask for metadata (`CARDEA_COLLECTION_ENVELOPE`). */
export type Envelope = 'array' | 'keyed';

/** Parameters of every collection. A member with such a name is no filter: `order` of risk levels. */
export const PAGING: readonly string[] = ['limit', 'offset', 'order', 'metadata'];
/** The other spelling of every parameter. */
const BRACKETED = /^query\[([^[\]]+)\]$/;
/** The agent of the warnings about parameters. */
const WARN_AGENT = 'cardea';
/** Longest name of which a warning says that it is sent twice. */
const SHOWN_CHARACTERS = 60;

/**
 * The parameters of a request, the last one of each name. `query[limit]` is another spelling of
 * `limit`, and so on for each parameter; beside `limit` itself it is ignored.
 */
export function parametersOf(request: FastifyRequest): ReadonlyMap<string, string> {
  const sent = Object.entries(request.query as Record<string, string | string[]>);
  const parameters = new Map<string, string>();
  for (const spelling of ['bracketed', 'plain']) {
    for (const [name, value] of sent) {
      const inner = BRACKETED.exec(name)?.[1];
      if ((inner === undefined) === (spelling === 'bracketed')) continue;
      parameters.set(inner ?? name, Array.isArray(value) ? (value.at(-1) ?? '') : value);
    }
  }
  return parameters;
}

/**
 * Reads the requested page, order and filters.
 * @throws ServiceError `request_invalid`
 */
export function readPageRequest(request: FastifyRequest, collection: Collection): PageRequest {
  const parameters = parametersOf(request);
  return {
    ...readWindow(parameters, collection.limitMax),
    order: readOrder(parameters.get('order'), collection),
    metadata: readFlag('metadata', parameters.get('metadata')) ?? false,
    filters: readFilters(parameters, collection),
  };
}

/** The parameters of the request that the collection does not have. */
export function otherParameters(
  request: FastifyRequest,
  collection: Collection,
): ReadonlyMap<string, string> {
  const supported = parameterNames(collection);
  return new Map([...parametersOf(request)].filter(([name]) => !supported.includes(name)));
}

/**
 * Adds a `Warning` header with the unknown parameters of a request and those in brackets beside
 * another value of the same: an ignored filter would otherwise look like one that matches everything.
 */
export function warnOfUnknownParameters(
  request: FastifyRequest,
  reply: FastifyReply,
  collection: Collection,
  unknown: Iterable<string> = [],
): void {
  const known = {
    names: parameterNames(collection),
    orders: orderNames(collection),
    isOpen: collection.isOpen === true,
  };
  const warnings = [...parameterWarnings([...unknown], known, 'nerm'), ...shadowed(request)];
  if (warnings.length > 0) writeWarnings(reply, warnings, WARN_AGENT);
}

/** Adds a `Warning` header with hints about the body of a request. */
export function warnOfBody(reply: FastifyReply, hints: readonly string[]): void {
  if (hints.length === 0 || reply.sent) return;
  writeWarnings(
    reply,
    hints.map((text) => ({ text })),
    WARN_AGENT,
  );
}

/** Parameters in brackets that are ignored, as the plain one has another value. */
function shadowed(request: FastifyRequest): readonly { readonly text: string }[] {
  const sent = request.query as Readonly<Record<string, string | string[]>>;
  const plain = parametersOf(request);
  return Object.entries(sent).flatMap(([name, value]) => {
    const inner = BRACKETED.exec(name)?.[1];
    if (inner === undefined || !Object.hasOwn(sent, inner)) return [];
    const last = Array.isArray(value) ? value.at(-1) : value;
    if (last === plain.get(inner) || inner.length > SHOWN_CHARACTERS) return [];
    return [{ text: `"${name}" is not read, as "${inner}" is sent, too; send one of them` }];
  });
}

/** The wire names of all parameters of a collection. */
function parameterNames({ filters, filterAliases = {}, parameters = [] }: Collection): string[] {
  const usable = Object.keys(filters).filter((member) => filters[member]?.type !== 'none');
  const names = [...usable.map(wireName), ...Object.keys(filterAliases)];
  return [...new Set([...PAGING, ...parameters, ...names])];
}

/**
 * Reads `limit` and `offset`.
 * @throws ServiceError `request_invalid`
 */
function readWindow(
  parameters: ReadonlyMap<string, string>,
  limitMax: number,
): Pick<PageRequest, 'limit' | 'offset'> {
  const limit = parameters.get('limit');
  const offset = parameters.get('offset');
  return {
    limit: limit === undefined ? LIMIT_DEFAULT : readInteger('limit', limit, 1, limitMax),
    offset: offset === undefined ? 0 : readInteger('offset', offset, 0, Number.MAX_SAFE_INTEGER),
  };
}

/**
 * Reads a boolean parameter in any case, as Python writes `True`; undefined if it is not sent.
 * @throws ServiceError `request_invalid`
 */
export function readFlag(name: string, value: string | undefined): boolean | undefined {
  switch (value?.toLowerCase()) {
    case undefined:
      return undefined;
    case 'true':
    case '1':
      return true;
    case 'false':
    case '0':
      return false;
    default:
      throw parameterRefused(`${name} must be true or false`);
  }
}

/**
 * The response body of a page.
 * @param envelope `object`: always keyed, for what is no collection
 * @throws ServiceError `request_invalid` for an empty page of `keyed`: clients of the public service
 * read pages until this error. Pages by id end with an empty one there, too.
 */
export function envelopedPage(
  request: FastifyRequest,
  { key }: Pick<Collection, 'key'>,
  { limit, offset, metadata }: Pick<PageRequest, 'limit' | 'offset' | 'metadata'>,
  page: Page<object>,
  envelope: Envelope | 'object',
): object {
  if (envelope === 'keyed' && page.rows.length === 0 && page.afterId === undefined)
    throw parameterRefused(`no ${key.replaceAll('_', ' ')} found`);
  if (!metadata) return envelope === 'array' ? page.rows : { [key]: page.rows };
  const { rows, total, afterId } = page;
  const all = total ?? rows.length;
  const at = (start: number) => link(request, { offset: start, limit });
  const _metadata =
    afterId === undefined
      ? {
          limit,
          offset,
          total: all,
          next: offset + rows.length < all && rows.length > 0 ? at(offset + limit) : '',
          previous: offset > 0 ? at(Math.max(0, offset - limit)) : '',
        }
      : {
          limit,
          offset,
          total: all,
          next: rows.length === limit ? link(request, { after_id: afterId ?? '', limit }) : '',
          previous: '',
          after_id: afterId,
        };
  return { [key]: rows, _metadata };
}

/** The URL of another page: its window, then the other parameters of the request. */
function link(request: FastifyRequest, window: Readonly<Record<string, string | number>>): string {
  const others = [...parametersOf(request)].filter(
    ([name]) => name !== 'limit' && name !== 'offset' && !Object.hasOwn(window, name),
  );
  const parts = [...Object.entries(window), ...others].map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  );
  return `${request.url.split('?', 1)[0]}?${parts.join('&')}`;
}

function readInteger(name: string, value: string, least: number, most: number): number {
  const number = /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= least && number <= most) return number;
  const bounds = most === Number.MAX_SAFE_INTEGER ? `from ${least} on` : `from ${least} to ${most}`;
  throw parameterRefused(`${name} must be an integer ${bounds}`);
}

/** The order of creation, which every collection has, also where its records do not show the time. */
const BY_CREATION = 'created_at';

/** The values of `order`. */
export function orderNames({ orders }: Pick<Collection, 'orders'>): readonly string[] {
  return [...new Set([...orders.map(wireName), BY_CREATION])];
}

/** @returns null for the order of creation */
function readOrder(value: string | undefined, collection: Collection): string | null {
  if (value === undefined) return null;
  const member = collection.orders.find((candidate) => wireName(candidate) === value);
  if (member !== undefined) return member;
  if (value === BY_CREATION) return null;
  throw parameterRefused(`order must be one of ${orderNames(collection).join(', ')}`);
}

function readFilters(
  parameters: ReadonlyMap<string, string>,
  { filters, filterAliases = {} }: Collection,
): Record<string, FilterValue> {
  const read: Record<string, FilterValue> = {};
  const readAs = (name: string, member: string, rule: FilterRule) => {
    const sent = parameters.get(name) ?? '';
    if (sent === '') return;
    const value = readFilter(name, sent, rule);
    if (Object.hasOwn(read, member) && read[member] !== value) {
      throw parameterRefused(`${name} contradicts ${wireName(member)}; send one of them`);
    }
    read[member] = value;
  };
  for (const [member, rule] of Object.entries(filters)) {
    const name = wireName(member);
    if (!PAGING.includes(name)) readAs(name, member, rule);
  }
  for (const [name, member] of Object.entries(filterAliases)) {
    const rule = filters[member];
    if (rule !== undefined) readAs(name, member, rule);
  }
  return read;
}

function readFilter(name: string, value: string, rule: FilterRule): FilterValue {
  switch (rule.type) {
    case 'text':
    case 'exact':
    case 'key':
    case 'reference':
    case 'part':
    case 'item':
    case 'itemReference':
      return value;
    case 'number': {
      const number = /^[+-]?\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN;
      if (Number.isFinite(number)) return number;
      throw parameterRefused(`${name} must be a number`);
    }
    case 'time':
      return readTimeSpan(name, value);
    case 'none':
      throw parameterRefused(`${name} cannot be a filter, as its value is no text, number or flag`);
    case 'flag':
      return readFlag(name, value) ?? false;
    case 'word': {
      const word = rule.words.find((candidate) => candidate.toLowerCase() === value.toLowerCase());
      if (word !== undefined) return word;
      throw parameterRefused(`${name} must be one of ${rule.words.join(', ')}`);
    }
  }
}
