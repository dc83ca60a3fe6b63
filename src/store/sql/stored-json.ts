// JSON in the columns of records that have no checksum.
import { ServiceError } from '../../errors.ts';

/**
 * The value of a column.
 * @param kind of the record, for people
 * @param id of the record
 * @throws ServiceError `unavailable` naming the record, if its bytes are no JSON any more
 */
// biome-ignore lint/suspicious/noExplicitAny: the caller states the type of the column
export function storedJson(text: string, kind: string, id: string): any {
  try {
    return JSON.parse(text);
  } catch {
    throw new ServiceError(
      'unavailable',
      `The ${kind} "${id}" is damaged in the store: write it again, or restore a backup.`,
    );
  }
}
