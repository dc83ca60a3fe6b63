// The official Python package reads a mirror as it reads the original. test/support/installed-packages.ts
// says what it needs.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { startTenant, type TestTenant } from '../../src/testing/index.ts';
import { installedPython, PYTHON_SDK } from '../support/installed-packages.ts';
import { mirrored, type ServedTenant, serveMirror } from '../support/remote-tenant.ts';

const directory = mkdtempSync(join(tmpdir(), 'cardea-mirror-python-'));
after(() => rmSync(directory, { recursive: true, force: true }));
let tenant: TestTenant;
let copy: ServedTenant;
before(async () => {
  tenant = await startTenant({ identities: 80, seed: 21 });
  const dataDir = join(directory, 'data');
  const report = await mirrored(tenant, dataDir, ['--rate', 'off', '--auth-users', 'all']);
  assert.equal(report.code, 0, report.err);
  copy = await serveMirror(dataDir, tenant.credentials.tenant);
});
after(async () => {
  await copy?.close();
  await tenant?.close();
});

interface Reading {
  readonly walks: readonly unknown[][];
  readonly counts: readonly string[];
  readonly documents: readonly unknown[];
  readonly users: readonly unknown[];
}

async function readings({ baseUrl, credentials }: Pick<ServedTenant, 'baseUrl' | 'credentials'>) {
  // Not blocking: the mirror is served by this very process.
  const { stdout } = await promisify(execFile)(
    installedPython(PYTHON_SDK),
    ['test/clients/python-mirror.py'],
    {
      env: {
        ...process.env,
        SAIL_BASE_URL: baseUrl,
        SAIL_CLIENT_ID: credentials.clientId,
        SAIL_CLIENT_SECRET: credentials.clientSecret,
      },
      timeout: 300_000,
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as Reading;
}

test('walks, counts, documents and auth users are those of the original', async () => {
  const original = await readings(tenant);
  assert.deepEqual(await readings(copy), original);
  for (const [i, walk] of original.walks.entries()) {
    assert.deepEqual([walk.length > 0, String(walk.length)], [true, original.counts[i]], String(i));
  }
  assert.ok(original.users.some((user) => typeof user === 'object'));
});
