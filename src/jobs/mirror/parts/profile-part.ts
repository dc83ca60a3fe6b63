// The profiles of profile management as a part of a mirror, walked by `after_id`.
import type { PageItem } from '../../../service/documents/import-pages.ts';
import type { Records } from '../../../service/ports/store.ts';
import { membersOf } from '../../../service/profiles/resources/members-of.ts';
import { shownValues } from '../../../service/profiles/values/shown-profiles.ts';
import type { RemoteProfiles } from '../remote/remote-tenant.ts';
import type { MirrorWorld } from './mirror-world.ts';
import { mirroredOf } from './mirrored-ids.ts';
import type { PartSource, PartTarget } from './part-source.ts';

export const PROFILES = 'profile-management/profiles';
/** Requests at the same time. */
const AT_ONCE = 4;

export function profileSource(remote: RemoteProfiles): PartSource {
  const fetch = async (ids: readonly string[]): Promise<readonly PageItem[]> => {
    const items: PageItem[] = [];
    for (let from = 0; from < ids.length; from += AT_ONCE) {
      const asked = ids.slice(from, from + AT_ONCE);
      const answers = await Promise.all(asked.map((id) => remote.profile(id)));
      items.push(...answers.filter((item) => item !== null));
    }
    return items;
  };
  return {
    name: PROFILES,
    async moment() {
      // No query sorts profiles by their changes downwards: the clock of the service has to do.
      const now = await remote.now();
      return { now, newest: now };
    },
    page: (after, since) => remote.profiles({ after, since, idsOnly: false }),
    async ids(after) {
      const items = await remote.profiles({ after, since: null, idsOnly: true });
      return items.map(({ id }) => id);
    },
    fetch,
    async existing(ids) {
      return new Set((await fetch(ids)).map(({ id }) => id));
    },
    count: async (since) => (since === null ? remote.count('profiles') : null),
  };
}

export function profileTarget({ store, local, tenantId }: MirrorWorld): PartTarget {
  return {
    refersToItself: true,
    async pages() {
      const pages = local.profilePages(tenantId);
      return {
        put: async (items, alongside) =>
          pages.put(await withClearedValues(store.read, tenantId, items), alongside),
      };
    },
    async replacedBy(items) {
      // Profiles never change their uid, and no two of them have the same.
      const ids = new Map(items.map((item) => [profileOf(item).uid, item.id]));
      const uids = [...ids.keys()].filter((uid) => typeof uid === 'string');
      const holders = await store.read.profilesByKey(tenantId, uids);
      const others = holders.filter(({ id, uid }) => (ids.get(uid) ?? id) !== id);
      return mirroredOf(
        { store, tenantId },
        PROFILES,
        others.map(({ id }) => id),
      );
    },
    async existing(ids) {
      const profiles = await store.read.profilesByKey(tenantId, ids);
      return new Set(profiles.map(({ id }) => id));
    },
    restoresMissing: async () => true,
    async remove(records, id) {
      const [profile] = await records.profilesByKey(tenantId, [id]);
      if (profile === undefined) return false;
      await records.deleteProfiles(tenantId, [id]);
      return true;
    },
  };
}

/** Adds an empty text for each value that a profile has here and no longer there: writing merges. */
async function withClearedValues(
  records: Records,
  tenantId: string,
  items: readonly PageItem[],
): Promise<readonly PageItem[]> {
  const ids = items.map(({ id }) => id);
  const shown = await shownValues(records, tenantId, ids);
  return items.map((item) => {
    const profile = profileOf(item);
    const attributes = profile.attributes ?? {};
    // What is no object is refused with the profile.
    if (membersOf(attributes) === null) return item;
    const gone = (shown.get(item.id) ?? []).filter(({ uid }) => !Object.hasOwn(attributes, uid));
    if (gone.length === 0) return item;
    const cleared = Object.fromEntries(gone.map(({ uid }) => [uid, '']));
    const text = JSON.stringify({ ...profile, attributes: { ...attributes, ...cleared } });
    return { id: item.id, text: Buffer.from(text) };
  });
}

interface RemoteProfile {
  readonly uid?: unknown;
  readonly attributes?: Readonly<Record<string, unknown>> | null;
}

function profileOf({ text }: PageItem): RemoteProfile {
  return JSON.parse(Buffer.from(text).toString()) as RemoteProfile;
}
