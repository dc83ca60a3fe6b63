// suite: slow
// Programs read a mirror as they read the original: every conversation of test/programs/, on a mirror
// that was made while one request in twenty failed.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startTenant, type TestTenant } from 'cardea/testing';
import { firstValues, play, type Target } from '../programs/conversation.ts';
import { PROGRAMS } from '../programs/programs.ts';
import { FAULTS, mirrored, type ServedTenant, serveMirror } from '../support/remote-tenant.ts';

const directory = mkdtempSync(join(tmpdir(), 'cardea-mirror-programs-'));
let tenant: TestTenant;
let copy: ServedTenant;
let target: Target;

before(async () => {
  tenant = await startTenant({ identities: 60, profiles: 90, seed: 3 });
  await tenant.faults.set({ seed: 3, faults: FAULTS });
  const dataDir = join(directory, 'data');
  const flags = ['--rate', 'off', '--profiles-from', tenant.baseUrl];
  const report = await mirrored(tenant, dataDir, flags);
  assert.deepEqual([report.code, report.outcome, report.faults], [0, 'complete', []], report.err);
  await tenant.faults.clear();
  const settings = { CARDEA_COLLECTION_ENVELOPE: 'keyed' };
  copy = await serveMirror(dataDir, tenant.credentials.tenant, settings);
  target = { url: copy.baseUrl, ...copy.credentials };
});
after(async () => {
  await copy?.close();
  await tenant?.close();
  rmSync(directory, { recursive: true, force: true });
});

for (const program of PROGRAMS) {
  test(`${program.name} has its conversation with a mirror`, async () => {
    await play(program, target, firstValues(target));
  });
}
