// A document as the store has it.
import type { IndexName } from '../../src/query/query.ts';
import { bareDocument } from '../../src/service/documents/bare-document.ts';
import type { Store } from '../../src/service/ports/store.ts';

// biome-ignore lint/suspicious/noExplicitAny: each test knows its members.
type Members = any;

/** The members of a document; throws if there is none. */
export async function storedJson(
  store: Store,
  tenantId: string,
  index: IndexName,
  id: string,
): Promise<Members> {
  const document = await store.read.document(tenantId, index, id);
  if (document === null) throw new Error(`There is no document ${id}`);
  return JSON.parse(Buffer.concat(bareDocument(document)).toString());
}
