// Finds what was deleted in the remote tenant, which no query tells: both sides are walked by ids at
// the same time. A document that the mirror brought and the remote tenant no longer lists is asked
// for once more, then deleted; one that is missing here is copied.
// Invariant: only what the mirror brought is deleted, and only after the remote tenant has said
// twice that it does not exist.
import { ServiceError } from '../../errors.ts';
import type { MirrorWorld } from '../mirror-world.ts';
import { storePage } from './part-copy.ts';
import { counted, newWalk, type PartProgress, walkedTo } from './part-progress.ts';
import type { PartSource, PartTarget } from './part-source.ts';

/** Local ids compared at a time. */
const IDS = 1_000;
/** Fewer documents than this may all disappear. */
const SHRINKING_FROM = 100;

/** Sweeps a part, or the rest of a sweep that was interrupted. */
export async function sweepPart(
  world: MirrorWorld,
  progress: PartProgress,
  source: PartSource,
  target: PartTarget,
): Promise<void> {
  if (progress.part.walk === null) await begin(world, progress, source);
  const { walk } = progress.part;
  if (walk === null) throw new Error('A sweep has not begun');
  let { after } = walk;
  for (;;) {
    const ids = await source.ids(after);
    const last = ids.at(-1);
    if (last === undefined) break;
    refuseDisorder(source.name, after, ids);
    await deleteGone(world, progress, { source, target }, { after, upTo: last }, ids);
    await copyMissing(world, progress, { source, target }, ids);
    await progress.set(walkedTo(progress.part, last, ids.length));
    after = last;
    world.signal.throwIfAborted();
  }
  await deleteGone(world, progress, { source, target }, { after, upTo: null }, []);
  const there = await source.count(null);
  await progress.set({ walk: null, sweptAt: walk.began, there });
}

type Sides = { readonly source: PartSource; readonly target: PartTarget };

async function begin(world: MirrorWorld, progress: PartProgress, source: PartSource) {
  const { now } = await source.moment();
  const total = await source.count(null);
  const here = (await world.store.read.mirroredCounts(world.tenantId))[source.name] ?? 0;
  const shrinks = total !== null && here >= SHRINKING_FROM && total < here / 2;
  if (shrinks && !world.choices.allowShrinking) {
    throw new ServiceError(
      'unavailable',
      `${source.name}: the remote tenant shows ${total} of ${here} documents, so none are deleted here. If that is right, run with --allow-shrinking; otherwise check what its token may see.`,
    );
  }
  await progress.set({ walk: newWalk({ kind: 'sweep', began: now, total }) });
}

/** Deletes what the mirror brought in a range of ids, apart from `listed` ones. */
async function deleteGone(
  world: MirrorWorld,
  progress: PartProgress,
  { source, target }: Sides,
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
      await progress.step(
        (part, deleted: number) => counted(part, { deleted }),
        async (records) => {
          let deleted = 0;
          for (const id of gone) if (await target.remove(records, id)) deleted += 1;
          await records.removeMirrored(tenantId, source.name, gone);
          return deleted;
        },
      );
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
  const items = await source.fetch(missing);
  if (items.length === 0) return;
  await storePage(world, progress, await target.pages(), items, false);
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
