// A scorer that watches how it is used (Lucene's AssertingScorer): rows ascend, nobody advances backwards or goes on
// behind the end, `matches` is asked once a candidate and `score` only of a match.
import assert from 'node:assert/strict';
import { NO_MORE_DOCS } from '../../src/engine/index/segment.ts';
import type { ScoreWindow } from '../../src/engine/search/score-window.ts';
import type { Scorer } from '../../src/engine/search/scorer.ts';

export class AssertingScorer implements Scorer {
  readonly cost: number;
  readonly maxScore: number;
  /** Where the watched scorer can. */
  readonly fill?: (window: ScoreWindow) => void;
  readonly #inner: Scorer;
  #asked = false;
  #matched = false;

  constructor(inner: Scorer) {
    this.#inner = inner;
    this.cost = inner.cost;
    this.maxScore = inner.maxScore;
    assert.equal(inner.docId(), -1, 'a fresh cursor stands before the first row');
    if (inner.fill !== undefined) {
      this.fill = (window) => {
        assert.ok(!this.#asked || this.docId() < window.from, 'a row is offered twice');
        inner.fill?.(window);
        this.#asked = false;
        this.#matched = false;
      };
    }
  }

  docId(): number {
    return this.#inner.docId();
  }

  nextDoc(): number {
    return this.#moved(this.docId(), () => this.#inner.nextDoc());
  }

  advance(target: number): number {
    const before = this.docId();
    assert.ok(target > before, `advance(${target}) at ${before}`);
    const row = this.#moved(before, () => this.#inner.advance(target));
    assert.ok(row >= target, `advance(${target}) came to ${row}`);
    return row;
  }

  matches(): boolean {
    const row = this.docId();
    assert.ok(row >= 0 && row < NO_MORE_DOCS, `matches() at ${row}`);
    assert.ok(!this.#asked, `matches() twice at ${row}`);
    this.#asked = true;
    this.#matched = this.#inner.matches();
    return this.#matched;
  }

  score(): number {
    assert.ok(this.#matched, `score() of a row that was not found to match: ${this.docId()}`);
    const score = this.#inner.score();
    assert.ok(
      score <= this.maxScore,
      `a score of ${score}, and none was to be over ${this.maxScore}`,
    );
    return score;
  }

  setMinScore(score: number): void {
    this.#inner.setMinScore?.(score);
  }

  #moved(before: number, move: () => number): number {
    assert.notEqual(before, NO_MORE_DOCS, 'moved behind the end');
    const row = move();
    assert.ok(row > before, `from ${before} to ${row}`);
    assert.equal(this.docId(), row);
    this.#asked = false;
    this.#matched = false;
    return row;
  }
}
