// suite: shared B
// The naive evaluator, the embedded engine and a real OpenSearch whose indexes have three shards as
// judges of one another: the results do not depend on the shard that a document is in.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { runDifferential } from '../differential/run.ts';
import { type OpenSearch, sharedOpenSearch } from '../support/opensearch.ts';

const CASES = Number(process.env['CARDEA_DIFFERENTIAL_CASES'] ?? 1500);
const SEED = Number(process.env['CARDEA_SEED'] ?? 20_261_124);

let openSearch: OpenSearch;

before(async () => {
  openSearch = await sharedOpenSearch();
});

test(`three judges answer alike with three shards, in ${CASES} random cases`, async () => {
  const { cases, byJudge, faults } = await runDifferential({
    ...{ cases: CASES, seed: SEED, openSearchUrl: openSearch.url, shards: 3 },
  });
  assert.equal(faults.join('\n\n'), '');
  assert.equal(cases, CASES);
  const asked = byJudge.get('shards') ?? 0;
  assert.ok(asked >= CASES * 0.5, `OpenSearch was asked ${asked} of them`);
});
