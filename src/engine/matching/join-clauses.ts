// Chooses the scorer that joins the clauses of a boolean query: bit sets are joined word by word, a
// set with more rows than the scorer it filters is looked up, and all else is joined row by row.
import { allLive } from '../index/live-docs.ts';
import { RowListScorer } from '../rows/row-list-scorer.ts';
import { anyOfSets, BitSetScorer } from './bit-set-scorer.ts';
import { ConjunctionScorer } from './conjunction-scorer.ts';
import { type DisjunctionOptions, DisjunctionScorer } from './disjunction-scorer.ts';
import { ExclusionScorer } from './exclusion-scorer.ts';
import { FilteredScorer } from './filtered-scorer.ts';
import { AllScorer, ConstantScorer, type Scorer } from './scorer.ts';

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
  const scored = must.filter((scorer) => !isSet(scorer));
  const others = filters.filter((scorer) => !isSet(scorer));
  const [first, ...more] = must.filter(isSet);
  if (first === undefined)
    return filtered(allOf(scored, others, true), BitSetScorer.all(sets, 0), scored);
  // Sets that score are not joined: the sum of their scores would be rounded too early.
  const set = BitSetScorer.all([first, ...filters.filter(isSet)], first.maxScore);
  return new ConjunctionScorer([...scored, ...others, set, ...more], [...scored, set, ...more]);
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
  return filtered(allFilters(restricting.filter((scorer) => !isSet(scorer))), set, []);
}

/** Filters a scorer by a set; the one with fewer rows leads. */
function filtered(scorer: Scorer, set: BitSetScorer, scored: readonly Scorer[]): Scorer {
  if (set.cost >= scorer.cost) return new FilteredScorer(scorer, 'in', set);
  return new ConjunctionScorer([scorer, set], scored.length > 0 ? [scorer] : []);
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
  if (!isSet(excluded)) return new ExclusionScorer(required, excluded);
  if (isSet(required)) return required.without(excluded);
  if (!(required instanceof AllScorer)) return new FilteredScorer(required, 'out of', excluded);
  const { cost, maxScore } = required;
  return new BitSetScorer(allLive(cost), maxScore, cost).without(excluded);
}

function isSet(scorer: Scorer): scorer is BitSetScorer {
  return scorer instanceof BitSetScorer;
}
