// Damaged documents in the checks and repairs of cardea doctor.
// Invariant: the bytes of a damaged document are on the disk before it leaves the store.
import { closeSync, fsyncSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { damagedFolder } from '../../compose/data-paths.ts';
import { flush } from '../../compose/store.ts';
import type { DocumentDamage, Store } from '../../service/ports/store.ts';
import type { StoredDocumentKey } from '../../service/ports/stored-document.ts';
import { grouped } from './terminal.ts';

/** Documents that a sentence names. */
const NAMED_MAX = 10;

/** The number of damaged documents and the names of the first, for people. */
export function damageSummary({
  count,
  documents,
}: {
  readonly count: number;
  readonly documents: readonly Pick<StoredDocumentKey, 'index' | 'id'>[];
}): string {
  const names = documents.slice(0, NAMED_MAX).map(({ index, id }) => `"${id}" of ${index}`);
  const more = count > names.length ? ` and ${grouped(count - names.length)} more` : '';
  return `${grouped(count)} damaged ${count === 1 ? 'document' : 'documents'}: ${names.join(', ')}${more}`;
}

/** What became of damaged documents. */
export interface DamageRepair {
  /** Documents that were moved to the file. */
  readonly moved: number;
  /** Documents of events of the audit trail that were written again from the trail. */
  readonly rewritten: number;
  /** The file; null if none was moved. */
  readonly file: string | null;
  /** What is still damaged, since its key is: it can be found, but not by its key. */
  readonly left: DocumentDamage;
}

/**
 * Moves damaged documents out of the store into a file, one JSON object per line with the columns in
 * base64. Events of the audit trail are written again from the trail.
 * @param directory the data directory
 * @param now epoch milliseconds
 */
export async function repairDocuments(
  store: Store,
  directory: string,
  now: number,
): Promise<DamageRepair> {
  const folder = damagedFolder(directory);
  const file = join(folder, `${new Date(now).toISOString().replace(/[:.]/g, '-')}.ndjson`);
  let [moved, rewritten] = [0, 0];
  for (;;) {
    const left = await store.read.documentDamage();
    const before = moved;
    await store.write(async (records) => {
      const lines: string[] = [];
      for (const key of left.documents) {
        const { tenantId, index, id } = key;
        const event = index === 'events' && (await records.auditEvents(tenantId, [id])).get(id);
        const bytes = await records.takeDamagedDocument(key);
        if (bytes === null) continue;
        lines.push(lineOf(key, bytes));
        if (!event) continue;
        const root = Buffer.from(event.text);
        await records.putDocuments(tenantId, [{ index, id, root, nested: Buffer.alloc(0) }]);
        rewritten++;
      }
      if (lines.length === 0) return;
      append(file, lines.join(''));
      flush(folder);
      moved += lines.length;
    });
    if (moved === before) return { moved, rewritten, file: moved > 0 ? file : null, left };
  }
}

type Columns = Parameters<typeof lineOf>[1];

function lineOf(
  key: StoredDocumentKey,
  columns: Readonly<Record<'hash' | 'root' | 'nested', Uint8Array | null>>,
): string {
  const text = (bytes: Columns['root']) =>
    bytes === null ? null : Buffer.from(bytes).toString('base64');
  const { hash, root, nested } = columns;
  return `${JSON.stringify({ ...key, hash: text(hash), root: text(root), nested: text(nested) })}\n`;
}

/** Appends to a file and flushes it. */
function append(path: string, text: string): void {
  const file = openSync(path, 'a', 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
