// Records nested in another one: in `…_attributes` an item without an id is added, one with an id
// is changed, or deleted with `_destroy`; items that are not sent stay (contract/profiles.md
// sections 5.2 and 6).
import { setImmediate as turn } from 'node:timers/promises';
import { addError, type FieldErrors } from './faults.ts';
import { membersOf } from './members-of.ts';
import { ITEMS_MAX, readFlag } from './record-reader.ts';

export interface Nested<R> {
  /** Wire name of the member. */
  readonly name: string;
  readonly before: readonly R[];
  /**
   * The item that a body refers to, or null for a new one; undefined if it refers to an unknown
   * one.
   */
  find(body: ReadonlyMap<string, unknown>, items: readonly R[]): Promise<R | null | undefined>;
  /** The item after the change; null if it is invalid, with an error added. */
  read(
    body: ReadonlyMap<string, unknown>,
    before: R | null,
    items: readonly R[],
  ): Promise<R | null>;
}

/** Items between two turns of the event loop: each may cost a few queries. */
const TURN_EVERY = 50;

/** The items after a change; errors are added under the member's name. */
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
  for (const [place, part] of parts.entries()) {
    if (place % TURN_EVERY === TURN_EVERY - 1) await turn();
    const body = membersOf(part);
    if (body === null) {
      addError(errors, name, 'must be an array of objects');
      return before;
    }
    const existing = await find(body, items);
    const destroys = readFlag(body.get('_destroy')) === true;
    if (existing === undefined) addError(errors, name, 'was not found');
    else if (destroys) {
      if (existing !== null) items.splice(items.indexOf(existing), 1);
    } else {
      const item = await read(body, existing, items);
      if (item === null) continue;
      if (existing === null) items.push(item);
      else items[items.indexOf(existing)] = item;
    }
  }
  return items;
}

/** A single object counts as an array of one. */
function partsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}
