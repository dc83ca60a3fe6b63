// Which ids of a part the mirror brought: all others are data of the local tenant.
import type { MirrorWorld } from './mirror-world.ts';

/** Ids between an id and the same without its last character: hardly ever more. */
const IDS_NEAR = 100;

/** Those of the ids that the mirror brought. */
export async function mirroredOf(
  { store, tenantId }: Pick<MirrorWorld, 'store' | 'tenantId'>,
  part: string,
  ids: readonly string[],
): Promise<readonly string[]> {
  const mirrored: string[] = [];
  for (const id of ids) {
    let after: string | null = id.slice(0, -1);
    while (after !== null && after !== id) {
      const range: { after: string; upTo: string } = { after, upTo: id };
      const near = await store.read.mirroredIds(tenantId, part, range, IDS_NEAR);
      after = near.at(-1) ?? null;
    }
    if (after === id) mirrored.push(id);
  }
  return mirrored;
}
