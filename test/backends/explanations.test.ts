// suite: shared A
// Explanations of the embedded engine against those of a real OpenSearch: for random plans and documents both must tell the
// same clauses, each met or not, with the same elements, the same scores and the same figures behind them, within EPSILON.
// CARDEA_DIFFERENTIAL_CASES plans (150) from CARDEA_SEED.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Mapping } from '../../src/query/mapping/mapping.ts';
import type { Plan } from '../../src/query/plan.ts';
import type { ExplainedClause, ScoreDetail } from '../../src/query/plan-clause.ts';
import type { IndexName } from '../../src/query/query.ts';
import { Random } from '../differential/random.ts';
import { MAPPING } from '../differential/random-mapping.ts';
import { randomPlan } from '../differential/random-plans.ts';
import { type OpenSearch, sharedOpenSearch } from '../support/opensearch.ts';
import {
  feed,
  isTooComplex,
  openPair,
  type Pair,
  TENANT,
  withoutKnownDifferences,
} from './backend-pair.ts';

const CASES = Number(process.env['CARDEA_DIFFERENTIAL_CASES'] ?? 150);
const SEED = Number(process.env['CARDEA_SEED'] ?? 20_261_121);
const DOCUMENTS_PER_PLAN = 4;
const EPSILON = 1e-4;
const INDEXES: readonly IndexName[] = ['identities'];

let openSearch: OpenSearch;
let folder: string;

before(async () => {
  openSearch = await sharedOpenSearch();
  folder = mkdtempSync(join(tmpdir(), 'cardea-explanations-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

const mappingOf = (index: IndexName): Mapping => ({ ...MAPPING, index });

function near(found: number | null, expected: number | null, where: string): void {
  const off = Math.abs(Number(found) - Number(expected));
  const same = (found === null) === (expected === null);
  assert.ok(
    same && off <= EPSILON * Math.max(1, Number(expected)),
    `${where}: ${found}, not ${expected}`,
  );
}

/** Compares two trees; how many clauses that are scored and how many elements they tell. */
function compare(found: ExplainedClause, expected: ExplainedClause, path: string): number {
  const { children: ours = [], score, scoring, ...own } = expected;
  const { children: theirs = [], score: theirScore, scoring: theirScoring, ...other } = found;
  const where = `${path} ${expected.text}`;
  assert.deepEqual(other, own, where);
  near(theirScore ?? null, score ?? null, where);
  if (scoring !== undefined) compareScoring(theirScoring, scoring, where);
  else assert.equal(theirScoring, undefined, where);
  assert.equal(theirs.length, ours.length, where);
  let told = (own.elements?.length ?? 0) + (score === undefined ? 0 : 1);
  for (const [at, child] of ours.entries()) {
    const same = theirs[at];
    assert.ok(same, where);
    told += compare(same, child, `${path}.${at}`);
  }
  return told;
}

function compareScoring(found: ScoreDetail | undefined, expected: ScoreDetail, path: string): void {
  const where = `${path}: ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`;
  assert.equal(found?.description, expected.description, where);
  near(found?.value ?? null, expected.value, where);
  const ours = inOrder(expected);
  const theirs = inOrder(found);
  assert.equal(theirs.length, ours.length, where);
  for (const [at, detail] of ours.entries()) compareScoring(theirs[at], detail, path);
}

/** Terms that are summed stand in no order. */
function inOrder(detail: ScoreDetail | undefined): readonly ScoreDetail[] {
  const { description, details = [] } = detail ?? {};
  if (description?.startsWith('sum') !== true) return details;
  return [...details].sort((a, b) => (a.description < b.description ? -1 : 1));
}

async function check(pair: Pair, plan: Plan, id: string): Promise<number> {
  const key = { index: 'identities', id } as const;
  const found = await pair.openSearch.explain(TENANT, plan, key, pair.options);
  const expected = await pair.engine.explain(TENANT, plan, key, pair.options);
  if (expected === null || found === null) {
    assert.equal(found, expected);
    return 0;
  }
  assert.equal(found.matched, expected.matched);
  near(found.score, expected.score, id);
  return compare(found.clauses, expected.clauses, id);
}

test(`both backends explain alike, in ${CASES} random cases`, async () => {
  const random = new Random(SEED);
  const name = 'explanations';
  const pair = await openPair({ path: join(folder, name), url: openSearch.url, name }, mappingOf);
  await feed(pair, random, { indexes: INDEXES, updates: false });
  const faults: string[] = [];
  let told = 0;
  for (let at = 0; at < CASES && faults.length < 5; at++) {
    const plan = JSON.parse(
      JSON.stringify({ ...randomPlan(random, [MAPPING]), sort: [] }),
      withoutKnownDifferences,
    ) as Plan;
    for (let one = 0; one < DOCUMENTS_PER_PLAN; one++) {
      const id = `d${random.int(122)}`;
      try {
        told += await check(pair, plan, id);
      } catch (error) {
        if (isTooComplex(error)) continue;
        const details = JSON.stringify((error as { details?: object }).details ?? '');
        faults.push(`CARDEA_SEED=${SEED} case ${at}: ${JSON.stringify(plan)}\n${error} ${details}`);
        break;
      }
    }
  }
  await pair.close();
  assert.equal(faults.join('\n\n'), '');
  assert.ok(told > CASES, `only ${told} scores and elements were told`);
});
