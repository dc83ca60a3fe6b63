// suite: slow
// A mirror in a PostgreSQL: the same life, and one mirror at a time.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startTenant, type TestTenant } from 'cardea/testing';
import { commandLine } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { startPostgres } from '../support/postgres.ts';
import { assertSameDocuments, mirrorOf, serveMirror } from '../support/remote-tenant.ts';
import { TestClient } from '../testing/client.ts';

const postgres = await startPostgres();
after(() => postgres.stop());
const directory = mkdtempSync(join(tmpdir(), 'cardea-mirror-postgres-'));
after(() => rmSync(directory, { recursive: true, force: true }));
let tenant: TestTenant;
let storeUrl: string;
before(async () => {
  storeUrl = await postgres.database('mirror');
  tenant = await startTenant({ identities: 40, seed: 8 });
});
after(() => tenant.close());

function start(node: string, flags: readonly string[]) {
  const { args, env } = mirrorOf(tenant, join(directory, node), ['--rate', 'off', ...flags]);
  return commandLine(args, { env: { ...env, CARDEA_STORE_URL: storeUrl } });
}

async function assertSame(): Promise<void> {
  const dataDir = join(directory, 'server');
  const env = { CARDEA_STORE_URL: storeUrl };
  const here = await serveMirror(dataDir, tenant.credentials.tenant, env);
  try {
    await assertSameDocuments(here, tenant);
  } finally {
    await here.close();
  }
}

test('copies, brings deletions, and verifies', async () => {
  const first = start('one', ['--auth-users', 'all']);
  assert.equal(await first.ended, 0, first.err());
  await assertSame();
  const client = new TestClient(tenant);
  const [victim = ''] = await client.ids('roles', '*');
  await client.call('DELETE', `/admin/v1/documents/roles/${victim}?refresh=wait`);
  // From another machine.
  const second = start('two', ['--sweep-every', '0s']);
  assert.equal(await second.ended, 0, second.err());
  assert.match(second.out(), / 1 deleted, /);
  await assertSame();
  const verified = start('two', ['--verify', '--sample', 'all']);
  assert.equal(await verified.ended, 0, verified.out() + verified.err());
});

test('runs once at a time, whichever machine', async () => {
  const watch = start('one', ['--watch', '1d']);
  await watch.shows(/documents read/);
  const second = start('two', []);
  assert.equal(await second.ended, 2);
  assert.match(second.err(), /Another process mirrors /);
  watch.interrupt();
  assert.equal(await watch.ended, 0, watch.err());
  await eventually(async () => {
    const third = start('two', []);
    assert.equal(await third.ended, 0, third.err());
  });
});
