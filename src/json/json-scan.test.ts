import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { countMembers } from '../service/documents/document-shape.ts';
import { duplicateMember, pathAt } from './json-naming.ts';
import { compact, NAME_BYTES_MAX, scanObject } from './json-scan.ts';

function scan(text: string, depthLimit = 64) {
  const result = scanObject(Buffer.from(text), depthLimit);
  return result;
}

test('finds the offsets of all top-level members, and counts all members', () => {
  const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }));
  fc.assert(
    fc.property(object, fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
      const bytes = Buffer.from(JSON.stringify(value, null, indent));
      const result = scanObject(bytes, 64);
      const parsed = JSON.parse(bytes.toString());
      const { members } = result;
      const seen: Record<string, unknown> = {};
      for (let m = 0; m < members.length; m += 4) {
        const part = (from: number, to: number) =>
          JSON.parse(bytes.subarray(members[m + from], members[m + to]).toString());
        Object.defineProperty(seen, part(0, 1), { value: part(2, 3), enumerable: true });
      }
      assert.deepEqual({ ...seen }, { ...parsed });
      assert.equal(result.memberTotal, countMembers(parsed));
    }),
  );
});

test('compacting gives the same bytes as JSON.stringify', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const value = JSON.parse(text);
      const spaced = Buffer.from(JSON.stringify(value, null, 2));
      assert.equal(Buffer.from(compact(spaced)).toString(), JSON.stringify(value));
    }),
  );
});

test('scans arbitrary bytes to the end', () => {
  const char = fc.constantFrom(...'{}[]",:\\u019aeE-+. \n');
  fc.assert(fc.property(fc.string({ unit: char, maxLength: 60 }), (text) => void scan(text)));
});

test('stops at the depth limit, whatever the length', () => {
  const deep = '['.repeat(200_000);
  assert.equal(scan(deep).maxDepth, 65);
  assert.equal(scan(`${'{"a":'.repeat(64)}1${'}'.repeat(64)}`).maxDepth, 64);
});

for (const number of [
  '9007199254740993',
  '-9007199254740992',
  '1e999',
  '-1E+400',
  '1e-999',
  '0.0e-5000001',
  '123456789012345678901234567890',
  `0.${'1'.repeat(999)}`,
]) {
  const lossy = number !== '0.0e-5000001';
  test(`${number.slice(0, 40)} ${lossy ? 'would not be preserved' : 'is zero and stays zero'}`, () => {
    assert.equal(scan(`{"a":${number}}`).lossyNumber, lossy ? 5 : -1);
  });
}

for (const number of [
  '9007199254740991',
  '-9007199254740991',
  '1e21',
  '0.1234567890123456789',
  '1.5E-3',
  '0e999',
  '12345678901234.5',
  `0.${'1'.repeat(998)}`,
]) {
  test(`${number.slice(0, 40)} is preserved`, () =>
    assert.equal(scan(`{"a":${number}}`).lossyNumber, -1));
}

const escapes: [string, number][] = [
  ['"\\u0000"', 1],
  ['"a\\uD800"', 2],
  ['"\\uD800\\u0041"', 1],
  ['"\\uDC00"', 1],
  ['"\\uD83D\\uDE00"', -1],
  ['"\\\\uD800"', -1],
  ['"\\u0041"', -1],
];
for (const [text, offset] of escapes) {
  test(`${text} has ${offset === -1 ? 'no bad escape' : 'a bad escape'}`, () => {
    assert.equal(scan(text).badEscape, offset);
  });
}

const LONG = 'n'.repeat(NAME_BYTES_MAX);
const names: [string, number][] = [
  [`{"${LONG}":1}`, -1],
  [`{"${LONG}n":1}`, 1],
  [`{"a":{"${LONG}n" : {"${LONG}nn":1}}}`, 6],
  [`{"a":["${LONG}n"],"b":"${LONG}n"}`, -1],
];
for (const [text, offset] of names) {
  const shown = text.replaceAll(LONG, '…');
  test(`${shown} has ${offset === -1 ? 'no long name' : 'a long name'}`, () => {
    assert.equal(scan(text).longName, offset);
  });
}

test('gives the path of an offset', () => {
  const text = '{"a":{"b c":[1,{"d":2}]},"e":[[3]]}';
  assert.equal(pathAt(text, text.indexOf('1')), 'a.b c[0]');
  assert.equal(pathAt(text, text.indexOf('2')), 'a.b c[1].d');
  assert.equal(pathAt(text, text.indexOf('3')), 'e[0][0]');
});

test('gives the path of an offset after a very long string', () => {
  const text = `{"a":"${'x'.repeat(15_000_000)}","b":1}`;
  assert.equal(pathAt(text, text.length - 2), 'b');
});

test('finds the first duplicate member, however it is escaped', () => {
  assert.equal(duplicateMember('{"a":{"x":1},"b":[{"x":1},{"x":1}]}'), null);
  assert.equal(duplicateMember('{"a":{"x":1,"\\u0078":2}}'), 'a.x');
  assert.equal(duplicateMember('{"a":[{"x":{}},{"x":"}","x":1}]}'), 'a[1].x');
  assert.equal(duplicateMember('{"__proto__":1,"__proto__":2}'), '__proto__');
});
