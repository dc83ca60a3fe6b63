// The local side of a part while it is written: documents are stored, and deleted, with the progress
// that this completes.
// Invariant: documents and their progress are one transaction, and so are deletions and theirs.
import type { PageItem, PageOutcome } from '../../../service/documents/import-pages.ts';
import type { MirrorPart } from '../../../service/ports/mirror-records.ts';
import type { MirrorWorld } from './mirror-world.ts';
import { counted, type PartProgress } from './part-progress.ts';
import type { PartPages, PartTarget } from './part-source.ts';

export interface LocalPart {
  readonly progress: PartProgress;
  readonly target: PartTarget;
  readonly pages: PartPages;
}

/** Opens the local side of a part. */
export async function openPart(progress: PartProgress, target: PartTarget): Promise<LocalPart> {
  return { progress, target, pages: await target.pages() };
}

/**
 * Stores documents, after those that they replace were deleted.
 * @param advance the step of a walk that they complete
 */
export async function storeItems(
  world: MirrorWorld,
  { progress, target, pages }: LocalPart,
  items: readonly PageItem[],
  advance: (part: MirrorPart, page: PageOutcome) => MirrorPart = (part) => part,
): Promise<void> {
  if (items.length === 0) return;
  const replaced = await target.replacedBy(items);
  if (replaced.length > 0) await deleteItems(world, progress, target, replaced);
  let stored = progress.part;
  await pages.put(items, async (records, page) => {
    stored = advance(counted(progress.part, page), page);
    await records.addMirrored(world.tenantId, stored.name, page.ids);
    await progress.put(records, stored);
  });
  progress.became(stored);
}

/** Deletes documents that the mirror brought. */
export async function deleteItems(
  { tenantId }: MirrorWorld,
  progress: PartProgress,
  target: PartTarget,
  ids: readonly string[],
): Promise<void> {
  await progress.step(
    (part, deleted: number) => counted(part, { deleted }),
    async (records) => {
      let deleted = 0;
      for (const id of ids) if (await target.remove(records, id)) deleted += 1;
      await records.removeMirrored(tenantId, progress.part.name, ids);
      return deleted;
    },
  );
}
