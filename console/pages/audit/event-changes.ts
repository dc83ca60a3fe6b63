// What a recorded event says was changed: a row for each member, with its values before and after.
// The service records the values as JSON, of some members the name only, and of auth users the
// capabilities apart.

import { firstText, textOf, valuesAt } from '../../model/document-value.ts';
import type { Document } from '../../model/wire.ts';

export interface MemberChange {
  readonly name: string;
  /** null: there was none, or it is not recorded. */
  readonly before: string | null;
  readonly after: string | null;
}

/** The changed members of an event, in the order of the event. */
export function changesOf(event: Document): MemberChange[] {
  const before = membersOf(event, 'before');
  const after = membersOf(event, 'after');
  const names = valuesAt(event, 'attributes.changed').map(textOf);
  const changes = names.map((name) => ({
    name,
    before: valueText(before, name),
    after: valueText(after, name),
  }));
  const capabilities = {
    before: listText(event, 'capabilitiesBefore'),
    after: listText(event, 'capabilitiesAfter'),
  };
  if (capabilities.before === null && capabilities.after === null) return changes;
  return [{ name: 'capabilities', ...capabilities }, ...changes];
}

/** The names of members that an event changed; none for a creation or a deletion. */
export function changedNames(event: Document): string[] {
  const has = (name: string) => valuesAt(event, `attributes.${name}`).length > 0;
  if (has('before') !== has('after')) return [];
  return changesOf(event).map(({ name }) => name);
}

/** Attributes that other rows of the detail show. */
const SHOWN: ReadonlySet<string> = new Set([
  ...['changed', 'before', 'after', 'capabilitiesBefore', 'capabilitiesAfter'],
  ...['actorId', 'remoteAddress', 'requestId'],
]);

/** The other attributes of an event, such as `reason` of a failed sign-in. */
export function otherAttributes(event: Document): (readonly [name: string, value: string])[] {
  const [attributes] = valuesAt(event, 'attributes');
  if (typeof attributes !== 'object' || attributes === null) return [];
  return Object.entries(attributes)
    .filter(([name]) => !SHOWN.has(name))
    .map(([name, value]) => [name, textOf(value)]);
}

/** `EnableAuthUser` as `Enable auth user`, `USER_ADMIN_GRANT` as `User admin grant`. */
export function actionText(action: string): string {
  const words = action
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase()
    .replace(/\bapi\b/g, 'API');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function membersOf(event: Document, name: 'before' | 'after'): Readonly<Record<string, unknown>> {
  const text = firstText(event, `attributes.${name}`);
  if (text === '') return {};
  try {
    const members: unknown = JSON.parse(text);
    return typeof members === 'object' && members !== null
      ? (members as Record<string, unknown>)
      : {};
  } catch {
    // An event of an earlier version may have plain text there.
    return { [name]: text };
  }
}

function valueText(members: Readonly<Record<string, unknown>>, name: string): string | null {
  const value = Object.hasOwn(members, name) ? members[name] : undefined;
  if (value === undefined || value === null) return null;
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
    ? value.join(', ')
    : textOf(value);
}

/** null: the event has no such list. An empty list is recorded, but has no values. */
function listText(event: Document, name: string): string | null {
  const [attributes] = valuesAt(event, 'attributes');
  if (typeof attributes !== 'object' || attributes === null) return null;
  if (!Object.hasOwn(attributes, name)) return null;
  return valuesAt(event, `attributes.${name}`).map(textOf).join(', ');
}
