// The names of people by id, for owners and recipients.
import { search } from '../../../../api/search-api.ts';
import { session } from '../../../../api/session.ts';
import { firstText } from '../../../../model/document-value.ts';
import { useCell } from '../../../../ui/use-cell.ts';
import { useLoad } from '../../../../ui/use-load.ts';

const PEOPLE_MAX = 250;

/** The names of identities by id; those without a document are left out. @throws ApiFault */
export async function namesOf(
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const { hits } = await search(
    {
      indices: ['identities'],
      query: { query: '*' },
      filters: { id: { type: 'TERMS', terms: ids.slice(0, PEOPLE_MAX) } },
      queryResultFilter: { includes: ['id', 'name', 'displayName'] },
    },
    { limit: PEOPLE_MAX },
    signal,
  );
  return new Map(hits.map((hit) => [String(hit['id']), firstText(hit, 'displayName', 'name')]));
}

/**
 * The name of an identity by id; the id until it is loaded, and for one without a document. The
 * user has the name of the session.
 */
export function useNames(ids: readonly string[]): (id: string) => string {
  const wanted = [...new Set(ids)].sort();
  const { value } = useLoad(wanted.length === 0 ? null : wanted.join(' '), (signal) =>
    namesOf(wanted, signal),
  );
  const own = useCell(session);
  return (id) => value?.get(id) ?? (id === own?.identityId ? own.userName : id);
}
