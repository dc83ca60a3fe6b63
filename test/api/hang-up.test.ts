// suite: slow, alone
// Clients that hang up while their query runs: it ends, and others take its place.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import { startService } from '../support/service.ts';
import { SLOW_BODY } from '../support/slow-query.ts';

test('clients that hang up leave nothing running', async () => {
  const patient = await startService({ CARDEA_MAX_SEARCHES: '2' });
  try {
    await patient.addDocuments(
      Array.from({ length: 2_000 }, (_, n) => ({ _type: 'role', id: `h${n}`, name: `role ${n}` })),
    );
    const authorization = `Bearer ${await patient.token()}`;
    for (let n = 0; n < 20; n += 1)
      await hangUp(`${patient.url}/v2024/search?count=true`, authorization);
    const body = { query: { query: 'role' } };
    const until = Date.now() + 60_000;
    let answer = await patient.call('POST', '/v2024/search', body);
    while (answer.status === 503 && Date.now() < until) {
      answer = await patient.call('POST', '/v2024/search', body);
    }
    assert.equal(answer.status, 200, await answer.text());
  } finally {
    await patient.stop();
  }
});

/** Sends a search and breaks the connection. */
function hangUp(url: string, authorization: string): Promise<void> {
  return new Promise((resolve) => {
    const sent = request(url, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
    });
    sent.on('error', () => resolve());
    sent.on('close', () => resolve());
    sent.end(SLOW_BODY, () => setTimeout(() => sent.destroy(), 2));
  });
}
