// Members of documents that a view hides.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { staticMapping } from '../mapping/document-types.ts';
import { HiddenFields } from './hidden-fields.ts';

type Json = Record<string, unknown>;

const CASES: readonly (readonly [hidden: string[], document: Json, visible: Json])[] = [
  [[], { id: 'a', x: { y: 1 }, z: {} }, { id: 'a', x: { y: 1 }, z: {} }],
  [['phone'], { id: 'a', phone: '1', phones: 2 }, { id: 'a', phones: 2 }],
  [['x'], { x: { y: 1 }, 'x.z': 2, xz: 3 }, { xz: 3 }],
  [['x.y'], { x: { y: 1, z: 2 } }, { x: { z: 2 } }],
  [['x.y'], { x: { y: 1 } }, {}],
  [['x.y'], { x: {} }, {}],
  [['x.y'], { x: null }, { x: null }],
  [['x.y'], { x: 'text', y: 1 }, { x: 'text', y: 1 }],
  [['x.y'], { 'x.y': 1, 'x.y.z': 2, 'x.yz': 3 }, { 'x.yz': 3 }],
  [['x.y.z'], { x: { 'y.z': 1, y: { z: 2, w: 3 } } }, { x: { y: { w: 3 } } }],
  [
    ['a.b'],
    { a: [{ b: 1 }, { c: 2 }, [{ b: 3, c: 4 }], 'text'] },
    { a: [{}, { c: 2 }, [{ c: 4 }], 'text'] },
  ],
  [['a.b.c'], { a: [{ b: { c: 1 } }, { b: { c: 1, d: 2 } }] }, { a: [{}, { b: { d: 2 } }] }],
];

for (const [hidden, document, visible] of CASES) {
  test(`without ${hidden.join(', ') || 'nothing'}, ${JSON.stringify(document)} is ${JSON.stringify(visible)}`, () => {
    assert.deepEqual(new HiddenFields(hidden).visibleMembers(document, ''), visible);
  });
}

test('members of an element are named by the path of its array', () => {
  const hidden = new HiddenFields(['accounts.pin', 'name']);
  assert.deepEqual(hidden.visibleMembers({ pin: 1, name: 'n' }, 'accounts'), { name: 'n' });
});

test('a member named __proto__ stays a member', () => {
  const document = JSON.parse('{"__proto__":{"x":1},"y":2}');
  const visible = new HiddenFields(['y']).visibleMembers(document, '');
  assert.equal(JSON.stringify(visible), '{"__proto__":{"x":1}}');
});

test('the mapping of a view lacks hidden fields, arrays, maps and boosts', () => {
  const whole = staticMapping('identities', { name: 'acme', pod: 'p' });
  assert.equal(new HiddenFields(['nothing']).visibleMapping(whole), whole);
  const hidden = new HiddenFields(['accounts', 'attributes', 'displayName', 'manager.name']);
  const { fields, nestedPaths, dynamicRoots, identifying } = hidden.visibleMapping(whole);
  assert.ok(![...fields.keys()].some((path) => /^(accounts|displayName|manager\.name)/.test(path)));
  assert.ok(fields.has('manager.displayName'));
  assert.deepEqual(nestedPaths, ['apps', 'access']);
  assert.deepEqual(dynamicRoots, []);
  assert.ok(!identifying.some(({ path }) => path === 'displayName'));
});
