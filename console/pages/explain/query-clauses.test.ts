import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinClauses, plainClause, queryClauses } from './query-clauses.ts';

const CASES: readonly [query: string, mode: string, ...clauses: string[]][] = [
  ['', 'all'],
  ['*', 'all'],
  ['claire', 'all', 'claire'],
  ['a:1 AND b:2', 'all', 'a:1', 'b:2'],
  ['a:1 AND NOT b:2 AND -c:3', 'all', 'a:1', 'NOT b:2', '-c:3'],
  ['a:1 b:2', 'any', 'a:1', 'b:2'],
  ['a:1 OR b:2', 'any', 'a:1', 'b:2'],
  ['a:1 AND b:2 OR c:3', 'all', 'a:1 AND b:2 OR c:3'],
  ['+a:1 -b:2', 'all', 'a:1', '-b:2'],
  ['(a:1 AND b:2)', 'all', 'a:1', 'b:2'],
  ['(a:1 OR b:2) AND (c:3 OR d:4)', 'all', '(a:1 OR b:2)', '(c:3 OR d:4)'],
  [
    '@accounts(source.name:"A B" AND disabled:true) AND x',
    'all',
    '@accounts(source.name:"A B" AND disabled:true)',
    'x',
  ],
  ['created:[now-7d TO now] AND a:1', 'all', 'created:[now-7d TO now]', 'a:1'],
  ['name:"x AND y" AND z', 'all', 'name:"x AND y"', 'z'],
];

for (const [query, mode, ...clauses] of CASES) {
  test(`splits ${query === '' ? 'an empty query' : query}`, () => {
    assert.deepEqual(queryClauses(query), { mode, clauses });
  });
}

test('reads the same clauses from a query that was joined from them', () => {
  for (const [query] of CASES) {
    const clauses = queryClauses(query);
    assert.deepEqual(queryClauses(joinClauses(clauses)), clauses, query);
  }
});

test('reads field and value of a plain clause only', () => {
  assert.deepEqual(plainClause('attributes.city:"New York"'), {
    field: 'attributes.city',
    value: 'New York',
  });
  for (const other of ['claire', 'a:b*', 'a:(b c)', 'NOT a:b', '-a:b', 'a:[1 TO 2]', '@a(b:c)']) {
    assert.equal(plainClause(other), null, other);
  }
});
