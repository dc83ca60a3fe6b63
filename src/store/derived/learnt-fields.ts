// Dynamic fields that documents have and the table lacks, or has with too narrow a kind, because its rows
// were lost, or damaged and moved away: found by reading all documents as an import does, and learnt from
// them anew.
// Invariant: a document is stored with its fields in one transaction, so what is missing was lost.
import { staticMapping, withFields } from '../../query/mapping/document-types.ts';
import type { Field } from '../../query/mapping/mapping.ts';
import type { IndexName } from '../../query/query.ts';
import {
  DocumentFault,
  DocumentShape,
  fieldsBeyond,
} from '../../service/documents/document-shape.ts';
import type { StoredDocument } from '../../service/ports/stored-document.ts';
import { auditRecords } from '../records/audit-records.ts';
import { documentRecords, keyOf, SELECT_CHANGES } from '../records/document-records.ts';
import { documentOf } from '../records/document-row.ts';
import { documentVersions } from '../records/document-versions.ts';
import type { Executor } from '../sql/statement.ts';

/** Documents that are read at a time. */
const READ_AT_ONCE = 200;
/** Bytes that are parsed between two pauses: a few milliseconds. */
const BYTES_BEFORE_PAUSE = 256 * 1024;

/** Names that are the same in every document do not matter to its fields. */
const NOBODY = { name: '', pod: '' };

/** Fields of one index of a tenant that are missing. */
interface LostFields {
  readonly tenantId: string;
  readonly index: IndexName;
  readonly fields: Field[];
}

/** The number of fields that documents have and the table lacks. */
export async function countLostFields(
  executor: Executor,
  pause: () => Promise<void>,
): Promise<number> {
  const lost = await findLostFields(executor, pause);
  return [...lost.values()].reduce((sum, { fields }) => sum + fields.length, 0);
}

/**
 * Learns missing fields from the documents, each with the narrowest kind of its values. Documents that
 * have such a field get new changes, as indexes may have been fed without it, but for those of the audit
 * trail, which keep the number that the trail has: `doctor` feeds its index anew for them.
 */
export async function learnFields(executor: Executor): Promise<void> {
  const lost = await findLostFields(executor, executor.pause);
  if (lost.size === 0) return;
  const { addDynamicFields, lastSequence } = documentRecords(executor);
  const { feedAgain } = documentVersions(executor);
  const { auditEvents } = auditRecords(executor);
  const shapes = new Shapes(executor);
  const last = await lastSequence();
  for await (const { tenantId, document } of readDocuments(executor, executor.pause, last)) {
    const { index, id } = document;
    const fields = lost.get(placeName(tenantId, index))?.fields;
    if (fields === undefined) continue;
    const found = fieldsBeyond(await shapes.of(tenantId, index), document);
    const hasOne = found.some(({ path }) => fields.some((field) => field.path === path));
    if (!hasOne || (index === 'events' && (await auditEvents(tenantId, [id])).has(id))) continue;
    await feedAgain(tenantId, index, [id]);
  }
  for (const { tenantId, index, fields } of lost.values()) {
    await addDynamicFields(tenantId, index, fields);
  }
}

async function findLostFields(
  executor: Executor,
  pause: () => Promise<void>,
): Promise<ReadonlyMap<string, LostFields>> {
  const lost = new Map<string, LostFields>();
  const shapes = new Shapes(executor);
  for await (const { tenantId, document } of readDocuments(executor, pause)) {
    const { index } = document;
    const name = placeName(tenantId, index);
    if (fieldsBeyond(await shapes.of(tenantId, index), document).length === 0) continue;
    const known = lost.get(name)?.fields ?? [];
    // Another process may have written the document and its fields since the fields were read.
    const shape = await shapes.again(tenantId, index, known);
    const fields = accepted(shape, fieldsBeyond(shape, document));
    if (fields.length > 0) lost.set(name, { tenantId, index, fields: [...known, ...fields] });
  }
  return lost;
}

const placeName = (tenantId: string, index: IndexName) => `${index} ${tenantId}`;

/** The fields of each index of a tenant, as they were when they were first needed. */
class Shapes {
  readonly #executor: Executor;
  readonly #shapes = new Map<string, DocumentShape>();

  constructor(executor: Executor) {
    this.#executor = executor;
  }

  async of(tenantId: string, index: IndexName): Promise<DocumentShape> {
    return this.#shapes.get(placeName(tenantId, index)) ?? this.again(tenantId, index, []);
  }

  /** Reads the fields again. @param more fields that are not stored, or not with a kind as wide */
  async again(tenantId: string, index: IndexName, more: readonly Field[]): Promise<DocumentShape> {
    const stored = await documentRecords(this.#executor).dynamicFields(tenantId);
    const own = stored.filter((one) => one.index === index).map(({ field }) => field);
    const shape = new DocumentShape(withFields(staticMapping(index, NOBODY), [...more, ...own]));
    this.#shapes.set(placeName(tenantId, index), shape);
    return shape;
  }
}

/** The sound documents of all tenants in the order of changes, up to one of them. */
async function* readDocuments(
  executor: Executor,
  pause: () => Promise<void>,
  upTo = Number.POSITIVE_INFINITY,
): AsyncGenerator<{ readonly tenantId: string; readonly document: StoredDocument }> {
  let bytes = 0;
  for (let sequence = 0; ; ) {
    const rows = await executor.all(SELECT_CHANGES, { sequence, limit: READ_AT_ONCE });
    for (const row of rows) {
      if (row.sequence > upTo) return;
      sequence = row.sequence;
      const document = documentOf(keyOf(row), row);
      if (document === null || document === 'damaged' || !hasDynamicFields(document.index))
        continue;
      bytes += document.root.length + document.nested.length;
      if (bytes > BYTES_BEFORE_PAUSE) {
        bytes = 0;
        await pause();
      }
      yield { tenantId: row.tenant_id, document };
    }
    if (rows.length < READ_AT_ONCE) return;
    await pause();
  }
}

const hasDynamicFields = (index: IndexName) => staticMapping(index, NOBODY).dynamicRoots.length > 0;

/** The fields that a shape takes: not those below another one, which no import learns either. */
function accepted(shape: DocumentShape, fields: readonly Field[]): readonly Field[] {
  try {
    return shape.accept(fields, Number.POSITIVE_INFINITY);
  } catch (error) {
    // A name that is too long, which an earlier version accepted.
    if (error instanceof DocumentFault) return [];
    throw error;
  }
}
