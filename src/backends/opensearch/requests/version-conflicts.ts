// Changes that OpenSearch did not write because the document has a version that is not lower. Mostly
// it is a replay: the document is from that change already, or from a later one. But any write of
// another program raises the version of a document, too, or leaves a version behind its deletion. Then
// the document in OpenSearch is not from the change, and is replaced by it.
// Invariant: a document is replaced only as it was read, and by the last change of the store, so that
// of two feeders the later one wins.
import type { DocumentChange, Records } from '../../../service/ports/store.ts';
import type { OpenSearchClient } from './client.ts';
import { STORED } from './columns.ts';
import { type DocumentWriter, documentId } from './documents.ts';

/** A change on its way to an index. */
export interface SentChange {
  readonly alias: string;
  readonly change: DocumentChange;
  readonly writer: DocumentWriter;
}

interface HeldDocument {
  readonly found?: boolean;
  readonly _seq_no?: number;
  readonly _primary_term?: number;
  readonly _source?: Readonly<Record<string, unknown>>;
}

/** Documents read by one request. */
const READ_AT_ONCE = 500;
const REQUEST_MS = 60_000;

/** The records that tell whether a change is the last one of its document. */
export type CurrentVersions = Pick<Records, 'documentVersionsById'>;

/** A change to be written whatever the version. */
export interface Overwrite {
  readonly sent: SentChange;
  /** Of a bulk request. */
  readonly lines: readonly Buffer[];
}

/** Returns those changes that must be written in spite of the version: none without records. */
export async function overwritesOf(
  client: OpenSearchClient,
  conflicts: readonly SentChange[],
  records: CurrentVersions | undefined,
): Promise<readonly Overwrite[]> {
  const overwrites: Overwrite[] = [];
  if (records === undefined) return overwrites;
  for (let from = 0; from < conflicts.length; from += READ_AT_ONCE) {
    const some = conflicts.slice(from, from + READ_AT_ONCE);
    const held = await heldDocuments(client, some);
    for (const [at, sent] of some.entries()) {
      const lines = linesOf(sent, held[at] ?? {});
      if (lines !== null && (await isCurrent(sent.change, records))) {
        overwrites.push({ sent, lines });
      }
    }
  }
  return overwrites;
}

/** Whether the store has not changed the document since: a feeder before this one may send late. */
async function isCurrent(
  { tenantId, index, id, sequence, document }: DocumentChange,
  records: CurrentVersions,
): Promise<boolean> {
  const [current] = await records.documentVersionsById(tenantId, index, [id]);
  return current === undefined ? document === null : current.sequence === sequence;
}

/** What OpenSearch has of the documents, in their order, before any refresh. */
async function heldDocuments(
  client: OpenSearchClient,
  changes: readonly SentChange[],
): Promise<readonly HeldDocument[]> {
  const docs = changes.map(({ alias, change }) => ({
    ...{ _index: alias, _id: documentId(change.id), _source: [STORED.sequence] },
  }));
  const answer = await client.send<{ readonly docs: readonly HeldDocument[] }>(
    { method: 'POST', path: '/_mget', body: { docs } },
    { timeoutMs: REQUEST_MS },
  );
  return answer.docs;
}

/** null: the document is from this change, or from a later one. */
function linesOf(
  { alias, change, writer }: SentChange,
  { found = false, _seq_no, _primary_term, _source }: HeldDocument,
): readonly Buffer[] | null {
  const { document, sequence } = change;
  if (!found && document === null) return null;
  if (found && Number(_source?.[STORED.sequence]) >= sequence) return null;
  const action = {
    ...{ _index: alias, _id: documentId(change.id), require_alias: true },
    ...(found && { if_seq_no: _seq_no, if_primary_term: _primary_term }),
  };
  if (document === null) return [Buffer.from(JSON.stringify({ delete: action }))];
  const head = JSON.stringify(found ? { index: action } : { create: action });
  return [Buffer.from(head), writer.write({ ...change, document })];
}
