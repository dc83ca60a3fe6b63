// What RFC 6902 asks of an applier, as data: its appendix A with values of our own, then the
// corners that its sections 4 and 5 and RFC 6901 leave open to mistakes. A case without `expected`
// must fail.
import type { JsonValue } from '../../src/json/json-patch.ts';

export interface PatchCase {
  readonly name: string;
  readonly document: JsonValue;
  readonly patch: readonly unknown[];
  readonly expected?: JsonValue;
}

const list = ['a', 'b', 'c'];

export const PATCH_CASES: readonly PatchCase[] = [
  // Appendix A, in its order
  {
    name: 'A.1 adds a member',
    document: { foo: 1 },
    patch: [{ op: 'add', path: '/baz', value: 'q' }],
    expected: { foo: 1, baz: 'q' },
  },
  {
    name: 'A.2 inserts an element',
    document: { foo: ['x', 'z'] },
    patch: [{ op: 'add', path: '/foo/1', value: 'y' }],
    expected: { foo: ['x', 'y', 'z'] },
  },
  {
    name: 'A.3 removes a member',
    document: { baz: 1, foo: 2 },
    patch: [{ op: 'remove', path: '/baz' }],
    expected: { foo: 2 },
  },
  {
    name: 'A.4 removes an element',
    document: { foo: list },
    patch: [{ op: 'remove', path: '/foo/1' }],
    expected: { foo: ['a', 'c'] },
  },
  {
    name: 'A.5 replaces a value',
    document: { baz: 1, foo: 2 },
    patch: [{ op: 'replace', path: '/baz', value: 3 }],
    expected: { baz: 3, foo: 2 },
  },
  {
    name: 'A.6 moves a value',
    document: { foo: { one: 1, two: 2 }, qux: { three: 3 } },
    patch: [{ op: 'move', from: '/foo/two', path: '/qux/four' }],
    expected: { foo: { one: 1 }, qux: { three: 3, four: 2 } },
  },
  {
    name: 'A.7 moves an element',
    document: { foo: ['p', 'q', 'r', 's'] },
    patch: [{ op: 'move', from: '/foo/1', path: '/foo/3' }],
    expected: { foo: ['p', 'r', 's', 'q'] },
  },
  {
    name: 'A.8 tests and succeeds',
    document: { baz: 'q', foo: ['a', 2, 'c'] },
    patch: [
      { op: 'test', path: '/baz', value: 'q' },
      { op: 'test', path: '/foo/1', value: 2 },
    ],
    expected: { baz: 'q', foo: ['a', 2, 'c'] },
  },
  {
    name: 'A.9 tests and fails',
    document: { baz: 'q' },
    patch: [{ op: 'test', path: '/baz', value: 'r' }],
  },
  {
    name: 'A.10 adds an object',
    document: { foo: 1 },
    patch: [{ op: 'add', path: '/child', value: { inner: {} } }],
    expected: { foo: 1, child: { inner: {} } },
  },
  {
    name: 'A.11 ignores members it does not know',
    document: { foo: 1 },
    patch: [{ op: 'add', path: '/baz', value: 2, note: 'x' }],
    expected: { foo: 1, baz: 2 },
  },
  {
    name: 'A.12 does not make parents',
    document: { foo: 1 },
    patch: [{ op: 'add', path: '/baz/bat', value: 2 }],
  },
  {
    name: 'A.14 unescapes ~ and /',
    document: { '/': 9, '~1': 10 },
    patch: [
      { op: 'test', path: '/~01', value: 10 },
      { op: 'test', path: '/~1', value: 9 },
    ],
    expected: { '/': 9, '~1': 10 },
  },
  {
    name: 'A.15 tells a string from a number',
    document: { a: 10 },
    patch: [{ op: 'test', path: '/a', value: '10' }],
  },
  {
    name: 'A.16 appends an array as one element',
    document: { foo: ['a'] },
    patch: [{ op: 'add', path: '/foo/-', value: ['b', 'c'] }],
    expected: { foo: ['a', ['b', 'c']] },
  },
  // The whole document
  {
    name: 'adds over the whole document',
    document: { a: 1 },
    patch: [{ op: 'add', path: '', value: [1] }],
    expected: [1],
  },
  {
    name: 'replaces the whole document',
    document: { a: 1 },
    patch: [{ op: 'replace', path: '', value: null }],
    expected: null,
  },
  {
    name: 'tests the whole document',
    document: { a: [1, { b: 2 }] },
    patch: [{ op: 'test', path: '', value: { a: [1, { b: 2 }] } }],
    expected: { a: [1, { b: 2 }] },
  },
  {
    name: 'copies a part over the whole',
    document: { a: { b: 1 } },
    patch: [{ op: 'copy', from: '/a', path: '' }],
    expected: { b: 1 },
  },
  // Adding
  {
    name: 'add replaces an existing member',
    document: { a: 1 },
    patch: [{ op: 'add', path: '/a', value: 2 }],
    expected: { a: 2 },
  },
  {
    name: 'add takes null for a value',
    document: {},
    patch: [{ op: 'add', path: '/a', value: null }],
    expected: { a: null },
  },
  {
    name: 'add takes the empty name',
    document: {},
    patch: [{ op: 'add', path: '/', value: 1 }],
    expected: { '': 1 },
  },
  {
    name: 'add at the length appends',
    document: list,
    patch: [{ op: 'add', path: '/3', value: 'd' }],
    expected: ['a', 'b', 'c', 'd'],
  },
  {
    name: 'add beyond the length fails',
    document: list,
    patch: [{ op: 'add', path: '/4', value: 'd' }],
  },
  {
    name: 'add at a negative index fails',
    document: list,
    patch: [{ op: 'add', path: '/-1', value: 'd' }],
  },
  {
    name: 'add at an index with a leading zero fails',
    document: list,
    patch: [{ op: 'add', path: '/01', value: 'd' }],
  },
  {
    name: 'add at an exponent fails',
    document: list,
    patch: [{ op: 'add', path: '/1e0', value: 'd' }],
  },
  {
    name: 'add at a name of an array fails',
    document: list,
    patch: [{ op: 'add', path: '/length', value: 0 }],
  },
  {
    name: 'add below a string fails',
    document: { a: 'text' },
    patch: [{ op: 'add', path: '/a/0', value: 'x' }],
  },
  {
    name: 'add below null fails',
    document: { a: null },
    patch: [{ op: 'add', path: '/a/b', value: 1 }],
  },
  {
    name: '- is a name in an object',
    document: {},
    patch: [{ op: 'add', path: '/-', value: 1 }],
    expected: { '-': 1 },
  },
  {
    name: 'an index is a name in an object',
    document: { '0': 'x' },
    patch: [{ op: 'replace', path: '/0', value: 'y' }],
    expected: { '0': 'y' },
  },
  // Removing and replacing what is not there
  {
    name: 'remove of a missing member fails',
    document: { a: 1 },
    patch: [{ op: 'remove', path: '/b' }],
  },
  {
    name: 'remove of a named value removes it',
    document: { a: list, b: { c: 1 } },
    patch: [
      { op: 'remove', path: '/a/1', value: 'b' },
      { op: 'remove', path: '/b', value: { c: 1 } },
    ],
    expected: { a: ['a', 'c'] },
  },
  {
    name: 'remove of a named value removes the whole array only if it names all of it',
    document: { a: list },
    patch: [{ op: 'remove', path: '/a', value: list }],
    expected: {},
  },
  {
    name: 'remove with null names no value',
    document: { a: list },
    patch: [{ op: 'remove', path: '/a/0', value: null }],
    expected: { a: ['b', 'c'] },
  },
  ...['b', ['a'], 0, '', false, {}].map((value) => ({
    name: `remove of ${JSON.stringify(value)} where another value is fails`,
    document: { a: list },
    patch: [{ op: 'remove', path: '/a/0', value }],
  })),
  {
    name: 'remove of a part of an array by the path of the array fails',
    document: { a: list },
    patch: [{ op: 'remove', path: '/a', value: ['a'] }],
  },
  {
    name: 'remove of a named value sees what the operations before it did',
    document: { a: list },
    patch: [
      { op: 'remove', path: '/a/0', value: 'a' },
      { op: 'remove', path: '/a/0', value: 'b' },
    ],
    expected: { a: ['c'] },
  },
  { name: 'remove beyond the end fails', document: list, patch: [{ op: 'remove', path: '/3' }] },
  { name: 'remove of - fails', document: list, patch: [{ op: 'remove', path: '/-' }] },
  {
    name: 'replace of a missing member fails',
    document: {},
    patch: [{ op: 'replace', path: '/a', value: 1 }],
  },
  { name: 'replace of - fails', document: list, patch: [{ op: 'replace', path: '/-', value: 1 }] },
  {
    name: 'replace in an array keeps the length',
    document: list,
    patch: [{ op: 'replace', path: '/2', value: 'z' }],
    expected: ['a', 'b', 'z'],
  },
  // Moving and copying
  {
    name: 'move to itself does nothing',
    document: { a: 1 },
    patch: [{ op: 'move', from: '/a', path: '/a' }],
    expected: { a: 1 },
  },
  {
    name: 'move of a missing value to itself fails',
    document: {},
    patch: [{ op: 'move', from: '/a', path: '/a' }],
  },
  {
    name: 'move into its own child fails',
    document: { a: { b: 1 } },
    patch: [{ op: 'move', from: '/a', path: '/a/b' }],
  },
  {
    name: 'move to a longer name is no move into a child',
    document: { a: 1 },
    patch: [{ op: 'move', from: '/a', path: '/ab' }],
    expected: { ab: 1 },
  },
  {
    name: 'move counts the index after the removal',
    document: list,
    patch: [{ op: 'move', from: '/0', path: '/2' }],
    expected: ['b', 'c', 'a'],
  },
  {
    name: 'move past the end after the removal fails',
    document: list,
    patch: [{ op: 'move', from: '/0', path: '/3' }],
  },
  {
    name: 'move to - goes last',
    document: list,
    patch: [{ op: 'move', from: '/0', path: '/-' }],
    expected: ['b', 'c', 'a'],
  },
  {
    name: 'copy is a copy and not the same value',
    document: { a: [1] },
    patch: [
      { op: 'copy', from: '/a', path: '/b' },
      { op: 'add', path: '/b/-', value: 2 },
    ],
    expected: { a: [1], b: [1, 2] },
  },
  {
    name: 'copy from a missing value fails',
    document: {},
    patch: [{ op: 'copy', from: '/a', path: '/b' }],
  },
  {
    name: 'copy of an element onto itself inserts it',
    document: list,
    patch: [{ op: 'copy', from: '/0', path: '/0' }],
    expected: ['a', 'a', 'b', 'c'],
  },
  // Equality
  {
    name: 'test does not mind the order of members',
    document: { a: { x: 1, y: 2 } },
    patch: [{ op: 'test', path: '/a', value: { y: 2, x: 1 } }],
    expected: { a: { x: 1, y: 2 } },
  },
  {
    name: 'test minds the order of elements',
    document: { a: [1, 2] },
    patch: [{ op: 'test', path: '/a', value: [2, 1] }],
  },
  {
    name: 'test tells null from missing',
    document: {},
    patch: [{ op: 'test', path: '/a', value: null }],
  },
  {
    name: 'test tells an array from an object',
    document: { a: [] },
    patch: [{ op: 'test', path: '/a', value: {} }],
  },
  {
    name: 'test tells false from 0',
    document: { a: false },
    patch: [{ op: 'test', path: '/a', value: 0 }],
  },
  {
    name: 'test tells a member more',
    document: { a: { x: 1 } },
    patch: [{ op: 'test', path: '/a', value: { x: 1, y: 1 } }],
  },
  // Names that are special only to JavaScript
  {
    name: 'does not see inherited members',
    document: {},
    patch: [{ op: 'test', path: '/constructor/name', value: 'Object' }],
  },
  {
    name: 'does not walk to a prototype',
    document: {},
    patch: [{ op: 'add', path: '/__proto__/x', value: 1 }],
  },
  {
    name: 'does not walk to the prototype of all objects',
    document: {},
    patch: [{ op: 'add', path: '/constructor/prototype/x', value: 1 }],
  },
  {
    name: 'does not see the length of an array',
    document: list,
    patch: [{ op: 'test', path: '/length', value: 3 }],
  },
  // All or nothing
  {
    name: 'a failing operation undoes the ones before',
    document: { a: 1 },
    patch: [
      { op: 'replace', path: '/a', value: 2 },
      { op: 'test', path: '/a', value: 1 },
    ],
  },
  {
    name: 'a later operation sees what an earlier one did',
    document: { a: 1 },
    patch: [
      { op: 'add', path: '/b', value: [] },
      { op: 'add', path: '/b/-', value: 1 },
      { op: 'test', path: '/b', value: [1] },
    ],
    expected: { a: 1, b: [1] },
  },
  { name: 'an empty patch changes nothing', document: { a: 1 }, patch: [], expected: { a: 1 } },
];

/** Bodies that are no patches at all, each with the words its cause must hold. */
export const MALFORMED_PATCHES: readonly (readonly [body: unknown, cause: string])[] = [
  [null, 'not an array'],
  [{}, 'not an array'],
  ['[]', 'not an array'],
  [{ op: 'add', path: '/a', value: 1 }, 'not an array'],
  [[null], 'operation 0: not an object'],
  [[[]], 'operation 0: not an object'],
  [['add'], 'operation 0: not an object'],
  [[{ path: '/a', value: 1 }], '"op"'],
  [[{ op: null, path: '/a' }], '"op"'],
  [[{ op: 'ADD', path: '/a', value: 1 }], '"op"'],
  [[{ op: 'spam', path: '/a', value: 1 }], '"op"'],
  [[{ op: 'toString', path: '/a', value: 1 }], '"op"'],
  [[{ op: 'remove' }], '"path"'],
  [[{ op: 'remove', path: null }], '"path"'],
  [[{ op: 'remove', path: 5 }], '"path"'],
  [[{ op: 'remove', path: 'a' }], 'not a JSON Pointer'],
  [[{ op: 'remove', path: '/a~2' }], 'not a JSON Pointer'],
  [[{ op: 'remove', path: '/a~' }], 'not a JSON Pointer'],
  [[{ op: 'add', path: '/a' }], '"value" is missing'],
  [[{ op: 'replace', path: '/a' }], '"value" is missing'],
  [[{ op: 'test', path: '/a' }], '"value" is missing'],
  [[{ op: 'move', path: '/a' }], '"from"'],
  [[{ op: 'copy', path: '/a', from: {} }], '"from"'],
  [[{ op: 'copy', path: '/a', from: 'b' }], 'not a JSON Pointer'],
  [[{ op: 'remove', path: '/a' }, { op: 'remove' }], 'operation 1'],
];
