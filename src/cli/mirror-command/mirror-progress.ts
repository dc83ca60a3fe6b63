// The progress of a run: documents of all parts together, with an estimate while a first copy is
// under way, whose length the remote tenant announces.
import type { MirrorWorld } from '../../compose/mirror.ts';
import { ServiceError } from '../../errors.ts';
import { INDEX_NAMES } from '../../query/mapping/document-types.ts';
import type { MirrorWalk } from '../../service/ports/mirror-records.ts';
import type { Progress, Terminal } from '../common/terminal.ts';

export class MirrorProgress {
  /** Documents and ids that the walks of this run have passed, by part and kind of walk. */
  #done = new Map<string, number>();
  /** Those passed by earlier runs. */
  #before = new Map<string, number>();
  #progress: Progress | null = null;
  #total: number | null = null;

  /** Documents that this run has read, without the ids that sweeps compare. */
  get documents(): number {
    return this.#sum((key) => !key.endsWith(SWEEP));
  }

  /** Begins to show a run. */
  async begin(world: MirrorWorld, terminal: Terminal): Promise<void> {
    const parts = await world.store.read.mirrorParts(world.tenantId);
    this.#done = new Map();
    this.#before = new Map();
    for (const { name, walk } of parts) {
      if (walk !== null) this.#before.set(keyOf(name, walk), walk.done);
    }
    this.#total = await leftToCopy(world, parts);
    this.#progress = terminal.progress('Mirroring', this.#total, 'documents');
  }

  walked(part: string, walk: MirrorWalk): void {
    this.#done.set(keyOf(part, walk), walk.done);
    const passed = this.#sum(() => true);
    this.#progress?.update(Math.min(passed, this.#total ?? passed), passed);
  }

  end(): void {
    this.#progress?.end();
    this.#progress = null;
  }

  #sum(counts: (key: string) => boolean): number {
    let sum = 0;
    for (const [key, done] of this.#done) {
      if (counts(key)) sum += done - (this.#before.get(key) ?? 0);
    }
    return sum;
  }
}

const SWEEP = ' sweep';

function keyOf(part: string, { kind }: MirrorWalk): string {
  return `${part} ${kind}`;
}

/**
 * Documents that a first copy has still to read; null if there is no first copy, or if the remote
 * tenant does not count them: the run then fails by itself and says why.
 */
async function leftToCopy(
  { remote, choices }: MirrorWorld,
  parts: Awaited<ReturnType<MirrorWorld['store']['read']['mirrorParts']>>,
): Promise<number | null> {
  const { indexQuery } = await import('../../compose/mirror.ts');
  let left = 0;
  for (const index of INDEX_NAMES) {
    const part = parts.find(({ name }) => name === index);
    if (part !== undefined && part.copiedAt !== null && !choices.full) continue;
    try {
      const total = await remote.count(index, indexQuery(index, null));
      left += Math.max(0, total - (part?.walk?.done ?? 0));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return null;
    }
  }
  return left === 0 ? null : left;
}
