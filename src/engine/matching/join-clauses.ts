// Chooses the scorer that joins the clauses of a boolean query: bit sets are joined word by word, and
// all else row by row or in windows.

import { anyOfSets, BitSetScorer } from '../scoring/bit-set-scorer.ts';
import { RowListScorer } from '../scoring/row-list-scorer.ts';
import { AllScorer, ConstantScorer, type Scorer } from '../scoring/scorer.ts';
import { allLive } from '../sections/live-docs.ts';
import { ConjunctionScorer } from './conjunction-scorer.ts';
import { type DisjunctionOptions, DisjunctionScorer } from './disjunction-scorer.ts';
import { ExclusionScorer } from './exclusion-scorer.ts';

/**
 * The conjunction of one or more scorers that have not been moved.
 * @param must clauses whose scores are summed
 * @param filter clauses that do not score
 */
export function allOf(
  must: readonly Scorer[],
  filter: readonly Scorer[],
  scoring: boolean,
): Scorer {
  if (!scoring) return allFilters([...must, ...filter]);
  const [only] = must;
  if (only === undefined) return new ConstantScorer(allFilters(filter), 0);
  const filters = filter.filter((scorer) => !(scorer instanceof AllScorer));
  if (must.length + filters.length === 1) return only;
  const sets = [...must, ...filters].filter(isSet);
  if (sets.length === must.length + filters.length) {
    const sum = must.reduce((total, set) => total + set.maxScore, 0);
    return BitSetScorer.all(sets, Math.fround(sum));
  }
  if (sets.length === 0) return new ConjunctionScorer([...must, ...filters], must);
  // Sets that score are not joined: the sum of their scores would be rounded too early.
  const others = filters.filter((scorer) => !isSet(scorer));
  const filterSets = filters.filter(isSet);
  if (filterSets.length > 0) others.push(BitSetScorer.all(filterSets, 0));
  return new ConjunctionScorer([...must, ...others], must);
}

/** The conjunction of one or more scorers when no scores are needed. */
function allFilters(scorers: readonly Scorer[]): Scorer {
  const [only] = scorers;
  if (only === undefined) throw new TypeError('A conjunction without clauses');
  const restricting = scorers.filter((scorer) => !(scorer instanceof AllScorer));
  if (restricting.length < 2) return restricting[0] ?? only;
  const sets = restricting.filter(isSet);
  if (sets.length === 0) return new ConjunctionScorer(restricting, []);
  const set = BitSetScorer.all(sets, 0);
  if (sets.length === restricting.length) return set;
  return new ConjunctionScorer([...restricting.filter((scorer) => !isSet(scorer)), set], []);
}

/** The disjunction of some clauses; null when there are fewer than `minimumMatch`. */
export function anyOf(scorers: readonly Scorer[], options: DisjunctionOptions): Scorer | null {
  const [only] = scorers;
  if (only === undefined || scorers.length < options.minimumMatch) return null;
  if (scorers.length === 1) return only;
  const { minimumMatch, scoring } = options;
  if (minimumMatch === 1 && !scoring) {
    const sets = scorers.filter(isSet);
    const lists = scorers.filter((scorer) => scorer instanceof RowListScorer);
    if (sets.length > 0 && sets.length + lists.length === scorers.length) {
      return anyOfSets(sets, lists);
    }
  }
  return new DisjunctionScorer(scorers, options);
}

/** The matches of `required` that `excluded` does not match; both have not been moved. */
export function butNot(required: Scorer, excluded: Scorer | null): Scorer {
  if (excluded === null) return required;
  if (isSet(excluded) && isSet(required)) return required.without(excluded);
  if (!isSet(excluded) || !(required instanceof AllScorer)) {
    return new ExclusionScorer(required, excluded);
  }
  const { cost, maxScore } = required;
  return new BitSetScorer(allLive(cost), maxScore, cost).without(excluded);
}

function isSet(scorer: Scorer): scorer is BitSetScorer {
  return scorer instanceof BitSetScorer;
}
