// Writes that share transactions, against a model: two handles of one database write at once, each
// for a tenant of its own. Work succeeds, throws, is undone, or fails in a statement whose answer it
// does not wait for; a reader follows the change sequence meanwhile.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { CHAIN_START, chainHash } from '../../src/service/ports/audit-chain.ts';
import type { Store, WritableRecords } from '../../src/service/ports/store.ts';
import { seededRandom } from '../../src/testing/seeded-random.ts';
import { ACME, document, encoder, type OpenStore, OTHER } from './store-records.ts';

const WRITES = 80;
const ROUNDS = 3;
const IDS = ['a', 'b', 'c', 'd', 'e'];

/** What a tenant holds. */
interface Model {
  readonly documents: Map<string, string>;
  readonly events: string[];
}

type Step = (records: WritableRecords, model: Model) => Promise<void>;

/** Registers the tests. */
export function groups(open: OpenStore): void {
  describe('writes that share a transaction', () => {
    for (let seed = 1; seed <= ROUNDS; seed++) {
      test(`have the results of a serial order, and are undone alone (seed ${seed})`, async () => {
        const name = `groups_${seed}`;
        const [one, other] = [await open(name), await open(name)];
        await one.write(async (records) => {
          await records.addTenant(ACME);
          await records.addTenant(OTHER);
        });
        const tail = follow(other);
        const models = await Promise.all([
          writeAll(one, ACME.id, seededRandom(seed)),
          writeAll(other, OTHER.id, seededRandom(seed + 100)),
        ]);
        const seen = await tail.end();
        await check(one, ACME.id, models[0], seen);
        await check(one, OTHER.id, models[1], seen);
        await one.close();
        await other.close();
      });
    }

    test('leave a mark of each change that stays, and is another one for each process', async () => {
      const opened = [await open('groups_marks'), await open('groups_marks')] as const;
      const [one] = opened;
      const marks = new Map<number, string | null>();
      const remember = async () => {
        const last = await one.read.lastSequence();
        marks.set(last, (await one.read.storeHistory(last)).mark);
      };
      await remember();
      for (const store of [...opened, ...opened]) {
        const writes = Array.from({ length: 6 }, (_, at) =>
          store.write(async (records) => {
            await records.putDocuments(ACME.id, [document(`m${at}`, `${marks.size}`)]);
            // The counter is read, so what was taken is written before this write is undone.
            if (at < 2) await records.lastSequence();
            if (at < 2) throw new Error('undone');
          }),
        );
        await Promise.allSettled(writes);
        await remember();
      }
      for (const [sequence, mark] of marks) {
        assert.equal((await one.read.storeHistory(sequence)).mark, mark, `of ${sequence}`);
      }
      const [none, first, second, ...later] = marks.values();
      assert.equal(none, null);
      assert.notEqual(first, second);
      assert.deepEqual(later, [second, second], 'each process is recorded once');
      for (const store of opened) await store.close();
    });

    test('see what earlier writes of the transaction have changed', async () => {
      const store = await open('groups_seen');
      const all = Array.from({ length: 10 }, (_, at) =>
        store.write(async (records) => {
          await appendEvent(records, ACME.id, `e${at}`);
          await records.putDocuments(ACME.id, [document(`d${at}`, '1')]);
          const head = await records.auditHead(ACME.id);
          const counts = await records.documentCounts(ACME.id);
          const changes = await records.changesAfter(0, 100);
          return [head?.number, counts.events, counts.identities, changes.length].map(Number);
        }),
      );
      for (const [at, numbers] of (await Promise.all(all)).entries()) {
        assert.deepEqual(numbers, [at + 1, at + 1, at + 1, 2 * at + 2]);
      }
      assert.equal(await store.read.lastSequence(), 20);
      await store.close();
    });
  });
}

/** Sends all writes at once. Returns the model of those that were acknowledged. */
async function writeAll(store: Store, tenant: string, random: () => number): Promise<Model> {
  const model: Model = { documents: new Map(), events: [] };
  const applied: (readonly [write: number, steps: readonly Step[]])[] = [];
  const writes = Array.from({ length: WRITES }, async (_, write) => {
    const steps = Array.from({ length: 1 + Math.floor(random() * 3) }, (_step, at) =>
      stepOf(random, tenant, `${write}-${at}`),
    );
    const outcome = random();
    if (outcome < 0.2) steps.push(fail);
    // The events with this id after the first one violate a constraint.
    if (outcome > 0.8) steps.push(event(tenant, 'twice'));
    await store
      .write(async (records) => {
        // A model of its own: what the work has done may be undone.
        const draft = { documents: new Map<string, string>(), events: [] };
        for (const step of steps) await step(records, draft);
      })
      .then(
        () => applied.push([write, steps]),
        (error) => assert.match(String(error), /planned|neither changed|unique|before this one/),
      );
  });
  await Promise.all(writes);
  applied.sort(([before], [after]) => before - after);
  for (const [, steps] of applied) for (const step of steps) await step(NO_RECORDS, model);
  assert.ok(applied.length > WRITES / 4, `${applied.length} writes succeeded`);
  return model;
}

/** Accepts every change, to repeat the steps on the model alone. */
const NO_RECORDS = {
  async putDocuments() {},
  async deleteDocument() {},
  async appendAuditEvents() {},
  async documentCounts() {},
  async lastSequence() {},
} as unknown as WritableRecords;

function stepOf(random: () => number, tenant: string, name: string): Step {
  const kind = random();
  const id = IDS[Math.floor(random() * IDS.length)] as string;
  if (kind < 0.35) return event(tenant, `e${name}`);
  if (kind < 0.6) {
    return async (records, { documents }) => {
      await records.putDocuments(tenant, [document(id, name)]);
      documents.set(id, name);
    };
  }
  if (kind < 0.75) {
    return async (records, { documents }) => {
      await records.deleteDocument(tenant, 'identities', id);
      documents.delete(id);
    };
  }
  if (kind < 0.85) return async (records) => void (await records.documentCounts(tenant));
  if (kind < 0.95) return async (records) => void (await records.lastSequence());
  return async () => turn();
}

function event(tenant: string, id: string): Step {
  return async (records, { events }) => {
    await appendEvent(records, tenant, id);
    events.push(id);
  };
}

const fail: Step = async () => {
  throw new Error('planned');
};

async function appendEvent(records: WritableRecords, tenant: string, id: string): Promise<void> {
  const root = encoder.encode(JSON.stringify({ id }));
  await records.appendAuditEvents(tenant, [
    { index: 'events', id, root, nested: new Uint8Array(0) },
  ]);
}

/** Reads the change sequence until `end`: by tenant and index, the ids of the documents. */
function follow(store: Store): { end(): Promise<ReadonlyMap<string, ReadonlySet<string>>> } {
  const ids = new Map<string, Set<string>>();
  let last = 0;
  const readOn = async (): Promise<number> => {
    const changes = await store.read.changesAfter(last, 7);
    for (const { tenantId, index, id, document: content, sequence } of changes) {
      assert.ok(sequence > last, `${sequence} came after ${last}`);
      last = sequence;
      const key = `${tenantId} ${index}`;
      const held = ids.get(key) ?? new Set<string>();
      ids.set(key, held);
      if (content === null) held.delete(id);
      else held.add(id);
    }
    return changes.length;
  };
  let ended = false;
  const reading = (async () => {
    while (!ended) {
      await readOn();
      await turn();
    }
  })();
  return {
    async end() {
      ended = true;
      await reading;
      while ((await readOn()) > 0) {}
      assert.equal(last, await store.read.lastSequence());
      return ids;
    },
  };
}

/** Compares a tenant with its model, and with what the reader of the change sequence has seen. */
async function check(
  { read }: Store,
  tenant: string,
  { documents, events }: Model,
  seen: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<void> {
  const expected = [...documents.keys()].sort();
  const stored = await read.documentPage(tenant, 'identities', '', 100);
  assert.deepEqual(
    stored.map(({ id, root }) => [id, Buffer.from(root).toString()]),
    expected.map((id) => [
      id,
      Buffer.from(document(id, documents.get(id) as string).root).toString(),
    ]),
  );
  const counts = await read.documentCounts(tenant);
  assert.deepEqual([counts.identities, counts.events], [expected.length, events.length]);
  assert.deepEqual([...(seen.get(`${tenant} identities`) ?? [])].sort(), expected);
  assert.deepEqual([...(seen.get(`${tenant} events`) ?? [])].sort(), [...events].sort());
  const chain = await read.auditChain(tenant, 0, 1_000);
  assert.deepEqual(
    chain.map(({ id }) => id),
    events,
  );
  for (const [at, link] of chain.entries()) {
    assert.equal(link.number, at + 1);
    assert.equal(link.previousHash, chain[at - 1]?.hash ?? CHAIN_START);
    assert.equal(link.hash, chainHash(link));
  }
  assert.equal((await read.auditHead(tenant))?.hash, chain.at(-1)?.hash);
}
