// What the check of a whole store looks at beyond the pages of a file: the bytes of documents and records,
// what is derived from them, and the audit trails.
import { type TrailFault, verifyTrails } from '../audit/audit-verification.ts';
import type { DocumentDamage, Records, StoreInconsistency } from '../ports/store.ts';

export interface RecordFaults {
  /** Damaged documents and records. */
  readonly damage: DocumentDamage;
  /** Derived rows that are not as computed. */
  readonly wrong: readonly StoreInconsistency[];
  /** Broken audit trails. */
  readonly trails: readonly TrailFault[];
}

/** @param pause called now and then; the check waits for it */
export async function recordFaults(
  records: Records,
  pause?: () => Promise<void>,
): Promise<RecordFaults> {
  return {
    damage: await records.documentDamage({ pause }),
    wrong: await records.wrongRows(pause),
    trails: (await verifyTrails(records, pause)).faults,
  };
}
