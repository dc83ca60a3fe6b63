import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Projection } from './projection.ts';

const document = {
  id: 'i1',
  name: 'Ann',
  manager: { id: 'i2', name: 'Bo' },
  tags: [],
  access: [
    { id: 'a1', type: 'ROLE', source: { name: 'HR' } },
    { id: 'a2', type: 'ENTITLEMENT' },
  ],
  attributes: { city: 'Rome', uid: 'ann' },
};

const cases: [string, string[], string[], unknown][] = [
  ['no filter keeps everything', [], [], document],
  ['a star keeps everything', ['*'], [], document],
  ['a name keeps its member', ['id'], [], { id: 'i1' }],
  ['a parent covers its subtree', ['manager'], [], { manager: { id: 'i2', name: 'Bo' } }],
  ['a dotted name keeps one leaf', ['manager.name'], [], { manager: { name: 'Bo' } }],
  [
    'names reach into arrays',
    ['access.type'],
    [],
    { access: [{ type: 'ROLE' }, { type: 'ENTITLEMENT' }] },
  ],
  [
    'elements emptied by a filter are dropped',
    ['access.source.name'],
    [],
    { access: [{ source: { name: 'HR' } }] },
  ],
  ['excludes win', ['manager'], ['manager.id'], { manager: { name: 'Bo' } }],
  [
    'an exclude alone keeps the rest',
    [],
    ['access', 'attributes', 'manager', 'tags'],
    { id: 'i1', name: 'Ann' },
  ],
  [
    'a star works within a name',
    ['*.name'],
    [],
    { manager: { name: 'Bo' }, access: [{ source: { name: 'HR' } }] },
  ],
  [
    'an excluded star reaches every depth',
    ['manager', 'name'],
    ['*name'],
    { manager: { id: 'i2' } },
  ],
  ['an included empty array is kept', ['tags'], [], { tags: [] }],
  ['an object emptied by an exclude is dropped', ['id', 'manager'], ['manager.*'], { id: 'i1' }],
  ['an unknown name selects nothing', ['nothing'], [], {}],
];

for (const [name, includes, excludes, expected] of cases) {
  test(`projection: ${name}`, () => {
    const projection = new Projection({ includes, excludes, nested: true });
    assert.deepEqual(projection.apply(document), expected);
    assert.deepEqual(projection.apply(document), expected, 'a second time, from cached decisions');
  });
}

test('projection keeps a member called __proto__ as data', () => {
  const hostile = JSON.parse('{"__proto__":{"x":1},"id":"i"}');
  const projected = new Projection({ includes: ['*'], excludes: [], nested: true }).apply(hostile);
  assert.deepEqual(Object.keys(projected), ['__proto__', 'id']);
});

test('a pattern with many stars takes polynomial time', () => {
  const projection = new Projection({ includes: ['*a'.repeat(200)], excludes: [], nested: true });
  assert.deepEqual(projection.apply({ ['b'.repeat(20_000)]: 1 }), {});
});

const PATTERNS: readonly (readonly [pattern: string, name: string, matches: boolean])[] = [
  ['a*', 'abc', true],
  ['*c', 'abc', true],
  ['a*c', 'abc', true],
  ['a*c', 'ac', true],
  ['ab*bc', 'abc', false],
  ['*b*', 'abc', true],
  ['*b*b*', 'abc', false],
  ['*b*b*', 'abcb', true],
  ['a**c', 'abc', true],
  ['a*b*c', 'aXbYbZc', true],
  ['*aa*ab', 'aab', false],
  ['*', '', true],
  ['abc*', 'ab', false],
];
for (const [pattern, name, matches] of PATTERNS) {
  test(`projection: ${pattern} ${matches ? 'selects' : 'does not select'} ${JSON.stringify(name)}`, () => {
    const projection = new Projection({ includes: [pattern], excludes: [], nested: true });
    assert.deepEqual(projection.apply({ [name]: 1 }), matches ? { [name]: 1 } : {});
  });
}
