// cardea keys: lists and changes the signing keys, also beside a running server.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { commandLine } from '../support/command-line.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;
before(async () => {
  service = await startService();
});
after(() => service.stop());

async function keys(...args: string[]): Promise<string> {
  const line = commandLine(['keys', ...args, '--data-dir', service.dataDir]);
  assert.equal(await line.ended, 0, line.err());
  return line.out();
}

test('a rotation beside a server is noticed, keeps tokens, and revoking ends them', async () => {
  assert.equal(await keys('list'), '');
  const headers = { authorization: `Bearer ${await service.token()}` };
  const ask = async () =>
    (await fetch(`${service.url}/v3/auth-users/${service.adminId}`, { headers })).status;
  const published = async () => {
    const answer = await fetch(`${service.url}/oauth/jwks`);
    return ((await answer.json()) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);
  };
  const until = async (met: () => Promise<boolean>) => {
    const deadline = Date.now() + 30_000;
    while (!(await met())) assert.ok(Date.now() < deadline, 'it did not come to pass');
  };
  const [first = ''] = await published();
  assert.match(await keys('list'), new RegExp(`^${first} {2}\\S+Z {2}signs\n$`));

  const second = JSON.parse(await keys('rotate', '--json')) as { kid: string; removed: string[] };
  assert.deepEqual(second.removed, []);
  await until(async () => (await published()).includes(second.kid));
  assert.equal(await ask(), 200);
  const listed = JSON.parse(await keys('list', '--json')) as { kid: string; active: boolean }[];
  assert.deepEqual(
    listed.map(({ kid, active }) => [kid, active]),
    [
      [first, false],
      [second.kid, true],
    ],
  );
  assert.match(await keys('list'), /checks until \d{4}-/);

  assert.match(
    await keys('rotate', '--revoke'),
    /signs from now on\.\n.* is gone\.\n.* is gone\./s,
  );
  await until(async () => (await ask()) === 401);
  assert.equal((await published()).length, 1);
});
