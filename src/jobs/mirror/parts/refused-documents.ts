// Documents that could not be stored, and that no later increment brings unless they change again:
// the next run asks for each of them, as a limit may be higher then, or what they refer to be here.
// Those that are refused again stay in the list while an older state of them is here; the others
// are left to sweeps, which copy what is missing.
// Invariant: the list is bounded. A walk that refuses more documents of which older states are here
// is repeated from where it started.
import { ServiceError } from '../../../errors.ts';
import type { MirrorPart, MirrorRefusal } from '../../../service/ports/mirror-records.ts';
import { type LocalPart, storeItems } from './local-part.ts';
import type { MirrorWorld } from './mirror-world.ts';
import type { PartProgress } from './part-progress.ts';
import type { PartSource, PartTarget } from './part-source.ts';

/** From this length on, nothing is added to the list. */
const LISTED_MAX = 1_000;
/** Ids asked for before one transaction. */
const IDS = 100;

/** Lists the documents that a page of a walk refused. */
export function withRefused(part: MirrorPart, refused: readonly MirrorRefusal[]): MirrorPart {
  const { walk, refusedIds } = part;
  const listed = new Set(refusedIds);
  const added = refused.map(({ id }) => id).filter((id) => !listed.has(id));
  if (added.length === 0) return part;
  if (refusedIds.length < LISTED_MAX) return { ...part, refusedIds: [...refusedIds, ...added] };
  return { ...part, walk: walk && { ...walk, repeats: true } };
}

/** Drops documents from a full list that are not here: sweeps bring them. */
export async function dropMissing(progress: PartProgress, target: PartTarget): Promise<void> {
  const { refusedIds } = progress.part;
  if (refusedIds.length < LISTED_MAX) return;
  const here = await hereOf(target, refusedIds);
  await progress.set({ refusedIds: refusedIds.filter((id) => here.has(id)) });
}

/** Asks for the listed documents again. */
export async function retryRefused(
  world: MirrorWorld,
  local: LocalPart,
  source: PartSource,
): Promise<void> {
  const { progress, target } = local;
  const { refusedIds } = progress.part;
  for (let from = 0; from < refusedIds.length; from += IDS) {
    const ids = refusedIds.slice(from, from + IDS);
    const items = await source.fetch(ids);
    await storeItems(world, local, items);
    const there = new Set(items.map(({ id }) => id));
    const here = await hereOf(target, ids);
    const done = new Set(ids.filter((id) => !there.has(id) || !here.has(id)));
    const left = progress.part.refusedIds.filter((id) => !done.has(id));
    await progress.set({ refusedIds: left });
    world.signal.throwIfAborted();
  }
}

/** The error of a walk that has to be repeated. */
export function tooManyRefused({ name }: Pick<MirrorPart, 'name'>): ServiceError {
  return new ServiceError(
    'unavailable',
    `${name}: changes of more than ${LISTED_MAX} documents cannot be stored, such as those that cardea mirror --status lists, so the next run copies again what this one did.`,
  );
}

async function hereOf(target: PartTarget, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const here = new Set<string>();
  for (let from = 0; from < ids.length; from += IDS) {
    for (const id of await target.existing(ids.slice(from, from + IDS))) here.add(id);
  }
  return here;
}
