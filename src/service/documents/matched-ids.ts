// Finds documents by another member than their id, such as an e-mail address, for files whose rows know
// no ids. The store has no index of members, so all documents of the index are read once.
import { ServiceError } from '../../errors.ts';
import type { IndexName } from '../../query/query.ts';
import type { Records } from '../ports/store.ts';
import type { StoredDocument } from '../ports/stored-document.ts';
import { DocumentFault } from './document-shape.ts';
import { memberAt } from './record-line.ts';

/** Documents that are read at once to find ids. */
const PAGE = 50;
/** The documents of an index in which others than by id are found: their names are held in memory. */
const MATCHED_MAX = 500_000;

/** Ids of the documents of an index, by the values of one member. */
export class MatchedIds {
  readonly #member: string;
  readonly #index: IndexName;
  /** By the value in lower case; null: several documents have it. */
  readonly #ids: ReadonlyMap<string, string | null>;

  constructor(member: string, index: IndexName, ids: ReadonlyMap<string, string | null>) {
    this.#member = member;
    this.#index = index;
    this.#ids = ids;
  }

  /** @throws DocumentFault if no document has the value, or several */
  idOf(value: string): string {
    const id = this.#ids.get(value.toLowerCase());
    if (id === undefined) {
      throw new DocumentFault(
        `there is no document in ${this.#index} whose ${this.#member} is ${JSON.stringify(value)}; import it first`,
      );
    }
    if (id !== null) return id;
    throw new DocumentFault(
      `several documents in ${this.#index} have the ${this.#member} ${JSON.stringify(value)}; name them by another member, such as id`,
    );
  }
}

/**
 * Reads the values of a member from all documents of an index.
 * @throws ServiceError `limit_exceeded` if there are too many
 */
export async function matchedIds(
  records: Pick<Records, 'documentPage'>,
  { tenantId, index }: { readonly tenantId: string; readonly index: IndexName },
  member: string,
  pause: () => Promise<void>,
): Promise<MatchedIds> {
  const ids = new Map<string, string | null>();
  const path = member.split('.');
  for (let after = ''; ; ) {
    const page = await records.documentPage(tenantId, index, after, PAGE);
    for (const document of page) {
      const value = valueAt(document, path);
      if (value !== null) ids.set(value, ids.has(value) ? null : document.id);
    }
    if (ids.size > MATCHED_MAX) {
      throw new ServiceError('limit_exceeded', 'There are too many documents to match.', {
        causes: [
          `match: ${index} have more than ${MATCHED_MAX} values of ${member}; match them by id`,
        ],
      });
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return new MatchedIds(member, index, ids);
    after = last.id;
    await pause();
  }
}

function valueAt({ root }: StoredDocument, path: readonly string[]): string | null {
  const value = memberAt(JSON.parse(Buffer.from(root).toString('utf8')), path);
  return typeof value === 'string' || typeof value === 'number'
    ? String(value).toLowerCase()
    : null;
}
