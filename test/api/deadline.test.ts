// Queries that run out of time or whose client hangs up: they end, with an error and never with a part of the documents,
// and what they used is free.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, test } from 'node:test';
import { type RunningService, startService } from '../support/service.ts';

/** Far more than a query of this kind takes in a few milliseconds. */
const DOCUMENTS = 15_000;
const SLOW = '/(.*[aeiou]){3}.*x.*/ OR /.*q.{9}.*/ OR *a*b*c*d* OR NOT *e*f*g*';
const BODY = JSON.stringify({ query: { query: SLOW }, sort: ['-name', 'created'] });

let service: RunningService;

before(async () => {
  service = await startService({ CARDEA_QUERY_TIMEOUT_MS: '5' });
  await service.addDocuments(
    Array.from({ length: DOCUMENTS }, (_, n) => ({
      _type: 'role',
      id: `slow${n}`,
      name: `${(n * 2654435761).toString(36)} ${(n * 40503).toString(36)}`,
      description: `${(n * 7919).toString(36)}abcd${(n * 104729).toString(36)}`,
    })),
  );
});
after(() => service.stop());

test('past its deadline a query is refused by that name, and others go on', async () => {
  const path = '/v2024/search?count=true&limit=10000';
  for (let n = 0; n < 5; n += 1) {
    const answer = await service.call('POST', path, BODY);
    const text = await answer.text();
    assert.equal(answer.status, 400, text.slice(0, 200));
    assert.match(text, /400\.1 Bad Request Content.*(deadline|time)/i);
  }
  const quick = await service.call('GET', '/v2024/search/roles/slow7');
  assert.equal(quick.status, 200);
});

test('its processor is free a tenth of a second later', async () => {
  // Merges and the collection of garbage use some, too: the best of some runs is the one that counts.
  let used = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 10 && used >= 0.3; run += 1) {
    await Promise.all(
      Array.from({ length: 10 }, async () => {
        const answer = await service.call('POST', '/v2024/search?count=true', BODY);
        assert.equal(answer.status, 400);
        await answer.arrayBuffer();
      }),
    );
    used = Math.min(used, await useSoon());
  }
  assert.ok(used < 0.3, `${used} of a processor was used`);
});

test('clients that hang up leave nothing running', async () => {
  const patient = await startService({ CARDEA_MAX_SEARCHES: '2' });
  try {
    await patient.addDocuments(
      Array.from({ length: 2_000 }, (_, n) => ({ _type: 'role', id: `h${n}`, name: `role ${n}` })),
    );
    const authorization = `Bearer ${await patient.token()}`;
    for (let n = 0; n < 20; n += 1)
      await hangUp(`${patient.url}/v2024/search?count=true`, authorization);
    const until = Date.now() + 5_000;
    let status = 503;
    while (status === 503 && Date.now() < until) {
      ({ status } = await patient.call('POST', '/v2024/search', { query: { query: 'role' } }));
    }
    assert.equal(status, 200);
  } finally {
    await patient.stop();
  }
});

/** The share of a processor that is used over a while that begins a tenth of a second from now. */
async function useSoon(): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 100));
  const [before, began] = [process.cpuUsage(), performance.now()];
  await new Promise((resolve) => setTimeout(resolve, 200));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / (performance.now() - began);
}

/** Sends a search and breaks the connection. */
function hangUp(url: string, authorization: string): Promise<void> {
  return new Promise((resolve) => {
    const sent = request(url, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
    });
    sent.on('error', () => resolve());
    sent.on('close', () => resolve());
    sent.end(BODY, () => setTimeout(() => sent.destroy(), 2));
  });
}
