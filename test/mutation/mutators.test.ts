// suite: slow
import assert from 'node:assert/strict';
import test from 'node:test';
import { findReplacements } from './candidates.ts';

/** All programs with one mutation of a text, prefixed with the name of the mutator. */
function mutantsOf(text: string): string[] {
  return findReplacements(text).map(
    ({ mutator, start, end, text: by }) =>
      `${mutator}: ${text.slice(0, start)}${by}${text.slice(end)}`,
  );
}

const TABLE: readonly (readonly [text: string, mutants: readonly string[]])[] = [
  ['a < b;', ['comparison: a <= b;']],
  ['a >= b;', ['comparison: a > b;']],
  ['a !== b;', ['comparison: a === b;']],
  ['a - b;', ['arithmetic: a + b;']],
  ['a * (b);', ['arithmetic: a / (b);']],
  ["a + 'text';", []],
  ["'text' + a + b;", []],
  ['a & b;', ['arithmetic: a | b;']],
  ['a += b;', ['statement: {}', 'assignment: a -= b;']],
  ['a && b;', ['logic: a || b;']],
  ['a ?? b;', ['fallback: a;']],
  ['!a;', ['negation: a;']],
  ['a ? b : c;', ['condition: !(a) ? b : c;']],
  ['if (a) { b }', ['condition: if (!(a)) { b }', 'branch: if (false) { b }']],
  ['if (!a) { b }', ['branch: if (false) { b }', 'negation: if (a) { b }']],
  ['while (a) { b }', []],
  ['f = (a) => a in b;', ['statement: {}', 'result: f = (a) => !(a in b);']],
  ['0;', ['number: 1;']],
  ['7;', ['number: 8;', 'number: 6;']],
  ['17;', []],
  ['1.5;', []],
  ['true;', ['boolean: false;']],
  ['[a];', ['list: [];']],
  ['[];', []],
  ['a++;', ['statement: {}', 'step: a--;']],
  ['b = Math.min(a);', ['statement: {}', 'call: b = Math.max(a);']],
  ['b = a.some(f);', ['statement: {}', 'call: b = a.every(f);']],
  ['b = a.filter(f);', ['statement: {}', 'call: b = a;']],
  ['b = a.toString();', ['statement: {}']],
  ['await f();', ['statement: {}']],
  ['for (;;) { break; }', ['statement: for (;;) { {} }']],
  ['throw fault;', ['statement: {}']],
  ['/^a$/u;', ['pattern: /^a$/;', 'pattern: /a$/u;', 'pattern: /^a/u;']],
  // Without its flag this is not a valid pattern.
  ['/[a--b]/v;', []],
];
for (const [text, mutants] of TABLE) {
  test(`mutates ${text} to ${mutants.join(' or ') || 'nothing'}`, () => {
    assert.deepEqual(mutantsOf(text).sort(), [...mutants].sort());
  });
}

const UNTOUCHED: readonly (readonly [what: string, text: string])[] = [
  ['a call of a log', "log.warn({ err }, 'gone');"],
  ['a call of a private log', 'class A { f() { this.#log.info({ a: 1 }); } #log; }'],
  ['output to the terminal', 'console.log(a ? 1 : 2);'],
  ['what an error says', 'throw new Error(words(b - 1, a ? 1 : c));'],
  ['a call of the parent constructor', 'class A extends B { constructor() { super(); } }'],
  ['a string', "'1 < 2';"],
];
for (const [what, text] of UNTOUCHED) {
  test(`${what} has no mutants`, () => {
    assert.deepEqual(mutantsOf(text), []);
  });
}

test('drops errors for invalid requests, but not for broken invariants', () => {
  assert.deepEqual(mutantsOf("throw new ServiceError('not_found', 'x');"), ['statement: {}']);
  assert.deepEqual(mutantsOf("if (a) throw new Error('x');"), [
    "condition: if (!(a)) throw new Error('x');",
  ]);
});

test('does not mutate a condition that spans lines as a whole', () => {
  assert.deepEqual(mutantsOf('if (a &&\n  b) {}'), ['logic: if (a ||\n  b) {}']);
});
