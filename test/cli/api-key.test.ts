// cardea api-key: what it prints, what it keeps, and that a key made while the service runs works at once.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { commandLine } from '../support/command-line.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;
before(async () => {
  service = await startService();
});
after(() => service.stop());

async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const line = commandLine(['api-key', ...args, '--data-dir', service.dataDir]);
  const code = await line.ended;
  return { code, out: line.out(), err: line.err() };
}

const statusOf = async (key: string) =>
  (await fetch(`${service.url}/api/users`, { headers: { authorization: `Bearer ${key}` } })).status;

test('a key is printed alone, works beside a running service, and is listed without itself', async () => {
  const made = await run('create', '--name', 'nightly script');
  assert.equal(made.code, 0, made.err);
  const key = made.out.trim();
  assert.match(key, /^ne-[0-9a-f]{32}$/);
  assert.match(made.err, /shown only once/);
  assert.equal(await statusOf(key), 200);
  const listed = await run('list', '--json');
  const [entry] = JSON.parse(listed.out);
  const { id: _, created: __, lastUsed, ...rest } = entry;
  assert.deepEqual(rest, { name: 'nightly script', scope: 'manage', expires: null, ownerId: null });
  assert.ok(lastUsed !== null, 'it was used above');
  const text = await run('list');
  assert.ok(text.out.includes('nightly script') && !text.out.includes(key.slice(3)));
  assert.equal((await run('delete', entry.id)).code, 0);
  assert.equal(await statusOf(key), 401);
  assert.match((await run('list')).err, /no API key/);
});

test('a key has the scope, expiry and owner that it is created with', async () => {
  const flags = ['--scope', 'read', '--expires', '2099-01-01', '--owner', 'test.admin'];
  const { out, err } = await run('create', '--name', 'report', ...flags, '--json');
  const { id, apiKey, ...rest } = JSON.parse(out || '{}');
  assert.deepEqual(
    [rest.scope, rest.expires, rest.ownerId],
    ['read', '2099-01-01T00:00:00.000Z', service.adminId],
    err,
  );
  assert.equal(await statusOf(apiKey), 200);
  const written = await fetch(`${service.url}/api/role`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: '{"role":{"name":"n"}}',
  });
  assert.equal(written.status, 403);
  assert.match(
    (await run('list')).out,
    /read {4}expires 2099-01-01T00:00:00.000Z {2}last used .* {2}report/,
  );
  assert.equal((await run('delete', id)).code, 0);
});

const FAULTS: readonly (readonly [flags: string[], fault: RegExp])[] = [
  [['--scope', 'write'], /scope: one of read, manage/],
  [['--expires', '2020-01-01'], /expires: must lie in the future/],
  [['--expires', 'soon'], /expires: an ISO 8601/],
  [['--owner', 'nobody'], /no auth user with the id or uid nobody/],
];
for (const [flags, fault] of FAULTS) {
  test(`${flags.join(' ')} ends with 1 and says why`, async () => {
    const { code, err } = await run('create', '--name', 'n', ...flags);
    assert.equal(code, 1);
    assert.match(err, fault);
  });
}

test('as JSON it tells the id, too', async () => {
  const { out } = await run('create', '--name', 'x', '--json');
  const { id, apiKey } = JSON.parse(out);
  assert.equal(await statusOf(apiKey), 200);
  assert.equal((await run('delete', id)).code, 0);
});

test('what is not there or has no name ends with 1 and says why', async () => {
  const lost = await run('delete', 'nothing');
  assert.deepEqual([lost.code, lost.out], [1, '']);
  assert.match(lost.err, /no API key nothing/);
  const blank = await run('create', '--name', '  ');
  assert.equal(blank.code, 1);
  assert.match(blank.err, /printable characters/);
});
