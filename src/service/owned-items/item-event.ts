// Audit events of changes to items that users own.
import {
  type AuditActor,
  changeAttributes,
  operationOf,
  type RecordStates,
  recordAuditEvent,
} from '../audit/audit-event.ts';
import type { WritableRecords } from '../ports/store.ts';
import type { ItemKind, OwnedItem } from './owned-item.ts';

/** The actor and the time, ISO 8601. */
export interface ChangeOrigin {
  readonly actor: AuditActor;
  readonly now: string;
}

/** The members of an item that callers do not choose. */
const AUTOMATIC: readonly string[] = ['id', 'created', 'modified', 'nextDue'];

/**
 * Records a change in the caller's transaction.
 * @param noun of the kind: the attribute of a `saved search` is `savedSearchId`
 */
export function recordItemChange<T extends OwnedItem>(
  records: WritableRecords,
  tenantId: string,
  { noun, object }: Pick<ItemKind<T>, 'noun' | 'object'>,
  states: RecordStates<T>,
  origin: ChangeOrigin,
): Promise<void> {
  const { before, after } = states;
  const { id, name } = (after ?? before) as T;
  const type = noun.split(' ').map(capitalized).join('');
  return recordAuditEvent(records, tenantId, origin, {
    act: `${object}_${operationOf(states)}`,
    target: name || id,
    attributes: {
      [`${type[0]?.toLowerCase()}${type.slice(1)}Id`]: id,
      ...changeAttributes(choicesOf(before), choicesOf(after)),
    },
  });
}

function choicesOf(item: OwnedItem | null): Readonly<Record<string, unknown>> | null {
  if (item === null) return null;
  return Object.fromEntries(Object.entries(item).filter(([name]) => !AUTOMATIC.includes(name)));
}

function capitalized(word: string): string {
  return `${word[0]?.toUpperCase()}${word.slice(1)}`;
}
