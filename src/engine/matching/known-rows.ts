// All matches of a scorer that has not been moved: where the scorer is a set of rows, or one without a
// few rows, no row needs to be visited that the set already has.

import { hasBit, lowestBit, newBitSet, setBit } from '../rows/bit-set.ts';
import { BitSetScorer } from '../scoring/bit-set-scorer.ts';
import { AllScorer, addSome, type Scorer, STEPS_PER_YIELD } from '../scoring/scorer.ts';
import { allLive } from '../sections/live-docs.ts';
import { NO_MORE_DOCS, type SegmentView } from '../sections/segment.ts';
import { ExclusionScorer } from './exclusion-scorer.ts';
import { NestedScorer } from './nested-scorer.ts';

/** A scorer whose matches are known at once. */
type KnownScorer = AllScorer | BitSetScorer;

function isKnown(scorer: Scorer): scorer is KnownScorer {
  return scorer instanceof BitSetScorer || scorer instanceof AllScorer;
}

/** Matches that are known at once, and the cursor of those to leave out; null if there is none. */
interface KnownMatches {
  readonly known: KnownScorer;
  readonly excluded: Scorer | null;
}

/** null if the rows have to be visited, or if there are more to leave out. */
function knownMatches(scorer: Scorer): KnownMatches | null {
  if (scorer.docId() !== -1) return null;
  if (isKnown(scorer)) return { known: scorer, excluded: null };
  if (!(scorer instanceof ExclusionScorer)) return null;
  const { required, excluded } = scorer.parts;
  if (!isKnown(required) || excluded.cost > required.cost) return null;
  return { known: required, excluded };
}

/** The number of live matches; -1 if the rows have to be visited. */
export function* countKnown(scorer: Scorer, view: SegmentView): Generator<void, number> {
  const matches = knownMatches(scorer);
  if (matches === null) return -1;
  const { known, excluded } = matches;
  const count = known instanceof BitSetScorer ? known.count(view.liveDocs) : view.liveCount;
  if (excluded === null) return count;
  let left = count;
  while (excluded.docId() !== NO_MORE_DOCS) {
    // path: excluded rows counted
    left -= countCommon(excluded, known, view.liveDocs);
    yield;
  }
  return left;
}

/**
 * The matches as a set, deleted rows included: null for all rows, undefined if the rows have to be
 * visited. Callers must not change it.
 */
export function* knownRows(
  scorer: Scorer,
  rowCount: number,
): Generator<void, Uint32Array | null | undefined> {
  const matches = knownMatches(scorer);
  if (matches === null) return undefined;
  const { known, excluded } = matches;
  if (excluded === null) return known instanceof BitSetScorer ? known.bits : null;
  const bits = known instanceof BitSetScorer ? known.copyBits() : allLive(rowCount);
  yield* leaveOutAll(excluded, bits);
  return bits;
}

/** The matches as a new set, by visiting all of them: clause by clause where that is possible. */
export function* gatherRows(scorer: Scorer, rowCount: number): Generator<void, Uint32Array> {
  if (scorer.docId() === -1) {
    if (scorer instanceof ExclusionScorer) {
      const { required, excluded } = scorer.parts;
      if (excluded.cost <= required.cost) {
        const bits = yield* gatherRows(required, rowCount);
        yield* leaveOutAll(excluded, bits);
        return bits;
      }
    } else if (scorer instanceof NestedScorer && isDense(scorer, scorer.parts.parent.length)) {
      return yield* gatherParents(scorer, rowCount);
    }
  }
  const bits = newBitSet(rowCount);
  while (addSome(bits, scorer)) yield;
  return bits;
}

/** If fewer than one row in this many matches, a set of them would be nearly empty. */
const ROWS_PER_MATCH = 32;

/** True if a scorer may match so many rows of a table that they are gathered as a set. */
export function isDense({ cost }: Scorer, rowCount: number): boolean {
  return cost * ROWS_PER_MATCH >= rowCount;
}

/** The documents of the matching elements. */
function* gatherParents(scorer: NestedScorer, rowCount: number): Generator<void, Uint32Array> {
  const { child, parent } = scorer.parts;
  const elements = yield* gatherRows(child, parent.length);
  const bits = newBitSet(rowCount);
  for (let word = 0; word < elements.length; word++) {
    for (let rest = elements[word]!; rest !== 0; rest &= rest - 1) {
      // path: documents of elements
      setBit(bits, parent[(word << 5) + lowestBit(rest)]!);
    }
    if (word % WORDS_PER_YIELD === WORDS_PER_YIELD - 1) yield;
  }
  return bits;
}

/** Words of 32 rows between two yields. */
const WORDS_PER_YIELD = STEPS_PER_YIELD / 8;

function* leaveOutAll(excluded: Scorer, bits: Uint32Array): Generator<void> {
  while (excluded.docId() !== NO_MORE_DOCS) {
    // path: excluded rows removed
    leaveOut(excluded, bits);
    yield;
  }
}

/** Counts the live rows of both, among some of the next candidates of a cursor. */
function countCommon(cursor: Scorer, known: KnownScorer, live: Uint32Array | null): number {
  const set = known instanceof BitSetScorer ? known : null;
  let count = 0;
  for (let step = 0; step < STEPS_PER_YIELD; step++) {
    const row = cursor.nextDoc();
    if (row === NO_MORE_DOCS) break;
    if (set?.has(row) === false || (live !== null && !hasBit(live, row))) continue;
    if (cursor.matches()) count += 1;
  }
  return count;
}

/** Removes the matches among some of the next candidates of a cursor. */
function leaveOut(cursor: Scorer, bits: Uint32Array): void {
  for (let step = 0; step < STEPS_PER_YIELD; step++) {
    const row = cursor.nextDoc();
    if (row === NO_MORE_DOCS) return;
    if (hasBit(bits, row) && cursor.matches()) bits[row >>> 5]! &= ~(1 << (row & 31));
  }
}
