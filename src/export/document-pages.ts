// The documents to export, in pages: all of some indexes, or those that a query matches with the
// documents that they refer to.
// Invariant: memory is bounded by a page; a query also needs the ids of what it exports.

import type { IndexName } from '../query/query.ts';
import type { Records } from '../service/ports/store.ts';
import type { StoredDocument } from '../service/ports/stored-document.ts';
import { documentValue } from './output-lines.ts';
import { pagesById } from './pages-by-id.ts';
import { type DocumentReference, referencesOf } from './references.ts';

/** Documents of one index, without events of the audit trail. */
export interface DocumentPage {
  readonly index: IndexName;
  readonly documents: readonly StoredDocument[];
  /** Events of the audit trail, which are left out: an import would refuse them. */
  readonly auditEvents: number;
  /** True for documents that a match refers to. */
  readonly referenced: boolean;
}

/** Finds the ids of the documents that match a query, in pages. */
export type FindMatches = (index: IndexName) => AsyncIterable<readonly string[]>;

export interface DocumentSource {
  readonly records: Pick<Records, 'documentPage' | 'documentsById' | 'auditEvents'>;
  readonly tenantId: string;
  /** Nothing outside of these is exported. */
  readonly indexes: readonly IndexName[];
  /** Is called for each damaged document, which is left out. */
  setAside(index: IndexName, id: string): void;
}

/** Some 2 MB of documents. */
const PAGE_SIZE = 500;

/** All documents, by index and id. */
export async function* allDocuments(source: DocumentSource): AsyncGenerator<DocumentPage> {
  const { records, tenantId, indexes } = source;
  for (const index of indexes) {
    const setAside = (id: string) => source.setAside(index, id);
    const read = (afterId: string) =>
      records.documentPage(tenantId, index, afterId, PAGE_SIZE, setAside);
    for await (const documents of pagesById(read)) {
      yield { ...(await withoutAudit(source, index, documents)), referenced: false };
    }
  }
}

/**
 * The documents that match, and after each page those that it refers to. The references of access
 * are followed, those of a person that was referred to are not: that would lead to everybody.
 */
export async function* matchingDocuments(
  source: DocumentSource,
  findMatches: FindMatches,
): AsyncGenerator<DocumentPage> {
  const { records, tenantId, indexes } = source;
  const exported = new Map(indexes.map((index) => [index, new Set<string>()]));
  /** Those of the ids that were not exported before. */
  const fresh = (index: IndexName, ids: readonly string[]) => {
    const known = exported.get(index);
    const added = known === undefined ? [] : [...new Set(ids)].filter((id) => !known.has(id));
    for (const id of added) known?.add(id);
    return added;
  };
  const read = (index: IndexName, ids: readonly string[]) =>
    records.documentsById(tenantId, index, ids, (id) => source.setAside(index, id));
  for (const index of indexes) {
    for await (const ids of findMatches(index)) {
      // A match may have been exported before, as the reference of another one.
      const matches = await read(index, ids);
      const added = new Set(fresh(index, ids));
      const documents = matches.filter(({ id }) => added.has(id));
      yield { ...(await withoutAudit(source, index, documents)), referenced: false };
      let references = matches.flatMap((match) => referencesOf(index, documentValue(match)));
      while (references.length > 0) {
        const next: DocumentReference[] = [];
        for (const to of indexes) {
          const targets = references.flatMap((one) => (one.index === to ? [one.id] : []));
          const targetDocuments = await read(to, fresh(to, targets));
          if (targetDocuments.length > 0) {
            yield { ...(await withoutAudit(source, to, targetDocuments)), referenced: true };
          }
          if (to === 'identities') continue;
          next.push(...targetDocuments.flatMap((one) => referencesOf(to, documentValue(one))));
        }
        references = next;
      }
    }
  }
}

async function withoutAudit(
  { records, tenantId }: DocumentSource,
  index: IndexName,
  documents: readonly StoredDocument[],
): Promise<Omit<DocumentPage, 'referenced'>> {
  if (index !== 'events') return { index, documents, auditEvents: 0 };
  const own = await records.auditEvents(
    tenantId,
    documents.map(({ id }) => id),
  );
  const others = documents.filter(({ id }) => !own.has(id));
  return { index, documents: others, auditEvents: documents.length - others.length };
}
