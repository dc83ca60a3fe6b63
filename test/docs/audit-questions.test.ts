// suite: slow
// Every audit question that the docs and the console show has an answer in the demo company, at its
// default size and at that of a throw-away tenant. profiles-demo.test.ts has the profiles of the former.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { BARS, barsBody, FIGURES } from '../../console/pages/dashboards/tiles.ts';
import { demoDocuments } from '../../src/demo/documents.ts';
import { IDENTITIES_DEFAULT, profilesByDefault } from '../../src/demo/sizes.ts';
import { withApiKey } from '../support/api-key.ts';
import { putDemoProfiles } from '../support/demo-profiles.ts';
import { type RunningService, startService } from '../support/service.ts';
import { examplesOf } from './examples.ts';

/** The day of the company, and of the examples of the page. */
const DATE = '2025-06-30T00:00:00.000Z';
const SIZES = [50, IDENTITIES_DEFAULT];

const page = readFileSync('docs/search.md', 'utf8');
const [section = ''] = /^## Audit questions\n.*?(?=^## )/ms.exec(page) ?? [];
const questions = examplesOf(section).map(({ body }) => {
  const { indices, query } = body as unknown as { indices: string[]; query: { query: string } };
  return { index: indices[0] ?? '', query: query.query };
});
const [, readme = ''] = /-d '(\{"indices".*\})'/.exec(readFileSync('README.md', 'utf8')) ?? [];

test('the page asks many questions', () => assert.ok(questions.length >= 14));

for (const identities of SIZES) {
  describe(`a company of ${identities}`, () => {
    let service: RunningService;
    before(async () => {
      service = await startService({ CARDEA_TESTING: 'on', CARDEA_NOW: DATE });
      const options = { seed: 1, identities, now: Date.parse(DATE) };
      await service.addDocuments([...demoDocuments(options)]);
    });
    after(() => service.stop());

    const total = async (body: object) => {
      const answer = await service.call('POST', '/v2024/search/count', body);
      assert.equal(answer.status, 204);
      return Number(answer.headers.get('x-total-count'));
    };
    // A company of fifty may have no failures of a kind.
    const figures = FIGURES.filter(({ isInPeriod }) => isInPeriod !== true);
    for (const { index, query } of [...questions, ...figures]) {
      test(`answers ${index} ${query}`, async () => {
        const count = await total({ indices: [index], query: { query } });
        const all = await total({ indices: [index], query: { query: '*' } });
        assert.ok(count > 0 && count < all, `${count} of ${all}`);
      });
    }
    test('answers the question of the README', async () => {
      assert.ok((await total(JSON.parse(readme) as object)) > 0);
    });
    for (const tile of BARS) {
      test(`has bars of ${tile.title}`, async () => {
        const answer = await service.call('POST', '/v2024/search/aggregate', barsBody(tile));
        assert.equal(answer.status, 200);
        assert.match(await answer.text(), /"doc_?[cC]ount":[1-9]/);
      });
    }

    if (identities === IDENTITIES_DEFAULT) return;
    test('answers every saved search of its profiles', async () => {
      const { call } = await withApiKey(service);
      const profiles = profilesByDefault(identities);
      const demo = await putDemoProfiles(service, profiles, DATE, identities);
      for (const { uid } of demo.searches()) {
        const { status, body } = await call(
          'GET',
          `/api/advanced_search/${uid}/run?metadata=true&limit=1`,
        );
        assert.equal(status, 200);
        assert.ok(body._metadata.total > 0, `${uid} finds nobody`);
      }
    });
  });
}
