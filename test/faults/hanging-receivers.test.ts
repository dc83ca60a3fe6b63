// suite: slow
// Stopping a server beside receivers that accept connections and never answer: a mail server, a
// webhook, and collectors of traces and of the audit trail.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { openOffline } from '../../src/compose/compose.ts';
import { parseConfig } from '../../src/config/config.ts';
import { eventually } from '../support/eventually.ts';
import { type RunningService, startService } from '../support/service.ts';

const STOP_MS_MAX = 14_000;

const connections: Socket[] = [];
const receivers = createServer((socket) => connections.push(socket));
let service: RunningService;
before(async () => {
  await new Promise<void>((resolve) => receivers.listen(0, '127.0.0.1', resolve));
  const address = `127.0.0.1:${(receivers.address() as AddressInfo).port}`;
  service = await startService({
    ...{ CARDEA_SMTP_URL: `smtp://${address}`, CARDEA_SMTP_FROM: 'cardea@reports.test' },
    ...{ CARDEA_WEBHOOK_URL: `http://${address}/`, CARDEA_WEBHOOK_SECRET: 'a secret of the test' },
    ...{ CARDEA_AUDIT_URL: `http://${address}/`, CARDEA_OTLP_URL: `http://${address}` },
    CARDEA_ALLOW_PRIVATE_URLS: 'on',
  });
});
after(() => {
  for (const connection of connections) connection.destroy();
  receivers.close();
  rmSync(service.dataDir, { recursive: true, force: true });
});

async function post(path: string, body: object): Promise<{ id: string }> {
  const answer = await service.call('POST', `/v2024${path}`, body);
  const text = await answer.text();
  assert.ok(answer.ok, text);
  return text === '' ? { id: '' } : JSON.parse(text);
}

test('waits for none of them, commits the index, and leaves the deliveries to the next start', async () => {
  const { cardea, tenantId, adminId, dataDir } = service;
  await service.addDocuments([{ _type: 'identity', id: 'ada', name: 'ada', email: 'ada@b.test' }]);
  const { id } = await post('/saved-searches', { indices: ['identities'], query: '*' });
  const [owner, ada] = [adminId, 'ada'].map((person) => ({ type: 'IDENTITY', id: person }));
  await post(`/saved-searches/${id}/execute`, { owner, recipients: [ada] });
  await eventually(async () => {
    const deliveries = await cardea.store.read.searchDeliveries(tenantId, id);
    assert.deepEqual(
      deliveries.map(({ state }) => state),
      ['SENDING', 'SENDING'],
    );
    assert.ok(connections.length >= 4);
  });

  const began = performance.now();
  await cardea.stop();
  const took = performance.now() - began;
  assert.ok(took < STOP_MS_MAX, `${took} ms`);
  const config = parseConfig({ CARDEA_DATA_DIR: dataDir, CARDEA_LOG_LEVEL: 'silent' });
  const { store, backend, close } = await openOffline(config, {}, 'inspection');
  assert.equal(await backend?.committedSequence(), await store.read.lastSequence());
  assert.deepEqual(
    (await store.read.searchDeliveries(tenantId, id)).map((each) => [each.state, each.attempts]),
    [
      ['WAITING', 0],
      ['WAITING', 0],
    ],
  );
  await close();
});
