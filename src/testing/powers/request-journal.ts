// The recent requests of each tenant, for tests and the advisor.
// Invariant: an entry holds no header, no body and no value of a query but those of paging and
// sorting: no secret and no personal data of a search gets into it.
// Invariant: memory is bounded by ENTRIES_MAX entries of TENANTS_MAX tenants, each of bounded size.
import type { RecordedRequest } from '../types.ts';

/** A request as the server sees it. */
export interface ObservedRequest {
  readonly tenantId: string;
  readonly clientId: string;
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

export interface ObservedOutcome {
  readonly status: number | null;
  /** Epoch milliseconds, as `ended`. */
  readonly began: number;
  readonly ended: number;
  readonly retryAfter: number | null;
  readonly fault: boolean;
  readonly warned: boolean;
}

const ENTRIES_MAX = 1_000;
const TENANTS_MAX = 1_000;
/** Characters of a path and of each sort key, and number of keys, that an entry keeps. */
const TEXT_MAX = 300;
const LIST_MAX = 32;
/** A search; the name after it is an index if it is no part of the API. */
const SEARCH_PATH = /\/search(?:\/v1)?(?:\/(\w+))?$/;
const PARTS: ReadonlySet<string> = new Set(['count', 'aggregate', 'explain', 'rows', 'v1']);

interface TenantJournal {
  last: number;
  entries: RecordedRequest[];
}

export class RequestJournal {
  /** The tenant with the latest request comes last. */
  readonly #tenants = new Map<string, TenantJournal>();

  record(request: ObservedRequest, outcome: ObservedOutcome): void {
    const journal = this.#tenants.get(request.tenantId) ?? { last: 0, entries: [] };
    this.#tenants.delete(request.tenantId);
    this.#tenants.set(request.tenantId, journal);
    journal.last += 1;
    journal.entries.push(entryOf(journal.last, request, outcome));
    if (journal.entries.length > ENTRIES_MAX) journal.entries.shift();
    if (this.#tenants.size <= TENANTS_MAX) return;
    const [oldest] = this.#tenants.keys();
    if (oldest !== undefined) this.#tenants.delete(oldest);
  }

  /** The last requests of a tenant, the newest last. */
  entries(tenantId: string): readonly RecordedRequest[] {
    return this.#tenants.get(tenantId)?.entries ?? [];
  }

  /** The number of requests since the journal of the tenant began, with those it dropped. */
  total(tenantId: string): number {
    return this.#tenants.get(tenantId)?.last ?? 0;
  }

  forget(tenantId: string): void {
    this.#tenants.delete(tenantId);
  }
}

function entryOf(
  number: number,
  { clientId, method, path, query, body }: ObservedRequest,
  { status, began, ended, retryAfter, fault, warned }: ObservedOutcome,
): RecordedRequest {
  return {
    number,
    at: new Date(began).toISOString(),
    ms: ended - began,
    client: clientId,
    method,
    path: path.slice(0, TEXT_MAX),
    status,
    ...(retryAfter !== null && { retryAfter }),
    ...(fault && { fault }),
    ...(warned && { warned }),
    ...(query['refresh'] === 'wait' && { refreshWait: true as const }),
    ...(hasSecret(path, query) && { secretInQuery: true as const }),
    ...numbersOf(query),
    ...(SEARCH_PATH.test(path) && method === 'POST' && { search: searchOf(path, query, body) }),
  };
}

/** Whether the query of a token request has a secret; its value is not kept. */
function hasSecret(path: string, query: Readonly<Record<string, unknown>>): boolean {
  return path === '/oauth/token' && ('client_secret' in query || 'refresh_token' in query);
}

function numbersOf(query: Readonly<Record<string, unknown>>): { limit?: number; offset?: number } {
  const numbers: { limit?: number; offset?: number } = {};
  for (const name of ['limit', 'offset'] as const) {
    const text = query[name];
    if (typeof text === 'string' && /^\d{1,9}$/.test(text)) numbers[name] = Number(text);
  }
  return numbers;
}

function searchOf(
  path: string,
  query: Readonly<Record<string, unknown>>,
  body: unknown,
): NonNullable<RecordedRequest['search']> {
  const members = typeof body === 'object' && body !== null ? body : {};
  const { indices, sort, searchAfter, limit, offset } = members as Readonly<
    Record<string, unknown>
  >;
  return {
    ...indicesOf(path, indices),
    ...(Array.isArray(sort) && sort.length > 0 && { sort: textsOf(sort) }),
    ...numbersOf({ limit: String(limit), offset: String(offset), ...query }),
    searchAfter: Array.isArray(searchAfter) && searchAfter.length > 0,
  };
}

/** The indices of a search: the one in its path, or those in its body. */
function indicesOf(path: string, indices: unknown): { indices?: readonly string[] } {
  const name = SEARCH_PATH.exec(path)?.[1];
  if (name !== undefined && !PARTS.has(name)) return { indices: textsOf([name]) };
  return Array.isArray(indices) ? { indices: textsOf(indices) } : {};
}

function textsOf(values: readonly unknown[]): string[] {
  return values.slice(0, LIST_MAX).flatMap((value) => {
    return typeof value === 'string' ? [value.slice(0, TEXT_MAX)] : [];
  });
}
