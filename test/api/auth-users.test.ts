// Auth users over real HTTP: what a patch may not touch, what is left when it fails, many patches at once, and the trail
// that each change leaves.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { addUser, type Party } from '../support/callers.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;
const PATCH = { 'content-type': 'application/json-patch+json' };

before(async () => {
  service = await startService();
});
after(() => service.stop());

type Operation = Record<string, unknown>;

function patch(id: string, body: unknown, headers: Record<string, string> = {}) {
  return service.call('PATCH', `/v2024/auth-users/${id}`, body, { ...PATCH, ...headers });
}

async function newUser(...capabilities: string[]): Promise<string> {
  return (await addUser(service, { capabilities })).userId;
}

async function read(id: string): Promise<{ user: Record<string, unknown>; etag: string }> {
  const answer = await service.call('GET', `/v2024/auth-users/${id}`);
  assert.equal(answer.status, 200);
  return {
    user: (await answer.json()) as Record<string, unknown>,
    etag: answer.headers.get('etag') ?? '',
  };
}

/** How many events tell of changes to users; the trail is asked for what is stored, not for what is searchable. */
async function eventCount(): Promise<number> {
  return (await service.cardea.store.read.documentCounts(service.tenantId)).events ?? 0;
}

async function detailCode(answer: Response): Promise<string> {
  return ((await answer.json()) as { detailCode: string }).detailCode;
}

const OUTSIDE: readonly Operation[] = [
  { op: 'replace', path: '/id', value: 'x' },
  { op: 'replace', path: '/email', value: 'x@y.test' },
  { op: 'replace', path: '', value: {} },
  { op: 'test', path: '/email', value: 'x@y.test' },
  { op: 'add', path: '/__proto__/x', value: 1 },
  { op: 'add', path: '/constructor/prototype/x', value: 1 },
  { op: 'move', from: '/email', path: '/capabilities/-' },
  { op: 'copy', from: '/uid', path: '/capabilities/0' },
  { op: 'copy', from: '', path: '/capabilities' },
  { op: 'move', from: '/capabilities/0', path: '/email' },
];
for (const operation of OUTSIDE) {
  test(`${JSON.stringify(operation)} is an illegal update, and nothing is written`, async () => {
    const id = await newUser('HELPDESK');
    const [before, events] = [await read(id), await eventCount()];
    const good = { op: 'add', path: '/capabilities/-', value: 'ROLE_ADMIN' };
    for (const body of [[operation], [good, operation]]) {
      const answer = await patch(id, body);
      assert.equal(answer.status, 400);
      assert.match(await detailCode(answer), /^400\.1\.1 /);
    }
    assert.deepEqual(await read(id), before);
    assert.equal(await eventCount(), events);
    assert.equal(({} as Record<string, unknown>)['x'], undefined);
  });
}

test('a request without any body is a syntax error', async () => {
  const id = await newUser();
  for (const [method, path] of [
    ['PATCH', `/v2024/auth-users/${id}`],
    ['POST', '/v2024/personal-access-tokens'],
    ['POST', '/v2024/oauth-clients'],
  ] as const) {
    const answer = await service.call(method, path);
    assert.equal(answer.status, 400, path);
    assert.equal(await detailCode(answer), '400.0 Bad request syntax error', path);
  }
});

test('a failed test takes back what came before it', async () => {
  const id = await newUser('HELPDESK');
  const before = await read(id);
  const answer = await patch(id, [
    { op: 'add', path: '/capabilities/-', value: 'ROLE_ADMIN' },
    { op: 'remove', path: '/capabilities/0' },
    { op: 'test', path: '/capabilities/0', value: 'HELPDESK' },
  ]);
  assert.equal(answer.status, 400);
  assert.match(await detailCode(answer), /^400\.1\.3 /);
  assert.deepEqual(await read(id), before);
});

const STEPS: readonly (readonly [
  Operation,
  status: number,
  outcome: string | readonly string[],
])[] = [
  [{ op: 'remove', path: '/capabilities/99' }, 400, '400.1.3'],
  [{ op: 'replace', path: '/capabilities/01', value: 'HELPDESK' }, 400, '400.1.3'],
  [{ op: 'remove', path: '/capabilities/-' }, 400, '400.1.3'],
  [{ op: 'remove', path: '/capabilities/~2' }, 400, '400.1 '],
  [{ op: 'add', path: '/capabilities/-', value: 'NO_SUCH_LEVEL' }, 400, '400.1.3'],
  [{ op: 'add', path: '/capabilities/-', value: null }, 400, '400.1.3'],
  [{ op: 'add', path: '/capabilities/-', value: 7 }, 400, '400.1.3'],
  [{ op: 'add', path: '/capabilities/-', value: 'HELPDESK' }, 200, ['HELPDESK', 'ROLE_ADMIN']],
  [
    { op: 'add', path: '/capabilities/0', value: 'CERT_ADMIN' },
    200,
    ['CERT_ADMIN', 'HELPDESK', 'ROLE_ADMIN'],
  ],
  [{ op: 'replace', path: '/capabilities', value: null }, 200, []],
  [{ op: 'remove', path: '/capabilities' }, 200, []],
  [
    { op: 'move', from: '/capabilities/1', path: '/capabilities/0' },
    200,
    ['ROLE_ADMIN', 'HELPDESK'],
  ],
  [{ op: 'add' }, 400, '400.1 '],
  [{ op: 'grant', path: '/capabilities/-', value: 'HELPDESK' }, 400, '400.1 '],
];
for (const [operation, status, outcome] of STEPS) {
  test(`${JSON.stringify(operation)} on HELPDESK, ROLE_ADMIN gives ${JSON.stringify(outcome)}`, async () => {
    const id = await newUser('HELPDESK', 'ROLE_ADMIN');
    const answer = await patch(id, [operation]);
    assert.equal(answer.status, status);
    const body = (await answer.json()) as { detailCode?: string; capabilities?: string[] };
    if (typeof outcome === 'string')
      assert.ok(body.detailCode?.startsWith(outcome), body.detailCode);
    else assert.deepEqual(body.capabilities, outcome);
  });
}

test('the last administrator stays one', async () => {
  const { etag } = await read(service.adminId);
  for (const operation of [
    { op: 'remove', path: '/capabilities/0' },
    { op: 'replace', path: '/capabilities', value: [] },
  ]) {
    const answer = await patch(service.adminId, [operation]);
    assert.equal(answer.status, 400);
    assert.match(await detailCode(answer), /^400\.1\.3 /);
  }
  assert.equal((await read(service.adminId)).etag, etag);
});

test('fifty patches at once are all kept, one event each', async () => {
  const id = await newUser();
  const events = await eventCount();
  const levels = ['HELPDESK', 'ROLE_ADMIN', 'CERT_ADMIN', 'REPORT_ADMIN', 'SOURCE_ADMIN'];
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      patch(id, [
        {
          op: n % 2 === 0 ? 'add' : 'test',
          path: n % 2 === 0 ? '/capabilities/-' : '/capabilities',
          value: n % 2 === 0 ? levels[(n / 2) % 5] : [],
        },
      ]),
    ),
  );
  // A `test` for the empty list passes before the first `add` and fails behind it.
  for (const [n, answer] of answers.entries()) {
    assert.ok(n % 2 === 0 ? answer.status === 200 : [200, 400].includes(answer.status));
  }
  const { user } = await read(id);
  assert.deepEqual([...(user['capabilities'] as string[])].sort(), [...levels].sort());
  // One of the change, and one of the level.
  assert.equal(await eventCount(), events + 2 * levels.length);
});

test('of many who saw the same state, If-Match lets one through', async () => {
  const id = await newUser();
  const { etag } = await read(id);
  const answers = await Promise.all(
    ['HELPDESK', 'ROLE_ADMIN', 'CERT_ADMIN'].map((value) =>
      patch(id, [{ op: 'add', path: '/capabilities/-', value }], { 'if-match': etag }),
    ),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 412, 412]);
  const { user, etag: now } = await read(id);
  assert.equal((user['capabilities'] as string[]).length, 1);
  assert.notEqual(now, etag);
});

test('If-Match still lets a change through after the user has signed in', async () => {
  const id = await newUser();
  const { etag } = await read(id);
  await service.cardea.store.write(async (records) => {
    const user = await records.authUser(service.tenantId, id);
    assert.ok(user);
    const signedIn = { ...user, currentLoginTimestamp: 1_700_000_000_000 };
    await records.putAuthUsers(service.tenantId, [signedIn]);
  });
  const { user } = await read(id);
  assert.equal(user['currentLoginTimestamp'], 1_700_000_000_000);
  const added = [{ op: 'add', path: '/capabilities/-', value: 'HELPDESK' }];
  assert.equal((await patch(id, added, { 'if-match': etag })).status, 200);
});

test('a change can be found in the trail, a refusal cannot', async () => {
  const id = await newUser('HELPDESK');
  await patch(id, [{ op: 'add', path: '/capabilities/-', value: 'ROLE_ADMIN' }]);
  await patch(id, [{ op: 'add', path: '/capabilities/-', value: 'NO_SUCH_LEVEL' }]);
  await patch(id, []);
  const sequence = await service.cardea.store.read.lastSequence();
  await service.cardea.services.status.waitUntilSearchable(sequence, 60_000);
  const answer = await service.call('POST', '/v2024/search', {
    indices: ['events'],
    query: {
      query: `target.name:${id} AND stack:cardea AND technicalName:AUTH_USER_MODIFY_PASSED`,
    },
  });
  const events = (await answer.json()) as { actor: { name: string }; attributes: unknown }[];
  assert.equal(events.length, 1);
  assert.equal(events[0]?.actor.name, 'test.admin');
  assert.match(JSON.stringify(events[0]?.attributes), /ROLE_ADMIN/);
});

test('a person without a level reads only themselves and patches nobody', async () => {
  const party: Party = await addUser(service, {});
  const own = `/v2024/auth-users/${party.userId}`;
  assert.equal((await party.call('GET', own)).status, 200);
  assert.equal((await party.call('GET', `/v2024/auth-users/${service.adminId}`)).status, 403);
  const grant = [{ op: 'add', path: '/capabilities/-', value: 'ORG_ADMIN' }];
  assert.equal((await party.call('PATCH', own, grant, PATCH)).status, 403);
  assert.deepEqual((await read(party.userId)).user['capabilities'], []);
});

test('levels that do not exist here are imported with a warning, kept, and grant nothing', async () => {
  const own = ['custom-level-7', 'HELPDESK', 'Über level "8"'];
  const id = 'mirrored'.padEnd(32, '0');
  const lines = [
    { id: 'plain'.padEnd(32, '0'), uid: 'plain', capabilities: [] },
    { id, uid: 'mirrored', capabilities: own },
  ];
  const ndjson = { 'content-type': 'application/x-ndjson' };
  const body = lines.map((line) => JSON.stringify(line)).join('\n');
  const imported = await service.call('POST', '/admin/v1/auth-users', body, ndjson);
  const report = (await imported.json()) as Record<string, unknown>;
  assert.deepEqual(
    [imported.status, report['created'], report['failed'], report['warned']],
    [200, 2, 0, 1],
  );
  const [warning] = report['warnings'] as { line: number; reason: string }[];
  assert.equal(warning?.line, 2);
  assert.match(warning?.reason ?? '', /custom-level-7.*Über level.*grant nothing here/);
  assert.deepEqual((await read(id)).user['capabilities'], own);

  const granted = await patch(id, [
    { op: 'add', path: '/capabilities/-', value: 'CERT_ADMIN' },
    { op: 'remove', path: '/capabilities/1' },
    { op: 'test', path: '/capabilities/0', value: 'custom-level-7' },
  ]);
  assert.equal(granted.status, 200);
  assert.deepEqual((await read(id)).user['capabilities'], [own[0], own[2], 'CERT_ADMIN']);
  const unknown = [{ op: 'add', path: '/capabilities/-', value: 'custom-level-9' }];
  assert.equal((await patch(id, unknown)).status, 400);
  const stranger = await newUser();
  const known = [{ op: 'add', path: '/capabilities/-', value: 'custom-level-7' }];
  assert.equal((await patch(stranger, known)).status, 400);
  assert.equal((await patch(id, [{ op: 'remove', path: '/capabilities/0' }])).status, 200);
  assert.deepEqual((await read(id)).user['capabilities'], [own[2], 'CERT_ADMIN']);
});

test('a person whose only levels do not exist here may do what a person without levels may', async () => {
  const party = await addUser(service, { capabilities: ['custom-level-7', 'org_admin'] });
  assert.equal((await party.call('GET', `/v2024/auth-users/${party.userId}`)).status, 200);
  const query = { indices: ['identities'], query: { query: '*' } };
  const refused: readonly [string, string, unknown?][] = [
    ['GET', `/v2024/auth-users/${service.adminId}`],
    ['POST', '/v2024/search', query],
    ['GET', '/api/profiles'],
    ['GET', '/admin/v1/status'],
  ];
  for (const [method, path, body] of refused) {
    assert.equal((await party.call(method, path, body)).status, 403, path);
  }
});
