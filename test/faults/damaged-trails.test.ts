// suite: slow
// A server whose audit trail is damaged: what cannot be recorded is refused by name, and a break is named.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openConnection } from '../../src/store/sqlite/sqlite-driver.ts';
import { eventually } from '../support/eventually.ts';
import { callerOf, copyOf, createCompany, run, type Served, serve } from './damage-world.ts';

const folder = mkdtempSync(join(tmpdir(), 'cardea-trails-'));
const template = join(folder, 'template');
before(() => createCompany(template));
after(() => rmSync(folder, { recursive: true, force: true }));

const DAMAGED_ENDS: Readonly<Record<string, string>> = {
  'is missing': 'delete from audit_head',
  'has a lower number': 'update audit_head set number = 1',
  'has a higher number': 'update audit_head set number = number + 65536',
  'has another hash': "update audit_head set hash = replace(hash, '0', '1')",
};

async function warningsOf(url: string): Promise<string> {
  const answer = await fetch(`${url}/ready`);
  assert.equal(answer.status, 200);
  const { warnings = [] } = (await answer.json()) as { readonly warnings?: readonly string[] };
  return warnings.join();
}

async function below(dataDir: string, sql: string): Promise<void> {
  const connection = await openConnection(join(dataDir, 'cardea.db'), 60_000);
  connection.exec(sql);
  connection.close();
}

/** Serves a copy of the company. */
async function withServer(
  name: string,
  work: (served: Served, dataDir: string) => Promise<void>,
): Promise<void> {
  const dataDir = join(folder, name);
  copyOf(template, dataDir, true);
  const served = await serve(dataDir);
  try {
    await work(served, dataDir);
  } finally {
    await served.cardea.stop();
  }
}

describe('a server whose recorded end of the audit trail', () => {
  for (const [at, [damage, sql]] of Object.entries(DAMAGED_ENDS).entries()) {
    test(`${damage} refuses changes by name until it is mended`, () =>
      withServer(`end-${at}`, async ({ cardea, url, log }, dataDir) => {
        const { call } = await callerOf(url, dataDir);
        await eventually(async () => assert.equal(await warningsOf(url), ''));
        await below(dataDir, sql);
        const last = await cardea.store.read.lastSequence();
        const refused = await call('POST', '/admin/v1/views', {
          name: 'late',
          indices: { identities: 'name:x' },
        });
        assert.equal(refused.status, 503);
        assert.match(
          JSON.stringify(refused.body),
          /"causes":\[[^\]]*audit trail[^\]]*cardea doctor --repair/,
        );
        // A request for a token writes its event later.
        assert.equal((await callerOf(url, dataDir)).login.status, 200);
        assert.equal((await call('GET', '/admin/v1/views')).status, 200);
        const warning = /The audit trail of 1 tenant is damaged: .*doctor/;
        await eventually(async () => assert.match(await warningsOf(url), warning));
        assert.match(log.join(''), /"level":50[^\n]*end of the audit trail is damaged/);
        assert.doesNotMatch(log.join(''), /"msg":"request failed"/);
        assert.equal(await cardea.store.read.lastSequence(), last);
        assert.equal((await run(dataDir, 'doctor')).code, 1);
        const repaired = await run(dataDir, 'doctor', '--repair');
        assert.equal(repaired.code, 0, repaired.out);
        const { status } = await call('POST', '/admin/v1/views', {
          name: 'late',
          indices: { identities: 'name:x' },
        });
        assert.equal(status, 201);
        // The check, every second here, finds the trail as it should be.
        await eventually(async () => assert.equal(await warningsOf(url), ''));
        const verified = await run(dataDir, 'audit', 'verify');
        assert.equal(verified.code, 0, verified.out);
      }));
  }
});

test('a restore of a store whose recorded end is damaged says so, and doctor mends it', async () => {
  const dataDir = join(folder, 'restored');
  copyOf(template, dataDir, true);
  await below(dataDir, 'update audit_head set number = 1');
  const backup = join(folder, 'backup');
  assert.equal((await run(dataDir, 'backup', backup)).code, 0);
  const restored = await run(dataDir, 'restore', backup, '--replace');
  assert.equal(restored.code, 0, restored.err);
  assert.match(restored.err, /warning: The restore is not in the audit trail of \w+\. .*doctor/);
  assert.equal((await run(dataDir, 'doctor', '--repair')).code, 0);
});

test('the check of a server names a broken audit trail as doctor does', () =>
  withServer('broken', async ({ url, log }, dataDir) => {
    await below(
      dataDir,
      `drop trigger audit_event_update;
       update audit_event set event = replace(event, 'PASSED', 'FAILED') where number = 5`,
    );
    const fault = /event 5 is not as it was written/;
    await eventually(async () =>
      assert.match(await warningsOf(url), /The audit trail of 1 tenant is damaged/),
    );
    const line = log.find((text) => text.includes('The audit trail is damaged')) ?? '';
    assert.match(line, /"level":50/);
    assert.match(line, fault);
    const doctor = await run(dataDir, 'doctor');
    assert.equal(doctor.code, 1);
    assert.match(doctor.out, fault);
  }));
