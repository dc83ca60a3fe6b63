// The sides of a run: this build of Cardea, and on request an earlier build and OpenSearch. Each is
// created, started once without documents, and stopped at the end, whatever happens.
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CardeaSide } from './cardea-side.ts';
import { OpenSearchSide } from './opensearch-side.ts';
import type { Side, Timed } from './side.ts';

export interface SidesOptions {
  /** The root of this build. */
  readonly root: string;
  /** For data directories. */
  readonly folder: string;
  /** The root of an earlier build; null for none. */
  readonly baseline: string | null;
  readonly opensearch: 'started' | 'none';
  /** Where profiles of this build are written; null for none. */
  readonly profiles: string | null;
}

export interface StartedSide {
  readonly side: Side;
  /** The start without documents. */
  readonly emptyStart: Timed;
}

/** Creates the sides, runs the work, and stops them. Cardea is the first side. */
export async function withSides<T>(
  options: SidesOptions,
  work: (sides: readonly StartedSide[]) => Promise<T>,
): Promise<T> {
  const sides: StartedSide[] = [];
  try {
    const { root, folder, baseline, profiles } = options;
    sides.push(await cardeaSide('cardea', root, join(folder, 'data'), profiles));
    if (baseline !== null) {
      sides.push(await cardeaSide('baseline', resolve(baseline), join(folder, 'baseline'), null));
    }
    if (options.opensearch === 'started') {
      const side = await OpenSearchSide.create();
      sides.push({ side, emptyStart: side.emptyStart });
    }
    return await work(sides);
  } finally {
    for (const { side } of sides) await side.stop();
  }
}

async function cardeaSide(
  name: 'cardea' | 'baseline',
  root: string,
  folder: string,
  profiles: string | null,
): Promise<StartedSide> {
  // A profiler would count for the start.
  const empty = `${folder}-empty`;
  const plain = await CardeaSide.create({ name, root, folder: empty, profiles: null });
  const emptyStart = await plain.emptyStart();
  rmSync(empty, { recursive: true, force: true });
  return { side: await CardeaSide.create({ name, root, folder, profiles }), emptyStart };
}
