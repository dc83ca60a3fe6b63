// suite: slow
// Several nodes that write to one PostgreSQL: the tail of changes skips none, and use cases are
// serializable.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Client } from 'pg';
import { AuthUsers } from '../../src/service/accounts/auth-users.ts';
import type { Store } from '../../src/service/ports/store.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { startPostgres } from '../support/postgres.ts';
import { addUser, auditTrail, callerOf, testTenant } from '../support/tenant.ts';

const postgres = await startPostgres();
const closers: (() => Promise<unknown>)[] = [];
after(async () => {
  for (const close of closers) await close();
  await postgres.stop();
});

async function open(name: string): Promise<Store> {
  const url = await postgres.database(name);
  const store = await openPostgresStore({ url, poolSize: 2, waitMs: 60_000, statementMs: 60_000 });
  closers.push(() => store.close());
  return store;
}

async function connect(name: string): Promise<Client> {
  const client = new Client({ connectionString: await postgres.database(name) });
  await client.connect();
  closers.push(() => client.end());
  return client;
}

async function until(met: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 120_000;
  while (!(await met())) {
    if (Date.now() > deadline) throw new Error('It did not come to pass');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** A signal: one side waits until the other one sends it. */
function signal(): { readonly given: Promise<void>; give(): void } {
  let give = (): void => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}

const document = (id: string) => ({
  ...({ index: 'identities', id, nested: new Uint8Array(0) } as const),
  root: new TextEncoder().encode(JSON.stringify({ id })),
});

test('shows that a tail over plain sequence numbers skips late commits', async () => {
  const [early, late, tail] = [await connect('trap'), await connect('trap'), await connect('trap')];
  await tail.query('create table change (number serial primary key, id text)');
  const seen: string[] = [];
  let last = 0;
  const follow = async () => {
    const { rows } = await tail.query('select * from change where number > $1 order by 1', [last]);
    for (const row of rows) {
      seen.push(row.id);
      last = row.number;
    }
  };
  await early.query('begin');
  await early.query("insert into change (id) values ('first')");
  await late.query("insert into change (id) values ('second')");
  await follow();
  await early.query('commit');
  await follow();
  assert.deepEqual(seen, ['second']);
});

test('makes sequence numbers visible in order, even if a transaction ends late', async () => {
  const [one, other] = [await open('order'), await open('order')];
  const watcher = await connect('order');
  const [began, release] = [signal(), signal()];
  const early = one.write(async (records) => {
    await records.putDocuments('t', [document('first')]);
    assert.equal(await records.lastSequence(), 1);
    began.give();
    await release.given;
  });
  await began.given;
  const late = other.write((records) => records.putDocuments('t', [document('second')]));
  const waiting = "select 1 from pg_stat_activity where wait_event_type = 'Lock'";
  await until(async () => (await watcher.query(waiting)).rowCount === 1);
  assert.deepEqual(await one.read.changesAfter(0, 10), []);
  release.give();
  await Promise.all([early, late]);
  const changes = await other.read.changesAfter(0, 10);
  assert.deepEqual(
    changes.map(({ sequence, id }) => [sequence, id]),
    [
      [1, 'first'],
      [2, 'second'],
    ],
  );
});

test('returns every change of three nodes in order to a tail', async () => {
  const nodes = [await open('tail'), await open('tail'), await open('tail')];
  const reader = await open('tail');
  const work = nodes.map(async (node, n) => {
    for (let i = 0; i < 30; i++) {
      await node.write(async (records) => {
        await records.putDocuments('t', [document(`${n}-${i}-a`)]);
        if (i % 3 === n) await new Promise((resolve) => setTimeout(resolve, 1));
        await records.putDocuments('t', [document(`${n}-${i}-b`)]);
      });
    }
  });
  const seen: number[] = [];
  await Promise.all([
    ...work,
    until(async () => {
      for (const { sequence } of await reader.read.changesAfter(seen.at(-1) ?? 0, 7)) {
        seen.push(sequence);
      }
      return seen.length === 180;
    }),
  ]);
  assert.deepEqual(
    seen,
    Array.from({ length: 180 }, (_, i) => i + 1),
  );
});

test('serializes fifty concurrent patches on two nodes', async () => {
  const setting = await testTenant(open('patches'));
  const nodes = [setting.store, await open('patches')].map((store) => new AuthUsers(store));
  const ada = await addUser(setting, 'ada', []);
  const root = callerOf(setting.tenant, setting.admin);
  const levels = ['HELPDESK', 'ROLE_ADMIN', 'CERT_ADMIN', 'REPORT_ADMIN', 'SOURCE_ADMIN'];
  const outcomes = await Promise.allSettled(
    Array.from({ length: 50 }, (_, n) => {
      const add = { op: 'add', path: '/capabilities/-', value: levels[n % 5] };
      const removed = { op: 'remove', path: '/capabilities/0' };
      const patch = n % 3 === 2 ? removed : add;
      return (nodes[n % 2] as AuthUsers).patch(root, ada.id, [patch], undefined);
    }),
  );
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') assert.equal(outcome.reason.code, 'illegal_value');
  }
  // Each change has its state before and after; together they form one chain.
  let state: unknown = [];
  const events = (await auditTrail(setting)).filter(
    ({ technicalName }) => technicalName === 'AUTH_USER_MODIFY_PASSED',
  );
  for (const event of events) {
    const { capabilitiesBefore, capabilitiesAfter } = event['attributes'] as Record<
      string,
      unknown
    >;
    assert.deepEqual(list(capabilitiesBefore), state);
    state = list(capabilitiesAfter);
  }
  assert.ok(events.length >= 5);
  const after = await setting.store.read.authUser(setting.tenant.id, ada.id);
  assert.deepEqual(after?.capabilities, state);
});

/** Attributes of events contain lists, or lists as text. */
const list = (value: unknown) => (typeof value === 'string' ? JSON.parse(value) : value);

test('refuses one of two nodes that remove the last two administrators at once', async () => {
  const setting = await testTenant(open('admins'));
  const nodes = [setting.store, await open('admins')].map((store) => new AuthUsers(store));
  for (let round = 0; round < 10; round++) {
    const pair = [];
    for (const name of ['one', 'other']) {
      pair.push(await addUser(setting, `${name}${round}`, ['ORG_ADMIN']));
    }
    const resigned = { ...setting.admin, capabilities: [] };
    await setting.store.write((records) => records.putAuthUsers(setting.tenant.id, [resigned]));
    const outcomes = await Promise.allSettled(
      pair.map((user, n) => {
        const patch = [{ op: 'replace', path: '/capabilities', value: [] }];
        const caller = callerOf(setting.tenant, user);
        return (nodes[n] as AuthUsers).patch(caller, user.id, patch, undefined);
      }),
    );
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    const left = await setting.store.read.countHolders(setting.tenant.id, 'ORG_ADMIN', '');
    assert.equal(left, 1);
    // The next round starts with its own two administrators only.
    const nobody = pair.map((user) => ({ ...user, capabilities: [] }));
    await setting.store.write((records) => records.putAuthUsers(setting.tenant.id, nobody));
  }
});
