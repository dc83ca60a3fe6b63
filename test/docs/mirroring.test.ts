// suite: slow
// docs/mirroring.md: its commands run in the order of the page, against a tenant for tests.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startTenant, type TestTenant } from 'cardea/testing';
import { commandLine } from '../support/command-line.ts';
import { mirrorOf } from '../support/remote-tenant.ts';

const page = readFileSync('docs/mirroring.md', 'utf8');
const directory = mkdtempSync(join(tmpdir(), 'cardea-mirroring-'));
after(() => rmSync(directory, { recursive: true, force: true }));

let tenant: TestTenant;
before(async () => {
  tenant = await startTenant({ identities: 8, profiles: 10 });
  writeFileSync(join(directory, 'administrators.txt'), '# none yet\n');
});
after(() => tenant.close());

const blocks = [...page.matchAll(/```sh\n(.*?)```/gs)].map(([, code = '']) => code);
const commands = blocks.flatMap((code) =>
  code.split('\n').filter((one) => /^cardea (?:mirror|pat)/.test(one)),
);

test('shows commands', () => assert.ok(commands.length >= 10, String(commands.length)));

for (const command of commands) {
  test(`shows a command that works: ${command}`, async () => {
    const [, ...shown] = command
      .replace(/https:\/\/acme\.\S+/, tenant.baseUrl)
      .replace('administrators.txt', join(directory, 'administrators.txt'))
      .replace(' --tenant acme', '')
      .split(' ');
    const { env } = mirrorOf(tenant, directory);
    if (shown[0] === 'mirror') shown.push('--rate', 'off');
    const line = commandLine([...shown, '--data-dir', join(directory, 'data')], { env });
    if (shown.includes('--watch')) {
      await line.shows(/created, /);
      line.interrupt();
    }
    assert.equal(await line.ended, 0, line.err() + line.out());
  });
}

test('names every metric and route of mirrors', () => {
  for (const name of ['cardea_mirrors', 'cardea_mirror_lag_seconds', 'GET /admin/v1/mirror']) {
    assert.ok(page.includes(name), name);
  }
});
