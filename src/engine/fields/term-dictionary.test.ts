import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { crc32 } from '../sections/checksum.ts';
import { SectionReader, SectionWriter } from '../sections/codec.ts';
import { MemorySink, memoryIndex } from '../sections/index-source.ts';
import type { TermDictionary } from '../sections/segment.ts';
import { compareCodePoints, encodeText } from '../sections/utf8.ts';
import { type DictionaryRef, openTerms, TermsBuilder, writeTerms } from './term-dictionary.ts';
import { TermMerge } from './term-merge.ts';

/** Code points of all UTF-8 lengths, including those that UTF-16 orders differently. */
const term = fc.string({
  unit: fc.constantFrom(
    'a',
    'b',
    '\u0000',
    'é',
    '\u07ff',
    '\ud7ff',
    '\ue000',
    '\uffff',
    '\u{10000}',
    '😀',
  ),
  maxLength: 5,
});

function dictionaryOf(terms: Iterable<string>): TermDictionary {
  const sorted = [...new Set(terms)].sort(compareCodePoints);
  const builder = new TermsBuilder(sorted.length);
  for (const term of sorted) {
    const bytes = encodeText(term);
    builder.add(bytes, 0, bytes.length);
  }
  const sink = new MemorySink();
  const sections = new SectionWriter(sink, crc32);
  sections.finish(writeTerms(sections, builder.finish()));
  const reader = new SectionReader('test', memoryIndex(sink.finish(), 'unknown'), crc32);
  return openTerms(reader, reader.contents as DictionaryRef);
}

test('code point order is the order of UTF-8 bytes', () => {
  fc.assert(
    fc.property(term, term, (a, b) => {
      const expected = Buffer.compare(Buffer.from(a), Buffer.from(b));
      assert.equal(Math.sign(compareCodePoints(a, b)), expected);
    }),
  );
});

test('find and ceiling return existing terms and the positions between them', () => {
  fc.assert(
    fc.property(
      fc.array(term, { maxLength: 30 }),
      fc.array(term, { maxLength: 10 }),
      (terms, others) => {
        const dictionary = dictionaryOf(terms);
        const sorted = [...new Set(terms)].sort(compareCodePoints);
        assert.equal(dictionary.size, sorted.length);
        sorted.forEach((term, ord) => {
          assert.equal(dictionary.term(ord), term);
          assert.equal(dictionary.find(term), ord);
          assert.equal(dictionary.ceiling(term), ord);
        });
        for (const term of others) {
          assert.equal(dictionary.find(term), sorted.indexOf(term));
          const ceiling = sorted.findIndex((have) => compareCodePoints(have, term) >= 0);
          assert.equal(dictionary.ceiling(term), ceiling < 0 ? sorted.length : ceiling);
        }
      },
    ),
  );
});

test('a prefix is a run of terms', () => {
  fc.assert(
    fc.property(
      fc.array(term, { maxLength: 30 }),
      fc.string({ unit: fc.constantFrom('a', 'b', '😀'), maxLength: 2 }),
      (terms, prefix) => {
        const dictionary = dictionaryOf(terms);
        const sorted = [...new Set(terms)].sort(compareCodePoints);
        const from = dictionary.ceiling(prefix);
        if (!sorted[from]?.startsWith(prefix)) return;
        const count = sorted.filter((term) => term.startsWith(prefix)).length;
        assert.equal(dictionary.prefixEnd(prefix, from), from + count);
      },
    ),
  );
});

test('terms longer than the initial key buffer are found', () => {
  const long = 'é'.repeat(5000);
  assert.equal(dictionaryOf([long, `${long}x`, 'a']).find(`${long}x`), 2);
});

test('a merge of dictionaries yields each term once, with all dictionaries that have it', () => {
  fc.assert(
    fc.property(fc.array(fc.array(term, { maxLength: 12 }), { maxLength: 5 }), (lists) => {
      const dictionaries = lists.map(dictionaryOf);
      const merge = new TermMerge(dictionaries);
      const seen: [string, number[]][] = [];
      while (merge.next()) {
        const text = dictionaries[merge.sources[0]!]!.term(merge.ords[0]!);
        for (let i = 0; i < merge.count; i++) {
          assert.equal(dictionaries[merge.sources[i]!]!.term(merge.ords[i]!), text);
        }
        seen.push([text, [...merge.sources.slice(0, merge.count)]]);
      }
      const expected = [...new Set(lists.flat())]
        .sort(compareCodePoints)
        .map((term) => [term, lists.flatMap((list, i) => (list.includes(term) ? [i] : []))]);
      assert.deepEqual(seen, expected);
    }),
  );
});
