// suite: slow
// Compares explanations with searches: for random plans and documents, the explanation of every
// document agrees with the search and its score, and each clause follows from its inner clauses.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasScores, searchTargets } from '../../src/engine/hits/multi-search.ts';
import { Searcher } from '../../src/engine/hits/searcher.ts';
import { QueryCache } from '../../src/engine/index/query-cache.ts';
import { findRow } from '../../src/engine/index/segment-list.ts';
import { explainRow } from '../../src/engine/matching/explanation.ts';
import type { Plan } from '../../src/query/plan.ts';
import type { ExplainedClause } from '../../src/query/plan-clause.ts';
import type { Query, SortKey } from '../../src/query/query.ts';
import { partsOf } from '../../src/query/query-parts.ts';
import { caseCount } from '../support/case-count.ts';
import { Random } from './random.ts';
import { build, randomSteps, run, survivors } from './random-history.ts';
import { MAPPING } from './random-mapping.ts';
import { randomPlan } from './random-plans.ts';

const SEED = Number(process.env['CARDEA_SEED'] ?? 20_261_121);
const INDEXES = caseCount(4, 25);
const PLANS = 12;
const BY_SCORE: SortKey = { field: '_score', order: 'desc', type: 'score' };

test('explains every document in agreement with the search', () => {
  let matches = 0;
  let scored = 0;
  let elements = 0;
  for (let seed = SEED; seed < SEED + INDEXES; seed++) {
    const random = new Random(seed);
    const steps = randomSteps(random, MAPPING, 'often');
    const views = build(steps, MAPPING);
    const segments = { views, cache: new QueryCache() };
    const searcher = new Searcher(MAPPING, segments);
    const documents = survivors(steps);
    for (let at = 0; at < PLANS; at++) {
      const sort = random.pick([[], [BY_SCORE], randomPlan(random, [MAPPING]).sort]);
      const plan: Plan = { ...randomPlan(random, [MAPPING]), sort, from: 0, size: 1000 };
      const [target] = plan.targets;
      assert.ok(target);
      const { query } = target;
      const { hits } = run(searchTargets([{ index: 'identities', searcher, query }], plan));
      const scores = new Map(
        hits.map(({ view, row, score }) => [views[view]!.segment.ids.term(row), score]),
      );
      for (const { id } of documents) {
        const where = `CARDEA_SEED=${seed}, plan ${at}, ${id}: ${JSON.stringify(query)}`;
        const place = findRow(views, id);
        assert.ok(place, where);
        const explanation = run(explainRow(query, segments, place, hasScores(plan.targets, plan)));
        assert.equal(explanation.matched, scores.has(id), where);
        assert.equal(explanation.score, scores.get(id) ?? null, where);
        matches += explanation.matched ? 1 : 0;
        scored += explanation.score === null ? 0 : 1;
        elements += followsFromParts(explanation.clauses, query, where);
      }
      assert.equal(scores.size, hits.length);
    }
  }
  const least = INDEXES * 20;
  assert.ok(
    matches > least && scored > INDEXES * 8 && elements > least,
    `${matches} ${scored} ${elements}`,
  );
});

/** Checks a clause and its inner clauses. @returns the number of reported elements */
function followsFromParts(clause: ExplainedClause, query: Query, where: string): number {
  assert.equal(clause.clause, query.kind, where);
  const children = clause.children ?? [];
  const parts = partsOf(query);
  assert.equal(children.length, parts.length, where);
  const met = rowsOf(clause);
  if (clause.scoring !== undefined) {
    assert.equal(clause.scoring.value, clause.score, where);
  }
  if (query.kind === 'bool' || query.kind === 'disMax') {
    const candidates = new Set([...met, ...children.flatMap((child) => [...rowsOf(child)])]);
    for (const row of candidates) {
      assert.equal(met.has(row), isMet(clause, query, row), `${where} at ${row}`);
    }
  } else if (query.kind === 'nested' && clause.elements === undefined) {
    assert.equal(clause.matched, children[0]?.matched, where);
    for (const row of children[0]?.elements ?? []) assert.ok(row < (clause.elementCount ?? 0));
  } else if (query.kind === 'constantScore') {
    assert.deepEqual(met, rowsOf(children[0]), where);
  }
  const own = clause.elements?.length ?? 0;
  return children.reduce((sum, child, at) => {
    const part = parts[at];
    assert.ok(part);
    assert.equal(child.occurrence, part.occurrence);
    return sum + followsFromParts(child, part.query, where);
  }, own);
}

/** The matching elements of a clause; -1 for a matching clause on the document. */
function rowsOf(clause: ExplainedClause | undefined): Set<number> {
  if (clause === undefined) return new Set();
  return new Set(clause.elements ?? (clause.matched ? [-1] : []));
}

function isMet(clause: ExplainedClause, query: Query, row: number): boolean {
  const of = (occurrence: string) =>
    (clause.children ?? []).filter((child) => child.occurrence === occurrence);
  const has = (child: ExplainedClause) => rowsOf(child).has(row);
  if (query.kind === 'disMax') return of('should').some(has);
  if (query.kind !== 'bool') return false;
  const required = [...of('must'), ...of('filter')];
  const should = of('should');
  const least = required.length > 0 || should.length === 0 ? 0 : 1;
  const wanted = Math.max(least, query.minimumShouldMatch ?? least);
  if (should.filter(has).length < wanted) return false;
  return required.every(has) && !of('mustNot').some(has);
}
