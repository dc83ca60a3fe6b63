// cardea pat and cardea tenant list: what they print and store, next to a running service.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { tokenOf } from '../support/callers.ts';
import { commandLine } from '../support/command-line.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;
before(async () => {
  service = await startService();
  await service.addDocuments([{ _type: 'role', id: 'r1', name: 'Clerk' }]);
});
after(() => service.stop());

async function run(...args: string[]) {
  const line = commandLine([...args, '--data-dir', service.dataDir]);
  const code = await line.ended;
  return { code, out: line.out(), err: line.err() };
}

test('a personal access token is created, listed without its secret, and deleted', async () => {
  const made = await run('pat', 'create', '--owner', 'test.admin', '--name', 'nightly', '--json');
  assert.equal(made.code, 0, made.err);
  const { clientId, clientSecret } = JSON.parse(made.out);
  await tokenOf(service.url, { clientId, clientSecret });

  const listed = await run('pat', 'list', '--owner', 'test.admin');
  const line = new RegExp(
    `^${clientId}  \\S+Z  expires \\S+Z  .* used.*  test.admin  nightly$`,
    'm',
  );
  assert.match(listed.out, line);
  const asJson = await run('pat', 'list', '--json');
  assert.ok(!asJson.out.includes(clientSecret));
  const tokens = JSON.parse(asJson.out) as { name: string; owner: string; ownerId: string }[];
  assert.deepEqual(
    tokens.map(({ name, owner, ownerId }) => [name, owner, ownerId === service.adminId]).sort(),
    [
      ['nightly', 'test.admin', true],
      ['test', 'test.admin', true],
    ],
  );
  const deleted = await run('pat', 'delete', clientId);
  assert.equal(deleted.code, 0, deleted.err);
  assert.match(deleted.err, /token nightly was deleted/);
  await assert.rejects(tokenOf(service.url, { clientId, clientSecret }), /401/);
  assert.equal((await run('pat', 'delete', clientId)).code, 1);
});

test('a token of another tenant is neither listed nor deleted', async () => {
  const made = await run('tenant', 'create', 'other', '--json');
  const { clientId } = JSON.parse(made.out);
  const listed = await run('pat', 'list', '--tenant', 'test', '--json');
  assert.ok(!listed.out.includes(clientId));
  const refused = await run('pat', 'delete', clientId, '--tenant', 'test');
  assert.equal(refused.code, 1);
  assert.match(refused.err, /no such personal access token/);
  const tenants = await run('tenant', 'list');
  assert.match(tenants.out, /^\S+ {2}local {2}[\d,]+ documents? {2}other$/m);
  const asJson = JSON.parse((await run('tenant', 'list', '--json')).out) as { name: string }[];
  assert.deepEqual(asJson.map(({ name }) => name).sort(), ['other', 'test']);
  assert.match((await run('pat', 'list')).err, /Choose a tenant with --tenant: /);
});

test('all that is wrong with a new token is reported at once', async () => {
  const both = await run('pat', 'create', '--owner', 'nobody', '--tenant', 'test');
  assert.equal(both.code, 2);
  assert.match(both.err, /no auth user with the id or uid nobody[\s\S]*--name is missing/);
  const noName = await run('pat', 'create', '--owner', 'test.admin', '--tenant', 'test');
  assert.equal(noName.err, 'error: --name is missing.\n');
});

test('what a new credential prints is for a shell to evaluate', async () => {
  for (const command of [
    ['tenant', 'create', 'shell'],
    ['pat', 'create', '--owner', 'test.admin', '--name', 'shell', '--tenant', 'test'],
    ['client', 'create', '--name', 'shell', '--tenant', 'test'],
  ]) {
    const { out, err } = await run(...command);
    assert.match(out, /^export SAIL_CLIENT_ID=\S+\nexport SAIL_CLIENT_SECRET=\S+\n$/);
    assert.match(err, /The secret is shown only once\./);
  }
});
