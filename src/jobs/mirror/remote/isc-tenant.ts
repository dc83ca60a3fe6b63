// The search API and the auth users of a remote tenant. Documents stay the bytes that came in; only
// their ids are read.
import { OutboundTooLarge } from '../../../auth/outbound.ts';
import { jsonSource } from '../../../json/json-source.ts';
import type { IndexName } from '../../../query/query.ts';
import { ID_CHARACTERS_MAX, PAGE_ITEMS_MAX } from '../../../remote/remote-limits.ts';
import {
  answeredAt,
  BadAnswer,
  jsonOf,
  type ServiceAnswer,
  type ServiceClient,
} from '../../../remote/service-client.ts';
import type { PageItem } from '../../../service/documents/import-pages.ts';
import type { RemotePage, RemoteTenant } from './remote-tenant.ts';

/** The largest page of the public service. */
const PAGE = 250;
/** Ids in one query: their clauses stay far below every limit. */
const IDS_PER_QUERY = 50;
const ONLY_ID = { includes: ['id'] };
const TOO_MANY = `more than ${PAGE_ITEMS_MAX} documents on a page`;
/** Dates of more than four digits for the year are no query. */
const END_OF_YEARS = Date.UTC(10_000, 0);

export class IscTenant implements RemoteTenant {
  readonly #client: ServiceClient;

  constructor(client: ServiceClient) {
    this.#client = client;
  }

  async identity(): Promise<{ readonly name: string | null; readonly pod: string | null }> {
    const claims = claimsOf(await this.#client.token());
    const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null);
    const [name, pod] = [textOf(claims['org']), textOf(claims['pod'])];
    if (name !== null && pod !== null) return { name, pod };
    const [first] = await this.#search({ query: { query: '*' } }, 1);
    const envelope = first === undefined ? {} : parsedObject(Buffer.from(first.text));
    return { name: textOf(envelope['org']) ?? name, pod: textOf(envelope['pod']) ?? pod };
  }

  page({ index, query, after, limit = PAGE }: RemotePage): Promise<readonly PageItem[]> {
    const walk = after === null ? {} : { searchAfter: [after] };
    return this.#shrinking(limit, (size) =>
      this.#search({ indices: [index], query: { query }, sort: ['id'], ...walk }, size),
    );
  }

  async ids({ index, query, after, limit = PAGE }: RemotePage): Promise<readonly string[]> {
    const walk = after === null ? {} : { searchAfter: [after] };
    const items = await this.#search(
      {
        ...{ indices: [index], query: { query }, sort: ['id'], ...walk },
        queryResultFilter: ONLY_ID,
      },
      limit,
    );
    return items.map(({ id }) => id);
  }

  documents(index: IndexName, ids: readonly string[]): Promise<readonly PageItem[]> {
    return this.#byId(ids, (query, size) =>
      this.#shrinking(size, (limit) =>
        // A page that is too large is asked for again in halves, which need an order.
        this.#search({ indices: [index], query, sort: ['id'] }, limit),
      ),
    );
  }

  async existing(index: IndexName, ids: readonly string[]): Promise<ReadonlySet<string>> {
    const items = await this.#byId(ids, (query, size) =>
      this.#search({ indices: [index], query, sort: ['id'], queryResultFilter: ONLY_ID }, size),
    );
    return new Set(items.map(({ id }) => id));
  }

  count(index: IndexName, query: string): Promise<number> {
    const body = { indices: [index], query: { query } };
    return this.#client.call(
      { method: 'POST', path: '/v2024/search/count', body },
      ({ headers }) => {
        const total = headers['x-total-count'];
        if (typeof total === 'string' && /^\d{1,15}$/.test(total)) return Number(total);
        throw new BadAnswer('no X-Total-Count');
      },
    );
  }

  youngest(index: IndexName, field: string) {
    const body = {
      ...{ indices: [index], query: { query: `_exists_:${field}` }, sort: [`-${field}`] },
      queryResultFilter: { includes: ['id', field] },
    };
    const request = { method: 'POST', path: '/v2024/search?limit=1', body } as const;
    return this.#client.call(request, async (answer) => {
      const [first] = await itemsOf(answer);
      const at = first === undefined ? null : parsedObject(Buffer.from(first.text))[field];
      const time = typeof at === 'string' ? Date.parse(at) : Number.NaN;
      const isUsual = time >= 0 && time < END_OF_YEARS;
      return { at: isUsual ? new Date(time).toISOString() : null, now: answeredAt(answer) };
    });
  }

  authUser(id: string): Promise<PageItem | null> {
    const path = `/v3/auth-users/${encodeURIComponent(id)}`;
    return this.#client.call({ method: 'GET', path, accepts: [404] }, ({ status, body }) => {
      if (status === 404) return null;
      const user = parsedObject(body);
      if (user['id'] !== id) throw new BadAnswer('another auth user than the one asked for');
      return { id, text: body };
    });
  }

  #search(body: object, limit: number): Promise<readonly PageItem[]> {
    const path = `/v2024/search?limit=${limit}`;
    return this.#client.call({ method: 'POST', path, body }, itemsOf);
  }

  /** Halves a page until its answer is not too large. */
  async #shrinking(
    limit: number,
    search: (limit: number) => Promise<readonly PageItem[]>,
  ): Promise<readonly PageItem[]> {
    for (let size = limit; ; size = Math.ceil(size / 2)) {
      try {
        return await search(size);
      } catch (error) {
        if (!(error instanceof OutboundTooLarge) || size === 1) throw error;
      }
    }
  }

  /** Searches by ids, in several queries; answers may lack documents, so they are asked again. */
  async #byId(
    ids: readonly string[],
    search: (query: { query: string }, size: number) => Promise<readonly PageItem[]>,
  ): Promise<readonly PageItem[]> {
    const items: PageItem[] = [];
    for (let from = 0; from < ids.length; from += IDS_PER_QUERY) {
      const asked = new Set(ids.slice(from, from + IDS_PER_QUERY));
      for (;;) {
        const texts = [...asked].map((id) => `"${id.replace(/["\\]/g, '\\$&')}"`);
        const query = { query: `id:(${texts.join(' OR ')})` };
        const page = (await search(query, PAGE)).filter(({ id }) => asked.delete(id));
        items.push(...page);
        if (page.length === 0 || asked.size === 0) break;
      }
    }
    return items;
  }
}

/** The elements of an array, with their bytes. @throws BadAnswer */
async function itemsOf({ body }: ServiceAnswer): Promise<readonly PageItem[]> {
  const start = body.toString('latin1', 0, 64).trimStart();
  if (!start.startsWith('[')) throw new BadAnswer('a body that is not an array');
  if (
    !body
      .toString('latin1', Math.max(0, body.length - 64))
      .trimEnd()
      .endsWith(']')
  ) {
    throw new BadAnswer('an array that is cut off');
  }
  const items: PageItem[] = [];
  for await (const { text, fault } of jsonSource(once(body), { maxBytes: body.length })) {
    if (fault !== undefined) throw new BadAnswer(`a broken array: ${fault}`);
    const bytes = typeof text === 'string' ? Buffer.from(text) : text;
    const { id } = parsedObject(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    if (typeof id !== 'string' || id === '') throw new BadAnswer('a document without id');
    if (id.length > ID_CHARACTERS_MAX) throw new BadAnswer('an id that is too long');
    if (items.length === PAGE_ITEMS_MAX) throw new BadAnswer(TOO_MANY);
    items.push({ id, text: bytes });
  }
  return items;
}

async function* once(body: Buffer): AsyncGenerator<Uint8Array> {
  yield body;
}

function parsedObject(body: Buffer): Record<string, unknown> {
  return jsonOf(body) as Record<string, unknown>;
}

/** The claims of a JWT, unverified: they only name the tenant that issued it. */
function claimsOf(token: string): Record<string, unknown> {
  try {
    return parsedObject(Buffer.from(token.split('.')[1] ?? '', 'base64url'));
  } catch (error) {
    if (!(error instanceof BadAnswer)) throw error;
    return {};
  }
}
