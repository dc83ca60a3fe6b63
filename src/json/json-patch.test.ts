// RFC 6902 and RFC 6901, case by case: valid patches give the expected document, failing ones
// change nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MALFORMED_PATCHES, PATCH_CASES } from '../../test/support/json-patch-cases.ts';
import { ServiceError } from '../errors.ts';
import {
  applyPatch,
  equal,
  type JsonValue,
  MAX_DEPTH,
  MAX_WRITTEN_LENGTH,
  PatchConflict,
  type PatchOperation,
  readPatch,
} from './json-patch.ts';
import { formatPointer, parsePointer } from './json-pointer.ts';

for (const { name, document, patch, expected } of PATCH_CASES) {
  test(name, () => {
    const before = structuredClone(document);
    const apply = () => applyPatch(document, readPatch(patch));
    if (expected === undefined) assert.throws(apply, PatchConflict);
    else assert.deepEqual(apply(), expected);
    assert.deepEqual(document, before, 'the original is untouched');
    assert.equal(({} as Record<string, unknown>)['x'], undefined, 'no prototype is touched');
  });
}

for (const [body, cause] of MALFORMED_PATCHES) {
  test(`rejects ${JSON.stringify(body)}`, () => {
    assert.throws(
      () => readPatch(body),
      (error: unknown) => {
        assert.ok(error instanceof ServiceError);
        assert.equal(error.code, 'request_invalid');
        assert.match(error.details.causes?.[0] ?? '', new RegExp(cause));
        return true;
      },
    );
  });
}

test('treats a member named __proto__ as ordinary data', () => {
  const patch = readPatch(JSON.parse('[{"op":"add","path":"/__proto__","value":{"x":1}}]'));
  const result = applyPatch({}, patch);
  assert.equal(JSON.stringify(result), '{"__proto__":{"x":1}}');
  assert.equal(Object.getPrototypeOf(result), Object.prototype);
});

test('accepts 100 operations and rejects 101, naming both numbers', () => {
  const adds = (count: number) =>
    Array.from({ length: count }, () => ({ op: 'add', path: '/-', value: 1 }));
  assert.deepEqual(applyPatch([], readPatch(adds(100))), Array(100).fill(1));
  assert.throws(
    () => readPatch(adds(101)),
    (error: unknown) => {
      assert.ok(error instanceof ServiceError);
      assert.equal(error.code, 'limit_exceeded');
      assert.match(error.details.causes?.[0] ?? '', /^101 operations; send at most 100/);
      return true;
    },
  );
});

const OVER_A_BOUND: readonly (readonly [what: string, patch: unknown[], message: RegExp])[] = [
  [
    'a copy into its own subtree',
    [{ op: 'copy', from: '/a', path: '/a/-' }],
    /operation 0 \(copy\): a value cannot be moved or copied into itself/,
  ],
  [
    'a move into its own subtree',
    [{ op: 'move', from: '/a', path: '/a/0' }],
    /operation 0 \(move\): a value cannot be moved or copied into itself/,
  ],
  [
    '26 doublings by copies to other places',
    Array.from({ length: 13 }, () => [
      { op: 'copy', from: '/a', path: '/b/-' },
      { op: 'copy', from: '/b', path: '/a/-' },
    ]).flat(),
    /operation \d+ \(copy\): a patch can write at most 65536 characters/,
  ],
  [
    'a value added that is too long',
    [{ op: 'add', path: '/c', value: 'x'.repeat(MAX_WRITTEN_LENGTH) }],
    /operation 0 \(add\): a patch can write at most/,
  ],
  [
    'a member name that is too long',
    [{ op: 'add', path: `/${'x'.repeat(MAX_WRITTEN_LENGTH)}`, value: 1 }],
    /operation 0 \(add\): a patch can write at most/,
  ],
  [
    'copies of one long value',
    [
      { op: 'add', path: '/c', value: 'x'.repeat(40_000) },
      { op: 'copy', from: '/c', path: '/d' },
    ],
    /operation 1 \(copy\): a patch can write at most/,
  ],
  [
    'a value that would be nested too deep at its target',
    [{ op: 'add', path: '/b/-', value: JSON.parse(`${'['.repeat(63)}${']'.repeat(63)}`) }],
    /operation 0 \(add\): the value would be nested deeper than 64 levels/,
  ],
  [
    'moves that nest one value in another',
    Array.from({ length: 40 }, () => [
      { op: 'add', path: '/c', value: [[]] },
      { op: 'move', from: '/b', path: '/c/0/0' },
      { op: 'move', from: '/c', path: '/b' },
    ])
      .flat()
      .slice(0, 100),
    /operation \d+ \(move\): the value would be nested deeper than 64 levels/,
  ],
];
for (const [what, patch, message] of OVER_A_BOUND) {
  test(`rejects ${what}`, () => {
    assert.throws(() => applyPatch({ a: [1], b: [1] }, readPatch(patch)), {
      name: 'PatchConflict',
      message,
    });
  });
}

test('rejects a pointer with too many levels before parsing it', () => {
  const deep = (levels: number) => [{ op: 'remove', path: '/a'.repeat(levels) }];
  assert.equal(readPatch(deep(64)).length, 1);
  assert.throws(
    () => readPatch(deep(65)),
    (error: ServiceError) =>
      JSON.stringify(error.details).includes('"path\\" names more than 64 levels'),
  );
});

test('writes a value at the limits of length and depth', () => {
  const longest = 'x'.repeat(MAX_WRITTEN_LENGTH - '"c":"",'.length);
  const patch = readPatch([{ op: 'add', path: '/c', value: longest }]);
  assert.deepEqual(applyPatch({}, patch), { c: longest });
  const deepest = JSON.parse(`${'['.repeat(63)}${']'.repeat(63)}`) as JsonValue;
  assert.deepEqual(applyPatch({}, [{ op: 'add', path: ['c'], value: deepest }]), { c: deepest });
});

/** Arrays and objects with few names, so that random pointers often hit a value. */
const document = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom<JsonValue>(null, true, 0, 1, 'x'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', '0'), tie('value'), {
      maxKeys: 3,
      noNullPrototype: true,
    }),
  ),
})).value;
const pointer = fc.array(fc.constantFrom('a', 'b', '0', '1', '-'), { maxLength: 4 });
const operation: fc.Arbitrary<PatchOperation> = fc.oneof(
  fc.record({ op: fc.constantFrom('add', 'replace'), path: pointer, value: document }),
  fc.record({ op: fc.constant('remove'), path: pointer }),
  fc.record({ op: fc.constantFrom('move', 'copy'), from: pointer, path: pointer }),
);

test('no patch exceeds the limits of depth and growth', () => {
  const copies = fc.record({ op: fc.constantFrom('copy', 'move'), from: pointer, path: pointer });
  const patches = fc.array(fc.oneof(operation, copies), { maxLength: 60, size: 'max' });
  fc.assert(
    fc.property(document, patches, (before, operations) => {
      let result = before;
      // One failing operation would end the patch, so operations that fail alone are left out.
      const applied: PatchOperation[] = [];
      for (const each of operations as PatchOperation[]) {
        try {
          result = applyPatch(before, [...applied, each]);
          applied.push(each);
        } catch (error) {
          assert.ok(error instanceof PatchConflict, String(error));
        }
      }
      const grown = JSON.stringify(result).length - JSON.stringify(before).length;
      assert.ok(grown <= MAX_WRITTEN_LENGTH, `grew by ${grown}`);
      assert.ok(depthOf(result) <= MAX_DEPTH);
    }),
    { numRuns: 20 },
  );
});

function depthOf(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

test('within the limits each operation follows RFC 6902', () => {
  fc.assert(
    fc.property(document, operation, (before, each) => {
      const expected = naive(before, each);
      const apply = () => applyPatch(before, [each]);
      if (expected === undefined) assert.throws(apply, PatchConflict);
      else assert.deepEqual(apply(), expected.value);
    }),
    { numRuns: 2_000 },
  );
});

/** Applies an operation to a new document, ignoring cost; undefined when it cannot be applied. */
function naive(before: JsonValue, each: PatchOperation): { value: JsonValue } | undefined {
  const root = { value: before };
  const { op, path } = each;
  if (op === 'test') return undefined;
  if (op === 'remove' && path.length === 0) return { value: null };
  if ('from' in each) {
    const { from } = each;
    const source = at(before, from);
    const inside = path.length > from.length && from.every((token, i) => token === path[i]);
    if (source === undefined || inside) return undefined;
    if (op === 'copy') return naive(before, { op: 'add', path, value: source.value });
    if (from.length === path.length && from.every((token, i) => token === path[i])) return root;
    const removed = naive(before, { op: 'remove', path: from });
    return removed && naive(removed.value, { op: 'add', path, value: source.value });
  }
  const written = 'value' in each ? each.value : null;
  if (path.length === 0) return { value: written };
  const parent = at(before, path.slice(0, -1))?.value;
  if (typeof parent !== 'object' || parent === null) return undefined;
  const last = path.at(-1) as string;
  const exists = at(parent, [last]) !== undefined;
  if (op !== 'add' && !exists) return undefined;
  const value = edited(parent, last, each, exists);
  return value === undefined ? undefined : { value: rebuilt(before, path.slice(0, -1), value) };
}

function edited(
  parent: JsonValue[] | { [name: string]: JsonValue },
  last: string,
  each: PatchOperation,
  exists: boolean,
): JsonValue | undefined {
  if (Array.isArray(parent)) {
    const index = last === '-' ? parent.length : Number(last);
    if (!exists && index !== parent.length) return undefined;
    const inserted = 'value' in each ? [each.value] : [];
    return parent.toSpliced(index, each.op === 'add' ? 0 : 1, ...inserted);
  }
  const others = Object.entries(parent).filter(([name]) => name !== last);
  const written: [string, JsonValue][] = 'value' in each ? [[last, each.value]] : [];
  return Object.fromEntries([...others, ...written]);
}

function at(value: JsonValue, path: readonly string[]): { value: JsonValue } | undefined {
  const [first, ...rest] = path;
  if (first === undefined) return { value };
  if (typeof value !== 'object' || value === null) return undefined;
  const inner = Object.entries(value).find(([name]) => name === first)?.[1];
  return inner === undefined ? undefined : at(inner, rest);
}

function rebuilt(value: JsonValue, path: readonly string[], replacement: JsonValue): JsonValue {
  const [first, ...rest] = path;
  if (first === undefined) return replacement;
  if (Array.isArray(value)) {
    return value.map((item, i) => (String(i) === first ? rebuilt(item, rest, replacement) : item));
  }
  return Object.fromEntries(
    Object.entries(value as { [name: string]: JsonValue }).map(([name, member]) => [
      name,
      name === first ? rebuilt(member, rest, replacement) : member,
    ]),
  );
}

test('formats and parses pointers without loss', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (tokens) => {
      assert.deepEqual(parsePointer(formatPointer(tokens)), tokens);
    }),
  );
});

test('replacing the whole document gives the new value, which tests as equal', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (document, value) => {
      const replacement = JSON.parse(JSON.stringify(value)) as JsonValue;
      const result = applyPatch(document as JsonValue, [
        { op: 'replace', path: [], value: replacement },
        { op: 'test', path: [], value: replacement },
      ]);
      assert.ok(equal(result, replacement));
    }),
  );
});
