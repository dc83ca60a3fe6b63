// The records of an opened store as everything above it uses them: traced if there is a collector,
// watched for damage, and with the documents that are imported into it.
import type { Clock } from '../auth/clock.ts';
import type { Config } from '../config/config.ts';
import { type DamageListeners, DamageWatch } from '../service/documents/damage-watch.ts';
import { Documents, type DocumentsOptions } from '../service/imports/documents.ts';
import type { Store } from '../service/ports/store.ts';
import type { Traces } from '../telemetry/traces.ts';

export interface RecordsParts
  extends DamageListeners,
    Required<Pick<DocumentsOptions, 'onUnchanged'>> {
  /** null: nothing is traced. */
  readonly traces: Traces | null;
  readonly clock: Clock;
}

export function openRecords(
  { maxDynamicFields, documentLimit }: Config,
  opened: Store,
  { traces, clock, onUnchanged, ...damage }: RecordsParts,
): { readonly store: DamageWatch; readonly documents: Documents } {
  const store = new DamageWatch(traces === null ? opened : traces.tracer.traced(opened), damage);
  const limits = { dynamicFields: maxDynamicFields, documentBytes: documentLimit };
  return { store, documents: new Documents(store, { clock, onUnchanged, limits }) };
}
