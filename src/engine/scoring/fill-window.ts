// Puts the matches of scorers into score windows, in the cheapest way that each scorer supports.
// The contract of windows is in matching/scorer.ts.

import { lowestBit } from '../rows/bit-set.ts';
import type { Joining, ScoreWindow } from './score-window.ts';
import type { Scorer } from './scorer.ts';

/** Puts the matches of a scorer that are in a window into it. */
export function fillWindow(scorer: Scorer, window: ScoreWindow): void {
  if (scorer.docId() >= window.to) return;
  if (scorer.fill === undefined) fillByCandidates(scorer, window);
  else scorer.fill(window);
}

/** As fillWindow, candidate by candidate. */
export function fillByCandidates(scorer: Scorer, window: ScoreWindow): void {
  let row = scorer.docId();
  if (row < window.from) row = scorer.advance(window.from);
  while (row < window.to) {
    window.candidateCount += 1;
    if (scorer.matches()) /* path: row by row */ window.put(row, scorer.score());
    row = scorer.nextDoc();
  }
}

/** Fills a window of its own and joins the result as the score of a single clause. */
export function fillSeparately(
  window: ScoreWindow,
  joining: Joining,
  fill: (own: ScoreWindow) => void,
): void {
  if (window.joining === 'only') {
    window.joinAs(joining, fill);
    return;
  }
  const own = window.borrowLike(joining);
  fill(own);
  own.moveInto(window);
  own.giveBack();
}

/**
 * Advances a scorer to the marked rows of a window. Adds its score where it matches, unless
 * `counts` is `nothing`.
 * @param keep which rows stay marked: those it matches, those it does not match, or all
 */
export function advanceToMarks(
  window: ScoreWindow,
  scorer: Scorer,
  counts: 'score' | 'nothing',
  keep: 'matches' | 'others' | 'all',
): void {
  const { scores, marks } = window;
  let row = scorer.docId();
  for (let word = 0; word < marks.length; word++) {
    let remaining = marks[word]!;
    for (let rest = remaining; rest !== 0; rest &= rest - 1) {
      // path: advanced to marked rows
      const bit = rest & -rest;
      const at = (word << 5) + lowestBit(bit);
      const marked = window.base + at;
      if (row < marked) row = scorer.advance(marked);
      if (row === marked && scorer.fill === undefined) window.candidateCount += 1;
      const matches = row === marked && scorer.matches();
      if (matches && counts === 'score') scores[at]! += scorer.score();
      if (keep === 'all' || matches === (keep === 'matches')) continue;
      remaining &= ~bit;
      scores[at] = 0;
    }
    marks[word] = remaining;
  }
}
