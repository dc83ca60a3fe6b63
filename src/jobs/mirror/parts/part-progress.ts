// The progress of one part, in memory and in the store. Each step is a new value that becomes the
// current one only after the transaction that stored it.

import { shownText } from '../../../remote/remote-text.ts';
import { DoubtfulWalk } from '../../../remote/walk-bounds.ts';
import type {
  MirrorCounts,
  MirrorPart,
  MirrorRefusal,
  MirrorWalk,
} from '../../../service/ports/mirror-records.ts';
import type { WritableRecords } from '../../../service/ports/store.ts';
import type { MirrorWorld } from './mirror-world.ts';

/** Refusals that are kept for people to read. */
const REFUSALS = 10;
const NO_COUNTS: MirrorCounts = { created: 0, updated: 0, unchanged: 0, deleted: 0, refused: 0 };

export class PartProgress {
  readonly #world: MirrorWorld;
  #part: MirrorPart;

  constructor(world: MirrorWorld, part: MirrorPart) {
    this.#world = world;
    this.#part = part;
  }

  static of(world: MirrorWorld, name: string, stored: readonly MirrorPart[]): PartProgress {
    return new PartProgress(world, stored.find((part) => part.name === name) ?? newPart(name));
  }

  get part(): MirrorPart {
    return this.#part;
  }

  /** Stores a step with what `work` writes. */
  async step<T>(
    change: (part: MirrorPart, result: T) => MirrorPart,
    work: (records: WritableRecords) => Promise<T>,
  ): Promise<void> {
    const { store } = this.#world;
    await store
      .write(async (records) => {
        const next = change(this.#part, await work(records));
        await this.put(records, next);
        return next;
      })
      .then((next) => this.became(next));
  }

  /** Stores a step that changes nothing else. */
  async set(changes: Partial<MirrorPart>): Promise<void> {
    await this.step(
      (part) => ({ ...part, ...changes }),
      async () => {},
    );
  }

  /** Marks the walk if an error says that its remote list cannot be believed. */
  async doubt(error: unknown): Promise<void> {
    const { walk } = this.#part;
    if (walk === null || !(error instanceof DoubtfulWalk)) return;
    // The page that shows it is read again by each run.
    const done = walk.doubtful === true ? walk.done : Math.max(walk.done, error.passed);
    await this.set({ walk: { ...walk, done, doubtful: true } });
  }

  /** Stores a step in a transaction of the caller, who calls `became` after it. */
  put(records: WritableRecords, next: MirrorPart): Promise<void> {
    return records.putMirrorPart(this.#world.tenantId, next);
  }

  became(next: MirrorPart): void {
    this.#part = next;
    if (next.walk !== null) this.#world.watch.walked(next.name, next.walk);
  }
}

function newPart(name: string): MirrorPart {
  return {
    name,
    walk: null,
    copiedAt: null,
    newest: null,
    sweptAt: null,
    there: null,
    totals: NO_COUNTS,
    refusals: [],
    refusedIds: [],
    shrinking: null,
  };
}

/** Adds what a page changed. */
export function counted(
  part: MirrorPart,
  changes: Partial<Omit<MirrorCounts, 'refused'>> & {
    readonly refused?: readonly MirrorRefusal[];
    /** Stored documents: what was refused of them before is no longer true. */
    readonly ids?: readonly string[];
  },
): MirrorPart {
  const { refused = [], created = 0, updated = 0, unchanged = 0, deleted = 0 } = changes;
  const stored = new Set(changes.ids);
  const shown = refused.map(({ id, reason }) => ({ id: shownText(id), reason: shownText(reason) }));
  const mended = new Set(changes.ids?.map((id) => shownText(id)));
  const { totals, shrinking } = part;
  return {
    ...part,
    totals: {
      created: totals.created + created,
      updated: totals.updated + updated,
      unchanged: totals.unchanged + unchanged,
      deleted: totals.deleted + deleted,
      refused: totals.refused + refused.length,
    },
    refusals: latest([...shown, ...part.refusals.filter(({ id }) => !mended.has(id))]),
    refusedIds: part.refusedIds.filter((id) => !stored.has(id)),
    shrinking: shrinking && { ...shrinking, deleted: shrinking.deleted + deleted },
  };
}

/** The part with its walk advanced to `after`. */
export function walkedTo(
  part: MirrorPart,
  after: string,
  { passed, refused = 0 }: { readonly passed: number; readonly refused?: number },
): MirrorPart {
  const { walk } = part;
  if (walk === null) return part;
  const counts = { done: walk.done + passed, refused: walk.refused + refused };
  return { ...part, walk: { ...walk, after, ...counts } };
}

/** The part at the start of the same walk, whose refusals get another chance. */
export function walkedAgain(part: MirrorPart): MirrorPart {
  const { walk, totals } = part;
  if (walk === null) return part;
  return {
    ...part,
    walk: {
      ...{ ...walk, after: null, done: 0, refused: 0, refusedBefore: walk.refused },
      repeats: false,
    },
    totals: { ...totals, refused: totals.refused - walk.refused },
  };
}

/** One refusal per id. */
function latest(refusals: readonly MirrorRefusal[]): readonly MirrorRefusal[] {
  const ids = new Set<string>();
  return refusals.filter(({ id }) => !ids.has(id) && ids.add(id)).slice(0, REFUSALS);
}

/** Begins a walk. */
export function newWalk(
  walk: Partial<MirrorWalk> & Pick<MirrorWalk, 'kind' | 'began'>,
): MirrorWalk {
  const start = { after: null, since: null, newest: null, done: 0, total: null };
  return { ...start, refused: 0, refusedBefore: null, ...walk };
}
