// A recorded request and a rule of faults in one line each.
import type { FaultRule, RecordedRequest } from '../../../src/testing/types.ts';

/** `POST /v2024/search, limit 250, offset 500, sort name`. */
export function requestText(request: RecordedRequest): string {
  const { method, path, search } = request;
  const limit = search?.limit ?? request.limit;
  const offset = search?.offset ?? request.offset;
  return [
    `${method} ${path}`,
    ...(search?.indices === undefined ? [] : [search.indices.join(' and ')]),
    ...(limit === undefined ? [] : [`limit ${limit}`]),
    ...(offset === undefined ? [] : [`offset ${offset}`]),
    ...(search?.sort === undefined ? [] : [`sort ${search.sort.join(', ')}`]),
    ...(search?.searchAfter === true ? ['searchAfter'] : []),
  ].join(', ');
}

/** `429, Retry-After 1`; a dash if the connection was closed without a whole answer. */
export function outcomeText({ status, retryAfter, fault }: RecordedRequest): string {
  return [
    status === null ? '–' : String(status),
    ...(retryAfter === undefined ? [] : [`Retry-After ${retryAfter}`]),
    ...(fault === true ? ['injected'] : []),
  ].join(', ');
}

/** `the first 2 of POST /v2024/search`. */
export function matchText({ match = {} }: FaultRule): string {
  const { method, path, client, probability, every, first } = match;
  const what = [method, path].filter((part) => part !== undefined).join(' ');
  const requests = [
    what === '' ? 'all requests' : what,
    ...(client === undefined ? [] : [`by ${client}`]),
  ].join(' ');
  if (first !== undefined) return `the first ${first} of ${requests}`;
  if (every !== undefined) return `1 in ${every} of ${requests}`;
  if (probability !== undefined) return `${percent(probability)} of ${requests}`;
  return requests;
}

/** `after 2 s, 429, Retry-After 1`. */
export function effectText({ then }: FaultRule): string {
  const { status, retryAfter, delayMs, drop, truncate } = then;
  return [
    ...(delayMs === undefined ? [] : [`after ${delayMs} ms`]),
    ...(status === undefined ? [] : [`status ${status}`]),
    ...(retryAfter === undefined ? [] : [`Retry-After ${retryAfter}`]),
    ...(drop === undefined ? [] : ['connection closed']),
    ...(truncate === undefined ? [] : [`connection closed after ${truncate} bytes`]),
  ].join(', ');
}

function percent(share: number): string {
  return `${Number((share * 100).toPrecision(3))}%`;
}
