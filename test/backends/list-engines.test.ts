// Random filters of every list: the same rows whatever case the operands have, on the embedded engine and
// on OpenSearch.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Random } from '../differential/random.ts';
import { listedIn, NAIVE_LISTS } from '../lists/naive-lists.ts';
import { listedDocuments } from '../lists/random-documents.ts';
import { randomFilter, randomSorters } from '../lists/random-filters.ts';
import { caseCount } from '../support/case-count.ts';
import { sharedOpenSearch } from '../support/opensearch.ts';
import { type RunningService, startService } from '../support/service.ts';

const SEED = 48;
const documents = listedDocuments(new Random(SEED));
let services: readonly RunningService[] = [];

before(async () => {
  const { url } = await sharedOpenSearch();
  services = [await startService(), await startService({ CARDEA_SEARCH_URL: url })];
  for (const service of services) {
    await service.addDocuments(documents as unknown as Record<string, unknown>[]);
  }
});
after(async () => {
  for (const service of services) await service.stop();
});

async function idsOf(
  service: RunningService,
  path: string,
  parameters: Record<string, string>,
): Promise<unknown[]> {
  const query = new URLSearchParams({ ...parameters, limit: '50', offset: '3' });
  const answer = await service.call('GET', `${path}?${query}`);
  const body = (await answer.json()) as { id: unknown }[];
  assert.equal(answer.status, 200, JSON.stringify([parameters, body]));
  return body.map(({ id }) => id);
}

for (const list of NAIVE_LISTS) {
  test(`${list.path} has the same rows in any case, on both engines`, async () => {
    const objects = listedIn(list, documents);
    const source = { list, objects, random: new Random(SEED + 1) };
    for (let n = 0; n < caseCount(25, 300); n++) {
      const { text, upper } = randomFilter(source, 2);
      const sorters = randomSorters(source);
      const answers: unknown[][] = [];
      for (const service of services) {
        for (const filters of [text, upper]) {
          answers.push(await idsOf(service, list.path, { filters, ...sorters }));
        }
      }
      for (const answer of answers) {
        assert.deepEqual(answer, answers[0], `${text} ${sorters.sorters ?? ''}`);
      }
    }
  });
}
