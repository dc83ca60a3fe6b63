// Selects the segments to merge next, like Lucene's TieredMergePolicy: segments of similar size
// together, cheap merges first, and merges that remove deletions preferred. Sizes are estimated
// without deleted rows. While an index is idle, selectIdleMerge merges further.
// Invariant: the merges of one result are disjoint, and none creates a segment larger than
// `mergedBytesMax`.
import type { SegmentView } from '../sections/segment.ts';

export interface MergePolicyOptions {
  /** The number of segments of similar size that are left unmerged. */
  readonly segmentsPerTier: number;
  readonly mergeAtOnceMax: number;
  /** Smaller segments count as this size, so that many tiny ones are merged together. */
  readonly floorBytes: number;
  readonly mergedBytesMax: number;
  /**
   * The share of deleted rows over all segments above which a segment is rewritten just to remove
   * them.
   */
  readonly deletedShareMax: number;
}

const MIB = 1024 * 1024;

/**
 * Results in ten to twelve segments for an index of several gigabytes; TieredMergePolicy's defaults
 * are 10, 10, 2 MB (16 MB in Lucene 10), 5 GB, 20 %.
 */
export const MERGE_POLICY: MergePolicyOptions = {
  segmentsPerTier: 5,
  mergeAtOnceMax: 10,
  floorBytes: 4 * MIB,
  mergedBytesMax: 1024 * MIB,
  deletedShareMax: 0.2,
};

/** For bulk imports: merges are better left to idle time, so many segments are allowed. */
export const BULK_MERGE_POLICY: MergePolicyOptions = {
  ...MERGE_POLICY,
  segmentsPerTier: 16,
  mergeAtOnceMax: 16,
  floorBytes: 64 * MIB,
};

interface Candidate {
  readonly view: SegmentView;
  /** Estimated bytes of live rows. */
  readonly bytes: number;
}

/**
 * Returns disjoint merges that are worthwhile now, the best first; a merge of one segment removes
 * its deleted rows.
 */
export function selectMerges(
  views: readonly SegmentView[],
  options: MergePolicyOptions = MERGE_POLICY,
): SegmentView[][] {
  const merges: SegmentView[][] = [];
  let eligible = views
    .map((view): Candidate => ({ view, bytes: liveBytes(view) }))
    .sort((a, b) => b.bytes - a.bytes);
  eligible = eligible.filter((candidate) => !isTooLarge(candidate, options));
  const allowed = allowedCount(eligible, options);
  let count = eligible.length;
  while (count > allowed) {
    const best = cheapest(eligible, options);
    if (best === null) break;
    merges.push(best.map((candidate) => candidate.view));
    eligible = eligible.filter((candidate) => !best.includes(candidate));
    count -= best.length - 1;
  }
  const rewrite = selectRewrite(views, merges, options);
  if (rewrite !== null) merges.push([rewrite]);
  return merges;
}

/**
 * In an idle merge the largest segment is at most this many times as large as the others together.
 */
const IDLE_SHARE = 4;

/**
 * Returns the merge that leaves the fewest segments of an idle index, or null. The largest segment
 * in it is at most four times as large as the rest, so a byte is rewritten about as often as its
 * index grows by a quarter, and a few changes between two idle times do not rewrite the whole
 * index.
 */
export function selectIdleMerge(
  views: readonly SegmentView[],
  options: MergePolicyOptions = MERGE_POLICY,
): SegmentView[] | null {
  const bySize = views
    .map((view): Candidate => ({ view, bytes: liveBytes(view) }))
    .sort((a, b) => b.bytes - a.bytes);
  for (const [from, largest] of bySize.entries()) {
    const selected = [largest];
    let bytes = largest.bytes;
    for (const candidate of bySize.slice(from + 1)) {
      if (bytes + candidate.bytes > options.mergedBytesMax) continue;
      selected.push(candidate);
      bytes += candidate.bytes;
    }
    const others = bytes - largest.bytes;
    if (selected.length > 1 && largest.bytes <= IDLE_SHARE * others)
      return selected.map(({ view }) => view);
  }
  return null;
}

function liveBytes({ segment, liveCount }: SegmentView): number {
  return segment.docCount === 0 ? 0 : (segment.sizeInBytes * liveCount) / segment.docCount;
}

/** True if the segment is too large to be merged with one of similar size. */
function isTooLarge({ bytes }: Candidate, options: MergePolicyOptions): boolean {
  return bytes > options.mergedBytesMax / 2;
}

/**
 * Returns the number of segments that the tiers allow: `segmentsPerTier` of each size, sizes
 * growing tenfold.
 */
function allowedCount(eligible: readonly Candidate[], options: MergePolicyOptions): number {
  let remainingBytes = 0;
  for (const { bytes } of eligible) remainingBytes += Math.max(bytes, options.floorBytes);
  const smallest = eligible[eligible.length - 1]?.bytes ?? 0;
  let level = Math.max(smallest, options.floorBytes);
  let allowed = 0;
  while (remainingBytes > 0) {
    const inLevel = remainingBytes / level;
    if (inLevel < options.segmentsPerTier || level >= options.mergedBytesMax) {
      allowed += Math.ceil(inLevel);
      break;
    }
    allowed += options.segmentsPerTier;
    remainingBytes -= options.segmentsPerTier * level;
    level = Math.min(options.mergedBytesMax, level * options.mergeAtOnceMax);
  }
  return Math.max(allowed, options.segmentsPerTier);
}

/**
 * Returns the run of candidates (largest first) with the lowest score, or null if no two fit into
 * one segment.
 */
function cheapest(eligible: readonly Candidate[], options: MergePolicyOptions): Candidate[] | null {
  let best: Candidate[] | null = null;
  let bestScore = Number.POSITIVE_INFINITY;
  for (let from = 0; from < eligible.length - 1; from++) {
    const run: Candidate[] = [];
    let bytes = 0;
    for (let at = from; at < eligible.length && run.length < options.mergeAtOnceMax; at++) {
      const candidate = eligible[at]!;
      if (bytes + candidate.bytes > options.mergedBytesMax) continue;
      run.push(candidate);
      bytes += candidate.bytes;
    }
    if (run.length < 2) continue;
    const score = scoreOf(run, options);
    if (score < bestScore) {
      bestScore = score;
      best = run;
    }
  }
  return best;
}

/** TieredMergePolicy.score: even sizes, then small merges, then many deletions. */
function scoreOf(run: readonly Candidate[], options: MergePolicyOptions): number {
  let floored = 0;
  let totalBytes = 0;
  let mergedBytes = 0;
  for (const { view, bytes } of run) {
    floored += Math.max(bytes, options.floorBytes);
    totalBytes += view.segment.sizeInBytes;
    mergedBytes += bytes;
  }
  const largest = Math.max(run[0]!.bytes, options.floorBytes);
  const skew = largest / floored;
  const liveShare = totalBytes === 0 ? 1 : mergedBytes / totalBytes;
  return skew * Math.max(mergedBytes, 1) ** 0.05 * liveShare ** 2;
}

/**
 * Returns the segment with the most deletions if the share of deleted rows is too high and no merge
 * has it already.
 */
function selectRewrite(
  views: readonly SegmentView[],
  merges: readonly (readonly SegmentView[])[],
  options: MergePolicyOptions,
): SegmentView | null {
  let rows = 0;
  let live = 0;
  let worst: SegmentView | null = null;
  for (const view of views) {
    if (merges.some((merge) => merge.includes(view))) continue;
    rows += view.segment.docCount;
    live += view.liveCount;
    if (worst === null || deletedShare(view) > deletedShare(worst)) worst = view;
  }
  return rows - live > rows * options.deletedShareMax ? worst : null;
}

function deletedShare({ segment, liveCount }: SegmentView): number {
  return segment.docCount === 0 ? 0 : 1 - liveCount / segment.docCount;
}
