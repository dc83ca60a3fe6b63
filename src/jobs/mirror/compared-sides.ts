// The two sides of a part that is compared: what the remote tenant returns, and what is stored here.

import type { IndexName } from '../../query/query.ts';
import { bareDocument } from '../../service/documents/bare-document.ts';
import type { PageItem } from '../../service/documents/import-pages.ts';
import { LIMIT_MAX } from '../../service/ports/collection.ts';
import { importedTime } from '../../service/profiles/profile-import.ts';
import { showProfiles } from '../../service/profiles/values/shown-profiles.ts';
import { indexQuery } from './parts/index-part.ts';
import type { MirrorWorld } from './parts/mirror-world.ts';
import { PROFILES } from './parts/profile-part.ts';
import type { RemoteProfiles } from './remote/remote-tenant.ts';

type Members = Record<string, unknown>;

export interface ComparedSides {
  /** Name of the part. */
  readonly part: string;
  /** How many documents the remote tenant has; null if it does not say. */
  count(): Promise<number | null>;
  /** The documents after an id, in ascending order of ids. @param limit null: as many as usual */
  page(after: string | null, limit: number | null): Promise<readonly PageItem[]>;
  /** The stored ones of these ids, those that exist. */
  stored(ids: readonly string[]): Promise<ReadonlyMap<string, Members>>;
  /** What an item should be stored as. @throws DocumentFault if it cannot be stored */
  expected(item: PageItem, stored: Members): Members;
}

/** The documents of an index. */
export async function indexSides(
  { remote, local, store, tenantId }: MirrorWorld,
  index: IndexName,
): Promise<ComparedSides> {
  const query = indexQuery(index, null);
  const form = await local.documentForm(tenantId, index);
  return {
    part: index,
    count: () => remote.count(index, query),
    page: (after, limit) =>
      remote.page({ index, query, after, ...(limit === null ? {} : { limit }) }),
    async stored(ids) {
      const documents = await store.read.documentsById(tenantId, index, ids);
      return new Map(
        documents.map((document) => [
          document.id,
          membersOf(Buffer.concat(bareDocument(document))),
        ]),
      );
    },
    expected({ text }, stored) {
      const document = membersOf(form(text));
      // The service dates documents that their source does not.
      if ((membersOf(text)['synced'] ?? null) === null) document['synced'] = stored['synced'];
      return document;
    },
  };
}

/** Profiles as the API shows them, without attachments, which are not copied. */
export async function profileSides(
  { store, tenantId }: MirrorWorld,
  remote: RemoteProfiles,
): Promise<ComparedSides> {
  const { rows } = await store.read.resourcePage(tenantId, 'attribute', {
    where: [{ member: 'type', equals: 'AttachmentAttribute' }],
    ...{ order: 'id', limit: LIMIT_MAX, offset: 0, total: false },
  });
  const attachments = new Set(rows.map(({ uid }) => uid));
  return {
    part: PROFILES,
    count: () => remote.count('profiles'),
    page: (after) => remote.profiles({ after, since: null, idsOnly: false }),
    async stored(ids) {
      const profiles = await store.read.profilesByKey(tenantId, ids);
      const shown = await showProfiles(store.read, tenantId, profiles);
      return new Map(shown.map((profile) => [String(profile['id']), { ...profile }]));
    },
    expected({ text }, stored) {
      const profile = membersOf(text);
      const members = Object.keys(stored).map((name) => {
        const value = profile[name] ?? null;
        if (!TIMES.has(name)) return [name, value];
        // The service dates profiles that their source does not.
        return [name, importedTime(value, name) ?? stored[name]];
      });
      const values = Object.entries((profile['attributes'] ?? {}) as Members);
      // An empty value is no value, and all values are texts here.
      const attributes = values
        .filter(([uid, value]) => value !== '' && value !== null && !attachments.has(uid))
        .map(([uid, value]) => [uid, typeof value === 'object' ? value : String(value)]);
      return { ...Object.fromEntries(members), attributes: Object.fromEntries(attributes) };
    },
  };
}

const TIMES: ReadonlySet<string> = new Set(['created_at', 'updated_at']);

function membersOf(text: Uint8Array): Members {
  return JSON.parse(Buffer.from(text).toString()) as Members;
}
