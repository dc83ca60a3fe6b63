// The checks of what the store holds: documents, other records, tenants, keys and audit trails.
import type { Offline } from '../../compose/compose.ts';
import { verifyAuditDatabase } from '../../service/audit/audit-database.ts';
import { verifyTrails } from '../../service/audit/audit-verification.ts';
import { recordOperatorChange } from '../../service/audit/operator-event.ts';
import { rotateSigningKeys } from '../../service/credentials/key-rotation.ts';
import { canSign } from '../../service/credentials/signing-keys.ts';
import type { StoreInconsistency } from '../../service/ports/store.ts';
import { damageSummary, repairRecords, wayOut } from '../common/damaged-documents.ts';
import { grouped } from '../common/terminal.ts';
import { sameData } from '../help/suggestion.ts';
import type { Check, CheckOptions } from './check.ts';

/**
 * Checks the bytes of every document and record, and references and counts; damaged records and stray rows
 * are moved out of the way, and what is derived is computed anew.
 */
export async function recordChecks(
  { store, backend }: Offline,
  { repair, keepsRows = false, context, config: { dataDir } }: CheckOptions,
): Promise<Check[]> {
  const damage = await store.read.documentDamage({ namesMax: Number.POSITIVE_INFINITY });
  const inconsistencies = await store.read.inconsistencies();
  const found = {
    documents: damageSummary(damage),
    records: inconsistencySummary(inconsistencies),
  };
  const checkOf = (name: keyof typeof found, status: Check['status'], text: string): Check => {
    const message = text === '' ? found[name] : `${found[name]}: ${text}`;
    return { name, status, message, ...(name === 'documents' && { damaged: damage.documents }) };
  };
  const sound = {
    documents: { name: 'documents', status: 'ok', message: 'all are as they were written' },
    records: { name: 'records', status: 'ok', message: 'all are consistent' },
  } as const;
  const [isDamaged, isInconsistent] = [damage.count > 0, inconsistencies.length > 0];
  if (!repair || (isDamaged && keepsRows) || (!isDamaged && !isInconsistent)) {
    const help = '--repair moves what is stray to a file, and computes the rest anew';
    const way = repair && keepsRows ? UNSURE : wayOut(damage);
    return [
      isDamaged ? checkOf('documents', 'fault', way) : sound.documents,
      isInconsistent ? checkOf('records', 'fault', help) : sound.records,
    ];
  }
  // It may lack the fields of documents, and is fed anew after the fields were learnt.
  const tables: readonly string[] = [
    ...damage.documents.map(({ index }) => index),
    ...inconsistencies.map(({ table }) => table),
  ];
  if (tables.includes('dynamic_field')) await backend?.clear();
  const { moved, rewritten, file, left } = await repairRecords(store, dataDir, context.now());
  const inconsistent = await store.read.inconsistencies();
  const events = rewritten > 0 ? `; ${grouped(rewritten)} written again from the audit trail` : '';
  const bytes = file === null ? '' : `their bytes (${grouped(moved)}) are in ${file}`;
  const outcome = isDamaged ? `${bytes}${events}; import them again` : '';
  return [
    left.count > 0
      ? {
          name: 'documents',
          status: 'fault',
          message: `${damageSummary(left)}: ${wayOut(left)}${bytes === '' ? '' : `; of others ${bytes}`}`,
        }
      : isDamaged
        ? checkOf('documents', 'mended', outcome)
        : sound.documents,
    inconsistent.length > 0
      ? {
          name: 'records',
          status: 'fault',
          message: `${inconsistencySummary(inconsistent)}: restore a backup`,
        }
      : isInconsistent
        ? checkOf('records', 'mended', isDamaged ? '' : bytes)
        : sound.records,
  ];
}

const UNSURE =
  'nothing was moved, since records that were changed without the triggers of their checksums look damaged, too: write again what is right, then run --repair once more';

function inconsistencySummary(inconsistencies: readonly StoreInconsistency[]): string {
  return inconsistencies
    .map(({ kind, table, rows }) => `${grouped(rows)} ${kind} in ${table}`)
    .join(', ');
}

export async function tenantCheck({ store }: Offline, { config }: CheckOptions): Promise<Check> {
  const tenants = await store.read.tenants();
  const summaries = await Promise.all(
    tenants.map(async ({ id, name }) => {
      const counts = Object.values(await store.read.documentCounts(id));
      return `${name} (${grouped(counts.reduce((sum, count) => sum + count, 0))} documents)`;
    }),
  );
  return tenants.length === 0
    ? {
        name: 'tenants',
        status: 'warning',
        message: `none; create one with ${sameData(config, 'cardea tenant create NAME')}`,
      }
    : { name: 'tenants', status: 'ok', message: summaries.join(', ') };
}

export async function keyCheck({ store }: Offline, { repair }: CheckOptions): Promise<Check> {
  const name = 'keys';
  const keys = await store.read.signingKeys();
  const active = keys.filter((key) => key.active).length;
  if (keys.length === 0) {
    return { name, status: 'ok', message: 'none yet; the first token request creates one' };
  }
  const signing = keys.find((key) => key.active);
  const isSealed = signing !== undefined && !canSign(signing);
  if (active === 1 && !isSealed) {
    return { name, status: 'ok', message: `${keys.length}, one of them signs` };
  }
  const message = isSealed
    ? 'the one that signs is sealed with a secrets key that is missing here: CARDEA_SECRETS_KEY_FILE'
    : `${active} of ${keys.length} keys sign; it must be one`;
  if (!repair) return { name, status: 'fault', message };
  await rotateSigningKeys(store, 'kept');
  return { name, status: 'mended', message };
}

/** Checks the protection of all trails. Triggers can be restored; a missing tenant cannot. */
export async function auditDatabaseCheck(
  { store }: Offline,
  { repair }: CheckOptions,
): Promise<Check> {
  const name = 'audit database';
  const faults = await verifyAuditDatabase(store.read);
  if (faults.length === 0) return { name, status: 'ok', message: 'refuses changes of events' };
  if (repair) {
    await store.write((records) => records.restoreAuditProtection());
    if ((await verifyAuditDatabase(store.read)).length === 0) {
      return { name, status: 'mended', message: faults.join('; ') };
    }
  }
  return { name, status: 'fault', message: faults.join('; ') };
}

/** Verifies the hash chain of each tenant; a broken chain cannot be repaired. */
export async function auditCheck(
  { store }: Offline,
  { context, config }: CheckOptions,
): Promise<Check> {
  const name = 'audit trail';
  const { events, faults } = await verifyTrails(store.read, () => context.stop.check());
  if (faults.length === 0) {
    return { name, status: 'ok', message: `${grouped(events)} events, all unchanged` };
  }
  const command = sameData(config, 'cardea audit verify');
  const found = faults.map(({ message }) => message).join('; ');
  return { name, status: 'fault', message: `${found}: see ${command}` };
}

/** Audits the repairs; before the check of the index, as that holds a copy of each event. */
export async function recordRepairs({ store }: Offline, checks: readonly Check[]): Promise<void> {
  const mended = checks.filter(({ status }) => status === 'mended');
  if (mended.length === 0) return;
  await store.write((records) =>
    recordOperatorChange(records, Date.now(), {
      act: 'STORE_REPAIR',
      target: 'cardea doctor --repair',
      attributes: {
        mended: mended.map(({ name }) => name),
        faults: mended.map(({ name, message }) => `${name}: ${message}`),
      },
    }),
  );
}
