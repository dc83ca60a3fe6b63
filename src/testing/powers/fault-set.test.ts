import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../errors.ts';
import { type FaultMatch, readFaultPlan } from './fault-rules.ts';
import { FaultSet } from './fault-set.ts';

const request = { method: 'POST', path: '/v2024/search', client: 'c1' };

/** Whether each of `count` equal requests gets a fault. */
function faulted(match: FaultMatch, count: number, seed = 1): boolean[] {
  const set = new FaultSet(readFaultPlan({ seed, faults: [{ match, then: { status: 500 } }] }));
  return Array.from({ length: count }, () => set.next(request) !== null);
}

const matching: readonly [FaultMatch, boolean][] = [
  [{}, true],
  [{ method: 'POST' }, true],
  [{ method: 'GET' }, false],
  [{ client: 'c1' }, true],
  [{ client: 'c2' }, false],
  [{ path: '/v2024/search' }, true],
  [{ path: '/v2024' }, false],
  [{ path: '/v2024/*' }, true],
  [{ path: '/*/search' }, true],
  [{ path: '*/search' }, true],
  [{ path: '*' }, true],
  [{ path: '*/count' }, false],
  [{ path: '/v*4/s*h' }, true],
  [{ path: '/v2024/search*' }, true],
  [{ path: '/*/search/*' }, false],
  [{ path: '/v2024/sea*arch' }, false],
  [{ method: 'POST', path: '/v3/*' }, false],
];
for (const [match, expected] of matching) {
  test(`a rule for ${JSON.stringify(match)} ${expected ? 'matches' : 'does not match'}`, () => {
    assert.deepEqual(faulted(match, 1), [expected]);
  });
}

test('chooses every n-th, the first n, or none of the requests', () => {
  assert.deepEqual(faulted({ every: 3 }, 6), [false, false, true, false, false, true]);
  assert.deepEqual(faulted({ first: 2 }, 4), [true, true, false, false]);
  assert.deepEqual(faulted({ probability: 0 }, 20), Array(20).fill(false));
  assert.deepEqual(faulted({ probability: 1 }, 20), Array(20).fill(true));
});

test('chooses by probability, the same requests for the same seed', () => {
  const chosen = faulted({ probability: 0.3 }, 1_000, 7);
  assert.deepEqual(faulted({ probability: 0.3 }, 1_000, 7), chosen);
  assert.notDeepEqual(faulted({ probability: 0.3 }, 1_000, 8), chosen);
  const share = chosen.filter(Boolean).length / 1_000;
  assert.ok(share > 0.2 && share < 0.4, String(share));
});

test('the first rule that is chosen acts, and all that match count', () => {
  const set = new FaultSet(
    readFaultPlan([
      { match: { every: 2 }, then: { status: 500 } },
      { then: { status: 503 } },
      { match: { method: 'GET' }, then: { drop: true } },
    ]),
  );
  assert.deepEqual([set.next(request), set.next(request)], [{ status: 503 }, { status: 500 }]);
  assert.deepEqual(
    set.counts.map(({ matched, injected }) => [matched, injected]),
    [
      [2, 1],
      [2, 1],
      [0, 0],
    ],
  );
});

for (const value of [
  null,
  'x',
  1,
  {},
  { faults: {} },
  [null],
  [[]],
  [{ then: [] }],
  { fault: [] },
]) {
  test(`rejects ${JSON.stringify(value)} as faults`, () => {
    assert.throws(() => readFaultPlan(value), ServiceError);
  });
}

test('rejects too many rules', () => {
  assert.throws(() => readFaultPlan(Array(101).fill({ then: { status: 500 } })), ServiceError);
});
