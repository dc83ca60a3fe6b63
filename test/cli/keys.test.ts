// cardea keys: lists and changes the signing keys, also beside a running server.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { commandLine } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
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
    const deadline = Date.now() + 120_000;
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
    /signs from now on\.\n.* was removed\.\n.* was removed\./s,
  );
  await until(async () => (await ask()) === 401);
  assert.equal((await published()).length, 1);
});

async function command(...words: string[]): Promise<{ code: number; out: string; err: string }> {
  const line = commandLine([...words, '--data-dir', service.dataDir]);
  return { code: await line.ended, out: line.out(), err: line.err() };
}

test('the secrets key is replaced beside a server, which goes on signing and checking', async () => {
  const token = await service.token();
  const file = join(service.dataDir, 'secrets.key');
  const before = readFileSync(file, 'utf8');
  const done = await command('keys', 'reseal');
  assert.equal(done.code, 0, done.err);
  assert.match(done.err, /1 signing keys are sealed with a new key in .*secrets\.key/);
  assert.notEqual(readFileSync(file, 'utf8'), before);
  assert.equal(existsSync(`${file}.new`), false);
  const resealed = (await service.cardea.store.read.auditChain(service.tenantId, 0, 1_000))
    .map(({ text }) => JSON.parse(text))
    .filter(({ technicalName }) => technicalName === 'SECRETS_KEY_ROTATE_PASSED');
  assert.deepEqual(
    resealed.map(({ action, attributes }) => [action, attributes.signingKeys]),
    [['ResealKeys', 1]],
  );
  const { before: earlier, after: later } = resealed[0].attributes;
  assert.match(earlier, /^\{"secretsKey":\["[0-9a-f]{16}"\]\}$/);
  assert.match(later, /^\{"secretsKey":\["[0-9a-f]{16}"\]\}$/);
  assert.notEqual(earlier, later);
  const rotated = JSON.parse(await keys('rotate', '--json')) as { kid: string };
  await eventually(async () => {
    const [head = ''] = (await service.token()).split('.');
    assert.equal(JSON.parse(Buffer.from(head, 'base64url').toString()).kid, rotated.kid);
  });
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${service.url}/v3/auth-users/${service.adminId}`, { headers });
  assert.equal(answer.status, 200);
});

test('a new secrets key may come from a file of its own, and must where the old one is a setting', async () => {
  const text = readFileSync(join(service.dataDir, 'secrets.key'), 'utf8').trim();
  const refused = commandLine(['keys', 'reseal', '--data-dir', service.dataDir], {
    env: { CARDEA_SECRETS_KEY: text },
  });
  assert.equal(await refused.ended, 2);
  assert.match(refused.err(), /--new-key-file is missing/);
  const next = join(service.dataDir, 'next.key');
  assert.equal((await command('keys', 'reseal', '--new-key-file', next)).code, 0);
  const broken = await command('keys', 'reseal');
  assert.equal(broken.code, 1);
  assert.match(
    broken.err,
    /sealed with the secrets key \w{16}, and .*secrets\.key does not hold it/,
  );
  rmSync(join(service.dataDir, 'secrets.key.new'), { force: true });
  const back = commandLine([
    ...['keys', 'reseal', '--data-dir', service.dataDir],
    ...['--secrets-key-file', next, '--new-key-file', join(service.dataDir, 'secrets.key')],
  ]);
  assert.equal(await back.ended, 0, back.err());
});

test('the doctor finds a key file that others can read, and a signing key that it does not open', async () => {
  const file = join(service.dataDir, 'secrets.key');
  const doctor = async (...flags: string[]) => {
    const { code, out } = await command('doctor', '--json', ...flags);
    const { checks } = JSON.parse(out) as { checks: { name: string; message: string }[] };
    const messageOf = (name: string) => checks.find((check) => check.name === name)?.message ?? '';
    return { code, messageOf };
  };
  chmodSync(file, 0o644);
  const open = await doctor();
  assert.equal(open.code, 1);
  assert.match(open.messageOf('secrets key'), /can be read by others/);
  assert.equal((await doctor('--repair')).code, 0);
  const closed = await doctor('--secrets-key', '0'.repeat(64));
  assert.equal(closed.code, 1);
  assert.match(closed.messageOf('keys'), /sealed with a secrets key that is missing here/);
});
