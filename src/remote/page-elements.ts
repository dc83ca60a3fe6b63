// Finds the matching elements of the documents of one page, with the engine: a segment is built in
// memory, so that a query means the same here as on a server.

import { elementsOf } from '../engine/hits/inner-hits.ts';
import { QueryCache } from '../engine/index/query-cache.ts';
import { memorySource, openSegment } from '../engine/index/segment-reader.ts';
import { buildSegment } from '../engine/index/segment-writer.ts';
import { ServiceError } from '../errors.ts';
import { withFields } from '../query/mapping/document-types.ts';
import type { Mapping } from '../query/mapping/mapping.ts';
import type { InnerHit } from '../query/plan.ts';
import { runSteps } from '../query/steps.ts';
import {
  DocumentBuffers,
  normaliseDocument,
  parseDocument,
} from '../service/documents/document-normaliser.ts';
import { DocumentFault, DocumentShape } from '../service/documents/document-shape.ts';
import type { StoredDocument } from '../service/ports/stored-document.ts';

/** The documents of a page in the form of the store, and a mapping with their dynamic fields. */
export interface PageDocuments {
  readonly documents: readonly StoredDocument[];
  readonly mapping: Mapping;
}

/**
 * Reads documents as a search returned them.
 * @throws ServiceError `unavailable` for a document that no index can hold
 */
export function pageDocuments(
  values: readonly object[],
  mapping: Mapping,
  synced: string,
): PageDocuments {
  const shape = new DocumentShape(mapping);
  const buffers = new DocumentBuffers();
  let fields = mapping;
  const documents = values.map((value) => {
    try {
      const parsed = parseDocument(JSON.stringify(value));
      const { document, newFields } = normaliseDocument(parsed, mapping, shape, synced, buffers);
      const added = shape.accept(newFields, Number.POSITIVE_INFINITY);
      if (added.length > 0) fields = withFields(fields, added);
      return document;
    } catch (error) {
      if (!(error instanceof DocumentFault)) throw error;
      const { id } = value as { id?: unknown };
      throw new ServiceError(
        'unavailable',
        `The document ${JSON.stringify(id)} of the service cannot be read: ${error.message}`,
      );
    }
  });
  return { documents, mapping: fields };
}

/** For each document, the positions of its elements that match, ascending. */
export function matchingPositions(
  { documents, mapping }: PageDocuments,
  innerHit: InnerHit,
): readonly (readonly number[])[] {
  const sorted = documents
    .map((document) => ({ ...document, version: 1 }))
    .sort((a, b) => Buffer.compare(Buffer.from(a.id), Buffer.from(b.id)));
  const { index, sources } = buildSegment(mapping, sorted);
  const segment = openSegment('page', index, memorySource(sources));
  const views = [{ segment, liveDocs: null, liveCount: sorted.length }];
  const roots = sorted.map((_, row) => ({ view: 0, row }));
  const elements = runSteps(elementsOf({ views, cache: new QueryCache() }, innerHit, roots));
  const byId = new Map(sorted.map(({ id }, row) => [id, elements[row] ?? []]));
  return documents.map(({ id }) => byId.get(id) ?? []);
}
