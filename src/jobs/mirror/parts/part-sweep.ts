// Finds what was deleted in the remote tenant, which no query tells: both sides are walked by ids at
// the same time. A document that the mirror brought and the remote tenant no longer lists is asked
// for once more, then deleted; one that is missing here is copied.
// Invariant: only what the mirror brought is deleted, only after the remote tenant has said twice
// that it does not exist, and never more than half of a part, however often a sweep is resumed.
import { ServiceError } from '../../../errors.ts';
import { WalkBounds } from '../../../remote/walk-bounds.ts';
import { DeletionLimit } from './deletion-limit.ts';
import { deleteItems, openPart, storeItems } from './local-part.ts';
import type { MirrorWorld } from './mirror-world.ts';
import { isEarly, refuseShortWalk } from './part-copy.ts';
import { newWalk, type PartProgress, walkedTo } from './part-progress.ts';
import type { PartSource, PartTarget } from './part-source.ts';

/** Local ids compared at a time. */
const IDS = 1_000;
/** Fewer documents than this may all disappear. */
const LIMITED_FROM = 100;

/** Sweeps a part, or the rest of a sweep that was interrupted. */
export async function sweepPart(
  world: MirrorWorld,
  progress: PartProgress,
  source: PartSource,
  target: PartTarget,
): Promise<void> {
  const limit = await DeletionLimit.of(world, progress, LIMITED_FROM);
  const total = await source.count(null);
  limit.checkTotal(total);
  if (progress.part.walk === null) {
    const { now } = await source.moment();
    await progress.set({ walk: newWalk({ kind: 'sweep', began: now, total }) });
  }
  const { walk } = progress.part;
  if (walk === null) throw new Error('A sweep has not begun');
  const sides = { source, target, limit };
  const bounds = new WalkBounds(source.name, walk.total, () => source.count(null));
  let { after } = walk;
  for (;;) {
    let ids = await source.ids(after);
    if (ids.length === 0 && isEarly(progress.part)) ids = await source.ids(after);
    const last = ids.at(-1);
    if (last === undefined) break;
    await bounds.checkPage(after, ids, (progress.part.walk?.done ?? 0) + ids.length);
    refuseDisorder(source.name, after, ids);
    await deleteGone(world, progress, sides, { after, upTo: last }, ids);
    await copyMissing(world, progress, sides, ids);
    await progress.set(walkedTo(progress.part, last, { passed: ids.length }));
    after = last;
    world.signal.throwIfAborted();
  }
  await deleteGone(world, progress, sides, { after, upTo: null }, []);
  const there = await source.count(null);
  await refuseShortWalk(progress, there);
  await progress.set({ walk: null, sweptAt: walk.began, there, shrinking: null });
}

interface Sides {
  readonly source: PartSource;
  readonly target: PartTarget;
  readonly limit: DeletionLimit;
}

/** Deletes what the mirror brought in a range of ids, apart from `listed` ones. */
async function deleteGone(
  world: MirrorWorld,
  progress: PartProgress,
  { source, target, limit }: Sides,
  range: { readonly after: string | null; readonly upTo: string | null },
  listed: readonly string[],
): Promise<void> {
  const { store, tenantId } = world;
  const there = new Set(listed);
  for (let { after } = range; ; ) {
    const here = await store.read.mirroredIds(tenantId, source.name, { ...range, after }, IDS);
    const unlisted = here.filter((id) => !there.has(id));
    if (unlisted.length > 0) {
      const existing = await source.existing(unlisted);
      const gone = unlisted.filter((id) => !existing.has(id));
      limit.checkDeletions(gone.length);
      await deleteItems(world, progress, target, gone);
    }
    const last = here.at(-1);
    if (last === undefined || here.length < IDS) return;
    after = last;
  }
}

/** Copies the documents that are not here, such as those that became visible very late. */
async function copyMissing(
  world: MirrorWorld,
  progress: PartProgress,
  { source, target }: Sides,
  listed: readonly string[],
): Promise<void> {
  const here = await target.existing(listed);
  const missing = listed.filter((id) => !here.has(id));
  if (missing.length === 0 || !(await target.restoresMissing())) return;
  await storeItems(world, await openPart(progress, target), await source.fetch(missing));
}

/** @throws ServiceError if ids are not in the order in which the local ones are walked */
function refuseDisorder(name: string, after: string | null, ids: readonly string[]): void {
  let before = Buffer.from(after ?? '');
  for (const id of ids) {
    const bytes = Buffer.from(id);
    if (Buffer.compare(before, bytes) >= 0) {
      throw new ServiceError(
        'unavailable',
        `${name}: the remote tenant does not list ids in ascending order, so deletions cannot be found.`,
      );
    }
    before = bytes;
  }
}
