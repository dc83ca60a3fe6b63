// Puts the matches of scorers into score windows, in the cheaper way that each scorer has. The contract of windows is in
// matching/scorer.ts.
import type { Scorer } from '../matching/scorer.ts';
import { borrowLike, giveBack, type Joining, type ScoreWindow } from './score-window.ts';

/** Puts the matches of a scorer among the rows of a window into it. */
export function fillWindow(scorer: Scorer, window: ScoreWindow): void {
  if (scorer.docId() >= window.to) return;
  if (scorer.fill === undefined) walkWindow(scorer, window);
  else scorer.fill(window);
}

/** As fillWindow, candidate by candidate. */
export function walkWindow(scorer: Scorer, window: ScoreWindow): void {
  let row = scorer.docId();
  if (row < window.from) row = scorer.advance(window.from);
  while (row < window.to) {
    window.walked += 1;
    if (scorer.matches()) window.put(row, scorer.score());
    row = scorer.nextDoc();
  }
}

/** Has a scorer of several clauses fill a window by itself, and joins the result as the score of one clause. */
export function fillApart(
  window: ScoreWindow,
  joining: Joining,
  fill: (own: ScoreWindow) => void,
): void {
  if (window.joining === 'only') {
    window.joining = joining;
    fill(window);
    window.joining = 'only';
    return;
  }
  const own = borrowLike(window, joining);
  fill(own);
  own.pourInto(window);
  giveBack(own);
}

/**
 * Advances a scorer to the marked rows of a window. Where it matches, its score is added unless `counts` is `nothing`.
 * @param keep which rows stay marked: those that it matches, those that it does not match, or all of them
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
    let kept = marks[word]!;
    for (let rest = kept; rest !== 0; rest &= rest - 1) {
      const bit = rest & -rest;
      const at = (word << 5) + 31 - Math.clz32(bit);
      const marked = window.base + at;
      if (row < marked) row = scorer.advance(marked);
      if (row === marked && scorer.fill === undefined) window.walked += 1;
      const matches = row === marked && scorer.matches();
      if (matches && counts === 'score') scores[at]! += scorer.score();
      if (keep === 'all' || matches === (keep === 'matches')) continue;
      kept &= ~bit;
      scores[at] = 0;
    }
    marks[word] = kept;
  }
}
