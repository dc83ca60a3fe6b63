// Requests for many indexes by their names, in parts, since a path must not be too long.
import type { OpenSearchClient } from '../requests/client.ts';

const ADMIN_MS = 30_000;
const NAMES_PER_REQUEST = 20;

/** Deletes indexes, some of which may be gone already. */
export async function deleteIndexes(
  client: OpenSearchClient,
  names: readonly string[],
): Promise<void> {
  for (const some of chunksOf(names)) {
    await client.send(
      {
        method: 'DELETE',
        path: `/${some}`,
        query: { ignore_unavailable: 'true' },
      },
      { timeoutMs: ADMIN_MS },
    );
  }
}

/** Lists of names as they are written in paths. */
export function chunksOf(names: readonly string[]): string[] {
  const chunks: string[] = [];
  for (let at = 0; at < names.length; at += NAMES_PER_REQUEST) {
    chunks.push(
      names
        .slice(at, at + NAMES_PER_REQUEST)
        .map(encodeURIComponent)
        .join(','),
    );
  }
  return chunks;
}
