// A world: mappings, the histories of their indexes, and the live documents, all derived from a
// seed. One world in sixteen is large, three are of medium size.
import type { Mapping } from '../../src/query/mapping/mapping.ts';
import type { IndexName } from '../../src/query/query.ts';
import { largeMapping, largeSteps, type Size } from './large-world.ts';
import type { PlainIndex } from './naive-search.ts';
import { Random } from './random.ts';
import { type Change, randomSteps, type Step, survivors } from './random-history.ts';
import { randomMapping } from './random-mapping.ts';

export interface WorldIndex extends PlainIndex {
  readonly steps: readonly Step[];
}

export interface World {
  readonly seed: number;
  readonly change: Change;
  readonly size: Size;
  /** In index name order. */
  readonly indexes: ReadonlyMap<IndexName, WorldIndex>;
}

export const TENANT = 'acme';

export function randomWorld(seed: number): World {
  const random = new Random(seed);
  const change = random.chance(0.7) ? 'once' : 'often';
  const size = sizeOf(seed);
  if (size !== 'small') {
    const mapping = largeMapping(random);
    const steps = largeSteps(random, mapping, change, size);
    const index = { mapping, steps, documents: survivors(steps) };
    return { seed, change, size, indexes: new Map([['identities', index]]) };
  }
  const names: readonly IndexName[] = random.chance(0.4) ? ['identities', 'roles'] : ['identities'];
  const indexes = names.map((name) => {
    const mapping = randomMapping(random, name);
    const steps = randomSteps(random, mapping, change);
    return [name, { mapping, steps, documents: survivors(steps) }] as const;
  });
  return { seed, change, size, indexes: new Map(indexes) };
}

/** Depends only on the seed, so that every sixteen consecutive worlds have the same mix. */
function sizeOf(seed: number): Size {
  if (seed % 16 === 0) return 'large';
  return seed % 4 === 0 ? 'medium' : 'small';
}

export function mappingsOf({ indexes }: World): Mapping[] {
  return [...indexes.values()].map(({ mapping }) => mapping);
}

/** The mapping of an index; for a missing one, that of the first index. */
export function mappingIn({ indexes }: World, name: IndexName): Mapping {
  const [first] = indexes.values();
  return (indexes.get(name) ?? first)!.mapping;
}
