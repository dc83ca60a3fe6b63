// Records written inside another one: `…_attributes` adds what has no id, changes what has one, and
// deletes what has one and `_destroy`; what is not mentioned stays (contract/profiles.md sections
// 5.2 and 6).
import { addError, type FieldErrors } from '../faults.ts';
import { ITEMS_MAX, membersOf, readFlag } from './record-reader.ts';

export interface Nested<R> {
  /** The member that is written, by wire name. */
  readonly name: string;
  readonly before: readonly R[];
  /**
   * The item a body means, or null for a new one; undefined where it means one that is not there.
   */
  find(body: ReadonlyMap<string, unknown>, items: readonly R[]): R | null | undefined;
  /** The item as the body leaves it; null where it cannot be, with a complaint made. */
  read(body: ReadonlyMap<string, unknown>, before: R | null): Promise<R | null>;
}

/** The items as a value leaves them; complaints go to `errors` under the member's name. */
export async function writeNested<R>(
  value: unknown,
  { name, before, find, read }: Nested<R>,
  errors: FieldErrors,
): Promise<readonly R[]> {
  if (value === undefined || value === null) return before;
  const items = [...before];
  const parts = partsOf(value);
  if (parts.length > ITEMS_MAX) {
    addError(errors, name, `must hold at most ${ITEMS_MAX} items`);
    return before;
  }
  for (const part of parts) {
    const body = membersOf(part);
    if (body === null) {
      addError(errors, name, 'must be an array of objects');
      return before;
    }
    const known = find(body, items);
    const destroys = readFlag(body.get('_destroy')) === true;
    if (known === undefined) addError(errors, name, 'was not found');
    else if (destroys) {
      if (known !== null) items.splice(items.indexOf(known), 1);
    } else {
      const item = await read(body, known);
      if (item === null) continue;
      if (known === null) items.push(item);
      else items[items.indexOf(known)] = item;
    }
  }
  return items;
}

/** An array, or one object in the place of an array of one. */
function partsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}
