// The checks of what the store holds: documents, other records, tenants, keys and audit trails.
import type { Offline } from '../../compose/compose.ts';
import { verifyAuditDatabase } from '../../service/audit/audit-database.ts';
import { verifyTrails } from '../../service/audit/audit-verification.ts';
import { recordOperatorChange } from '../../service/audit/operator-event.ts';
import { rotateSigningKeys } from '../../service/credentials/key-rotation.ts';
import { canSign } from '../../service/credentials/signing-keys.ts';
import { damageSummary, repairDocuments } from '../common/damaged-documents.ts';
import { grouped } from '../common/terminal.ts';
import { sameData } from '../help/suggestion.ts';
import type { Check, CheckOptions } from './check.ts';

/** Checks the bytes of every document; damaged ones are moved out of the way. */
export async function documentsCheck(
  { store }: Offline,
  { repair, context, config: { dataDir } }: CheckOptions,
): Promise<Check> {
  const name = 'documents';
  const damage = await store.read.documentDamage();
  if (damage.count === 0) return { name, status: 'ok', message: 'all are as they were written' };
  const message = damageSummary(damage);
  if (!repair) {
    const help = 'import them again, restore a backup, or --repair moves them out of the store';
    return { name, status: 'fault', message: `${message}: ${help}` };
  }
  const { moved, rewritten, file, left } = await repairDocuments(store, dataDir, context.now());
  const events = rewritten > 0 ? `; ${grouped(rewritten)} written again from the audit trail` : '';
  if (left.count > 0) {
    return { name, status: 'fault', message: `${damageSummary(left)}: restore a backup` };
  }
  const outcome = `their bytes (${grouped(moved)}) are in ${file}${events}; import them again`;
  return { name, status: 'mended', message: `${message}: ${outcome}` };
}

export async function recordsCheck({ store }: Offline, { repair }: CheckOptions): Promise<Check> {
  const name = 'records';
  const inconsistencies = await store.read.inconsistencies();
  if (inconsistencies.length === 0) return { name, status: 'ok', message: 'all are consistent' };
  const message = inconsistencies
    .map(({ kind, table, rows }) => `${grouped(rows)} ${kind} in ${table}`)
    .join(', ');
  if (!repair)
    return {
      name,
      status: 'fault',
      message: `${message}: --repair removes what is stray and counts anew`,
    };
  await store.write((records) => records.repairInconsistencies());
  return { name, status: 'mended', message };
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
