// What the indexes in OpenSearch hold, without the documents: ids and changes. Any write of another
// program gives a document a version that is not its change; only of such a document the bytes are
// read and checked.
import type { Mapping } from '../../../query/mapping/mapping.ts';
import type { IndexName } from '../../../query/query.ts';
import type {
  HeldDocument,
  HeldSelection,
  IndexContents,
  ReadOptions,
} from '../../../service/ports/search-backend.ts';
import type { FedIndexes } from '../indexes/fed-indexes.ts';
import type { OpenIndexes } from '../indexes/open-indexes.ts';
import type { RefusedDocuments } from '../indexes/refused-documents.ts';
import type { SearchClient } from '../indexes/search-client.ts';
import { STORED } from '../requests/columns.ts';
import { documentId } from '../requests/documents.ts';
import { countBody, type OpenTarget } from '../requests/plan-to-body.ts';
import type { Json } from '../requests/query-to-body.ts';
import type { ResponseHit } from '../requests/search-response.ts';
import { sourceKey } from '../requests/source.ts';

export interface ContentsParts {
  readonly indexes: FedIndexes;
  readonly open: OpenIndexes;
  readonly refused: RefusedDocuments;
  readonly searchClient: SearchClient;
  mapping(tenantId: string, index: IndexName): Mapping | Promise<Mapping>;
}

/** Documents whose bytes are read by one request. */
const BYTES_AT_ONCE = 100;

const BRIEF = {
  ...{ _source: false, version: true, track_total_hits: false },
  docvalue_fields: [STORED.id, STORED.sequence],
};

export class OpenSearchContents implements IndexContents {
  readonly #parts: ContentsParts;

  constructor(parts: ContentsParts) {
    this.#parts = parts;
  }

  async count(tenantId: string, index: IndexName, options: ReadOptions): Promise<number | null> {
    const target = await this.#target(tenantId, index);
    if (target === 'absent') return 0;
    if (target === 'closed') return null;
    const { search } = this.#parts.searchClient.within(options);
    return (await search([target], countBody([target]), false)).hits.total?.value ?? 0;
  }

  async held(
    tenantId: string,
    index: IndexName,
    of: HeldSelection,
    options: ReadOptions,
  ): Promise<readonly HeldDocument[] | null> {
    const target = await this.#target(tenantId, index);
    if (target === 'absent') return [];
    if (target === 'closed') return null;
    return this.#read(tenantId, target, bodyOf(of), options);
  }

  async strays(
    tenantId: string,
    index: IndexName,
    limit: number,
    options: ReadOptions,
  ): Promise<readonly HeldDocument[]> {
    const target = await this.#target(tenantId, index);
    if (typeof target === 'string') return [];
    const query = { bool: { must_not: [{ exists: { field: STORED.id } }] } };
    return this.#read(tenantId, target, { query, size: limit, sort: ['_doc'] }, options);
  }

  refuses(tenantId: string, index: IndexName, id: string): boolean {
    return this.#parts.refused.has(tenantId, index, id);
  }

  async #target(tenantId: string, index: IndexName): Promise<OpenTarget | 'absent' | 'closed'> {
    const { indexes, open, mapping } = this.#parts;
    const existing = (await indexes.connected()).indexes.get(tenantId, index);
    if (existing === undefined) return 'absent';
    if (!open.isOpen(existing.name)) return 'closed';
    return {
      ...{ index, query: { kind: 'matchAll' }, concreteIndex: existing.name },
      mapping: await mapping(tenantId, index),
    };
  }

  async #read(
    tenantId: string,
    target: OpenTarget,
    body: Json,
    options: ReadOptions,
  ): Promise<readonly HeldDocument[]> {
    const { search } = this.#parts.searchClient.within(options);
    const { hits } = (await search([target], { ...body, ...BRIEF }, false)).hits;
    const doubtful = hits.filter((hit) => sequenceOf(hit) !== hit._version);
    const sound = new Set<string>();
    for (let from = 0; from < doubtful.length; from += BYTES_AT_ONCE) {
      const values = doubtful.slice(from, from + BYTES_AT_ONCE).map(({ _id }) => _id);
      const whole = { query: { ids: { values } }, size: values.length, sort: ['_doc'] };
      const answer = await search([target], { ...whole, track_total_hits: false }, false);
      for (const { _id = '', source } of answer.hits.hits) {
        if (source?.stamp.key === sourceKey(tenantId, target.index, _id)) sound.add(_id);
      }
      answer.release?.();
    }
    return hits.map((hit) => {
      const { _id = '' } = hit;
      const id = String(hit.fields?.[STORED.id]?.[0] ?? '');
      // A copy of another document has its id.
      if (documentId(id) !== _id) return { id: _id, sequence: null };
      const isSound = sequenceOf(hit) === hit._version || sound.has(_id);
      return { id, sequence: isSound ? sequenceOf(hit) : null };
    });
  }
}

function sequenceOf({ fields }: ResponseHit): number {
  return Number(fields?.[STORED.sequence]?.[0]);
}

function bodyOf(of: HeldSelection): Json {
  if ('ids' in of) {
    const values = of.ids.map(documentId);
    return { query: { ids: { values } }, size: values.length, sort: ['_doc'] };
  }
  const { after, upTo, limit } = of;
  const bounds = { ...(after !== '' && { gt: after }), ...(upTo !== null && { lte: upTo }) };
  const isAll = after === '' && upTo === null;
  return {
    query: isAll ? { exists: { field: STORED.id } } : { range: { [STORED.id]: bounds } },
    ...{ size: limit, sort: [{ [STORED.id]: 'asc' }] },
  };
}
