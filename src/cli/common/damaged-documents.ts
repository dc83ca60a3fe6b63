// Damaged documents, other damaged records and stray rows in the checks and repairs of cardea doctor.
// Invariant: the bytes of what leaves the store are on the disk before.
import { closeSync, fsyncSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { damagedFolder } from '../../compose/data-paths.ts';
import { flush, staysInStore } from '../../compose/store.ts';
import type { DocumentDamage, Store, WritableRecords } from '../../service/ports/store.ts';
import type { StoredDocumentKey } from '../../service/ports/stored-document.ts';
import { grouped } from './terminal.ts';

/** Documents that a sentence names. */
const NAMED_MAX = 10;

interface DamageOfKinds {
  readonly count: number;
  readonly documents: readonly { readonly index: string; readonly id: string }[];
}

/** The number of damaged documents and the names of the first, for people. */
export function damageSummary({ count, documents }: DamageOfKinds): string {
  const names = documents.slice(0, NAMED_MAX).map(({ index, id }) => `"${id}" of ${index}`);
  const more = count > names.length ? ` and ${grouped(count - names.length)} more` : '';
  return `${grouped(count)} damaged ${count === 1 ? 'document' : 'documents'}: ${names.join(', ')}${more}`;
}

/** What an operator can do about damaged records, as --repair moves all but a few kinds. */
export function wayOut({ documents }: DamageOfKinds): string {
  const tables = documents.map(({ index }) => index);
  const staying = [...new Set(tables.filter(staysInStore))];
  const restore = `restore a backup, as --repair leaves those of ${staying.join(' and ')}, without which somebody might have rights again`;
  if (staying.length === 0)
    return 'import them again, restore a backup, or --repair moves them out of the store';
  return tables.every(staysInStore) ? restore : `${restore}, and moves the others out of the store`;
}

/** What became of damaged documents and stray rows. */
export interface DamageRepair {
  /** Documents and records that were moved to the file. */
  readonly moved: number;
  /** Documents of events of the audit trail that were written again from the trail. */
  readonly rewritten: number;
  /** The file; null if nothing was moved. */
  readonly file: string | null;
  /** What is still damaged, as it must stay. */
  readonly left: DocumentDamage;
}

/**
 * Moves stray rows, and damaged documents and records, out of the store into a file, one JSON object per
 * line, and computes what is derived from the others. Events of the audit trail are written again from
 * the trail. A process that is killed has moved some, and what it moved is in its file.
 * @param directory the data directory
 * @param now epoch milliseconds
 */
export async function repairRecords(
  store: Store,
  directory: string,
  now: number,
): Promise<DamageRepair> {
  const folder = damagedFolder(directory);
  const file = join(folder, `${new Date(now).toISOString().replace(/[:.]/g, '-')}.ndjson`);
  const keep = (lines: readonly string[]) => {
    if (lines.length === 0) return;
    append(file, lines.join(''));
    flush(folder);
    flush(directory);
  };
  let [lines, rewritten] = [0, 0];
  for (;;) {
    const before = lines;
    // Stray rows first: without their tenant, what is damaged may have no key that can be read.
    await store.write(async (records) => {
      const stray = await records.takeStrayRows();
      keep(stray.map((row) => `${JSON.stringify(row)}\n`));
      lines += stray.length;
    });
    const left = await store.read.documentDamage();
    await store.write(async (records) => {
      const taken = await takeDamaged(records, left.documents);
      keep(taken.lines);
      lines += taken.lines.length;
      rewritten += taken.rewritten;
    });
    if (lines > before) continue;
    await store.write((records) => records.mendDerivedRows());
    return { moved: lines, rewritten, file: lines > 0 ? file : null, left };
  }
}

async function takeDamaged(records: WritableRecords, keys: DocumentDamage['documents']) {
  const lines: string[] = [];
  let rewritten = 0;
  for (const key of keys) {
    const { tenantId, index, id } = key;
    // A key that cannot be read does not tell which event it was.
    const isEvent = index === 'events' && typeof id === 'string' && !id.includes('\0');
    const event = isEvent ? (await records.auditEvents(tenantId, [id])).get(id) : undefined;
    let bytes: Columns | null;
    if (event === undefined) bytes = await records.takeDamagedDocument(key);
    else {
      // Under its number, which the trail records.
      const root = Buffer.from(event.text);
      const nested = Buffer.alloc(0);
      bytes = await records.rewriteDamagedDocument({ tenantId, index: 'events', id, root, nested });
      if (bytes !== null) rewritten++;
    }
    if (bytes !== null) lines.push(lineOf(key, bytes));
  }
  return { lines, rewritten };
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
