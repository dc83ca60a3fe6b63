import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { distance } from '../../../test/differential/naive.ts';
import { Random } from '../../../test/differential/random.ts';
import { sourceDocument, testMapping, testSegment } from '../../../test/support/segments.ts';
import { ServiceError } from '../../errors.ts';
import { Automaton } from '../../query/language/automaton.ts';
import { parseRegexp } from '../../query/language/regexp.ts';
import { hasBit } from '../rows/bit-set.ts';
import type { TermDictionary } from '../sections/segment.ts';
import { Levenshtein } from './levenshtein.ts';
import { matchingTerms, type TermMatcher } from './term-walker.ts';
import { literalPrefix, parseWildcard } from './wildcard.ts';

const regexp = (pattern: string): Automaton => new Automaton(parseRegexp(pattern));
const wildcard = (pattern: string): Automaton => new Automaton(parseWildcard(pattern).node);

describe('a regular expression matches whole terms only', () => {
  // pattern, terms that match, terms that do not
  const table: [string, string[], string[]][] = [
    ['', [''], ['a']],
    ['abc', ['abc'], ['', 'ab', 'abcd', 'xabc']],
    ['a.c', ['abc', 'a\u{1f600}c'], ['ac', 'abbc']],
    ['a|bc', ['a', 'bc'], ['abc', 'b', '']],
    ['(ab)*', ['', 'ab', 'abab'], ['a', 'aba']],
    ['(a*)*b', ['b', 'aab'], ['a', 'ba']],
    ['a{2}', ['aa'], ['a', 'aaa']],
    ['a{2,3}', ['aa', 'aaa'], ['a', 'aaaa']],
    ['a{2,}', ['aa', 'aaaaa'], ['a']],
    ['a{0,1}b', ['b', 'ab'], ['aab']],
    ['[a-c]x', ['ax', 'cx'], ['dx', 'x']],
    ['[^a-c]x', ['dx', '\u{1f600}x'], ['ax', 'x']],
    ['[^\u{1f600}]', ['a'], ['\u{1f600}']],
    ['"a.c"', ['a.c'], ['abc']],
    ['a\\.c', ['a.c'], ['abc']],
    ['<1-31>', ['1', '9', '31', '007'], ['0', '32', '', '1a']],
    ['<001-031>', ['001', '031'], ['1', '032', '0001']],
    ['<0-10>', ['0', '00', '10', '007'], ['11', '']],
    ['<0-0>', ['0'], ['00', '1', '']],
    ['<99-1002>', ['99', '100', '999', '1002', '0100'], ['98', '1003', '10']],
    ['.*a&b.*', ['ba', 'bxa'], ['ab', 'a', 'b']],
    ['(a.*&.*b)c', ['abc', 'axxbc'], ['ab', 'ac', 'bc']],
    ['(a+&aa*&.*)+', ['a', 'aa'], ['', 'b']],
    ['@', ['', 'anything'], []],
    ['a@', ['a', 'ab'], ['ba']],
    ['#', [], ['', 'a']],
    ['a#?', ['a'], ['aa']],
    ['\\d\\w\\s', ['1a '], ['aa ', '1a']],
    ['\\D', ['a'], ['1']],
    ['é[à-ü]', ['éê'], ['e', 'éa']],
  ];
  for (const [pattern, yes, no] of table) {
    test(pattern, () => {
      for (const term of yes) assert.ok(regexp(pattern).matches(term), `${pattern} ~ ${term}`);
      for (const term of no) assert.ok(!regexp(pattern).matches(term), `${pattern} !~ ${term}`);
    });
  }
});

describe('a wildcard matches whole terms only', () => {
  const table: [string, string, string[], string[]][] = [
    ['a*', 'a', ['a', 'abc'], ['', 'ba']],
    ['*a*b*', '', ['ab', 'xaxbx'], ['ba', 'a']],
    ['a?c', 'a', ['abc', 'a\u{1f600}c'], ['ac', 'abbc']],
    ['a\\*b', 'a*b', ['a*b'], ['axb']],
    ['a\\', 'a\\', ['a\\'], ['a']],
    ['**', '', ['', 'x'], []],
    ['a.b[c', 'a.b[c', ['a.b[c'], ['axb[c']],
  ];
  for (const [pattern, prefix, yes, no] of table) {
    test(pattern, () => {
      assert.equal(parseWildcard(pattern).prefix, prefix);
      for (const term of yes) assert.ok(wildcard(pattern).matches(term), `${pattern} ~ ${term}`);
      for (const term of no) assert.ok(!wildcard(pattern).matches(term), `${pattern} !~ ${term}`);
    });
  }
});

test('extracts the literal prefix of a regular expression', () => {
  assert.equal(literalPrefix(parseRegexp('abc.*')), 'abc');
  assert.equal(literalPrefix(parseRegexp('abc*')), 'ab');
  assert.equal(literalPrefix(parseRegexp('a|b')), '');
  assert.equal(literalPrefix(parseRegexp('"ab"c')), 'abc');
});

describe('work is linear in the length of the text for every pattern', () => {
  const text = 'a'.repeat(20_000);
  const short = 'a'.repeat(2000);
  const table: [string, Automaton, string][] = [
    ['(a+)+ and no match', regexp('(a+)+b'), text],
    ['((a*)*)*', regexp('((a*)*)*b'), text],
    ['(a|a)*', regexp('(a|a)*b'), text],
    ['(.*)(.*)(.*)', regexp('(.*)(.*)(.*)(.*)x'), text],
    ['*a*b*c*', wildcard('*a*b*c*'), text],
    ['*a*a*a*a*b', wildcard('*a*a*a*a*b'), text],
    ['5,000 ?', wildcard('?'.repeat(5000)), text],
    ['a?{1000}a{1000}', regexp('(a?){1000}a{1000}'), short],
    ['an exponential automaton', regexp('(.*a.{15}b){1,2}'), 'ab'.repeat(10_000)],
  ];
  for (const [name, automaton, long] of table) {
    test(name, () => {
      automaton.matches(long.slice(0, long.length / 2));
      const half = automaton.work;
      automaton.matches(long);
      const perChar = (automaton.work - half) / long.length;
      assert.ok(perChar < 4000, `${perChar} steps a character`);
    });
  }
});

test('rejects an intersection with too many states as limit_exceeded', () => {
  const pattern = '(.*a.{200}&.*b.{200}&.*c.{200})';
  assert.throws(
    () => regexp(pattern),
    (error) => error instanceof ServiceError && error.code === 'limit_exceeded',
  );
});

const CHARS = ['a', 'b', 'c', 'é', 'ü', '\uffee', '\u{1f600}', '\u{1f601}'];

function dictionary(random: Random): TermDictionary {
  const mapping = testMapping({ id: 'keyword', key: 'keyword' });
  const keys = random.list(0, 120, () => random.list(0, 5, () => random.pick(CHARS)).join(''));
  const segment = testSegment(mapping, [sourceDocument('d', { key: [...keys, 'a'] })]);
  const values = segment.root.values('key');
  assert.ok(values);
  return values.exact;
}

function matchedTerms<State extends object>(
  terms: TermDictionary,
  matcher: TermMatcher<State>,
  from = 0,
): string[] {
  const steps = matchingTerms(terms, matcher, { from, to: terms.size });
  let step = steps.next();
  while (!step.done) step = steps.next();
  const { only, count } = step.value;
  assert.ok(only);
  const matching: string[] = [];
  for (let ord = from; ord < terms.size; ord++)
    if (hasBit(only, ord)) matching.push(terms.term(ord));
  assert.equal(matching.length, count);
  return matching;
}

test('walking a dictionary finds the same terms as matching each of them', () => {
  const patterns = [
    '.*',
    'a.*',
    '.*b',
    '[aé]+.?',
    '(ab|ü)*',
    '.{2}',
    'a?b?c?',
    '[^a]*',
    '\u{1f600}.*',
  ];
  for (let seed = 0; seed < 100; seed++) {
    const random = new Random(seed);
    const terms = dictionary(random);
    const from = random.int(3);
    const all = Array.from({ length: terms.size }, (_, ord) => terms.term(ord)).slice(from);
    const automaton = regexp(random.pick(patterns));
    assert.deepEqual(
      matchedTerms(terms, automaton, from),
      all.filter((term) => automaton.matches(term)),
    );
    const word = random.list(0, 5, () => random.pick(CHARS));
    const edits = random.int(3);
    const prefix = random.int(3);
    const near = all.filter((term) => {
      const start = word.slice(0, prefix).join('');
      return term.startsWith(start) && distance([...term], word) <= edits;
    });
    assert.deepEqual(
      matchedTerms(terms, new Levenshtein(word.join(''), edits, prefix), from),
      near,
    );
  }
});

test('reads a long term in several runs', () => {
  const mapping = testMapping({ id: 'keyword', key: 'keyword' });
  const key = 'ab'.repeat(300);
  const values = testSegment(mapping, [sourceDocument('d', { key })]).root.values('key');
  assert.ok(values);
  const automaton = regexp('(.{0,98}[ab]){0,100}b');
  const steps = matchingTerms(values.exact, automaton, { from: 0, to: 1 });
  let longest = 0;
  let runs = 0;
  for (let step = steps.next(), lastWork = 0; !step.done; step = steps.next()) {
    longest = Math.max(longest, automaton.work - lastWork);
    lastWork = automaton.work;
    runs += 1;
  }
  assert.ok(longest < 100_000, `${longest} steps without a pause`);
  assert.ok(runs > 10, `${runs} runs`);
});
