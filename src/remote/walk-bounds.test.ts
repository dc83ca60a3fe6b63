// When a walk through a remote list is ended, and when it is not.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DoubtfulWalk, WalkBounds } from './walk-bounds.ts';

/** Passes documents page by page until the walk is ended. @returns how many, and the counts */
async function passed(
  announced: number | null,
  count: (passed: number) => number | null,
  most: number,
  page = 250,
) {
  let [done, counts] = [0, 0];
  const bounds = new WalkBounds('identities', announced, async () => {
    counts += 1;
    return count(done);
  });
  try {
    while (done < most) {
      done += page;
      await bounds.checkCount(done);
    }
    return { done, counts, error: null };
  } catch (error) {
    assert.ok(error instanceof DoubtfulWalk);
    assert.equal(error.passed, done);
    return { done, counts, error: error.message };
  }
}

describe('a walk through more documents than announced', () => {
  test('ends if a count confirms what was announced', async () => {
    const { done, counts, error } = await passed(300, () => 300, 3_000_000);
    assert.deepEqual([done, counts], [10_750, 1]);
    assert.equal(
      error,
      'identities: the remote tenant counts 300 documents, but has listed 10750 and goes on. The list is not complete: check the address and what answers there.',
    );
  });

  test('goes on in a tenant that grows, although it grows while it is read', async () => {
    const grown = (done: number) => Math.min(500_000, done + 1_000);
    assert.deepEqual(await passed(0, grown, 500_000), { done: 500_000, counts: 5, error: null });
    assert.equal((await passed(100_000, () => 220_000, 220_000)).error, null);
  });

  test('ends in a tenant whose count follows the walk for ever', async () => {
    const { done, counts, error } = await passed(300, (sofar) => sofar, 1e9, 10_000);
    assert.deepEqual([counts, done < 50_000_000], [11, true]);
    assert.match(error ?? '', /but has listed \d+ and goes on/);
  });

  test('ends after a million in a tenant that counts nothing', async () => {
    const { done, error } = await passed(null, () => null, 3_000_000);
    assert.equal(done, 1_000_250);
    assert.match(error ?? '', /counts no documents, but has listed 1000250/);
    assert.equal((await passed(null, () => null, 1_000_000)).error, null);
  });

  test('is not ended by a count that fails, but by its error', async () => {
    const bounds = new WalkBounds('roles', 0, () => Promise.reject(new Error('away')));
    await bounds.checkCount(10_000);
    await assert.rejects(bounds.checkCount(10_001), /away/);
  });
});

const PAGES: readonly (readonly [
  name: string,
  after: string | null,
  ids: string[],
  ok: boolean,
])[] = [
  ['after the one before', 'b', ['c', 'd'], true],
  ['in another order, but all after it', 'b', ['d', 'c'], true],
  ['at the beginning', null, ['a'], true],
  ['by their bytes', '\uffff', ['\u{10000}'], true],
  ['that repeats the last document', 'b', ['b', 'c'], false],
  ['from before', 'b', ['c', 'a'], false],
];
for (const [name, after, ids, ok] of PAGES) {
  test(`a page of ids ${name} ${ok ? 'is' : 'is not'} what comes next`, async () => {
    const bounds = new WalkBounds('roles', 10, async () => 10);
    const check = bounds.checkPage(after, ids, 2);
    if (ok) await check;
    else await assert.rejects(check, /roles: expected ids after b, but/);
  });
}
