// A setting with a value for each index: one for all, and others by document type, by tenant, or by
// both. The most exact one applies.
import type { IndexName } from '../query.ts';

export interface PerIndex<Value> {
  readonly all: Value;
  /** By `TYPE`, `TENANT_ID/TYPE` or `TENANT_ID/*`. */
  readonly exceptions: ReadonlyMap<string, Value>;
}

export function forAll<Value>(value: Value): PerIndex<Value> {
  return { all: value, exceptions: new Map() };
}

export function valueFor<Value>(
  { all, exceptions }: PerIndex<Value>,
  tenantId: string,
  index: IndexName,
): Value {
  return (
    exceptions.get(`${tenantId}/${index}`) ??
    exceptions.get(`${tenantId}/*`) ??
    exceptions.get(index) ??
    all
  );
}
