// The documents in which an index differs from the store, found by ids and changes alone: ranges of
// ids are read from both. What is written meanwhile looks like a difference, so each must be looked at
// again once the index has caught up.
import type { IndexName } from '../../query/query.ts';
import type { HeldDocument, IndexContents, ReadOptions } from '../ports/search-backend.ts';
import type { DocumentVersion, Records } from '../ports/store.ts';

/** How a document differs: the store alone has it, the index alone, or they have different ones. */
export type DifferenceKind = 'missing' | 'surplus' | 'different';

export interface Difference {
  readonly id: string;
  readonly kind: DifferenceKind;
}

type VersionRecords = Pick<Records, 'documentVersions' | 'documentVersionsById'>;

/** Documents of the store in one range. */
const RANGE = 1_000;
/** More documents of the index in a range divide it. */
const HELD_MAX = 2 * RANGE;
/** Documents without ids that are looked at in one comparison. */
const STRAYS_MAX = 1_000;

/**
 * Compares an index range by range, and returns the differences of each.
 * @param options of the next request
 */
export async function* compareRanges(
  records: VersionRecords,
  contents: IndexContents,
  { tenantId, index }: { readonly tenantId: string; readonly index: IndexName },
  options: () => ReadOptions,
): AsyncGenerator<readonly Difference[]> {
  for (let after = ''; ; ) {
    const page = await records.documentVersions(tenantId, index, after, RANGE);
    const last = page.length < RANGE ? null : (page.at(-1)?.id ?? null);
    const range = { after, upTo: last, limit: HELD_MAX };
    const held = await contents.held(tenantId, index, range, options());
    if (held === null) return;
    // With too many in the range, it ends at the last one read, unless all of them have one id.
    const cut = held.length < HELD_MAX ? null : lastOf(held);
    const isCut = cut !== null && cut !== after;
    const stored = isCut ? page.filter(({ id }) => compareIds(id, cut) <= 0) : page;
    yield differencesOf(stored, held);
    if (!isCut && last === null) break;
    after = isCut ? cut : (last ?? after);
  }
  const strays = await contents.strays(tenantId, index, STRAYS_MAX, options());
  if (strays.length === 0) return;
  const ids = strays.map(({ id }) => id);
  const stored = await records.documentVersionsById(tenantId, index, ids);
  yield differencesOf(stored, strays);
}

/** The differences among documents with some ids, of what the index holds of them. */
export function differencesOf(
  stored: readonly DocumentVersion[],
  held: readonly HeldDocument[],
): readonly Difference[] {
  const differences = new Map<string, DifferenceKind>();
  const versions = new Map(stored.map(({ id, sequence }) => [id, sequence]));
  const seen = new Set<string>();
  for (const { id, sequence } of held) {
    seen.add(id);
    const version = versions.get(id);
    if (version === undefined) differences.set(id, 'surplus');
    else if (version !== sequence) differences.set(id, 'different');
  }
  for (const { id } of stored) if (!seen.has(id)) differences.set(id, 'missing');
  return [...differences].map(([id, kind]) => ({ id, kind }));
}

/** The last id in the order of ids: that of a copy is not in it. */
function lastOf(held: readonly HeldDocument[]): string | null {
  return held.findLast(({ sequence }) => sequence !== null)?.id ?? null;
}

function compareIds(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
