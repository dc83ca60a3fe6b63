// suite: slow, alone
// Threads that die while clients search and write: nothing acknowledged is lost, the others go on, and a
// new thread takes the place.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { type ThreadOrder, type ThreadWorld, threadWorld } from './thread-world.ts';

const NDJSON = { 'content-type': 'application/x-ndjson' };
const CLIENTS = 50;

interface Outcome {
  /** Ids of documents that were acknowledged. */
  readonly written: string[];
  /** Statuses other than success. */
  readonly statuses: number[];
  /** Connections that broke. */
  broken: number;
}

/** Clients that write and search until `signal` aborts; `outcome` grows meanwhile. */
async function load(world: ThreadWorld, signal: AbortSignal, outcome: Outcome): Promise<void> {
  const client = async (number: number) => {
    for (let n = 0; !signal.aborted; n++) {
      const id = `c${number}n${n}`;
      const document = JSON.stringify({ _type: 'role', id, name: id });
      const query = JSON.stringify({ indices: ['roles'], query: { query: `id:c${number}*` } });
      try {
        const put = await world.call('POST', '/admin/v1/documents', document, NDJSON);
        if (put.status === 200) outcome.written.push(id);
        else outcome.statuses.push(put.status);
        const found = await world.call('POST', '/v3/search', query);
        if (found.status !== 200) outcome.statuses.push(found.status);
      } catch {
        outcome.broken += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
}

async function idsIn(world: ThreadWorld): Promise<Set<string>> {
  const last = await world.cardea.store.read.lastSequence();
  await world.cardea.indexer.waitFor(last, 180_000);
  const ids = new Set<string>();
  for (let after: string[] | undefined; ; ) {
    const body = JSON.stringify({
      ...{ indices: ['roles'], query: { query: '*' }, sort: ['id'] },
      ...(after && { searchAfter: after }),
    });
    const { text } = await world.call('POST', '/v3/search?limit=250', body);
    const page = JSON.parse(text) as { id: string }[];
    for (const { id } of page) ids.add(id);
    const final = page.at(-1);
    if (final === undefined) return ids;
    after = [final.id];
  }
}

for (const order of ['exit', 'throw'] as const satisfies readonly ThreadOrder[]) {
  test(`a thread that dies (${order}) takes only its own connections, and comes back`, async (t) => {
    const world = await threadWorld(3);
    t.after(() => world.stop());
    const ending = new AbortController();
    t.after(() => ending.abort());
    const outcome: Outcome = { written: [], statuses: [], broken: 0 };
    const loading = load(world, ending.signal, outcome);
    await eventually(async () => assert.ok(((await world.requests()).get(2) ?? 0) > 20));
    world.order(2, order);
    await eventually(() => assert.ok(world.log.some((line) => line.includes('has died'))));
    const ready = await world.call('GET', '/ready');
    assert.equal(ready.status, 200, ready.text);
    assert.match(ready.text, /1 thread has died in the last minute/, world.log.join('\n'));
    // Its number starts again from nothing, and answers.
    await eventually(async () => assert.ok(((await world.requests()).get(2) ?? 0) > 20));
    await eventually(() => assert.ok(outcome.written.length > 100));
    ending.abort();
    await loading;
    const { written, statuses, broken } = outcome;
    assert.deepEqual(statuses, [], 'no request of another thread failed');
    assert.ok(broken <= CLIENTS, `${broken} connections broke`);
    const ids = await idsIn(world);
    assert.deepEqual(
      written.filter((id) => !ids.has(id)),
      [],
      'nothing acknowledged is lost',
    );
    const text = (await world.call('GET', '/metrics')).text;
    assert.match(text, /^cardea_thread_deaths_total 1$/m);
  });
}

test('three deaths within a minute end the service, which says so', async (t) => {
  const world = await threadWorld(2);
  t.after(() => world.stop());
  for (let n = 1; n <= 3; n++) {
    await world.cardea.threads.untilServing();
    world.order(2, 'exit');
    await eventually(() =>
      assert.equal(world.log.filter((line) => line.includes('has died')).length, n),
    );
  }
  const { message } = await world.cardea.failed;
  assert.match(message, /3 threads have died within a minute/);
});

test('a thread that hangs is named, and new connections go to the others', async (t) => {
  const world = await threadWorld(3);
  t.after(() => world.stop());
  world.order(3, 'hang');
  await eventually(() =>
    assert.ok(world.log.some((line) => line.includes('has not run for 10 s'))),
  );
  const answers = await Promise.all(Array.from({ length: 30 }, () => world.call('GET', '/ready')));
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
});

test('a thread that hangs for long ends the service, which says so', async (t) => {
  const world = await threadWorld(2);
  t.after(() => world.stop());
  world.order(2, 'hang for long');
  const { message } = await world.cardea.failed;
  assert.match(message, /^Thread 2 has not run for 30 s, and others wait for what it holds/);
});

test('a stop lets the requests of all threads end', async () => {
  const world = await threadWorld(3);
  const ending = new AbortController();
  const outcome: Outcome = { written: [], statuses: [], broken: 0 };
  const loading = load(world, ending.signal, outcome);
  await eventually(async () => assert.ok(((await world.requests()).get(3) ?? 0) > 20));
  const stopped = world.stop();
  setTimeout(() => ending.abort(), 500);
  await loading;
  await stopped;
  assert.deepEqual(
    outcome.statuses.filter((status) => status !== 503),
    [],
  );
});
