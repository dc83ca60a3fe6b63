// Copies a part page by page in the order of ids: all of it at first, later what changed. The order
// of ids is stable while documents change, so a walk that is interrupted, or during which documents
// change, skips nothing.
// Invariant: a walk is complete only at an empty page, which is asked for again if it comes before the
// announced number of documents, and not if that is most of them. What changed after its beginning
// is copied by the next one, which starts before the youngest change that this one could see.
import { ServiceError } from '../../../errors.ts';
import { PASSES_MAX } from '../../../remote/remote-limits.ts';
import { WalkBounds } from '../../../remote/walk-bounds.ts';
import type { MirrorPart } from '../../../service/ports/mirror-records.ts';
import { type LocalPart, openPart, storeItems } from './local-part.ts';
import type { MirrorWorld } from './mirror-world.ts';
import { newWalk, type PartProgress, walkedAgain, walkedTo } from './part-progress.ts';
import type { PartSource, PartTarget } from './part-source.ts';
import { dropMissing, retryRefused, tooManyRefused, withRefused } from './refused-documents.ts';

/**
 * Copies a part, or what is left of a copy that was interrupted.
 * @returns the error of a walk that has to be repeated
 */
export async function copyPart(
  world: MirrorWorld,
  progress: PartProgress,
  source: PartSource,
  target: PartTarget,
): Promise<ServiceError | null> {
  const local = await openPart(progress, target);
  await retryRefused(world, local, source);
  const { walk: pending } = progress.part;
  const resumes = pending !== null && (pending.kind === 'copy' || !world.choices.full);
  if (!resumes) await begin(world, progress, source);
  await copyPages(world, local, source);
  for (let passes = 1; target.refersToItself && passes < PASSES_MAX; passes++) {
    if (!deservesAnotherPass(progress.part)) break;
    await progress.step(walkedAgain, async () => {});
    await copyPages(world, local, source);
  }
  const { walk } = progress.part;
  if (walk === null) throw new Error('A walk has not begun');
  const there = await source.count(null);
  if (walk.since === null) await refuseShortWalk(progress, there);
  else if (isEarly(progress.part)) {
    await refuseShortWalk(progress, await source.count(walk.since));
  }
  const { newest, repeats } = walk;
  if (repeats === true) {
    await progress.set({ walk: null, there });
    return tooManyRefused(progress.part);
  }
  await progress.set({
    walk: null,
    copiedAt: walk.began,
    there,
    ...(newest === null ? {} : { newest: seenAt(progress.part, newest, walk.began) }),
  });
  return null;
}

/** Whether documents were refused that may have referred to later ones. */
function deservesAnotherPass({ walk }: MirrorPart): boolean {
  if (walk === null || walk.refused === 0) return false;
  return walk.refusedBefore === null || walk.refused < walk.refusedBefore;
}

/** Copies the pages that are left of a walk. */
async function copyPages(world: MirrorWorld, local: LocalPart, source: PartSource): Promise<void> {
  const { progress, target } = local;
  const { walk } = progress.part;
  if (walk === null) throw new Error('A walk has not begun');
  const { since, total } = walk;
  const bounds = new WalkBounds(source.name, total, () => countOf(source, since));
  let after = walk.after;
  // The next page is fetched while this one is stored.
  let next = source.page(after, since);
  for (;;) {
    let items = await next;
    if (items.length === 0 && isEarly(progress.part)) items = await source.page(after, since);
    const last = items.at(-1)?.id;
    if (last === undefined) return;
    const passed = (progress.part.walk?.done ?? 0) + items.length;
    const ids = items.map(({ id }) => id);
    await bounds.checkPage(after, ids, passed);
    after = last;
    next = source.page(after, since);
    // It is awaited in the next round, which does not come if storing fails.
    next.catch(() => {});
    await storeItems(world, local, items, (part, { refused }) => {
      const counts = { passed: items.length, refused: refused.length };
      return withRefused(walkedTo(part, last, counts), refused);
    });
    await dropMissing(progress, target);
    world.signal.throwIfAborted();
  }
}

async function begin(
  world: MirrorWorld,
  progress: PartProgress,
  source: PartSource,
): Promise<void> {
  const { part } = progress;
  const moment = await source.moment();
  const isCopy = part.copiedAt === null || world.choices.full;
  const since = isCopy ? null : sinceOf(part, world.choices.overlapMs);
  const total = await source.count(since);
  await progress.set({
    walk: newWalk({
      kind: isCopy ? 'copy' : 'increment',
      began: moment.now,
      since,
      newest: moment.newest,
      total,
    }),
  });
}

/**
 * Where an increment starts: `overlapMs` before the youngest change that the last walk saw, since
 * changes appear in the search late and out of order. Once that change is older than the overlap,
 * all before it have appeared, and the increment starts there: an idle tenant is not copied again
 * and again. A change that is dated ahead of the clock does not count.
 * @returns null if no change has a date: then everything is copied
 */
export function sinceOf(
  { newest, copiedAt }: Pick<MirrorPart, 'newest' | 'copiedAt'>,
  overlapMs: number,
): string | null {
  if (newest === null || copiedAt === null) return null;
  const [copied, youngest] = [Date.parse(copiedAt), Date.parse(newest.at)];
  if (youngest > copied) return new Date(copied - overlapMs).toISOString();
  const isSettled = copied - Date.parse(newest.seen) > overlapMs;
  return new Date(isSettled ? youngest : youngest - overlapMs).toISOString();
}

function seenAt({ newest }: MirrorPart, at: string, now: string): MirrorPart['newest'] {
  return newest?.at === at ? newest : { at, seen: now };
}

/** Whether a walk has passed fewer documents than were announced. */
export function isEarly({ walk }: MirrorPart): boolean {
  return walk !== null && walk.total !== null && walk.done < walk.total;
}

/**
 * Gives up a walk that has passed less than half of what it should: a search that answers empty
 * pages while it is rebuilt looks as if the tenant ended there.
 * @param total how many documents the walk should pass; null if that is unknown
 * @throws ServiceError `unavailable`
 */
export async function refuseShortWalk(progress: PartProgress, total: number | null): Promise<void> {
  const { name, walk } = progress.part;
  if (walk === null || total === null || total < SHORT_FROM || walk.done >= total / 2) return;
  await progress.set({ walk: null });
  throw new ServiceError(
    'unavailable',
    `${name}: the remote tenant counts ${total} documents but listed only ${walk.done}; the next run begins again.`,
  );
}

/** Walks through fewer documents may be this short. */
const SHORT_FROM = 100;

/** How many documents a walk may find, at most; null if that cannot be told. */
async function countOf(source: PartSource, since: string | null): Promise<number | null> {
  return (await source.count(since)) ?? (since === null ? null : await source.count(null));
}
