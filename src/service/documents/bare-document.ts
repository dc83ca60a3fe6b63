// A document as it was sent, from the parts that the store keeps, and what reads documents and mappings.
import { ServiceError } from '../../errors.ts';
import { INDEX_NAMES } from '../../query/mapping/document-types.ts';
import type { IndexName } from '../../query/query.ts';
import type { Mappings } from '../ports/search-backend.ts';
import type { StoredDocument } from '../ports/stored-document.ts';

const COMMA = Uint8Array.of(0x2c);
const CLOSE_OBJECT = Uint8Array.of(0x7d);

/** Documents of a tenant as they are in the store, and the mappings of its indexes. */
export interface MappedDocuments {
  /** The mappings of all indexes at one moment, for planning; see MappingCache.recent. */
  mappings(tenantId: string): Mappings | Promise<Mappings>;
  /** As Records.documentsById. */
  documentsById(
    tenantId: string,
    index: IndexName,
    ids: readonly string[],
  ): Promise<readonly StoredDocument[]>;
}

/** A document from its two parts, in pieces: `{…}` and `"a":[…]` become `{…,"a":[…]}`. */
export function bareDocument({
  root,
  nested,
}: Pick<StoredDocument, 'root' | 'nested'>): readonly Uint8Array[] {
  return nested.length === 0 ? [root] : [root.subarray(0, -1), COMMA, nested, CLOSE_OBJECT];
}

/**
 * The index of that name.
 * @throws ServiceError `request_invalid`
 */
export function readIndexName(name: string): IndexName {
  const index = INDEX_NAMES.find((candidate) => candidate === name);
  if (index === undefined) {
    throw new ServiceError('request_invalid', 'There is no such index.', {
      causes: [`index "${name}" is not one of ${INDEX_NAMES.join(', ')}`],
    });
  }
  return index;
}
