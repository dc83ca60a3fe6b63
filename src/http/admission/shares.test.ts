import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type Party, Shares } from './shares.ts';

const party = (group: string, member = ''): Party => ({ group, member, anonymous: false });

function shares(change: Partial<ConstructorParameters<typeof Shares>[0]> = {}): Shares {
  return new Shares({
    ...{ total: 100, groupShare: 0.5, memberShare: 1, weightOf: () => 1 },
    ...change,
  });
}

/** Takes one at a time until a bound is reached. @returns the amount taken, and the bound */
function fill(ledger: Shares, who: Party): readonly [number, string] {
  for (let count = 0; ; count++) {
    const shortage = ledger.take(who, 1);
    if (shortage !== null) return [count, shortage];
  }
}

describe('the shares of a resource', () => {
  test('give a single group its full share', () => {
    assert.deepEqual(fill(shares(), party('a')), [50, 'group']);
  });

  test('leave room for each later group', () => {
    const ledger = shares();
    const taken = ['a', 'b', 'c', 'd', 'e'].map((group) => fill(ledger, party(group))[0]);
    assert.deepEqual(taken, [50, 25, 12, 6, 3]);
  });

  test('shrink while other groups use theirs', () => {
    const ledger = shares();
    ledger.take(party('b'), 40);
    assert.deepEqual(fill(ledger, party('a')), [30, 'group']);
  });

  test('count an amount that is exchanged once, so that it may be larger than a share', () => {
    const ledger = shares({ memberShare: 0.5 });
    assert.equal(ledger.take(party('a', 'x'), 40), null);
    assert.equal(ledger.take(party('a', 'x'), 1), 'member');
    assert.equal(ledger.exchange(party('a', 'x'), 40, 90), null);
    assert.equal(ledger.held, 90);
    assert.equal(ledger.exchange(party('a', 'x'), 90, 101), 'total');
    ledger.give(party('a', 'x'), 90);
    assert.equal(ledger.held, 0);
  });

  test('of a group are divided between its members', () => {
    const ledger = shares({ memberShare: 0.5 });
    assert.deepEqual(fill(ledger, party('a', 'x')), [33, 'member']);
    assert.deepEqual(fill(ledger, party('a', 'y')), [11, 'member']);
    assert.deepEqual(fill(ledger, party('b', 'x')), [18, 'member']);
  });

  test('of 1 are no bound', () => {
    const ledger = shares({ groupShare: 1 });
    assert.deepEqual(fill(ledger, party('a')), [100, 'total']);
  });

  test('bound the members of a group that has no bound', () => {
    const ledger = shares({ groupShare: 1, memberShare: 0.5 });
    assert.deepEqual(fill(ledger, party('a', 'x')), [50, 'member']);
  });

  test('are larger for a group of more weight', () => {
    const ledger = shares({ weightOf: (group) => (group === 'large' ? 3 : 1) });
    assert.deepEqual(fill(ledger, party('large')), [75, 'group']);
  });

  test('give a party that holds nothing one amount larger than its share', () => {
    const ledger = shares();
    assert.equal(ledger.take(party('a'), 90), null);
    assert.equal(ledger.take(party('a'), 1), 'group');
    assert.equal(ledger.take(party('b'), 11), 'total');
    assert.equal(ledger.take(party('b'), 10), null);
  });

  test('reject giving back more than was taken', () => {
    const ledger = shares();
    ledger.take(party('a', 'x'), 5);
    assert.throws(() => ledger.give(party('a', 'x'), 6));
    assert.throws(() => ledger.give(party('a', 'y'), 1));
  });
});

test('the sum of all amounts is exact and never exceeds the total', () => {
  const step = fc.record({
    group: fc.constantFrom('a', 'b', 'c'),
    member: fc.constantFrom('x', 'y'),
    amount: fc.integer({ min: 1, max: 60 }),
    isReturned: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const ledger = shares({ memberShare: 0.5 });
      const held: { who: Party; amount: number }[] = [];
      for (const { group, member, amount, isReturned } of steps) {
        const who = party(group, member);
        const first = isReturned ? held.shift() : undefined;
        if (first !== undefined) ledger.give(first.who, first.amount);
        else if (ledger.take(who, amount) === null) held.push({ who, amount });
        const sum = held.reduce((total, one) => total + one.amount, 0);
        assert.equal(ledger.held, sum);
        assert.ok(sum <= 100);
      }
      for (const { who, amount } of held) ledger.give(who, amount);
      assert.equal(ledger.held, 0);
      assert.deepEqual(fill(ledger, party('a', 'x')), [33, 'member'], 'no amount is left over');
    }),
  );
});
