// Tables in shared memory, opened by several threads as far as they know.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { AmountTable, createAmounts } from './amount-table.ts';
import { createSeed, KeyHash } from './key-hash.ts';
import { createWaitingOrder, WaitingOrder } from './waiting-order.ts';
import { createWindows, WindowTable } from './window-table.ts';

const hash = new KeyHash(createSeed());

/** Adds to a key as the users of a table do. @returns false if the table is full */
function add(table: AmountTable, key: string, amount: number): boolean {
  hash.of(key);
  table.lock();
  try {
    if (!table.makeRoom(1)) return false;
    const row = table.find(hash.low, hash.high);
    table.add(row < 0 ? table.addRow(hash.low, hash.high) : row, amount);
    table.add(table.totalRow, amount);
    return true;
  } finally {
    table.unlock();
  }
}

function held(table: AmountTable, key: string): number {
  hash.of(key);
  return table.held(table.find(hash.low, hash.high));
}

describe('a table of amounts', () => {
  test('holds the amounts of all keys, whatever is added and given back by which thread', () => {
    const step = fc.tuple(fc.nat(2), fc.nat(60), fc.integer({ min: 1, max: 9 }), fc.boolean());
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400 }), fc.option(fc.nat(2)), (steps, ended) => {
        const buffer = createAmounts(32, 3);
        const tables = [0, 1, 2].map((thread) => new AmountTable(buffer, thread, hash));
        const naive = [0, 1, 2].map(() => new Map<string, number>());
        for (const [thread, name, amount, isReturned] of steps) {
          const table = tables[thread];
          const own = naive[thread];
          assert.ok(table !== undefined && own !== undefined);
          const key = `key ${name}`;
          const change = isReturned ? -(own.get(key) ?? 0) : amount;
          if (change === 0 || !add(table, key, change)) continue;
          own.set(key, (own.get(key) ?? 0) + change);
        }
        if (ended !== null) {
          tables[(ended + 1) % 3]?.forgetThread(ended);
          naive[ended]?.clear();
        }
        const sumOf = (key: string) => naive.reduce((sum, own) => sum + (own.get(key) ?? 0), 0);
        for (const table of tables) {
          let total = 0;
          for (let name = 0; name <= 60; name++) {
            const key = `key ${name}`;
            assert.equal(held(table, key), sumOf(key), key);
            total += sumOf(key);
          }
          assert.equal(table.total, total);
        }
      }),
    );
  });

  test('uses the rows again that hold nothing, and refuses more keys than it has rows for', () => {
    const table = AmountTable.ofOneThread(32);
    assert.ok(add(table, 'stays', 7));
    for (let n = 0; n < 1_000; n++) {
      assert.ok(add(table, `passing ${n}`, 1));
      assert.ok(add(table, `passing ${n}`, -1));
    }
    let keys = 1;
    while (add(table, `stays ${keys}`, 1)) keys++;
    assert.ok(keys >= 32, String(keys));
    assert.equal(held(table, 'stays'), 7);
    assert.equal(table.total, 7 + keys - 1);
  });

  test('has room for as many keys again when the thread that held them has ended', () => {
    const buffer = createAmounts(32, 2);
    const [main, other] = [0, 1].map((thread) => new AmountTable(buffer, thread, hash));
    assert.ok(main !== undefined && other !== undefined);
    const fill = (table: AmountTable, name: string) => {
      let keys = 0;
      while (add(table, `${name} ${keys}`, 1)) keys++;
      return keys;
    };
    const keys = fill(other, 'a');
    main.forgetThread(1);
    assert.equal(main.total, 0);
    assert.equal(fill(main, 'b'), keys);
  });
});

describe('the keys of texts', () => {
  const seed = createSeed();
  const keyOf = (by: KeyHash, text: string) => {
    by.of(text);
    return `${by.low} ${by.high}`;
  };

  test('are the same in all threads, also when they are remembered', () => {
    const one = new KeyHash(seed);
    fc.assert(
      fc.property(fc.string({ maxLength: 50, unit: 'binary' }), (text) => {
        const key = keyOf(one, text);
        assert.equal(keyOf(one, text), key);
        assert.equal(keyOf(new KeyHash(seed), text), key);
        assert.notEqual(keyOf(new KeyHash(createSeed()), text), key);
      }),
    );
  });

  test('differ for similar texts, in each half', () => {
    const texts = Array.from({ length: 20_000 }, (_, n) => `10.${n >> 8}.${n & 255}`);
    texts.push('', '\0', '\0\0', '\0\0\0', 'a', 'a\0', 'Ā', 'a'.repeat(300), 'a'.repeat(301));
    const one = new KeyHash(seed);
    const lows = new Set<number>();
    const highs = new Set<number>();
    const slots = new Int32Array(256);
    for (const text of texts) {
      one.of(text);
      lows.add(one.low);
      highs.add(one.high);
      const slot = one.low & 255;
      slots[slot] = (slots[slot] ?? 0) + 1;
    }
    // Of 20,000 random numbers of 32 bits, two are equal with a probability of 5 %; ten never are.
    assert.ok(lows.size > texts.length - 10 && highs.size > texts.length - 10);
    // 78 for each; nine times the standard deviation of 9 is never reached by chance.
    assert.ok(slots.every((count) => count > 0 && count < 160));
  });

  test('of a member differ from those in another group, and from those of groups', () => {
    const one = new KeyHash(seed);
    const keys = new Set<string>();
    for (const group of ['a', 'b', 'c']) {
      for (const member of ['', 'a', 'b', 'c']) {
        one.ofPair(group, member);
        keys.add(`${one.memberLow} ${one.memberHigh}`);
        keys.add(`${one.groupLow} ${one.groupHigh}`);
      }
    }
    assert.equal(keys.size, 3 + 12);
  });
});

describe('a table of windows', () => {
  const windows = { windowMs: 1_000, beginning: (now: number) => now };
  const clock = { ms: 0, now: () => clock.ms };
  const keys = Array.from({ length: 16 }, (_, n) => n + 1);

  test('drops the key with the oldest window when all of its bucket are in use', () => {
    const table = new WindowTable(createWindows(16), 0, clock);
    for (const key of keys) {
      clock.ms = key;
      assert.equal(table.add(key, 1, windows), 1);
    }
    for (const key of keys) assert.equal(table.add(key, 1, windows), 2);
    assert.equal(table.add(17, 1, windows), 1);
    assert.equal(table.read(1, 1, windows), 0);
    assert.equal(table.read(2, 1, windows), 2);
  });

  test('takes a row whose window has ended before one whose window is open', () => {
    const table = new WindowTable(createWindows(16), 0, clock);
    clock.ms = 0;
    table.add(9, 1, windows);
    clock.ms = 500;
    for (const key of keys) table.add(key, 1, windows);
    clock.ms = 1_100;
    table.add(17, 1, windows);
    for (const key of keys) {
      assert.equal(table.read(key, 1, windows), key === 9 ? 0 : 1, String(key));
    }
  });
});

test('the order of waiting requests compares threads, also when its numbers begin anew', () => {
  const buffer = createWaitingOrder(2);
  new Int32Array(buffer)[0] = -3;
  const [a, b] = [0, 1].map((thread) => new WaitingOrder(buffer, thread));
  assert.ok(a !== undefined && b !== undefined);
  assert.deepEqual([a.elsewhere(), b.elsewhere()], ['nothing', 'nothing']);
  const numbers = [a.next(), b.next(), a.next(), b.next()] as const;
  assert.deepEqual(numbers, [-2, -1, 1, 2]);
  b.setOldest(numbers[1]);
  assert.deepEqual([a.elsewhere(), b.elsewhere()], ['older', 'nothing']);
  a.setOldest(numbers[2]);
  assert.deepEqual([a.elsewhere(), b.elsewhere()], ['older', 'younger']);
  b.setOldest(numbers[3]);
  assert.deepEqual([a.elsewhere(), b.elsewhere()], ['younger', 'older']);
  b.forgetThread(0);
  assert.equal(b.elsewhere(), 'nothing');
});
