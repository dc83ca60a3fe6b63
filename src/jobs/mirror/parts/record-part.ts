// The other collections of profile management as parts of a mirror: small, so each run reads them
// whole. They are paged by offsets, which shift while records are created and deleted: a record may
// be listed twice, and one that was not listed is asked for once more before it is deleted.

import { PASSES_MAX, PENDING_BYTES_MAX } from '../../../remote/remote-limits.ts';
import { WalkBounds } from '../../../remote/walk-bounds.ts';
import type { MirrorRefusal } from '../../../service/ports/mirror-records.ts';
import type { ResourceKind } from '../../../service/ports/resources.ts';
import type { WritableRecords } from '../../../service/ports/store.ts';
import {
  collectionOf,
  deleteShownRecord,
  putShownRecord,
} from '../../../service/profiles/resources/shown-record.ts';
import type { RemoteProfiles, RemoteRecord } from '../remote/remote-tenant.ts';
import { DeletionLimit } from './deletion-limit.ts';
import type { MirrorWorld } from './mirror-world.ts';
import { counted, newWalk, type PartProgress } from './part-progress.ts';

/** Local ids compared at a time. */
const IDS = 1_000;
/** Fewer records than this may all disappear. */
const LIMITED_FROM = 100;

/** The name of the part of a kind. */
export function recordPartName(kind: ResourceKind): string {
  return `profile-management/${collectionOf(kind)}`;
}

/**
 * Copies all records of a kind. If some are refused, those that are gone are deleted at once: one of
 * them may have had the login or uid of a new one.
 * @returns the ids of all
 */
export async function copyRecords(
  world: MirrorWorld,
  remote: RemoteProfiles,
  kind: ResourceKind,
  progress: PartProgress,
): Promise<ReadonlySet<string>> {
  const collection = collectionOf(kind);
  const bounds = new WalkBounds(recordPartName(kind), null, () => remote.count(collection));
  const { walk } = progress.part;
  // A list that went on without an end is not read again before it is counted as that long.
  if (walk?.doubtful === true && !world.choices.full) await bounds.checkCount(walk.done);
  const began = new Date(world.clock.now()).toISOString();
  await progress.set({ walk: newWalk({ kind: 'copy', began }) });
  try {
    const ids = await copyListed(world, remote, kind, progress, { began, bounds });
    await progress.set({ walk: null, copiedAt: began, there: ids.size });
    return ids;
  } catch (error) {
    await progress.doubt(error);
    throw error;
  }
}

async function copyListed(
  world: MirrorWorld,
  remote: RemoteProfiles,
  kind: ResourceKind,
  progress: PartProgress,
  { began, bounds }: { readonly began: string; readonly bounds: WalkBounds },
): Promise<ReadonlySet<string>> {
  const { tenantId } = world;
  const ids = new Set<string>();
  const store = async (records: readonly RemoteRecord[]): Promise<Stored> => {
    let stored: Stored | null = null;
    await progress.step(
      (part, { refused: _, ...changes }: Stored) => {
        const next = counted(part, changes);
        return { ...next, walk: next.walk && { ...next.walk, done: ids.size } };
      },
      async (writable) => {
        stored = await putRecords(writable, tenantId, kind, records, began);
        await writable.addMirrored(tenantId, recordPartName(kind), stored.ids);
        return stored;
      },
    );
    if (stored === null) throw new Error('Records were stored outside their transaction');
    return stored;
  };
  // Records may refer to others of their kind that come later.
  let pending: readonly RemoteRecord[] = [];
  let pendingBytes = 0;
  for (let offset = 0; ; ) {
    const page = await remote.records(collectionOf(kind), offset);
    if (page.length === 0) break;
    const records = page.filter(({ id }) => !ids.has(id));
    for (const { id } of records) ids.add(id);
    offset += page.length;
    await bounds.checkOffset(offset, ids.size, page.length);
    const { refused } = await store(records);
    const again = refusedOf(records, refused);
    pendingBytes += again.reduce((sum, record) => sum + JSON.stringify(record).length, 0);
    if (pendingBytes <= PENDING_BYTES_MAX) pending = [...pending, ...again];
    else await countRefused(progress, refused);
    world.signal.throwIfAborted();
  }
  let hasDeleted = false;
  for (let passes = 1; pending.length > 0; passes++) {
    const { refused } = await store(pending);
    const left = refusedOf(pending, refused);
    const isStuck = left.length === pending.length || passes >= PASSES_MAX;
    if (isStuck && hasDeleted) {
      await countRefused(progress, refused);
      break;
    }
    if (isStuck) {
      await deleteGoneRecords(world, remote, kind, progress, ids);
      hasDeleted = true;
    }
    pending = left;
  }
  return ids;
}

function countRefused(progress: PartProgress, refused: readonly MirrorRefusal[]): Promise<void> {
  return progress.step(
    (part) => counted(part, { refused }),
    async () => {},
  );
}

function refusedOf(records: readonly RemoteRecord[], refused: readonly MirrorRefusal[]) {
  const ids = new Set(refused.map(({ id }) => id));
  return records.filter(({ id }) => ids.has(id));
}

interface Stored {
  readonly ids: readonly string[];
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly refused: readonly MirrorRefusal[];
}

async function putRecords(
  records: WritableRecords,
  tenantId: string,
  kind: ResourceKind,
  shown: readonly RemoteRecord[],
  now: string,
): Promise<Stored> {
  const counts = { created: 0, updated: 0, unchanged: 0 };
  const ids: string[] = [];
  const refused: MirrorRefusal[] = [];
  for (const record of shown) {
    const outcome = await putShownRecord(records, tenantId, kind, record, now);
    if (typeof outcome === 'string') {
      counts[outcome] += 1;
      ids.push(record.id);
    } else refused.push({ id: record.id, reason: outcome.refused });
  }
  return { ...counts, ids, refused };
}

/** Deletes what the mirror brought and the remote tenant no longer has. */
export async function deleteGoneRecords(
  world: MirrorWorld,
  remote: RemoteProfiles,
  kind: ResourceKind,
  progress: PartProgress,
  listed: ReadonlySet<string>,
): Promise<void> {
  const { store, tenantId, clock } = world;
  const now = new Date(clock.now()).toISOString();
  const part = recordPartName(kind);
  const limit = await DeletionLimit.of(world, progress, LIMITED_FROM);
  limit.checkTotal(listed.size);
  for (let after: string | null = null; ; ) {
    const range: { after: string | null; upTo: null } = { after, upTo: null };
    const ids: readonly string[] = await store.read.mirroredIds(tenantId, part, range, IDS);
    for (const id of ids) {
      if (listed.has(id) || (await remote.hasRecord(collectionOf(kind), id))) continue;
      limit.checkDeletions(1);
      await progress.step(
        (before, outcome: Awaited<ReturnType<typeof deleteShownRecord>>) =>
          typeof outcome === 'boolean'
            ? counted(before, { deleted: outcome ? 1 : 0 })
            : counted(before, { refused: [{ id, reason: outcome.refused }] }),
        async (records) => {
          const outcome = await deleteShownRecord(records, tenantId, kind, id, now);
          if (typeof outcome === 'boolean') await records.removeMirrored(tenantId, part, [id]);
          return outcome;
        },
      );
    }
    const last = ids.at(-1);
    if (last === undefined) break;
    after = last;
  }
  await progress.set({ sweptAt: now, shrinking: null });
}
