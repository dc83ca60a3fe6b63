import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../../test/support/any-text.ts';
import { fold } from './fold.ts';
import { tokenEnd } from './token-end.ts';
import { eachWord, MAX_WORD_LENGTH, words } from './words.ts';

const CASES: readonly (readonly [text: string, terms: readonly string[]])[] = [
  ['', []],
  ['  \t\n', []],
  ['... --- !!!', []],
  ['___', []],
  ['Ada Lovelace', ['ada', 'lovelace']],
  ['john.doe@acme.com', ['john.doe', 'acme.com']],
  ['CN=Sales,OU=EU', ['cn', 'sales', 'ou', 'eu']],
  ['a-b', ['a', 'b']],
  ['ROLE_CREATE_PASSED', ['role_create_passed']],
  ['_a_', ['_a_']],
  ["O'Neil's 'quoted'", ["o'neil's", 'quoted']],
  ['a:b 1:2', ['a:b', '1', '2']],
  ['1.5 1,000.25 a,b 1;2 1.a a.1', ['1.5', '1,000.25', 'a', 'b', '1;2', '1', 'a', 'a', '1']],
  ['a..b 1..2 a. .b', ['a', 'b', '1', '2', 'a', 'b']],
  ['x86_64 v1.2.3 a1b2', ['x86_64', 'v1.2.3', 'a1b2']],
  ['_1.5_', ['_1.5_']],
  ['a_.b', ['a_', 'b']],
  ['2024-05-01T10:00:00Z', ['2024', '05', '01t10', '00', '00z']],
  ['C:\\Users\\Ada', ['c', 'users', 'ada']],
  ['Zoë Ångström', ['zoë', 'ångström']],
  ['e\u0301te\u0301', ['e\u0301te\u0301']],
  ['ΑΣ ΣΑΣ', ['ασ', 'σασ']],
  ['İstanbul', ['istanbul']],
  ['Größe', ['größe']],
  ['Привет мир', ['привет', 'мир']],
  ['東京都', ['東', '京', '都']],
  ['ひらがな', ['ひ', 'ら', 'が', 'な']],
  ['カタカナ テスト', ['カタカナ', 'テスト']],
  ['カa', ['カ', 'a']],
  ['カ_a', ['カ_a']],
  ['한국어 시험', ['한국어', '시험']],
  ['สวัสดีชาวโลก abc', ['สวัสดีชาวโลก', 'abc']],
  ['１２３', ['１２３']],
  ['שלום', ['שלום']],
  ['צה"ל א\'', ['צה"ל', "א'"]],
  ['\u05d0"\u05d1\'c', ['\u05d0"\u05d1', 'c']],
  ['a\u200dd', ['a\u200dd']],
  ['soft\u00adhyphen', ['soft\u00adhyphen']],
  ['I 💜 you', ['i', '💜', 'you']],
  ['💩💩', ['💩', '💩']],
  ['👩‍👩‍👧', ['👩‍👩‍👧']],
  ['❤️ ❤', ['❤️', '❤']],
  ['👍🏽 ok', ['👍🏽', 'ok']],
  ['🇩🇪🇫🇷', ['🇩🇪', '🇫🇷']],
  ['🇩🇪🇫', ['🇩🇪']],
  ['#️⃣ *️⃣ 3️⃣', ['#️⃣', '*️⃣', '3️⃣']],
  ['# * a#b', ['a', 'b']],
  ['🏴\u{e0067}\u{e0062}\u{e007f}x', ['🏴\u{e0067}\u{e0062}\u{e007f}', 'x']],
  ['🏳️‍🌈', ['🏳️‍🌈']],
  ['©2024', ['©', '2024']],
  ['\ud800a\udc00', ['a']],
  ['𝒜b', ['𝒜b']],
  ['name–name', ['name', 'name']],
];

for (const [text, terms] of CASES) {
  test(`${JSON.stringify(text)} has the words ${JSON.stringify(terms)}`, () => {
    assert.deepEqual(
      words(text).map((word) => word.term),
      terms,
    );
    const emitted: string[] = [];
    eachWord(text, (term) => emitted.push(term));
    assert.deepEqual(emitted, terms);
  });
}

test('a word has its offsets in the text', () => {
  assert.deepEqual(words(' Ab, ÇD'), [
    { term: 'ab', start: 1, end: 3 },
    { term: 'çd', start: 5, end: 7 },
  ]);
});

test('a long word is split into pieces, never inside a surrogate pair', () => {
  const lengths = (text: string) => words(text).map((word) => word.term.length);
  assert.deepEqual(lengths('a'.repeat(600)), [255, 255, 90]);
  assert.deepEqual(lengths(`${'a'.repeat(254)}.b`), [254, 1]);
  assert.deepEqual(lengths(`${'é'.repeat(254)}𝒜b`), [254, 3]);
  assert.deepEqual(lengths(`${'_'.repeat(255)}a`), [255]);
  assert.deepEqual(lengths('_'.repeat(5000)), []);
});

/** The general rules, without the ASCII path. */
function wordsByRules(text: string): string[] {
  const terms: string[] = [];
  for (let at = 0; at < text.length; ) {
    let limit = Math.min(text.length, at + MAX_WORD_LENGTH);
    if (limit < text.length && /[\ud800-\udbff]/.test(text.charAt(limit - 1))) limit -= 1;
    const end = tokenEnd(text, at, limit);
    if (end > at) terms.push(fold(text.slice(at, end)));
    at = end > at ? end : at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
  }
  return terms;
}

test('the ASCII path agrees with the general rules', () => {
  const piece = fc.constantFrom(...'aZ09_.,;:\'"#*- é\u0301東カ💜\u200d\ufe0f\u20e3א');
  const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(text, (sample) => {
      assert.deepEqual(
        words(sample).map((word) => word.term),
        wordsByRules(sample),
      );
    }),
    { numRuns: 3000 },
  );
});

test('the words of any text lie within it and are in order', () => {
  fc.assert(
    fc.property(anyText(), (sample) => {
      let last = 0;
      for (const { start, end } of words(sample)) {
        assert.ok(start >= last && end > start && end <= sample.length);
        last = end;
      }
    }),
  );
});
