// Which scorer joins the clauses of a boolean query: sets of rows are joined word by word, a set that is larger than
// what it filters is only looked up, and everything else meets row by row.
import { allLive } from '../index/live-docs.ts';
import { anyOfSets, BitSetScorer } from './bit-set-scorer.ts';
import { ConjunctionScorer } from './conjunction-scorer.ts';
import { type DisjunctionOptions, DisjunctionScorer } from './disjunction-scorer.ts';
import { ExclusionScorer } from './exclusion-scorer.ts';
import { FilteredScorer } from './filtered-scorer.ts';
import { AllScorer, ConstantScorer, type Scorer } from './scorer.ts';

/**
 * All of some clauses, one or more, fresh.
 * @param must those whose scores are summed
 * @param filter those that score nothing
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
  const sum = must.filter(isSet).reduce((total, set) => total + set.maxScore, 0);
  if (sets.length === must.length + filters.length) return BitSetScorer.all(sets, Math.fround(sum));
  if (sets.length === 0) return new ConjunctionScorer([...must, ...filters], must);
  const set = BitSetScorer.all(sets, sum);
  const scored = must.filter((scorer) => !isSet(scorer));
  const others = filters.filter((scorer) => !isSet(scorer));
  if (must.some(isSet)) return new ConjunctionScorer([...scored, ...others, set], [...scored, set]);
  return filtered(allOf(scored, others, true), set, scored);
}

/** All of some clauses, one or more, when nobody asks for scores. */
function allFilters(scorers: readonly Scorer[]): Scorer {
  const [only] = scorers;
  if (only === undefined) throw new TypeError('A conjunction of nothing');
  const telling = scorers.filter((scorer) => !(scorer instanceof AllScorer));
  if (telling.length < 2) return telling[0] ?? only;
  const sets = telling.filter(isSet);
  if (sets.length === 0) return new ConjunctionScorer(telling, []);
  const set = BitSetScorer.all(sets, 0);
  if (sets.length === telling.length) return set;
  return filtered(allFilters(telling.filter((scorer) => !isSet(scorer))), set, []);
}

/** The rarer of the two leads. */
function filtered(scorer: Scorer, set: BitSetScorer, scored: readonly Scorer[]): Scorer {
  if (set.cost >= scorer.cost) return new FilteredScorer(scorer, 'in', set);
  return new ConjunctionScorer([scorer, set], scored.length > 0 ? [scorer] : []);
}

/** Any, or so many, of some clauses; null where there are too few. */
export function anyOf(scorers: readonly Scorer[], options: DisjunctionOptions): Scorer | null {
  const [only] = scorers;
  if (only === undefined || scorers.length < options.minimumMatch) return null;
  if (scorers.length === 1) return only;
  const { minimumMatch, scoring } = options;
  const sets = minimumMatch === 1 && !scoring ? scorers.filter(isSet) : [];
  return sets.length === scorers.length ? anyOfSets(sets) : new DisjunctionScorer(scorers, options);
}

/** What one scorer matches and another does not. */
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
