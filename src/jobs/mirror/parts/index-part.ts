// The documents of one index as a part of a mirror.
// Invariant: the audit trail of either tenant is no part of it. Events of a Cardea have a stack of
// their own, which imports refuse, so they are left out of every query.

import type { IndexName } from '../../../query/query.ts';
import { AUDIT_STACK } from '../../../service/audit/audit-event.ts';
import type { MirrorWorld } from './mirror-world.ts';
import type { PartSource, PartTarget } from './part-source.ts';

const NOT_OURS = `NOT stack:${AUDIT_STACK}`;

/**
 * The query for everything of an index, or what changed since an instant. Some documents have no
 * modification time before their first change.
 */
export function indexQuery(index: IndexName, since: string | null): string {
  const range = `[${since} TO *]`;
  if (index !== 'events') {
    return since === null ? '*' : `modified:${range} OR created:${range}`;
  }
  return since === null ? NOT_OURS : `created:${range} AND ${NOT_OURS}`;
}

/** Events never change. */
function changeField(index: IndexName): string {
  return index === 'events' ? 'created' : 'modified';
}

export function indexSource({ remote }: MirrorWorld, index: IndexName): PartSource {
  return {
    name: index,
    async moment() {
      const { at, now } = await remote.youngest(index, changeField(index));
      return { now, newest: at };
    },
    page: (after, since) => remote.page({ index, query: indexQuery(index, since), after }),
    ids: (after) => remote.ids({ index, query: indexQuery(index, null), after }),
    fetch: (ids) => remote.documents(index, ids),
    existing: (ids) => remote.existing(index, ids),
    count: (since) => remote.count(index, indexQuery(index, since)),
  };
}

export function indexTarget({ store, local, tenantId }: MirrorWorld, index: IndexName): PartTarget {
  return {
    refersToItself: false,
    pages: () => local.documentPages(tenantId, index),
    // The id is the only key of a document.
    replacedBy: async () => [],
    existing: (ids) => store.read.existingDocuments(tenantId, index, ids),
    async restoresMissing() {
      // The local retention deletes old events, and must not get them back.
      return index !== 'events' || (await store.read.eventsPurgedBefore(tenantId)) === null;
    },
    remove: (records, id) => records.deleteDocument(tenantId, index, id),
  };
}
