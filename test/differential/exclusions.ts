// The list of cases that a judge skips, each with its reason. An exclusion for OpenSearch has a
// line in docs/cluster.md under "What differs on OpenSearch", which starts with
// `because`; a test compares the two. When a difference is removed, so is its entry here.
// Expressions that OpenSearch itself refuses as too complex (`limit_exceeded`) are not listed;
// run.ts counts them.

import { scores } from '../../src/engine/scoring/scoring.ts';
import type { Aggregations } from '../../src/query/aggregation.ts';
import { fold } from '../../src/query/analysis/fold.ts';
import { words } from '../../src/query/analysis/words.ts';
import type { Plan } from '../../src/query/plan.ts';
import type { Query } from '../../src/query/query.ts';
import { type Case, queriesOf } from './cases.ts';
import type { JudgeName } from './judge.ts';
import { distance } from './naive.ts';
import { canScore } from './naive-scores.ts';
import { ESSAY } from './random-mapping.ts';
import type { World } from './world.ts';

export interface Exclusion {
  readonly judge: JudgeName;
  /** The reason; for OpenSearch the beginning of a line of docs/cluster.md. */
  readonly because: string;
  applies(one: Case, world: World): boolean;
}

type QueryOf<Kind extends Query['kind']> = Extract<Query, { readonly kind: Kind }>;

export const EXCLUSIONS: readonly Exclusion[] = [
  {
    judge: 'openSearch',
    because: 'Whole values are kept up to 10,922 characters',
    applies: ({ plan }, world) => hasEssays(world) && asksForWholeEssays(plan),
  },
  {
    judge: 'openSearch',
    because: '`(…&…)` with nothing in common, repeated by `*`',
    applies: ({ plan }) => some(plan, 'regexp', ({ pattern }) => /\(.*&/s.test(pattern)),
  },
  {
    judge: 'openSearch',
    because: 'Fuzzy on the empty text (DSL only) scores by the empty text alone',
    applies: ({ plan }) => some(plan, 'fuzzy', ({ value }) => value === ''),
  },
  {
    judge: 'openSearch',
    because: 'A phrase prefix takes its terms segment by segment',
    applies: ({ plan }, world) => some(plan, 'phrase', (query) => expandsTooFar(query, world)),
  },
  {
    judge: 'openSearch',
    because: 'Right after updates and deletions scores may differ',
    applies: ({ plan }, world) =>
      world.change === 'often' &&
      (sortsByScore(plan) ||
        hasScoredHits(plan) ||
        some(plan, 'fuzzy', (query) => isNearTooMuch(query, world))),
  },
  {
    judge: 'shards',
    because:
      'With several shards, phrase prefixes and fuzzy words are scored by the statistics of a shard',
    applies: ({ plan }) =>
      (usesScores(plan) || hasScoredHits(plan)) &&
      (some(plan, 'fuzzy', () => true) ||
        some(plan, 'phrase', ({ prefixExpansions }) => prefixExpansions !== undefined)),
  },
  {
    judge: 'files',
    because: 'merges take what was deleted out of the statistics that scores are made of',
    applies: ({ plan }, world) =>
      world.change === 'often' &&
      (sortsByScore(plan) ||
        hasScoredHits(plan) ||
        some(plan, 'phrase', (query) => expandsTooFar(query, world)) ||
        some(plan, 'fuzzy', (query) => isNearTooMuch(query, world))),
  },
  {
    judge: 'threads',
    because:
      'documents are written anew meanwhile: scores count what is gone, and so do expansions',
    applies: (one, world) =>
      sortsByScore(one.plan) ||
      one.plan.targets.some(({ query }) => scores(query)) ||
      some(one.plan, 'phrase', (query) => expandsTooFar(query, world)) ||
      some(one.plan, 'fuzzy', (query) => isNearTooMuch(query, world)),
  },
  {
    judge: 'naive',
    because: 'scores of documents that were replaced count what is gone',
    applies: ({ plan }, { change }) => change === 'often' && sortsByScore(plan),
  },
  {
    judge: 'naive',
    because: 'rows in the order of scores that only an index can tell',
    applies: ({ plan }) =>
      sortsByScore(plan) && !plan.targets.every(({ query }) => canScore(query)),
  },
  {
    judge: 'naive',
    because: 'the best hits of a bucket by scores',
    applies: ({ plan }) => hasScoredHits(plan),
  },
  {
    judge: 'naive',
    because: 'patterns held against values of thousands of characters take it too long',
    applies: ({ plan }, world) => hasEssays(world) && asksForEssayPatterns(plan),
  },
  {
    judge: 'naive',
    because: 'a phrase prefix stands for the first terms of an index, deleted ones among them',
    applies: ({ plan }, world) => some(plan, 'phrase', (query) => expandsTooFar(query, world)),
  },
  {
    judge: 'naive',
    because: 'fuzzy words stand for the nearest terms of an index, deleted ones among them',
    applies: ({ plan }, world) => some(plan, 'fuzzy', (query) => isNearTooMuch(query, world)),
  },
];

/** The judges that run a case. */
export function judgesOf(
  one: Case,
  world: World,
  names: readonly JudgeName[],
): { readonly judges: JudgeName[]; readonly excluded: Exclusion[] } {
  const excluded = EXCLUSIONS.filter(
    (exclusion) => names.some((name) => binds(exclusion, name)) && exclusion.applies(one, world),
  );
  const judges = names.filter((name) => !excluded.some((exclusion) => binds(exclusion, name)));
  return { judges, excluded };
}

/** What OpenSearch answers otherwise, it answers otherwise with several shards, too. */
function binds({ judge }: Exclusion, name: JudgeName): boolean {
  return judge === name || (judge === 'openSearch' && name === 'shards');
}

function some<Kind extends Query['kind']>(
  plan: Plan,
  kind: Kind,
  fits: (query: QueryOf<Kind>) => boolean,
): boolean {
  for (const { query } of queriesOf(plan)) {
    if (query.kind === kind && fits(query as QueryOf<Kind>)) return true;
  }
  return false;
}

const sortsByScore = (plan: Plan): boolean => plan.sort.some(({ type }) => type === 'score');

/** True if rows have scores or are ordered by them. */
const usesScores = (plan: Plan): boolean =>
  (plan.sort.length === 0 || sortsByScore(plan)) && plan.targets.some(({ query }) => scores(query));

/** True if buckets contain hits by score. */
function hasScoredHits({ targets }: Plan): boolean {
  const hits = targets.some(({ aggregations = {} }) => hasHits(aggregations));
  return hits && targets.some(({ query }) => scores(query));
}

function hasHits(aggregations: Aggregations): boolean {
  return Object.values(aggregations).some(
    (one) => one.kind === 'topHits' || ('aggregations' in one && hasHits(one.aggregations)),
  );
}

const hasEssays = ({ indexes }: World): boolean =>
  [...indexes.values()].some(({ mapping }) => mapping.fields.has(ESSAY));

function asksForWholeEssays(plan: Plan): boolean {
  const asks = [...queriesOf(plan)].some(
    ({ query }) => 'form' in query && query.field === ESSAY && query.form !== 'word',
  );
  return (
    asks ||
    plan.sort.some(({ field }) => field === ESSAY) ||
    plan.targets.some(({ typeahead }) => typeahead?.field === ESSAY) ||
    JSON.stringify(plan.targets.map(({ aggregations }) => aggregations)).includes(`"${ESSAY}"`)
  );
}

function asksForEssayPatterns(plan: Plan): boolean {
  return [...queriesOf(plan)].some(
    ({ query }) =>
      (query.kind === 'regexp' || query.kind === 'wildcard' || query.kind === 'fuzzy') &&
      query.field === ESSAY &&
      query.form !== 'word',
  );
}

/** All terms of live documents in any field in a form. */
const VOCABULARIES = new WeakMap<World, ReadonlySet<string>>();

function vocabularyOf(world: World): ReadonlySet<string> {
  let vocabulary = VOCABULARIES.get(world);
  if (vocabulary === undefined) {
    const terms = new Set<string>();
    for (const { steps } of world.indexes.values()) {
      for (const step of steps) {
        if (step.kind === 'flush') for (const put of step.puts) addTerms(put, terms);
      }
    }
    vocabulary = terms;
    VOCABULARIES.set(world, vocabulary);
  }
  return vocabulary;
}

function addTerms(value: unknown, terms: Set<string>): void {
  if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) addTerms(member, terms);
    return;
  }
  const text = String(value);
  for (const { term } of words(text)) terms.add(term);
  if (text.length < 300) terms.add(text).add(fold(text));
}

/** True if a phrase prefix may have more expansions than its limit. */
function expandsTooFar({ terms, prefixExpansions }: QueryOf<'phrase'>, world: World): boolean {
  const last = terms.at(-1);
  if (prefixExpansions === undefined || last === undefined) return false;
  const begun = [...vocabularyOf(world)].filter((term) => term.startsWith(last));
  return begun.length > prefixExpansions;
}

function isNearTooMuch(
  { value, maxEdits, maxExpansions }: QueryOf<'fuzzy'>,
  world: World,
): boolean {
  const chars = [...value];
  const near = [...vocabularyOf(world)].filter((term) => {
    const other = [...term];
    if (Math.abs(other.length - chars.length) > maxEdits) return false;
    return distance(chars, other) <= maxEdits;
  });
  return near.length > maxExpansions;
}
