import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { WritableRecords } from '../../service/ports/store.ts';
import { ProcessWrites } from './process-writes.ts';
import { type GroupTransaction, WriteQueue } from './write-queue.ts';

const RECORDS = {} as WritableRecords;
const CLOSED = { name: 'ServiceError', code: 'unavailable', message: /closed/ };

/** Transactions that note what happens to them, and fail on demand. */
class Transactions {
  readonly log: string[] = [];
  /** Errors of the next begins and commits; null: it succeeds. */
  readonly begins: (Error | null)[] = [];
  readonly commits: (Error | null)[] = [];
  /** The error that voids the current transaction with the next failed write. */
  voids: Error | null = null;

  begin = async (): Promise<GroupTransaction> => {
    await turn();
    const fault = this.begins.shift();
    if (fault) throw fault;
    this.log.push('begin');
    const transactions = this;
    return {
      failure: null as unknown,
      async write(work) {
        try {
          return await work(RECORDS);
        } catch (error) {
          (this as { failure: unknown }).failure = transactions.voids;
          transactions.log.push('undo');
          throw error;
        }
      },
      async commit() {
        await turn();
        const failed = transactions.commits.shift();
        if (failed) throw failed;
        transactions.log.push('commit');
      },
      async rollBack() {
        transactions.log.push('roll back');
      },
    };
  };

  /** Work that notes its name. */
  work = (name: string) => async (): Promise<string> => {
    await turn();
    this.log.push(name);
    return name;
  };
}

/** No test depends on how fast it runs. */
const PATIENT = { waitMs: 60_000, joinMs: 60_000 };

function queue(waitMs = PATIENT.waitMs) {
  const transactions = new Transactions();
  const counted = new ProcessWrites();
  const options = { ...PATIENT, waitMs, writes: counted };
  return { transactions, counted, writes: new WriteQueue(transactions.begin, options) };
}

const message = (outcome: PromiseSettledResult<unknown> | undefined): unknown =>
  outcome?.status === 'rejected' ? (outcome.reason as Error).message : outcome?.value;

test('a single write has a transaction of its own, and resolves after its commit', async () => {
  const { transactions, counted, writes } = queue();
  const done = writes.run(transactions.work('a')).then((name) => transactions.log.push(`${name}!`));
  await done;
  assert.deepEqual(transactions.log, ['begin', 'a', 'commit', 'a!']);
  assert.equal(counted.ended, 1);
});

test('writes that wait join the transaction in order, and resolve after its commit', async () => {
  const { transactions, counted, writes } = queue();
  const counts: number[] = [];
  const end = counted.onEnded(() => counts.push(counted.ended));
  const names = ['a', 'b', 'c'];
  const all = await Promise.all(names.map((name) => writes.run(transactions.work(name))));
  assert.deepEqual(all, names);
  assert.deepEqual(transactions.log, ['begin', 'a', 'b', 'c', 'commit']);
  assert.deepEqual(counts, [3]);
  end();
  await writes.run(transactions.work('d'));
  assert.deepEqual(counts, [3]);
});

test('a transaction takes at most 64 writes', async () => {
  const { transactions, writes } = queue();
  const all = Array.from({ length: 130 }, (_, i) => writes.run(async () => i));
  assert.deepEqual(await Promise.all(all), [...all.keys()]);
  const commits = transactions.log.filter((entry) => entry === 'commit').length;
  assert.ok(commits >= 3, `${commits} commits`);
});

test('a write that fails is undone, and the others of its transaction are kept', async () => {
  const { transactions, counted, writes } = queue();
  const outcomes = await Promise.allSettled([
    writes.run(transactions.work('a')),
    writes.run(() => Promise.reject(new Error('no'))),
    writes.run(transactions.work('c')),
  ]);
  assert.deepEqual(outcomes.map(message), ['a', 'no', 'c']);
  assert.deepEqual(transactions.log, ['begin', 'a', 'undo', 'c', 'commit']);
  assert.equal(counted.ended, 3);
});

test('a transaction in which every write failed is rolled back', async () => {
  const { transactions, writes } = queue();
  await assert.rejects(
    writes.run(() => Promise.reject(new Error('no'))),
    /no/,
  );
  await writes.close();
  assert.deepEqual(transactions.log, ['begin', 'undo', 'roll back']);
});

test('if an error voids the transaction, its earlier writes fail with it, later ones run', async () => {
  const { transactions, writes } = queue();
  transactions.voids = new Error('the connection broke');
  const outcomes = await Promise.allSettled([
    writes.run(transactions.work('a')),
    writes.run(() => {
      return Promise.reject(new Error('no'));
    }),
    writes.run(async () => {
      transactions.voids = null;
      return 'c';
    }),
  ]);
  assert.deepEqual(outcomes.map(message), ['the connection broke', 'no', 'c']);
  assert.deepEqual(transactions.log, ['begin', 'a', 'undo', 'roll back', 'begin', 'commit']);
});

test('if the commit fails, every write of the transaction does', async () => {
  const { transactions, writes } = queue();
  transactions.commits.push(new Error('the disk is full'));
  const outcomes = await Promise.allSettled(
    ['a', 'b'].map((name) => writes.run(transactions.work(name))),
  );
  assert.deepEqual(outcomes.map(message), ['the disk is full', 'the disk is full']);
  assert.equal(await writes.run(transactions.work('c')), 'c');
});

test('if no transaction can begin, only the first write fails, and the next one tries again', async () => {
  const { transactions, writes } = queue();
  transactions.begins.push(new Error('down'));
  const outcomes = await Promise.allSettled(
    ['a', 'b'].map((name) => writes.run(transactions.work(name))),
  );
  assert.deepEqual(outcomes.map(message), ['down', 'b']);
});

test('a write that waited for too long is unavailable, and its work does not run', async () => {
  const { transactions, writes } = queue(200);
  const first = writes.run(async () => {
    const until = performance.now() + 250;
    while (performance.now() < until) await turn();
    return 'a';
  });
  const second = writes.run(transactions.work('b'));
  const refused = { code: 'unavailable', message: /Too many writes wait/ };
  await Promise.all([first, assert.rejects(second, refused)]);
  assert.ok(!transactions.log.includes('b'));
});

test('close lets the current transaction end, and refuses all that wait', async () => {
  const { transactions, writes } = queue();
  const first = writes.run(transactions.work('a'));
  const refused = assert.rejects(writes.run(transactions.work('b')), CLOSED);
  await writes.close();
  assert.equal(await first, 'a');
  await refused;
  await assert.rejects(writes.run(transactions.work('c')), CLOSED);
  await assert.rejects(writes.run(transactions.work('d')), CLOSED);
});

test('a transaction that begins early runs its writes after the one before it has ended', async () => {
  const { transactions } = queue();
  let commit = (): void => {};
  const writes = new WriteQueue(
    async () => {
      const transaction = await transactions.begin();
      return {
        ...transaction,
        async commit() {
          transactions.log.push('committing');
          await new Promise<void>((resolve) => {
            commit = resolve;
          });
          await transaction.commit();
        },
      };
    },
    { ...PATIENT, beginsEarly: true },
  );
  const noted = (name: string) =>
    writes.run(transactions.work(name)).then(() => transactions.log.push(`${name}!`));
  const first = noted('a');
  while (transactions.log.at(-1) !== 'committing') await turn();
  const second = noted('b');
  for (let turns = 0; turns < 10; turns++) await turn();
  assert.deepEqual(transactions.log, ['begin', 'a', 'committing', 'begin']);
  commit();
  await first;
  while (transactions.log.at(-1) !== 'committing') await turn();
  const closed = writes.close();
  commit();
  await Promise.all([second, closed]);
  const rest = ['commit', 'a!', 'b', 'committing', 'commit', 'b!'];
  assert.deepEqual(transactions.log.slice(4), rest);
});
