// Answers through random views on a real OpenSearch, compared with those of a tenant that holds only what the view shows, also after
// changes of what it hides.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { openOpenSearchBackend } from '../../src/backends/opensearch/opensearch-backend.ts';
import { type OpenedBackend, runViews } from '../differential/view-twin.ts';
import type { World } from '../differential/world.ts';
import { type OpenSearch, sharedOpenSearch } from '../support/opensearch.ts';

const QUESTIONS = Number(process.env['CARDEA_DIFFERENTIAL_CASES'] ?? 600);
const SEED = Number(process.env['CARDEA_SEED'] ?? 20_261_129);

let openSearch: OpenSearch;
let opened = 0;

before(async () => {
  openSearch = await sharedOpenSearch();
});

async function open(world: World, name: string): Promise<OpenedBackend> {
  opened += 1;
  const backend = openOpenSearchBackend({
    ...{ url: openSearch.url, prefix: `view-${name}-${opened}` },
    mapping: async (_tenantId, index) => world.indexes.get(index)!.mapping,
    lastSequence: async () => 0,
  });
  return {
    backend,
    async close() {
      await backend.clear();
      await backend.close();
    },
  };
}

test(`with OpenSearch a view answers as its twin, in ${QUESTIONS} questions`, async () => {
  const run = { seed: SEED, questions: QUESTIONS, changes: QUESTIONS / 4, refuses: true, open };
  const { faults, questions, telling, refused } = await runViews({ ...run, refuses: true });
  assert.equal(faults.join('\n\n'), '');
  assert.ok(questions >= QUESTIONS, `${questions} questions`);
  assert.ok(telling >= questions / 4, `only ${telling} of ${questions} questions found something`);
  assert.ok(refused < questions / 2, `${refused} were refused`);
});
