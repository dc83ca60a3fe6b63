// Which segments to merge next, after Lucene's TieredMergePolicy: segments of like size together, few at the top,
// cheap merges first, those that get rid of deletions preferred. Sizes are counted without deleted rows.
// When nothing changes, more may be merged: see selectRestMerge.
// Invariant: the merges of one answer are disjoint and none makes a segment beyond MERGED_BYTES_MAX.
import type { SegmentView } from './segment.ts';

export interface MergePolicyOptions {
  /** Segments of like size that may stand side by side. */
  readonly segmentsPerTier: number;
  readonly mergeAtOnceMax: number;
  /** Smaller segments count as this large, so that many tiny ones are merged together. */
  readonly floorBytes: number;
  readonly mergedBytesMax: number;
  /** Share of deleted rows over all segments beyond which a segment is rewritten for them alone. */
  readonly deletedShareMax: number;
}

const MIB = 1024 * 1024;

/** Ten to twelve segments for an index of some gigabytes; TieredMergePolicy's defaults are 10, 10, 2 MB (16 MB in Lucene 10), 5 GB, 20 %. */
export const MERGE_POLICY: MergePolicyOptions = {
  segmentsPerTier: 5,
  mergeAtOnceMax: 10,
  floorBytes: 4 * MIB,
  mergedBytesMax: 1024 * MIB,
  deletedShareMax: 0.2,
};

/** While a command takes in much at once: a merge now is work that a rest does better, so segments may be many. */
export const BULK_MERGE_POLICY: MergePolicyOptions = {
  ...MERGE_POLICY,
  segmentsPerTier: 16,
  mergeAtOnceMax: 16,
  floorBytes: 64 * MIB,
};

interface Candidate {
  readonly view: SegmentView;
  /** Bytes of live rows, estimated. */
  readonly bytes: number;
}

/** Disjoint merges worth doing now, the best first; a merge of one segment drops its deleted rows. */
export function selectMerges(
  views: readonly SegmentView[],
  options: MergePolicyOptions = MERGE_POLICY,
): SegmentView[][] {
  const merges: SegmentView[][] = [];
  let eligible = views
    .map((view): Candidate => ({ view, bytes: liveBytes(view) }))
    .sort((a, b) => b.bytes - a.bytes);
  eligible = eligible.filter((one) => !isFull(one, options));
  const allowed = allowedCount(eligible, options);
  let count = eligible.length;
  while (count > allowed) {
    const best = cheapest(eligible, options);
    if (best === null) break;
    merges.push(best.map((one) => one.view));
    eligible = eligible.filter((one) => !best.includes(one));
    count -= best.length - 1;
  }
  const rewrite = mostDeleted(views, merges, options);
  if (rewrite !== null) merges.push([rewrite]);
  return merges;
}

/** A merge at rest takes no segment that is this many times as large as all others of it. */
const REST_SHARE = 4;

/**
 * The merge that leaves fewest segments where there is time for it, or null. The largest segment of it is at most four
 * times as large as the rest, so a byte is rewritten about as often as its index grows by a quarter, and few changes
 * between two rests do not rewrite everything.
 */
export function selectRestMerge(
  views: readonly SegmentView[],
  options: MergePolicyOptions = MERGE_POLICY,
): SegmentView[] | null {
  const bySize = views
    .map((view): Candidate => ({ view, bytes: liveBytes(view) }))
    .sort((a, b) => b.bytes - a.bytes);
  for (const [from, largest] of bySize.entries()) {
    const run = [largest];
    let bytes = largest.bytes;
    for (const one of bySize.slice(from + 1)) {
      if (bytes + one.bytes > options.mergedBytesMax) continue;
      run.push(one);
      bytes += one.bytes;
    }
    const others = bytes - largest.bytes;
    if (run.length > 1 && largest.bytes <= REST_SHARE * others) return run.map(({ view }) => view);
  }
  return null;
}

function liveBytes({ segment, liveCount }: SegmentView): number {
  return segment.docCount === 0 ? 0 : (segment.sizeInBytes * liveCount) / segment.docCount;
}

/** Too large to be merged with a like one. */
function isFull({ bytes }: Candidate, options: MergePolicyOptions): boolean {
  return bytes > options.mergedBytesMax / 2;
}

/** How many segments the tiers have room for: `segmentsPerTier` of each size, sizes growing tenfold. */
function allowedCount(eligible: readonly Candidate[], options: MergePolicyOptions): number {
  let left = 0;
  for (const { bytes } of eligible) left += Math.max(bytes, options.floorBytes);
  const smallest = eligible[eligible.length - 1]?.bytes ?? 0;
  let level = Math.max(smallest, options.floorBytes);
  let allowed = 0;
  while (left > 0) {
    const inLevel = left / level;
    if (inLevel < options.segmentsPerTier || level >= options.mergedBytesMax) {
      allowed += Math.ceil(inLevel);
      break;
    }
    allowed += options.segmentsPerTier;
    left -= options.segmentsPerTier * level;
    level = Math.min(options.mergedBytesMax, level * options.mergeAtOnceMax);
  }
  return Math.max(allowed, options.segmentsPerTier);
}

/** The run of candidates (largest first) with the least score, or null when no two fit into one segment. */
function cheapest(eligible: readonly Candidate[], options: MergePolicyOptions): Candidate[] | null {
  let best: Candidate[] | null = null;
  let bestScore = Number.POSITIVE_INFINITY;
  for (let from = 0; from < eligible.length - 1; from++) {
    const run: Candidate[] = [];
    let bytes = 0;
    for (let at = from; at < eligible.length && run.length < options.mergeAtOnceMax; at++) {
      const one = eligible[at]!;
      if (bytes + one.bytes > options.mergedBytesMax) continue;
      run.push(one);
      bytes += one.bytes;
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
  let before = 0;
  let after = 0;
  for (const { view, bytes } of run) {
    floored += Math.max(bytes, options.floorBytes);
    before += view.segment.sizeInBytes;
    after += bytes;
  }
  const largest = Math.max(run[0]!.bytes, options.floorBytes);
  const skew = largest / floored;
  const liveShare = before === 0 ? 1 : after / before;
  return skew * Math.max(after, 1) ** 0.05 * liveShare ** 2;
}

/** The segment whose rewriting frees most, when too much is deleted over all and no merge takes it already. */
function mostDeleted(
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
