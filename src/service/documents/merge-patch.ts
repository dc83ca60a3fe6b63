// Merges a patch into a record (JSON Merge Patch, RFC 7396), with one addition for the nested arrays
// of documents: an array of objects with ids is merged element by element. And null leaves what is
// empty already, so that an empty list that was written as a blank cell is not changed by it.
// Invariant: a record that a patch does not change is returned as it is.

type Json = Readonly<Record<string, unknown>>;

/**
 * The record after the patch: its members are set, null removes one, objects are merged; elements
 * are added to an array, or merged with the one of the same id.
 */
export function mergePatch(record: Json, patch: Json): Json {
  let merged: Record<string, unknown> | null = null;
  for (const [name, change] of Object.entries(patch)) {
    const before = Object.hasOwn(record, name) ? record[name] : undefined;
    const after = mergeValue(before, change);
    if (after === before) continue;
    merged ??= { ...record };
    if (after === undefined) delete merged[name];
    else merged[name] = after;
  }
  return merged ?? record;
}

/** undefined: the member goes. */
function mergeValue(before: unknown, change: unknown): unknown {
  if (change === null) return isBlank(before) ? before : undefined;
  if (isElements(change)) return mergeElements(Array.isArray(before) ? before : [], change);
  if (isObject(change)) {
    const merged = mergePatch(isObject(before) ? before : {}, change);
    // What has only been emptied, or never had anything, is no value.
    return Object.keys(merged).length === 0 ? undefined : merged;
  }
  if (Array.isArray(change) && JSON.stringify(before) === JSON.stringify(change)) return before;
  return change;
}

function mergeElements(before: readonly unknown[], changes: readonly Json[]): readonly unknown[] {
  const merged = [...before];
  const places = new Map<unknown, number>();
  for (const [at, one] of merged.entries()) {
    if (isObject(one) && !places.has(one['id'])) places.set(one['id'], at);
  }
  let isChanged = false;
  for (const change of changes) {
    const at = places.get(change['id']) ?? merged.length;
    const element = merged[at] as Json | undefined;
    const after = mergePatch(element ?? {}, change);
    if (after === element) continue;
    merged[at] = after;
    places.set(change['id'], at);
    isChanged = true;
  }
  return isChanged ? merged : before;
}

/** True for what a blank cell stands for, too. */
function isBlank(value: unknown): boolean {
  return value === '' || value === null || (Array.isArray(value) && value.length === 0);
}

function isElements(value: unknown): value is readonly Json[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((one) => isObject(one) && typeof one['id'] === 'string')
  );
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
