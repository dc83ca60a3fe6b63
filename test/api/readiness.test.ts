// A service whose index is behind its store must not say that it is ready: a search would miss documents that were
// acknowledged. A clean stop leaves an index that is not behind.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pino } from 'pino';
import { compose, openOffline } from '../../src/compose/compose.ts';
import { parseConfig } from '../../src/config/config.ts';
import { createTenant } from '../../src/service/accounts/provisioning.ts';
import { operatorOf } from '../../src/service/audit/operator-event.ts';

const DOCUMENTS = 300;

async function* lines() {
  for (let line = 1; line <= DOCUMENTS; line++) {
    yield { line, text: JSON.stringify({ _type: 'role', id: `r${line}`, name: 'Auditor' }) };
  }
}

test('a start is ready only when all that was acknowledged before it can be found', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'cardea-ready-'));
  const config = parseConfig({ CARDEA_PORT: '0', CARDEA_DATA_DIR: dataDir });
  const log = pino({ level: 'silent' });
  try {
    // Written, and not yet indexed: what a crash right after the acknowledgement leaves behind.
    const offline = await openOffline(config, { log });
    const tenant = await createTenant(offline.store, { name: 'test' });
    await offline.documents.importDocuments(operatorOf(tenant.id), lines());
    await offline.close();

    const cardea = await compose(config, { log });
    const early = await cardea.app.inject('/ready');
    assert.equal(early.statusCode, 503);
    assert.match(early.body, /changes behind/);
    await cardea.start();
    const deadline = Date.now() + 180_000;
    while ((await cardea.app.inject('/ready')).statusCode !== 200) {
      assert.ok(Date.now() < deadline, 'it never became ready');
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const caller = operatorOf(tenant.id);
    const body = { indices: ['roles'], query: { query: 'auditor' } };
    const { total } = await cardea.services.search.count(caller, body);
    assert.equal(total, DOCUMENTS);
    await cardea.stop();
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});

test('a clean stop leaves an index with the last changes', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'cardea-stopped-'));
  const config = parseConfig({ CARDEA_PORT: '0', CARDEA_DATA_DIR: dataDir });
  const log = pino({ level: 'silent' });
  try {
    const cardea = await compose(config, { log });
    const tenant = await createTenant(cardea.store, { name: 'test' });
    await cardea.start();
    const { sequence } = await cardea.documents.importDocuments(operatorOf(tenant.id), lines());
    await cardea.services.status.waitUntilSearchable(sequence, 60_000);
    // Right after a refresh, so that the indexer waits before the next one.
    await cardea.documents.importDocuments(
      operatorOf(tenant.id),
      (async function* () {
        yield { line: 1, text: '{"_type":"role","id":"late","name":"Late"}' };
      })(),
    );
    await cardea.stop();
    const { store, backend, close } = await openOffline(config, { log }, 'inspection');
    assert.equal(await backend?.committedSequence(), await store.read.lastSequence());
    await close();
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});
