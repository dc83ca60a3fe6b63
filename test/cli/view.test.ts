// cardea view: what it prints and stores, what a view shows by the search of the data directory, and that what is done beside a
// running service counts there.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { addUser } from '../support/callers.ts';
import { commandLine } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { type RunningService, startService } from '../support/service.ts';

const ROLES = [
  { _type: 'role', id: 'r-1', name: 'Clerk' },
  { _type: 'role', id: 'r-2', name: 'Boss' },
  { _type: 'identity', id: 'i-1', name: 'Ada', attributes: { department: 'Sales' } },
];

let service: RunningService;
/** Data without a server. */
let offline: string;

before(async () => {
  service = await startService();
  await service.addDocuments(ROLES);
  offline = mkdtempSync(join(tmpdir(), 'cardea-view-'));
  const made = await inData(offline, ['tenant', 'create', 'acme', '--admin', 'ada', '--json']);
  assert.equal(made.code, 0, made.err);
  const lines = ROLES.map((document) => JSON.stringify(document)).join('\n');
  const fed = await inData(offline, ['import', '-'], [Buffer.from(lines)]);
  assert.equal(fed.code, 0, fed.err);
});
after(async () => {
  await service.stop();
  rmSync(offline, { recursive: true, force: true });
});

async function inData(dataDir: string, args: readonly string[], stdin: Uint8Array[] = []) {
  const line = commandLine([...args, '--data-dir', dataDir], { stdin });
  const code = await line.ended;
  return { code, out: line.out(), err: line.err() };
}

const view = (...args: string[]) => inData(service.dataDir, ['view', ...args]);
const CLERKS = ['--show', 'roles=name:clerk', '--show', 'identities=*', '--hide', 'description'];

test('creates, lists, shows and deletes views beside a running service', async () => {
  assert.match((await view('list')).err, /The tenant test has no view/);
  const created = await view('create', 'clerks', '--description', 'for clerks', ...CLERKS);
  assert.deepEqual([created.code, created.out], [0, ''], created.err);
  assert.match(created.err, /The view clerks was created/);
  assert.equal((await view('list')).out, 'clerks  roles,identities  for clerks\n');
  const rules = {
    ...{ name: 'clerks', description: 'for clerks', hide: ['description'] },
    indices: { roles: 'name:clerk', identities: '*' },
  };
  const shown = JSON.parse((await view('show', 'clerks')).out);
  assert.deepEqual(
    { ...shown, created: '', modified: '' },
    { ...rules, created: '', modified: '' },
  );
  assert.deepEqual(JSON.parse((await view('list', '--json')).out), [shown]);
  const served = await service.call('GET', '/admin/v1/views/clerks');
  assert.deepEqual(await served.json(), shown);
  const deleted = await view('delete', 'clerks');
  assert.deepEqual([deleted.code, deleted.err], [0, 'The view clerks was deleted.\n']);
  for (const action of ['show', 'delete', 'test']) {
    const missing = await view(action, 'clerks');
    assert.equal(missing.code, 1, action);
    assert.match(missing.err, /no (such view|view called "clerks")/, action);
  }
});

test('replaces a view, with hints, and leaves nothing of the one before', async () => {
  const made = await view('create', 'changing', '--description', 'for clerks', ...CLERKS);
  assert.equal(made.code, 0, made.err);
  const { created } = JSON.parse((await view('show', 'changing')).out);
  const replaced = await view(
    'replace',
    'changing',
    '--show',
    'roles=name:boss',
    '--hide',
    'email',
  );
  assert.deepEqual([replaced.code, replaced.out], [0, ''], replaced.err);
  assert.match(replaced.err, /^The view changing was replaced\.\nLook again: .*owner\.email/);
  const { modified, ...rules } = JSON.parse((await view('show', 'changing')).out);
  assert.deepEqual(rules, {
    ...{ name: 'changing', description: '', created },
    ...{ indices: { roles: 'name:boss' }, hide: ['email'] },
  });
  const printed = await view('replace', 'changing', '--show', 'roles=*', '--json');
  assert.equal(JSON.parse(printed.out).indices.roles, '*');
  assert.ok(JSON.parse(printed.out).modified >= modified);
});

test('says who sees nothing after a view was deleted', async () => {
  const cli = (...args: string[]) => inData(service.dataDir, args);
  const users: string[] = [];
  const steps: readonly (readonly [text: string, add: () => Promise<void>])[] = [
    [
      ' 1 client sees nothing from now on.',
      async () => {
        const { code, err } = await cli('client', 'create', '--name', 'a', '--view', 'held');
        assert.equal(code, 0, err);
        assert.match(err, /^For the tenant test, restricted to the view held, until /);
      },
    ],
    [
      ' 2 tokens and 1 client see nothing from now on.',
      async () => {
        for (const name of ['a', 'b']) {
          const owned = ['--owner', 'test.admin', '--name', name, '--view', 'held'];
          const { code, err } = await cli('pat', 'create', ...owned);
          assert.equal(code, 0, err);
          assert.match(err, /^For test\.admin, restricted to the view held, until /);
        }
      },
    ],
    [
      ' 1 auth user, 2 tokens and 1 client see nothing from now on.',
      async () => {
        const { userId } = await addUser(service, { capabilities: ['HELPDESK'] });
        users.push(userId);
        assert.equal((await view('assign', userId, 'held')).code, 0);
      },
    ],
  ];
  assert.equal((await view('create', 'other', ...CLERKS)).code, 0);
  for (const [text, add] of steps) {
    assert.equal((await view('create', 'held', ...CLERKS)).code, 0);
    await add();
    assert.equal((await view('delete', 'held')).err, `The view held was deleted.${text}\n`);
  }
  assert.equal((await view('delete', 'other')).err, 'The view other was deleted.\n');

  const [userId = ''] = users;
  assert.match((await cli('user', 'show', userId)).out, / {2}enabled {2}HELPDESK {2}view held\n$/);
  for (const kind of ['pat', 'client']) {
    const held = (await cli(kind, 'list')).out.match(/^[\w-]{32,36} {2}.* {2}[ab] {2}view held$/gm);
    assert.equal(held?.length, kind === 'pat' ? 2 : 1);
    const listed = JSON.parse((await cli(kind, 'list', '--json')).out) as Record<string, unknown>[];
    for (const one of listed) {
      const isHeld = one['name'] === 'a' || one['name'] === 'b';
      assert.deepEqual(['view' in one, one['view']], [isHeld, isHeld ? 'held' : undefined]);
    }
  }
});

test('prints the view of a new token and a new client as JSON', async () => {
  assert.equal((await view('create', 'printed', ...CLERKS)).code, 0);
  for (const args of [
    ['pat', 'create', '--owner', 'test.admin', '--name', 'json'],
    ['client', 'create', '--name', 'json'],
  ]) {
    const made = await inData(service.dataDir, [...args, '--view', 'printed', '--json']);
    assert.equal(made.code, 0, made.err);
    assert.equal(JSON.parse(made.out).view, 'printed');
  }
});

test('prints what is wrong with a query once, with its place', async () => {
  const { err } = await view('create', 'a', '--show', 'roles=nme:x');
  assert.equal(
    err,
    'error: indices.roles: No requested index has a field "nme"; did you mean "name"?\n',
  );
});

const WRONG: readonly (readonly [args: readonly string[], code: number, text: RegExp])[] = [
  [['create', 'a'], 2, /--show is missing/],
  [['create', 'a', '--show', 'roles'], 2, /expected an index and a query/],
  [['create', 'a', '--show', 'users=*'], 2, /indices are accessprofiles, .*, identities, roles\./],
  [['replace', 'a'], 2, /--show is missing/],
  [['replace', 'a', '--show', 'roles=*'], 1, /no such view/],
  [['create', 'a', '--show', 'roles=nme:x'], 1, /indices\.roles: .*nme/],
  [['create', 'a b', '--show', 'roles=*'], 1, /name: 1 to 64 letters/],
  [['create', 'a', '--show', 'roles=*', '--hide', 'id'], 1, /"id" cannot be hidden/],
  [['assign', 'test.admin', 'nothing'], 1, /no view called "nothing"/],
  [['assign', 'nobody', 'nothing'], 1, /no auth user with the id or uid/],
];
for (const [args, code, text] of WRONG) {
  test(`refuses: view ${args.join(' ')}`, async () => {
    const { code: actual, err } = await view(...args);
    assert.match(err, text);
    assert.equal(actual, code);
  });
}

test('restricts an auth user, whose tokens then see the view, and ends that', async () => {
  const party = await addUser(service, { capabilities: ['ORG_ADMIN'], scope: ['sp:scopes:all'] });
  assert.equal((await view('create', 'mine', ...CLERKS)).code, 0);
  const seen = async () => {
    const body = { indices: ['roles'], query: { query: '*' }, sort: ['id'] };
    const answer = await party.call('POST', '/v3/search', body);
    return ((await answer.json()) as { id: string }[]).map(({ id }) => id);
  };
  assert.deepEqual(await seen(), ['r-1', 'r-2']);
  const assigned = await view('assign', party.userId, 'mine');
  assert.equal(assigned.err, `${party.userId} is restricted to mine.\n`);
  await eventually(async () => assert.deepEqual(await seen(), ['r-1']));
  const last = await view('assign', 'test.admin', 'mine');
  assert.equal(last.code, 1);
  assert.match(last.err, /The last administrator cannot be restricted to a view/);
  const ended = await view('assign', party.userId);
  assert.equal(ended.err, `${party.userId} is not restricted.\n`);
  await eventually(async () => assert.deepEqual(await seen(), ['r-1', 'r-2']));
  const beside = await view('test', 'mine', '--json');
  assert.equal(beside.code, 0, beside.err);
  assert.equal(JSON.parse(beside.out).roles, 1);
});

test('counts what a view shows of each index', async () => {
  const made = await inData(offline, ['view', 'create', 'clerks', ...CLERKS]);
  assert.equal(made.code, 0, made.err);
  const shown = await inData(offline, ['view', 'test', 'clerks', '--json']);
  assert.equal(shown.code, 0, shown.err);
  const { events, ...counts } = JSON.parse(shown.out);
  assert.deepEqual(counts, {
    ...{ accessprofiles: 0, accountactivities: 0, entitlements: 0, identities: 1, roles: 1 },
  });
  assert.equal(events, 0);
  const printed = await inData(offline, ['view', 'test', 'clerks']);
  assert.match(
    printed.out,
    /^accessprofiles {2}0\n(?:\w+ {2}\d+\n)*identities {2}1\nroles {2}1\n$/,
  );
});
