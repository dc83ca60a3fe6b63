// suite: slow
// `cardea/testing`: tenants for the tests of others, started as child processes of this one.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startServer, startTenant } from '../../src/testing/index.ts';
import { eventually } from '../support/eventually.ts';
import { TestClient } from './client.ts';

const directory = mkdtempSync(join(tmpdir(), 'cardea-testing-'));
after(() => rmSync(directory, { recursive: true, force: true }));
const temporary = join(directory, 'tmp');
mkdirSync(temporary);
const settings = { TMPDIR: temporary };

const ROLE = { _type: 'role', id: 'r1', name: 'Night shift' };

test('starts a tenant with a company and documents, and removes it', async () => {
  const tenant = await startTenant({ identities: 12, seed: 7, documents: [ROLE], settings });
  const client = new TestClient(tenant);
  assert.equal((await client.ids('identities', '*')).length, 12);
  assert.deepEqual(await client.ids('roles', 'name:"Night shift"'), ['r1']);
  assert.deepEqual(tenant.env, {
    SAIL_BASE_URL: tenant.baseUrl,
    SAIL_CLIENT_ID: tenant.credentials.clientId,
    SAIL_CLIENT_SECRET: tenant.credentials.clientSecret,
  });
  await tenant.close();
  await tenant.close();
  await assert.rejects(fetch(tenant.baseUrl));
  assert.deepEqual(readdirSync(temporary), []);
});

test('seeds documents that are searchable at once, and says which are refused', async () => {
  const tenant = await startTenant({ identities: 0 });
  const client = new TestClient(tenant);
  assert.deepEqual(await tenant.seed([ROLE]), { created: 1, updated: 0, unchanged: 0 });
  assert.deepEqual(await client.ids('roles', '*'), ['r1']);
  await assert.rejects(
    tenant.seed([{ _type: 'role' }]),
    /Documents were refused\. Document 1: .*id/,
  );
  await tenant[Symbol.asyncDispose]();
  await assert.rejects(tenant.seed([ROLE]), /The test server is closed/);
});

test('serves tenants that do not see each other', async () => {
  const server = await startServer();
  try {
    const tenants = await Promise.all(
      Array.from({ length: 8 }, (_, n) => {
        const role = { ...ROLE, id: `r${n}` };
        return server.createTenant({ identities: 0, documents: [role] });
      }),
    );
    assert.equal(new Set(tenants.map(({ credentials }) => credentials.tenant)).size, 8);
    for (const [n, tenant] of tenants.entries()) {
      assert.deepEqual(await new TestClient(tenant).ids('roles', '*'), [`r${n}`]);
    }
  } finally {
    await server.close();
  }
});

test('rejects options that are wrong, with the reason', async () => {
  await assert.rejects(
    startTenant({ rateLimit: 'fast', settings }),
    /--rate-limit must be off, isc/,
  );
  await assert.rejects(
    startTenant({ identities: -1, settings }),
    /identities must be a whole number from 0/,
  );
  // What JavaScript would let pass.
  const misspelt = { identites: 5, settings } as object;
  await assert.rejects(startTenant(misspelt), /startTenant has no option identites: it has .*seed/);
  await assert.rejects(startServer({ seed: 1 } as object), /startServer has no option seed/);
  await assert.rejects(startTenant({ startTimeoutMs: 1, settings }), /did not start in time/);
  // The last one may still be ending.
  await eventually(() => assert.deepEqual(readdirSync(temporary), []));
});

test('the server ends with the process that started it, however that one ends', async () => {
  const library = fileURLToPath(import.meta.resolve('../../src/testing/index.js'));
  const program = `
    const { startTenant } = await import(${JSON.stringify(library)});
    const { baseUrl } = await startTenant({ identities: 0 });
    console.log(baseUrl);
    setInterval(() => {}, 1_000);
  `;
  // Killed once it has started, and while it starts.
  for (const isStarted of [true, false]) {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      env: { ...process.env, TMPDIR: temporary },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (isStarted) await once(child.stdout, 'data');
    else await eventually(() => assert.equal(readdirSync(temporary).length, 1));
    child.kill('SIGKILL');
    await once(child, 'exit');
    await eventually(() => assert.deepEqual(readdirSync(temporary), []));
  }
});

test('a process that forgets to close its tenant ends, and the server with it', async () => {
  const library = fileURLToPath(import.meta.resolve('../../src/testing/index.js'));
  const program = `
    const { startTenant } = await import(${JSON.stringify(library)});
    await startTenant({ identities: 0 });
  `;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    env: { ...process.env, TMPDIR: temporary },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  assert.deepEqual(await once(child, 'exit'), [0, null]);
  await eventually(() => assert.deepEqual(readdirSync(temporary), []));
});
