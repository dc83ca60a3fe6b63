// suite: shared A
// The naive evaluator, the embedded engine and a real OpenSearch as judges of one another, and the golden cases on
// OpenSearch. CARDEA_DIFFERENTIAL_CASES cases (3,000) from CARDEA_SEED; longer runs are `npm run differential`.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { openSearchJudge } from '../differential/backend-judges.ts';
import { runDifferential } from '../differential/run.ts';
import { caseOf, GOLDEN_CASES, namedPart, worldOf } from '../golden/search-cases.ts';
import { type OpenSearch, sharedOpenSearch } from '../support/opensearch.ts';

const CASES = Number(process.env['CARDEA_DIFFERENTIAL_CASES'] ?? 3000);
const SEED = Number(process.env['CARDEA_SEED'] ?? 20_261_121);

let openSearch: OpenSearch;

before(async () => {
  openSearch = await sharedOpenSearch();
});

for (const [at, golden] of GOLDEN_CASES.entries()) {
  test(`OpenSearch: ${golden.sentence}`, async () => {
    const judge = await openSearchJudge(worldOf(golden), openSearch.url, `golden-${at}`);
    try {
      const answer = await judge.answer(caseOf(golden));
      assert.deepEqual(namedPart(answer, golden), golden.expected);
    } finally {
      await judge.close();
    }
  });
}

test(`three judges answer alike, in ${CASES} random cases`, async () => {
  const { cases, telling, byJudge, faults } = await runDifferential({
    ...{ cases: CASES, seed: SEED, openSearchUrl: openSearch.url },
  });
  assert.equal(faults.join('\n\n'), '');
  assert.equal(cases, CASES);
  assert.ok(telling >= CASES / 3, `only ${telling} cases found something`);
  const asked = byJudge.get('openSearch') ?? 0;
  assert.ok(asked >= CASES * 0.8, `OpenSearch was asked ${asked} of them`);
});
