import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sourceDocument, testMapping, testSegment } from '../../../test/support/segments.ts';
import { ExactPhrase } from './exact-phrase.ts';
import { PositionCursor } from './position-cursor.ts';
import { SloppyPhrase } from './sloppy-phrase.ts';

/** Cursors at the row of one text, with positions read; `a/b` is a place with two terms. */
function cursorsOf(text: string | string[], phrase: string) {
  const mapping = testMapping({ id: 'keyword', text: 'text' });
  const words = testSegment(mapping, [sourceDocument('d', { text })]).root.words('text');
  assert.ok(words);
  const terms = phrase.split(' ').map((place) => place.split('/'));
  const cursors = terms.map((place) => {
    const ords = place.map((term) => words.terms.find(term)).filter((ord) => ord >= 0);
    const cursor = new PositionCursor(ords.map((ord) => words.postings(ord)));
    assert.equal(cursor.rows.nextDoc(), 0);
    cursor.read();
    return cursor;
  });
  return { cursors, terms };
}

describe('an exact phrase counts its occurrences', () => {
  const table: [string | string[], string, number][] = [
    ['a b', 'a b', 1],
    ['b a', 'a b', 0],
    ['a x b', 'a b', 0],
    ['a b a b a', 'a b a', 2],
    ['a a a', 'a a', 2],
    [['a', 'b'], 'a b', 0],
    ['a b c', 'a b/c', 1],
    ['a c a b', 'a b/c', 2],
  ];
  for (const [text, phrase, freq] of table) {
    test(`${phrase} in ${JSON.stringify(text)}: ${freq}`, () => {
      const { cursors } = cursorsOf(text, phrase);
      const exact = new ExactPhrase(cursors);
      assert.equal(exact.freq(Number.POSITIVE_INFINITY), freq);
      assert.equal(exact.freq(1), Math.min(freq, 1));
    });
  }
});

describe('a sloppy phrase weighs each match by its length', () => {
  // text, phrase, slop, frequency
  const table: [string | string[], string, number, number][] = [
    ['a b', 'a b', 1, 1],
    ['a x b', 'a b', 1, 1 / 2],
    ['a x x b', 'a b', 1, 0],
    ['b a', 'a b', 1, 0],
    ['b a', 'a b', 2, 1 / 3],
    ['a x b x x x a b', 'a b', 1, 1 / 2 + 1],
    ['a', 'a a', 4, 0],
    ['a a', 'a a', 1, 1],
    ['a x a', 'a a', 1, 1 / 2],
    ['b a a a', 'a a', 4, 2],
    ['a b a a', 'a a', 4, 3 / 2],
    ['a b a a', 'a b a', 2, 4 / 3],
    ['c b a', 'a b c', 4, 1 / 5],
    ['c b a', 'a b c', 3, 0],
    [['a', 'b'], 'a b', 10, 0],
    ['b x a', 'a b/x', 1, 0],
    ['b x a', 'a b/x', 2, 1 / 3],
    ['a x b', 'a/b b', 1, 1 / 2],
  ];
  for (const [text, phrase, slop, freq] of table) {
    test(`${phrase}~${slop} in ${JSON.stringify(text)}: ${freq}`, () => {
      const { cursors, terms } = cursorsOf(text, phrase);
      const sloppy = new SloppyPhrase(cursors, terms, slop);
      assert.equal(sloppy.freq('all'), Math.fround(freq));
      assert.equal(sloppy.freq('first') > 0, freq > 0);
    });
  }
});
