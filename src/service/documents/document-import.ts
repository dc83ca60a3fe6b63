// Imports documents in batches. The dynamic fields of a batch are recorded in the same transaction,
// so a stored document never has fields that the mapping lacks. If another process has added fields
// meanwhile, the batch is checked against the current mapping.

import { fold } from '../../query/analysis/fold.ts';
import { indexOfType } from '../../query/mapping/document-types.ts';
import type { Field, FieldType } from '../../query/mapping/mapping.ts';
import type { IndexName } from '../../query/query.ts';
import { AUDIT_STACK } from '../audit/audit-event.ts';
import type { Mappings } from '../ports/search-backend.ts';
import type { WritableRecords } from '../ports/store.ts';
import type { StoredDocument } from '../ports/stored-document.ts';
import { DocumentBuffers, normaliseDocument, parseDocument } from './document-normaliser.ts';
import { DocumentFault, DocumentShape, type LearntField } from './document-shape.ts';
import type { ImportSteps, ItemOutcome } from './import-run.ts';
import { loadMappings } from './mapping-cache.ts';

/** A document ready to be stored, with the fields that it adds or widens. */
export interface PreparedDocument {
  readonly document: StoredDocument;
  readonly newFields: readonly LearntField[];
  readonly misplaced: readonly string[];
  /** The shape that `newFields` was checked against. */
  readonly shape: DocumentShape;
}

export interface DocumentImportOptions {
  readonly tenantId: string;
  /** Default index of documents without `_type`. */
  readonly index: IndexName | undefined;
  /** Rejects documents of other indexes; they are imported, too, when omitted. */
  readonly isOnlyIndex?: boolean;
  /** ISO 8601, for documents without `synced`. */
  readonly synced: string;
  readonly dynamicFieldsMax: number;
  readonly onUnchanged?: OnUnchanged;
}

/** Is called with documents that an import left as they were, once it is durable. */
export type OnUnchanged = (tenantId: string, index: IndexName, ids: readonly string[]) => void;

export class DocumentImport implements ImportSteps<PreparedDocument> {
  readonly #options: DocumentImportOptions;
  #mappings: Mappings;
  /** The store's version of the fields in `#mappings` and `#shapes`. */
  #version: number;
  #shapes = new Map<IndexName, DocumentShape>();
  readonly #buffers = new DocumentBuffers();

  constructor(
    options: DocumentImportOptions,
    fields: { readonly mappings: Mappings; readonly version: number },
  ) {
    this.#options = options;
    this.#mappings = fields.mappings;
    this.#version = fields.version;
  }

  prepare(text: Uint8Array | string): PreparedDocument {
    const parsed = parseDocument(text);
    const type = parsed.value['_type'];
    const index = documentIndex(type, this.#options.index);
    if (this.#options.isOnlyIndex === true && index !== this.#options.index) {
      throw new DocumentFault(`_type "${type}" is not that of ${this.#options.index}`);
    }
    if (index === 'events') refuseAuditStack(parsed.value['stack']);
    const shape = this.#shape(index);
    const { document, newFields, misplaced } = normaliseDocument(
      parsed,
      this.#mappings[index],
      shape,
      this.#options.synced,
      this.#buffers,
    );
    if (newFields.length === 0) return { document, newFields, misplaced, shape };
    const accepted = shape.accept(newFields, this.#options.dynamicFieldsMax);
    return { document, newFields: accepted, misplaced, shape };
  }

  bytes({ document }: PreparedDocument): number {
    return document.root.length + document.nested.length;
  }

  /** Names the fields that this document gives another kind, and those where no query finds it. */
  warningOf({ newFields, misplaced }: PreparedDocument): string | null {
    const wider = newFields.flatMap(({ path, type, before }) =>
      before === undefined
        ? []
        : `${path} held ${HELD[before]} and holds ${HELD[type]} from here on, in all documents`,
    );
    const lost = misplaced.map(
      (path) =>
        `${path} is an object in some documents and a value in others; it is not found in this one`,
    );
    const all = [...wider, ...lost];
    if (all.length === 0) return null;
    const rest = all.length > NAMED_MAX ? `; and ${all.length - NAMED_MAX} more` : '';
    return `${all.slice(0, NAMED_MAX).join('; ')}${rest}`;
  }

  async write(
    records: WritableRecords,
    batch: readonly PreparedDocument[],
  ): Promise<ItemOutcome[]> {
    const checked = await this.#refuseAuditEvents(records, await this.#addFields(records, batch));
    const documents = checked.flatMap((item) => (item instanceof DocumentFault ? [] : [item]));
    const put = await records.putDocuments(this.#options.tenantId, documents);
    let next = 0;
    return checked.map((item) =>
      item instanceof DocumentFault ? item : (put[next++] as ItemOutcome),
    );
  }

  onWritten(batch: readonly PreparedDocument[], outcomes: readonly ItemOutcome[]): void {
    const { tenantId, onUnchanged } = this.#options;
    if (onUnchanged === undefined) return;
    const unchanged = new Map<IndexName, string[]>();
    for (const [at, { document }] of batch.entries()) {
      if (outcomes[at] !== 'unchanged') continue;
      const { index, id } = document;
      const ids = unchanged.get(index);
      if (ids === undefined) unchanged.set(index, [id]);
      else ids.push(id);
    }
    for (const [index, ids] of unchanged) onUnchanged(tenantId, index, ids);
  }

  /** Records new fields; returns each document, or the reason for its rejection. */
  async #addFields(
    records: WritableRecords,
    batch: readonly PreparedDocument[],
  ): Promise<(StoredDocument | DocumentFault)[]> {
    const { tenantId, dynamicFieldsMax } = this.#options;
    if (batch.every(({ newFields }) => newFields.length === 0)) {
      return batch.map(({ document }) => document);
    }
    if ((await records.fieldsVersion(tenantId)) !== this.#version) {
      this.#mappings = await loadMappings(records, tenantId);
      this.#shapes = new Map();
    }
    const fields = new Map<IndexName, Field[]>();
    const accepted = batch.map(({ document, newFields, shape }) => {
      try {
        const { index } = document;
        const currentShape = this.#shape(index);
        const added =
          shape === currentShape ? newFields : currentShape.accept(newFields, dynamicFieldsMax);
        fields.set(index, [...(fields.get(index) ?? []), ...added]);
        return document;
      } catch (error) {
        if (error instanceof DocumentFault) return error;
        throw error;
      }
    });
    for (const [index, added] of fields) await records.addDynamicFields(tenantId, index, added);
    this.#version = await records.fieldsVersion(tenantId);
    return accepted;
  }

  /** Rejects events with the id of an audit event: an import never overwrites the audit trail. */
  async #refuseAuditEvents(
    records: WritableRecords,
    batch: readonly (StoredDocument | DocumentFault)[],
  ): Promise<readonly (StoredDocument | DocumentFault)[]> {
    const ids = batch.flatMap((item) =>
      !(item instanceof DocumentFault) && item.index === 'events' ? [item.id] : [],
    );
    const reserved = await records.auditEvents(this.#options.tenantId, ids);
    if (reserved.size === 0) return batch;
    return batch.map((item) =>
      !(item instanceof DocumentFault) && item.index === 'events' && reserved.has(item.id)
        ? new DocumentFault(
            `id "${item.id}" belongs to an event of the audit trail of this service`,
          )
        : item,
    );
  }

  #shape(index: IndexName): DocumentShape {
    let shape = this.#shapes.get(index);
    if (shape === undefined) {
      shape = new DocumentShape(this.#mappings[index]);
      this.#shapes.set(index, shape);
    }
    return shape;
  }
}

/** Most parts of a warning. */
const NAMED_MAX = 5;

const HELD: Readonly<Record<FieldType, string>> = {
  text: 'text',
  keyword: 'text',
  date: 'dates',
  long: 'whole numbers',
  double: 'numbers',
  boolean: 'true and false',
};

/**
 * Only this service may write events with its own stack, so that searches can tell them from
 * imported ones.
 */
function refuseAuditStack(stack: unknown): void {
  const values: readonly unknown[] = Array.isArray(stack)
    ? stack.flat(Number.POSITIVE_INFINITY)
    : [stack];
  const claimsStack = values.some(
    (value) => typeof value === 'string' && fold(value.trim()) === AUDIT_STACK,
  );
  if (!claimsStack) return;
  throw new DocumentFault(
    `stack "${AUDIT_STACK}" is reserved for events that this service records; import the event under another stack`,
  );
}

function documentIndex(type: unknown, fallback: IndexName | undefined): IndexName {
  if (type === undefined || type === null) {
    if (fallback !== undefined) return fallback;
    throw new DocumentFault('_type is missing and no index was given');
  }
  const index = typeof type === 'string' ? indexOfType(type) : undefined;
  if (index === undefined) {
    throw new DocumentFault(`_type ${JSON.stringify(type).slice(0, 80)} is not a document type`);
  }
  return index;
}
