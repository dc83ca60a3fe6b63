// Checks, before a service is opened, whether OpenSearch has indexes of it. If the store is empty, they
// show that its content was lost.
import { OpenSearchClient } from '../requests/client.ts';
import { RemoteIndexes } from './remote-indexes.ts';

/**
 * True if there is an index of documents with this prefix, open or closed; an index is created with its
 * first document.
 * @throws OpenSearchFault, ServiceError if OpenSearch does not tell
 */
export async function hasIndexes(url: string, prefix: string): Promise<boolean> {
  const client = new OpenSearchClient(url);
  try {
    return (await new RemoteIndexes(client, prefix).list()).length > 0;
  } finally {
    await client.close();
  }
}
