// cardea client: what it prints, what it stores, and that a client created or deleted while the service runs counts at once.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { tokenOf } from '../support/callers.ts';
import { commandLine } from '../support/command-line.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;
before(async () => {
  service = await startService();
});
after(() => service.stop());

async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const line = commandLine(['client', ...args, '--data-dir', service.dataDir]);
  const code = await line.ended;
  return { code, out: line.out(), err: line.err() };
}

async function searches(token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(`${service.url}/v3/search/roles/nothing`, { headers })).status;
}

test('a client is created, gets tokens beside a running service, is listed without its secret and deleted', async () => {
  const made = await run('create', '--name', 'nightly export');
  assert.equal(made.code, 0, made.err);
  const [, clientId = '', clientSecret = ''] =
    /^export SAIL_CLIENT_ID=([\w-]{36})\nexport SAIL_CLIENT_SECRET=(\w{64})\n$/.exec(made.out) ??
    [];
  assert.match(made.err, new RegExp(`cardea client delete ${clientId}.*shown only once`));
  const token = await tokenOf(service.url, { clientId, clientSecret });
  assert.equal(await searches(token), 404);

  const listed = await run('list');
  assert.match(listed.out, new RegExp(`^${clientId}  \\S+Z  enabled   nightly export\\n$`));
  const asJson = await run('list', '--json');
  assert.ok(!asJson.out.includes(clientSecret));
  const [entry] = JSON.parse(asJson.out);
  assert.deepEqual(
    { ...entry, created: '', lastUsed: '' },
    {
      ...{ clientId, name: 'nightly export', grantTypes: ['CLIENT_CREDENTIALS'] },
      ...{ scope: ['sp:scopes:all'], enabled: true, created: '', lastUsed: '' },
    },
  );
  const deleted = await run('delete', clientId);
  assert.equal(deleted.code, 0, deleted.err);
  assert.match(deleted.err, /nightly export was deleted/);
  await assert.rejects(tokenOf(service.url, { clientId, clientSecret }), /401/);
  const deadline = performance.now() + 60_000;
  while ((await searches(token)) !== 401) assert.ok(performance.now() < deadline);
  assert.match((await run('list')).err, /no API client/);
});

test('all members have a flag, and scripts read JSON', async () => {
  const { out, err } = await run(
    ...['create', '--name', 'app', '--description', 'for scripts', '--json'],
    ...['--grant', 'client_credentials', 'refresh_token', '--scope', 'sp:search:read', 'x'],
    ...['--validity', '750', '--refresh-validity', '86400', '--tenant', 'test'],
  );
  assert.equal(err, '');
  const made = JSON.parse(out);
  assert.match(made.clientSecret, /^\w{64}$/);
  const shown = await service.call('GET', `/v3/oauth-clients/${made.clientId}`);
  const client = (await shown.json()) as Record<string, unknown>;
  assert.equal(client['description'], 'for scripts');
  assert.deepEqual(client['grantTypes'], ['CLIENT_CREDENTIALS', 'REFRESH_TOKEN']);
  assert.deepEqual(client['scope'], ['sp:search:read', 'x']);
  assert.equal(client['accessTokenValiditySeconds'], 750);
  assert.equal(client['refreshTokenValiditySeconds'], 86_400);
  assert.equal((await run('delete', made.clientId)).code, 0);
});

const FAULTS: readonly (readonly [args: string[], code: number, message: RegExp])[] = [
  [['create'], 2, /--name is missing/],
  [['create', '--name', 'x', '--validity', '14'], 2, /--validity.*from 15 to 43200/],
  [['create', '--name', 'x', '--refresh-validity', '1e9'], 2, /--refresh-validity.*to 7776000/],
  [['create', '--name', 'x', '--grant', 'password'], 1, /"PASSWORD" is none of CLIENT_CREDENTIALS/],
  [['create', '--name', 'x', '--grant', 'refresh_token'], 1, /could never get a token/],
  [['create', '--name', 'x', '--scope', 'a b'], 1, /a scope has no blanks/],
  [['create', '--name', ' '], 1, /printable characters/],
  [['create', '--name', 'x', '--tenant', 'lost'], 1, /lost/],
  [['delete', 'nothing'], 1, /no such API client/],
  [['delete'], 2, /id/],
];
for (const [args, code, message] of FAULTS) {
  test(`cardea client ${args.join(' ')} ends with ${code} and says why`, async () => {
    const ended = await run(...args);
    assert.equal(ended.out, '');
    assert.match(ended.err, message);
    assert.equal(ended.code, code);
  });
}
