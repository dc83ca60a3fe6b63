// suite: slow, alone
// Queries that run out of time: they end, with an error and never with a part of the documents, and the processor they used is
// free. Of OpenSearch, which is another process, neither can be asked by the millisecond.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type RunningService, startService } from '../support/service.ts';
import { SLOW_BODY, slowDocuments } from '../support/slow-query.ts';

let service: RunningService;

before(async () => {
  service = await startService({ CARDEA_QUERY_TIMEOUT_MS: '5' });
  await service.addDocuments(slowDocuments());
});
after(() => service.stop());

test('past its deadline a query is refused by that name, and others go on', async () => {
  const path = '/v2024/search?count=true&limit=10000';
  for (let n = 0; n < 5; n += 1) {
    const answer = await service.call('POST', path, SLOW_BODY);
    const text = await answer.text();
    assert.equal(answer.status, 400, text.slice(0, 200));
    assert.match(text, /400\.1 Bad Request Content.*(deadline|time)/i);
  }
  const quick = await service.call('GET', '/v2024/search/roles/slow7');
  assert.equal(quick.status, 200);
});

test('queries past their deadline do not run on', async () => {
  await Promise.all(
    Array.from({ length: 10 }, async () => {
      const answer = await service.call('POST', '/v2024/search?count=true', SLOW_BODY);
      assert.equal(answer.status, 400);
      await answer.arrayBuffer();
    }),
  );
  // Merges and the collection of garbage end by themselves; the queries would take minutes.
  const until = performance.now() + 120_000;
  while ((await processorShare()) >= 0.3) {
    assert.ok(performance.now() < until, 'the process is still busy');
  }
});

/** The share of a processor that the process uses for a while from now on. */
async function processorShare(): Promise<number> {
  const [before, began] = [process.cpuUsage(), performance.now()];
  await new Promise((resolve) => setTimeout(resolve, 200));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / (performance.now() - began);
}
