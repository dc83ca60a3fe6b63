import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../../../test/differential/random.ts';
import { sourceDocument, testMapping, testSegment } from '../../../test/support/segments.ts';
import { QueryCache } from '../index/query-cache.ts';
import { hasBit } from '../rows/bit-set.ts';
import type { TermDictionary } from '../sections/segment.ts';
import { matchesOnlyLiteral, requiredLiteral, termsWithLiteral } from './literal-scan.ts';
import { parseWildcard } from './wildcard.ts';

const CHARS = ['a', 'b', 'é', '人', '\u{1f600}'];

function dictionary(keys: readonly string[]): TermDictionary {
  const mapping = testMapping({ id: 'keyword', key: 'keyword' });
  const values = testSegment(mapping, [sourceDocument('d', { key: keys })]).root.values('key');
  assert.ok(values);
  return values.exact;
}

function termsContaining(
  terms: TermDictionary,
  literal: string,
  from: number,
  to: number,
): string[] {
  const steps = termsWithLiteral(terms, literal, { from, to }, new QueryCache());
  let step = steps.next();
  while (!step.done) step = steps.next();
  const { only, count } = step.value;
  const matching: string[] = [];
  for (let ord = 0; ord < terms.size; ord++) {
    if (only !== null && hasBit(only, ord)) matching.push(terms.term(ord));
  }
  assert.equal(matching.length, count);
  return matching;
}

test('a scan finds the terms that contain the text, but no text across two terms', () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = new Random(seed);
    const text = (least: number, most: number) =>
      random.list(least, most, () => random.pick(CHARS)).join('');
    const terms = dictionary(['a', ...random.list(0, 60, () => text(0, 8))]);
    const literal = text(1, 3);
    const from = random.list(0, terms.size - 1, () => 0).length;
    const to = terms.size - random.list(0, terms.size - from, () => 0).length;
    const expected: string[] = [];
    for (let ord = from; ord < to; ord++) {
      if (terms.term(ord).includes(literal)) expected.push(terms.term(ord));
    }
    assert.deepEqual(termsContaining(terms, literal, from, to), expected, `seed ${seed}`);
  }
});

test('a scan over more bytes than one step finds matches at the border of two steps', () => {
  const keys = Array.from({ length: 90_000 }, (_, n) => `${String(n).padStart(6, '0')}xy`);
  const terms = dictionary(keys);
  assert.equal(termsContaining(terms, '9xy', 0, terms.size).length, 9_000);
});

const literals: [pattern: string, literal: string, isOnlyLiteral: boolean][] = [
  ['*mar*', 'mar', true],
  ['*mar', 'mar', false],
  ['*a*longer*b', 'longer', false],
  ['*a?b*', 'a', false],
  ['?', '', false],
  ['*', '', false],
];
for (const [pattern, literal, isOnlyLiteral] of literals) {
  test(`${pattern} requires ${JSON.stringify(literal)}${isOnlyLiteral ? ' and nothing else' : ''}`, () => {
    const { node } = parseWildcard(pattern);
    assert.equal(requiredLiteral(node), literal);
    if (literal !== '') assert.equal(matchesOnlyLiteral(literal, node), isOnlyLiteral);
  });
}
