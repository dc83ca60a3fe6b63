// The sides of a run: this build of Cardea, and on request an earlier build and OpenSearch. Each is
// created, started once without documents, and stopped at the end, whatever happens.
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startOpenSearch } from '../../test/support/opensearch.ts';
import { CardeaSide, type CardeaSideOptions } from './cardea-side.ts';
import { HEAP_GIB, OpenSearchSide } from './opensearch-side.ts';
import type { Backend } from './results.ts';
import type { Side, Timed } from './side.ts';

export interface SidesOptions {
  /** The root of this build. */
  readonly root: string;
  /** For data directories. */
  readonly folder: string;
  /** The root of an earlier build; null for none. */
  readonly baseline: string | null;
  readonly opensearch: 'started' | 'none';
  /**
   * What both builds of Cardea search in. With OpenSearch, all sides have indexes of their own in one
   * node, so that all are searched by the same compiled code of one Java process.
   */
  readonly backend: Backend;
  /** Where profiles of this build are written; null for none. */
  readonly profiles: string | null;
  /** Settings of a side other than the defaults, as environment variables. */
  readonly settings?: Partial<Record<'cardea' | 'baseline', Readonly<Record<string, string>>>>;
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
  const { root, folder, baseline, profiles, backend, settings = {} } = options;
  const node = backend === 'opensearch' ? await startOpenSearch({ heapGib: HEAP_GIB }) : null;
  try {
    const cardea = { name: 'cardea', root, folder: join(folder, 'data'), profiles } as const;
    sides.push(await cardeaSide({ ...cardea, node, settings: settings.cardea }));
    if (baseline !== null) {
      const earlier = { root: resolve(baseline), folder: join(folder, 'baseline'), profiles: null };
      const { baseline: ofEarlier } = settings;
      sides.push(await cardeaSide({ name: 'baseline', ...earlier, node, settings: ofEarlier }));
    }
    if (options.opensearch === 'started') {
      const side = node === null ? await OpenSearchSide.create() : OpenSearchSide.in(node);
      sides.push({ side, emptyStart: side.emptyStart });
    }
    return await work(sides);
  } finally {
    for (const { side } of sides) await side.stop();
    await node?.stop();
  }
}

async function cardeaSide(options: CardeaSideOptions): Promise<StartedSide> {
  // A profiler would count for the start.
  const empty = `${options.folder}_empty`;
  const plain = await CardeaSide.create({ ...options, folder: empty, profiles: null });
  const emptyStart = await plain.emptyStart();
  rmSync(empty, { recursive: true, force: true });
  return { side: await CardeaSide.create(options), emptyStart };
}
