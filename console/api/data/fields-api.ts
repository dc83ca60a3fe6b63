// Calls about dynamic fields.
import type { IndexName } from '../../../src/query/query.ts';
import { callJson } from '../client.ts';

export type FieldKind = 'text' | 'long' | 'double' | 'boolean';

/** A field that documents have brought. */
export interface DynamicField {
  readonly index: IndexName;
  readonly name: string;
  readonly kind: FieldKind;
  /** Documents that have it. */
  readonly documents: number;
  readonly examples: readonly string[];
  /** ISO 8601; null: not recorded. */
  readonly since: string | null;
}

const FIELDS = 'admin/v1/fields';

export function listFields(index: IndexName, signal: AbortSignal): Promise<DynamicField[]> {
  return callJson(`${FIELDS}?index=${index}`, { signal });
}

/** @throws ApiFault naming values that do not fit */
export function setFieldKind(
  { index, name }: Pick<DynamicField, 'index' | 'name'>,
  kind: FieldKind,
): Promise<DynamicField> {
  const path = `${FIELDS}/${index}/${encodeURIComponent(name)}`;
  return callJson(path, { method: 'PATCH', body: { kind } });
}
