// suite: slow
// Saved searches of a service without a mail server, and with a webhook at a private address.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { type RunningService, startService } from '../support/service.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';

// biome-ignore lint/suspicious/noExplicitAny: whatever the service answers
type Json = any;

async function deliveriesOf(service: RunningService): Promise<Json[]> {
  const saved = await service.call('POST', '/v2024/saved-searches', {
    ...{ indices: ['*'], query: '*' },
  });
  const { id } = (await saved.json()) as Json;
  const recipient = { type: 'IDENTITY', id: service.adminId };
  await service.call('POST', `/v2024/saved-searches/${id}/execute`, {
    ...{ owner: recipient, recipients: [recipient] },
  });
  let deliveries: Json[] = [];
  await eventually(async () => {
    const answer = await service.call('GET', `/v2024/saved-searches/${id}/deliveries`);
    deliveries = (await answer.json()) as Json[];
    assert.ok(deliveries.length > 0 && deliveries.every(({ nextAttempt }) => nextAttempt === null));
  });
  return deliveries;
}

test('without a mail server e-mails are skipped, and the log of deliveries says why', async () => {
  const service = await startService();
  try {
    const [only, ...rest] = await deliveriesOf(service);
    assert.deepEqual([only.channel, only.state, rest.length], ['EMAIL', 'SKIPPED', 0]);
    assert.match(only.reason, /CARDEA_SMTP_URL is not set/);
  } finally {
    await service.stop();
  }
});

test('a webhook at a private address is not called unless that is allowed', async () => {
  const hook = await startWebhookReceiver();
  const service = await startService({
    ...{ CARDEA_WEBHOOK_URL: hook.url, CARDEA_WEBHOOK_SECRET: 'a secret of the test' },
  });
  try {
    const webhook = (await deliveriesOf(service)).find(({ channel }) => channel === 'WEBHOOK');
    assert.deepEqual([webhook.state, webhook.attempts], ['FAILED', 1]);
    assert.match(webhook.reason, /CARDEA_ALLOW_PRIVATE_URLS/);
    assert.equal(hook.posts.length, 0);
  } finally {
    await service.stop();
    await hook.close();
  }
});
