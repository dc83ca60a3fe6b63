// suite: slow
// Three nodes write to one PostgreSQL at random, against a model: writes wait, throw, fail in a
// statement, or lose their connection. Each that is kept counts one
// up on a user and records the count as an event. A tail of the change sequence must then see the
// counts of every user as 1, 2, 3, …, which proves that it skips and repeats nothing, that it sees the
// changes of a record in the order of their commits, and that no write has read an old count.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import type { Store, WritableRecords } from '../../src/service/ports/store.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { seededRandom } from '../../src/testing/seeded-random.ts';
import { startPostgres } from '../support/postgres.ts';

const TENANT = 't';
const USERS = ['ada', 'bob', 'eve'];
const NODES = 3;
const BURSTS = 8;
const WRITES_OF_BURST = 8;
const KILLS = 6;
const SEEDS = [1, 2, 3];

const postgres = await startPostgres({ fsync: 'on' });
const closers: (() => Promise<unknown>)[] = [() => postgres.stop()];
after(async () => {
  for (const close of closers.reverse()) await close();
});

for (const seed of SEEDS) {
  test(`lets a tail see each change of every record once and in order (seed ${seed})`, async () => {
    const name = `order${seed}`;
    const url = await postgres.migrated(name);
    const open = async (): Promise<Store> => {
      const times = { waitMs: 60_000, statementMs: 60_000 };
      const store = await openPostgresStore({ url, poolSize: 2, ...times });
      closers.push(() => store.close());
      return store;
    };
    const nodes = await Promise.all(Array.from({ length: NODES }, open));
    const users = USERS.map((id) => ({
      id,
      uid: id,
      name: id,
      enabled: true,
      capabilities: ['0'],
    }));
    await nodes[0]?.write((records) => records.putAuthUsers(TENANT, users as never));
    const tail = follow(await open());
    const random = seededRandom(seed);
    const acknowledged: string[] = [];
    let running = true;
    const writing = nodes.map((node, at) =>
      writeBursts(node, seededRandom(seed * 100 + at), `${at}`, acknowledged),
    );
    const killing = killConnections(name, random, () => running);
    await Promise.all(writing);
    running = false;
    await killing;
    const seen = await tail.end();
    for (const user of USERS) {
      const counts = seen.filter((one) => one.startsWith(`${user} `)).map(countOf);
      assert.deepEqual(
        counts,
        counts.map((_, at) => at + 1),
        user,
      );
      const stored = await nodes[0]?.read.authUser(TENANT, user);
      assert.deepEqual(stored?.capabilities, [String(counts.length)]);
    }
    for (const one of acknowledged) assert.ok(seen.includes(one), `${one} was skipped`);
    assert.ok(acknowledged.length > (NODES * BURSTS * WRITES_OF_BURST) / 4);
    assert.equal(new Set(acknowledged).size, acknowledged.length);
  });
}

const countOf = (change: string): number => Number(change.split(' ')[1]);

/** Counts up at random; adds what was acknowledged as `user count`. */
async function writeBursts(
  node: Store,
  random: () => number,
  name: string,
  acknowledged: string[],
): Promise<void> {
  for (let burst = 0; burst < BURSTS; burst++) {
    const writes = Array.from({ length: WRITES_OF_BURST }, async (_, at) => {
      const user = USERS[Math.floor(random() * USERS.length)] as string;
      const [fate, waits] = [random(), random() < 0.3 ? random() * 6 : 0];
      const work = async (records: WritableRecords): Promise<string> => {
        const before = (await records.authUser(TENANT, user))?.capabilities ?? [];
        if (waits > 0) await pause(waits);
        const count = String(Number(before[0]) + 1);
        await records.setCapabilities(TENANT, user, [count], before);
        // Events with the same id violate a constraint.
        await append(records, fate > 0.85 ? 'twice' : `${name}-${burst}-${at}`, `${user} ${count}`);
        if (fate < 0.15) throw new Error('planned');
        return `${user} ${count}`;
      };
      await node.write(work).then(
        (change) => acknowledged.push(change),
        (error) => assert.match(String(error), /planned|unique|unavailable|database/),
      );
    });
    await Promise.all(writes);
  }
}

async function append(records: WritableRecords, id: string, change: string): Promise<void> {
  const root = new TextEncoder().encode(JSON.stringify({ id, change }));
  await records.appendAuditEvents(TENANT, [
    { index: 'events', id, root, nested: new Uint8Array(0) },
  ]);
}

/** Ends connections in mid-transaction. */
async function killConnections(
  database: string,
  random: () => number,
  isRunning: () => boolean,
): Promise<void> {
  const client = new Client({ connectionString: await postgres.database(database) });
  await client.connect();
  for (let kills = 0; kills < KILLS && isRunning(); ) {
    await pause(random() * 20);
    const { rowCount } = await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = $1
        and application_name = 'cardea' and state <> 'idle' and pid <> pg_backend_pid()
        order by hashtext(pid::text || $2) limit 1`,
      [database, String(random())],
    );
    kills += rowCount ?? 0;
  }
  await client.end();
}

/** Reads the change sequence until `end`: the changes of users, in the order of the sequence. */
function follow({ read }: Store): { end(): Promise<readonly string[]> } {
  const seen: string[] = [];
  let last = 0;
  const readOn = async (): Promise<number> => {
    const changes = await read.changesAfter(last, 5).catch((error) => {
      assert.equal(error.code, 'unavailable', String(error));
      return null;
    });
    for (const { sequence, index, document } of changes ?? []) {
      assert.ok(sequence > last, `${sequence} came after ${last}`);
      last = sequence;
      if (index !== 'events' || document === null) continue;
      seen.push((JSON.parse(Buffer.from(document.root).toString()) as { change: string }).change);
    }
    return changes === null ? 1 : changes.length;
  };
  let ended = false;
  const reading = (async () => {
    while (!ended) {
      await readOn();
      await pause(1);
    }
  })();
  return {
    async end() {
      ended = true;
      await reading;
      while ((await readOn()) > 0) {}
      return seen;
    },
  };
}
