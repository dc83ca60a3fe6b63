// cardea user: what it prints, and that what it does counts for a service that runs meanwhile.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { addUser, tokenOf } from '../support/callers.ts';
import { commandLine } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;
before(async () => {
  service = await startService();
});
after(() => service.stop());

async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const line = commandLine(['user', ...args, '--data-dir', service.dataDir]);
  const code = await line.ended;
  return { code, out: line.out(), err: line.err() };
}

async function use(token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(`${service.url}/v3/personal-access-tokens?owner-id=me`, { headers })).status;
}

test('a user is disabled, enabled, signed out and deleted beside a running service', async () => {
  const party = await addUser(service, { capabilities: ['HELPDESK'] });
  const { userId } = party;
  const shown = (word: string) => `${userId}  ${userId}  ${word}  HELPDESK\n`;
  const first = await tokenOf(service.url, party);
  assert.equal((await run('show', userId)).out, shown('enabled'));
  assert.match((await run('disable', userId)).err, /is disabled/);
  assert.equal((await run('show', userId)).out, shown('disabled'));
  assert.equal(JSON.parse((await run('show', userId, '--json')).out).enabled, false);
  await eventually(async () => assert.equal(await use(first), 401));

  assert.match((await run('enable', userId)).err, /is enabled/);
  let second = '';
  await eventually(async () => {
    second = await tokenOf(service.url, party);
    assert.equal(await use(second), 200);
  });
  assert.match((await run('sign-out', userId)).err, /was signed out/);
  await eventually(async () => assert.equal(await use(second), 401));

  assert.match((await run('delete', userId)).err, /was deleted/);
  const gone = await run('show', userId);
  assert.equal(gone.code, 1);
  assert.match(gone.err, /no auth user with the id or uid/);
});

test('a login where the id of a person of another issuer is needed disables no auth user, and says so', async () => {
  const { err } = await run('disable', '--external', 'test.admin');
  assert.match(err, /No auth user has this id\. The person test\.admin is disabled\./);
  assert.match((await run('show', 'test.admin')).out, / {2}enabled {2}/);
  const { userId } = await addUser(service, {});
  assert.match((await run('disable', '--external', userId)).err, /^The auth user .* is disabled/m);
});

test('a user is created, and capabilities are granted and revoked, beside a running service', async () => {
  const made = await run(
    'create',
    '--uid',
    'lena',
    '--name',
    'Lena B.',
    '--capability',
    'HELPDESK',
  );
  const [, id = ''] = /^([0-9a-f]{32}) {2}lena {2}enabled {2}HELPDESK\n$/.exec(made.out) ?? [];
  assert.notEqual(id, '', made.out + made.err);
  const answer = await service.call('GET', `/admin/v1/auth-users/${id}`);
  assert.equal(((await answer.json()) as { displayName: string }).displayName, 'Lena B.');
  const after = async (...args: string[]) => JSON.parse((await run(...args, '--json')).out);
  assert.deepEqual(await after('grant', 'lena', 'CERT_ADMIN', 'HELPDESK'), {
    ...{ id, uid: 'lena', capabilities: ['HELPDESK', 'CERT_ADMIN'] },
  });
  assert.deepEqual(await after('revoke', id, 'HELPDESK'), {
    ...{ id, uid: 'lena', capabilities: ['CERT_ADMIN'] },
  });
  const history = await service.call('GET', `/admin/v1/auth-users/${id}/history`);
  const entries = (await history.json()) as { operation: string; actor: { name: string } }[];
  assert.deepEqual(
    entries.map(({ operation, actor }) => `${operation} by ${actor.name}`),
    ['MODIFY by cardea', 'MODIFY by cardea', 'CREATE by cardea'],
  );
  assert.equal((await run('delete', 'lena')).code, 0);
});

for (const [args, code, reason] of [
  [['create'], 2, /--uid is missing/],
  [['create', '--uid', 'test.admin'], 1, /uid: "test\.admin" is taken by the auth user/],
  [['create', '--uid', 'new', '--capability', 'HELPDESC'], 1, /"HELPDESC" is not a known/],
  [['create', '--uid', 'new', '--view', 'none'], 1, /view/],
  [['grant', 'test.admin', 'HELPDESC'], 1, /"HELPDESC" is not a known capability/],
  [['revoke', 'test.admin', 'HELPDESC'], 1, /does not have HELPDESC\. It has ORG_ADMIN\./],
  [['revoke', 'test.admin', 'ORG_ADMIN'], 1, /must keep at least one user with ORG_ADMIN/],
] as const) {
  test(`user ${args.join(' ')} is refused with the reason, and changes nothing`, async () => {
    const before = await run('list', '--json');
    const { code: exit, err } = await run(...args);
    assert.equal(exit, code, err);
    assert.match(err, reason);
    assert.equal((await run('list', '--json')).out, before.out);
  });
}

test('the last administrator is refused, with what to do instead', async () => {
  for (const action of ['disable', 'delete']) {
    const { code, err } = await run(action, 'test.admin');
    assert.equal(code, 1);
    assert.match(
      err,
      /last administrator cannot be disabled or deleted(.|\n)*grant it to another user first/,
    );
  }
});

test('lists auth users as lines, JSON and CSV, by capability and filter', async () => {
  const ids = [];
  for (const capabilities of [['CERT_ADMIN', 'HELPDESK'], ['CERT_ADMIN']]) {
    ids.push((await addUser(service, { capabilities })).userId);
  }
  await service.addAuthUsers(1_001);
  const [both, one] = ids as [string, string];
  const line = (id: string, levels: string) => `${id}  ${id}  enabled  ${levels}\n`;
  const lines = line(both, 'CERT_ADMIN, HELPDESK') + line(one, 'CERT_ADMIN');
  assert.equal((await run('list', '--capability', 'CERT_ADMIN')).out, lines);
  const narrow = ['list', '--capability', 'CERT_ADMIN', '--capability', 'HELPDESK'];
  assert.equal((await run(...narrow)).out, line(both, 'CERT_ADMIN, HELPDESK'));

  const json = (await run('list', '--json', '--filter', `id eq "${one}"`)).out;
  const user = JSON.parse(json) as { id: string; enabled: boolean };
  assert.deepEqual([user.id, user.enabled], [one, true]);

  const { out } = await run('list', '--csv', '--capability', 'CERT_ADMIN');
  const row = (id: string) => `CERT_ADMIN,${id},${id},${id},,true,\r\n`;
  const head = 'capability,id,uid,name,email,enabled,lastLogin\r\n';
  assert.equal(out, head + row(both) + row(one));

  const all = (await run('list')).out.trim().split('\n');
  assert.ok(all.length > 1_003, 'a list has every page');
  assert.equal(new Set(all).size, all.length);

  const refused = await run('list', '--csv', '--json');
  assert.equal(refused.code, 2);
  assert.match(refused.err, /cannot be combined/);
  const unread = await run('list', '--filter', 'capability ca "X"');
  assert.equal(unread.code, 2);
  assert.match(unread.err, /--filter: filters, offset 0: .*did you mean capabilities/);
});
