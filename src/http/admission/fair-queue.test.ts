import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { FairQueue } from './fair-queue.ts';
import type { Party } from './shares.ts';

interface Item {
  readonly party: Party;
  readonly name: string;
}

const item = (group: string, member: string, name = ''): Item => ({
  party: { group, member, anonymous: false },
  name,
});
const all = () => true;

function queueOf(items: readonly Item[], weights: Readonly<Record<string, number>> = {}) {
  const queue = new FairQueue<Item>((group) => weights[group] ?? 1);
  for (const one of items) queue.add(one);
  return queue;
}

/** Serves `count` items that run `milliseconds` each. @returns their groups */
function serve(queue: FairQueue<Item>, count: number, milliseconds: (group: string) => number) {
  const served: string[] = [];
  while (served.length < count) {
    const next = queue.next(all);
    assert.ok(next !== null);
    served.push(next.party.group);
    queue.charge(next.party.group, milliseconds(next.party.group));
  }
  return served;
}

const times = (count: number, group: string, member = '') =>
  Array.from({ length: count }, () => item(group, member));
const countOf = (served: readonly string[], group: string) =>
  served.filter((name) => name === group).length;

describe('a fair queue', () => {
  test('alternates between a tenant and another that queued a hundred requests before', () => {
    const queue = queueOf([...times(100, 'greedy'), ...times(10, 'modest')]);
    const served = serve(queue, 20, () => 5);
    assert.equal(countOf(served, 'modest'), 10);
  });

  test('divides time, not requests: long requests run less often', () => {
    const queue = queueOf([...times(100, 'heavy'), ...times(100, 'light')]);
    const served = serve(queue, 44, (group) => (group === 'heavy' ? 100 : 10));
    assert.deepEqual([countOf(served, 'heavy'), countOf(served, 'light')], [4, 40]);
  });

  test('gives a tenant of weight 3 three times the time', () => {
    const queue = queueOf([...times(100, 'large'), ...times(100, 'small')], { large: 3 });
    const served = serve(queue, 40, () => 10);
    assert.deepEqual([countOf(served, 'large'), countOf(served, 'small')], [30, 10]);
  });

  test('alternates between the callers of a tenant', () => {
    const queue = queueOf([
      ...[item('a', 'x', 'x1'), item('a', 'x', 'x2'), item('a', 'x', 'x3')],
      item('a', 'y', 'y1'),
    ]);
    const names = Array.from({ length: 4 }, () => queue.next(all)?.name);
    assert.deepEqual(names, ['x1', 'y1', 'x2', 'x3']);
  });

  test('gives no credit for time in which a tenant had no requests', () => {
    const queue = queueOf([...times(50, 'busy')]);
    serve(queue, 40, () => 10);
    for (const one of times(20, 'returning')) queue.add(one);
    const served = serve(queue, 10, () => 10);
    assert.ok(countOf(served, 'busy') >= 4, served.join(' '));
  });

  test('does not charge a tenant for time in which no request waited', () => {
    const queue = queueOf([]);
    queue.charge('early', 1_000_000);
    for (const one of [...times(5, 'late'), ...times(5, 'early')]) queue.add(one);
    assert.equal(
      countOf(
        serve(queue, 6, () => 10),
        'early',
      ),
      3,
    );
  });

  test('skips a tenant that must not run, and serves it later', () => {
    const queue = queueOf([item('a', 'x', 'first'), item('b', 'x', 'second')]);
    assert.equal(queue.next(({ group }) => group !== 'a')?.name, 'second');
    assert.equal(
      queue.next(() => false),
      null,
    );
    assert.equal(queue.next(all)?.name, 'first');
    assert.equal(queue.length, 0);
  });

  test('removes an item that no longer waits', () => {
    const gone = item('a', 'x', 'gone');
    const queue = queueOf([gone, item('a', 'x', 'stays')]);
    queue.remove(gone);
    queue.remove(gone);
    assert.equal(queue.length, 1);
    assert.equal(queue.next(all)?.name, 'stays');
    assert.equal(queue.isWaiting('a'), false);
  });
});

test('a waiting tenant gets its share of the time, whatever others send', () => {
  const costs = fc.record({
    victim: fc.integer({ min: 1, max: 50 }),
    others: fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 5 }),
    burst: fc.integer({ min: 1, max: 200 }),
  });
  fc.assert(
    fc.property(costs, ({ victim, others, burst }) => {
      const queue = queueOf(others.flatMap((_, at) => times(burst, `other${at}`)));
      for (const one of times(200, 'victim')) queue.add(one);
      const costOf = (group: string) =>
        group === 'victim' ? victim : (others[Number(group.slice(5))] ?? 0);
      const served = new Map<string, number>();
      for (let n = 0; n < 100; n++) {
        const next = queue.next(all);
        assert.ok(next !== null);
        const { group } = next.party;
        queue.charge(group, costOf(group));
        served.set(group, (served.get(group) ?? 0) + costOf(group));
        // Each group sends a new request for each that is served.
        queue.add(item(group, ''));
        for (const time of served.values()) {
          // The victim is behind by at most one request of each of the two.
          assert.ok((served.get('victim') ?? 0) >= time - costOf(group) - victim - 50);
        }
      }
    }),
  );
});
