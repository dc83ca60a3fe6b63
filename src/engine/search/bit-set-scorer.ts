// A set of rows as a scorer: what term expansions, ranges and the like come to. All rows score the same.
import { NO_MORE_DOCS } from '../index/segment.ts';
import { countBits, nextSetBit } from './bit-set.ts';
import type { ScoreWindow } from './score-window.ts';
import type { Scorer } from './scorer.ts';

export class BitSetScorer implements Scorer {
  readonly bits: Uint32Array;
  readonly cost: number;
  readonly maxScore: number;
  readonly isConstant = true;
  #row = -1;

  constructor(bits: Uint32Array, constant: number) {
    this.bits = bits;
    this.cost = countBits(bits, null);
    this.maxScore = constant;
  }

  docId(): number {
    return this.#row;
  }

  nextDoc(): number {
    return this.advance(this.#row + 1);
  }

  advance(target: number): number {
    this.#row = target >= NO_MORE_DOCS ? NO_MORE_DOCS : nextSetBit(this.bits, target);
    return this.#row;
  }

  matches(): boolean {
    return true;
  }

  score(): number {
    return this.maxScore;
  }

  fill(window: ScoreWindow): void {
    window.putSet(this.bits, this.maxScore);
    this.#row = Math.max(this.#row, window.to - 1);
  }
}
