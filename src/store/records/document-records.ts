// Documents, their change sequence and the dynamic fields. A change gives the row of the document a
// new number at the end of the sequence, so reading changes is one range of the table and returns
// no document twice.
// Invariant: numbers are taken from the counter row inside the writing transaction, so they become
// visible in commit order.

import { type Expression, sql } from 'kysely';
import { ServiceError } from '../../errors.ts';
import { byIndex } from '../../query/mapping/document-types.ts';
import type { FieldType } from '../../query/mapping/mapping.ts';
import type { IndexName } from '../../query/query.ts';
import { documentHash } from '../../service/documents/document-hash.ts';
import type {
  DocumentChange,
  PutOutcome,
  SetAside,
  WritableRecords,
} from '../../service/ports/store.ts';
import type { StoredDocument, StoredDocumentKey } from '../../service/ports/stored-document.ts';
import { upsert } from '../sql/keyed-rows.ts';
import type { DocumentTable } from '../sql/schema.ts';
import { ADD_COUNT, SELECT_COUNTER, TAKE_SEQUENCES } from '../sql/shared-statements.ts';
import { type Executor, statement, tables } from '../sql/statement.ts';
import {
  columnsOf,
  type DocumentColumns,
  documentOf,
  isSound,
  textOf,
  wasWrittenWith,
} from './document-row.ts';
import { addDynamicFields, changedFields, endChange, setFieldKind } from './dynamic-fields.ts';

export type DocumentRecords = Pick<
  WritableRecords,
  | 'document'
  | 'documentsById'
  | 'documentPage'
  | 'documentCounts'
  | 'dynamicFields'
  | 'fieldsVersion'
  | 'changedFields'
  | 'endChange'
  | 'changesAfter'
  | 'lastSequence'
  | 'putDocuments'
  | 'deleteDocument'
  | 'addDynamicFields'
  | 'setFieldKind'
>;

/** Documents written between two pauses (about 5 ms). */
const PAUSE_EVERY = 128;
/** Documents that are compared between two pauses. */
const COMPARED_AT_ONCE = 4 * PAUSE_EVERY;

export function documentRecords(executor: Executor): DocumentRecords {
  return {
    async document(tenantId, index, id) {
      const row = await executor.get(SELECT, { tenantId, index, id });
      return row === undefined ? null : soundDocument({ tenantId, index, id }, row);
    },
    async documentsById(tenantId, index, ids, setAside) {
      const rows = await executor.each(
        SELECT,
        ids.map((id) => ({ tenantId, index, id })),
      );
      return ids.flatMap((id, at) => {
        const row = rows[at]?.[0];
        return row === undefined
          ? []
          : (soundDocument({ tenantId, index, id }, row, setAside) ?? []);
      });
    },
    documentPage: (tenantId, index, afterId, limit, setAside = () => {}) =>
      documentPage(executor, { tenantId, index, afterId, limit }, setAside),
    documentCounts: (tenantId) => documentCounts(executor, tenantId),
    async dynamicFields(tenantId) {
      const rows = await executor.all(SELECT_FIELDS, { tenantId });
      return rows.map((row) => ({
        index: row.index_name as IndexName,
        field: {
          path: row.path,
          type: row.type as FieldType,
          nested: row.nested,
          dynamic: true,
        },
        since: row.since,
      }));
    },
    async fieldsVersion(tenantId) {
      const row = await executor.get(SELECT_FIELDS_VERSION, { tenantId });
      return row?.version ?? 0;
    },
    async changesAfter(sequence, limit) {
      const rows = await executor.all(SELECT_CHANGES, { sequence, limit });
      return rows.map(change);
    },
    async lastSequence() {
      const row = await executor.get(SELECT_COUNTER, {});
      return row?.value ?? 0;
    },
    putDocuments: (tenantId, documents) => putDocuments(executor, tenantId, documents),
    async deleteDocument(tenantId, index, id) {
      const row = await executor.get(SELECT_HASH, { tenantId, index, id });
      if (row === undefined || row.hash === null) return false;
      await writeTombstones(executor, tenantId, index, [id]);
      return true;
    },
    addDynamicFields: (tenantId, index, fields) =>
      addDynamicFields(executor, tenantId, index, fields),
    changedFields: () => changedFields(executor),
    endChange: (changed) => endChange(executor, changed),
    setFieldKind: (tenantId, index, path, type) =>
      setFieldKind(executor, tenantId, index, path, type),
  };
}

/** Reads on after damaged documents, so that a page that is not full is the last. */
async function documentPage(
  executor: Executor,
  { afterId, limit, ...of }: PageKey,
  setAside: SetAside,
): Promise<readonly StoredDocument[]> {
  const documents: StoredDocument[] = [];
  for (let after = afterId; ; ) {
    const left = limit - documents.length;
    const rows = await executor.all(SELECT_PAGE, { ...of, afterId: after, limit: left });
    for (const row of rows) {
      const document = soundDocument({ ...of, id: row.id }, row, setAside);
      if (document !== null) documents.push(document);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < left || documents.length === limit) return documents;
    after = last.id;
  }
}

async function documentCounts(
  executor: Executor,
  tenantId: string,
): Promise<Record<IndexName, number>> {
  const counts: Record<IndexName, number> = { ...byIndex(() => 0) };
  for (const row of await executor.all(SELECT_COUNTS, { tenantId })) {
    counts[row.index_name as IndexName] = row.documents;
  }
  return counts;
}

/** Reserves `count` numbers and returns the last of them. */
export async function takeSequences(executor: Executor, count: number): Promise<number> {
  if (executor.shared !== null) return executor.shared.takeSequences(count);
  const row = await executor.get(TAKE_SEQUENCES, { count });
  if (row === undefined) throw new Error('The sequence counter is missing');
  return row.value;
}

async function putDocuments(
  executor: Executor,
  tenantId: string,
  documents: readonly StoredDocument[],
): Promise<readonly PutOutcome[]> {
  const outcomes: PutOutcome[] = [];
  const changed: ChangedDocument[] = [];
  // Hashes written by this call, which are not in the table yet: an id may occur twice.
  const pending = new Map<string, Uint8Array>();
  const created = new Map<IndexName, number>();
  for (let from = 0; from < documents.length; from += COMPARED_AT_ONCE) {
    const batch = documents.slice(from, from + COMPARED_AT_ONCE);
    const keys = batch.map(({ index, id }) => ({ tenantId, index, id }));
    const hashes = batch.map(({ hash, root, nested }) => hash ?? documentHash(root, nested));
    const stored = (
      await executor.each(
        SELECT_STORED,
        keys.map((key, i) => ({ ...key, hash: hashes[i] as Uint8Array })),
      )
    ).map((rows) => rows[0]);
    for (const [i, document] of batch.entries()) {
      const { index, id } = document;
      const hash = hashes[i] as Uint8Array;
      const key = `${index} ${id}`;
      const written = pending.get(key);
      const before = written ?? stored[i]?.hash ?? null;
      if (before === null) {
        outcomes.push('created');
        created.set(index, (created.get(index) ?? 0) + 1);
      } else if (
        wasWrittenWith(before, hash) &&
        (written !== undefined ||
          isSound(keys[i] as StoredDocumentKey, stored[i] as DocumentColumns))
      ) {
        outcomes.push('unchanged');
      } else {
        outcomes.push('updated');
      }
      if (outcomes.at(-1) !== 'unchanged') {
        pending.set(key, hash);
        changed.push({ document, hash });
      }
    }
    if (batch.length === COMPARED_AT_ONCE) await executor.pause();
  }
  if (changed.length > 0) {
    const last = await takeSequences(executor, changed.length);
    await writeDocuments(executor, tenantId, changed, { created, last });
  }
  return outcomes;
}

/** A document to be written. */
export interface ChangedDocument {
  readonly document: StoredDocument;
  readonly hash: Uint8Array;
}

/**
 * Writes documents, without reading stored ones.
 * @param created number of new documents, by index
 * @param last the last of their sequence numbers, which follow one another
 */
export async function writeDocuments(
  executor: Executor,
  tenantId: string,
  changed: readonly ChangedDocument[],
  {
    created,
    last,
  }: { readonly created: Iterable<readonly [IndexName, number]>; readonly last: number },
): Promise<void> {
  const counts = [...created].map(([index, documents]) => {
    return addCount(executor, tenantId, index, documents);
  });
  await Promise.all([...counts, upsertDocuments(executor, tenantId, changed, last)]);
}

async function addCount(
  executor: Executor,
  tenantId: string,
  index: IndexName,
  documents: number,
): Promise<void> {
  if (executor.shared !== null) executor.shared.addCount(tenantId, index, documents);
  else await executor.run(ADD_COUNT, { tenantId, index, documents });
}

async function upsertDocuments(
  executor: Executor,
  tenantId: string,
  changed: readonly ChangedDocument[],
  last: number,
): Promise<void> {
  let sequence = last - changed.length + 1;
  for (let from = 0; from < changed.length; from += PAUSE_EVERY) {
    const batch = changed.slice(from, from + PAUSE_EVERY);
    const rows = batch.map(({ document, hash }) => ({
      sequence: sequence++,
      tenantId,
      index: document.index,
      id: document.id,
      ...columnsOf({ tenantId, index: document.index, id: document.id }, document, hash),
    }));
    await executor.each(UPSERT, rows);
    if (batch.length === PAUSE_EVERY) await executor.pause();
  }
}

/** Deletes existing documents: each row becomes a tombstone at the end of the sequence. */
export async function writeTombstones(
  executor: Executor,
  tenantId: string,
  index: IndexName,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  let sequence = (await takeSequences(executor, ids.length)) - ids.length;
  const rows = ids.map((id) => {
    sequence++;
    return { sequence, tenantId, index, id, hash: null, root: null, nested: null };
  });
  await executor.each(UPSERT, rows);
  await addCount(executor, tenantId, index, -ids.length);
}

/** The key of a row. */
export function keyOf(row: DocumentTable): StoredDocumentKey {
  return { tenantId: row.tenant_id, index: row.index_name as IndexName, id: row.id };
}

function change(row: DocumentTable): DocumentChange {
  const key = keyOf(row);
  const document = documentOf(key, row);
  return document === 'damaged'
    ? { ...textOf(key), sequence: row.sequence, document: null, damaged: true }
    : { ...key, sequence: row.sequence, document };
}

/**
 * The document of a row; null for a tombstone, and for a damaged document that is set aside.
 * @throws ServiceError `unavailable` for a damaged document, without `setAside`
 */
function soundDocument(
  key: StoredDocumentKey,
  row: DocumentColumns,
  setAside?: SetAside,
): StoredDocument | null {
  const document = documentOf(key, row);
  if (document !== 'damaged') return document;
  if (setAside === undefined) {
    throw new ServiceError(
      'unavailable',
      `Document "${key.id}" of ${key.index} is damaged in the store: import it again, or restore a backup.`,
    );
  }
  setAside(key.id);
  return null;
}

type PageKey = { tenantId: string; index: IndexName; afterId: string; limit: number };
type RowKey = { tenantId: string; index: string; id: string };
type DocumentRow = RowKey & {
  sequence: number;
  hash: Uint8Array | null;
  root: Uint8Array | null;
  nested: Uint8Array | null;
};

const rowOf = (p: RowKey) =>
  tables
    .selectFrom('document')
    .where('tenant_id', '=', p.tenantId)
    .where('index_name', '=', p.index)
    .where('id', '=', p.id);

/** The content of one document. */
export const SELECT = statement((p: RowKey) => rowOf(p).select(['hash', 'root', 'nested']));

const SELECT_PAGE = statement((p: PageKey) =>
  tables
    .selectFrom('document')
    .select(['id', 'hash', 'root', 'nested'])
    .where('tenant_id', '=', p.tenantId)
    .where('index_name', '=', p.index)
    .where('id', '>', p.afterId)
    .where('hash', 'is not', null)
    .orderBy('id')
    .limit(p.limit),
);

const SELECT_HASH = statement((p: RowKey) => rowOf(p).select('hash'));

/** The hash of a document, and its content if it was written with this hash. */
const SELECT_STORED = statement((p: RowKey & { hash: Uint8Array }) =>
  rowOf(p).select((row) => [
    'hash',
    ifWrittenWith(p.hash, row.ref('root')).as('root'),
    ifWrittenWith(p.hash, row.ref('nested')).as('nested'),
  ]),
);

function ifWrittenWith(hash: Uint8Array, column: Expression<Uint8Array | null>) {
  return sql<Uint8Array | null>`case when substr(hash, 1, 16) = ${hash} then ${column} end`;
}

/** Rows after a number of the change sequence. */
export const SELECT_CHANGES = statement((p: { sequence: number; limit: number }) =>
  tables
    .selectFrom('document')
    .select(['sequence', 'tenant_id', 'index_name', 'id', 'hash', 'root', 'nested'])
    .where('sequence', '>', p.sequence)
    .orderBy('sequence')
    .limit(p.limit),
);

const UPSERT = statement((p: DocumentRow) =>
  upsert('document', ['tenant_id', 'index_name', 'id'], {
    sequence: p.sequence,
    tenant_id: p.tenantId,
    index_name: p.index,
    id: p.id,
    hash: p.hash,
    root: p.root,
    nested: p.nested,
  }),
);

const SELECT_COUNTS = statement((p: { tenantId: string }) =>
  tables
    .selectFrom('document_count')
    .select(['index_name', 'documents'])
    .where('tenant_id', '=', p.tenantId),
);

const SELECT_FIELDS = statement((p: { tenantId: string }) =>
  tables
    .selectFrom('dynamic_field')
    .selectAll()
    .where('tenant_id', '=', p.tenantId)
    .orderBy('index_name')
    .orderBy('path'),
);

const SELECT_FIELDS_VERSION = statement((p: { tenantId: string }) =>
  tables.selectFrom('dynamic_field_version').select('version').where('tenant_id', '=', p.tenantId),
);
