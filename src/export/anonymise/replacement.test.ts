// Replacements keep the form of a value, agree with each other word by word, and hide the original.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { KeyedHash } from './keyed-hash.ts';
import { Replacement } from './replacement.ts';
import { inventedName, inventedWord, NAMES_COUNT, WORDS_COUNT } from './word-forms.ts';

const replacement = (byte = 7, shiftDays = -70) =>
  new Replacement(new KeyedHash(Buffer.alloc(32, byte)), { shiftDays });
const one = replacement();

describe('the form of a replacement', () => {
  const check = (text: string, form: RegExp) =>
    test(text, () => {
      const replaced = one.value(text);
      assert.match(replaced, form);
      assert.notEqual(replaced, text);
    });
  check('Rebecca', /^[A-Z][a-z]{9,}$/);
  check('rebecca.cooper', /^[a-z]+\.[a-z]+$/);
  check('Rebecca B. Cooper-Smith', /^[A-Z][a-z]+ [A-Z]\. [A-Z][a-z]+-[A-Z][a-z]+$/);
  check('FINANCE_INVOICES_READ', /^[A-Z]+_[A-Z]+_[A-Z]+$/);
  check('McDonald', /^[A-Z][a-z]+[A-Z][a-z]+$/);
  check('Möller', /^[A-Z][a-záàâäéèêëíìîïóòôöúùûü]+$/);
  check('rebecca.cooper@acme.com', /^[a-z]+\.[a-z]+@[a-z]+\.[a-z]{3}\.example$/);
  check(
    'CN=rebecca.cooper,OU=Sales,DC=acme,DC=com',
    /^CN=[a-z]+\.[a-z]+,OU=[A-Z][a-z]+,DC=[a-z]+,DC=[a-z]{3}$/,
  );
  check(
    'https://portal.acme.com:8443/u/7',
    /^https:\/\/[a-z]+\.[a-z]+\.[a-z]{3}\.example:\d{4}\/[a-z]\/\d$/,
  );
  check('5537d55267a0910987e26c61434f5eab', /^[0-9a-f]{32}$/);
  check('{5537D55267A0910987E26C61434F5EAB}', /^\{[0-9A-F]{32}\}$/);
  check('5537d552-67a0-9109-87e2-6c61434f5eab', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  check('+44 20 123 4567', /^\+\d\d \d\d \d{3} \d{4}$/);
  check('100017', /^\d{6}$/);
  check('C500000', /^[A-Z]\d{6}$/);
  check('ENG-US', /^[A-Z]{3}-[A-Z]{2}$/);
  check('王伟', /^\p{Script=Han}{2}$/u);
  check('김민준', /^\p{Script=Hangul}{3}$/u);
  check('Владимир', /^[A-Z][a-z]+$/);
  check('192.0.2.17', /^2[45]\d\.\d+\.\d+\.\d+$/);
  check('fe80::1ff:fe23:4567:890a', /^2001:db8(?::[0-9a-f]{4}){6}$/);
  check('2025-06-30', /^2025-04-21$/);
  check('2025-06-30T23:59:59.123Z', /^2025-04-21T23:59:59\.123Z$/);
  check('2025-06-30T23:59+02:00', /^2025-04-21T23:59\+02:00$/);
});

describe('agreement', () => {
  const [first = '', last = ''] = one.value('Rebecca Cooper').split(' ');
  const check = (text: string, expected: string) =>
    test(text, () => assert.equal(one.value(text), expected));
  check('Rebecca', first);
  check('COOPER', last.toUpperCase());
  check('rebecca.cooper', `${first}.${last}`.toLowerCase());
  test('an id is the same with and without hyphens', () => {
    const hyphens = one.value('5537d552-67a0-9109-87e2-6c61434f5eab');
    assert.equal(one.value('5537d55267a0910987e26c61434f5eab'), hyphens.replaceAll('-', ''));
  });
  test('a mailbox keeps the words of its login', () => {
    const [local] = one.value('rebecca.cooper@acme.com').split('@');
    assert.equal(local, one.value('rebecca.cooper'));
  });
  test('a name in a script without blanks consists of its parts', () => {
    assert.equal(one.value('王伟'), one.value('王') + one.value('伟'));
  });
  test('a login without accents has the word of the name without them', () => {
    const plain = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
    assert.equal(plain(one.value('Müller')), one.value('muller'));
    assert.notEqual(one.value('müller'), one.value('muller'));
  });
});

test('the same key gives the same replacement, another key another one', () => {
  for (const text of ['Rebecca Cooper', '100017', 'a@b.example', '2025-06-30']) {
    assert.equal(replacement().value(text), one.value(text));
  }
  assert.notEqual(replacement(8).value('Rebecca Cooper'), one.value('Rebecca Cooper'));
  assert.notEqual(replacement(8).value('100017'), one.value('100017'));
});

test('the order of values does not change them', () => {
  const texts = ['Ada Byron', 'Byron', '17', 'ada', 'Ada'];
  const forwards = replacement();
  const backwards = replacement();
  const before = texts.map((text) => forwards.value(text));
  const after = [...texts].reverse().map((text) => backwards.value(text));
  assert.deepEqual(after.reverse(), before);
});

test('different words and numbers stay different', () => {
  const words = new Set<string>();
  const images = new Set<string>();
  for (let n = 0; n < 20_000; n += 1) {
    const word = inventedWord((n * 7919) % WORDS_COUNT);
    words.add(word);
    images.add(one.value(word));
  }
  assert.equal(images.size, words.size);
});

test('different numbers give different invented words', () => {
  const number = fc.integer({ min: 0, max: NAMES_COUNT - 1 });
  fc.assert(
    fc.property(number, number, (a, b) => {
      assert.equal(inventedName(a) === inventedName(b), a === b);
      const [left, right] = [a % WORDS_COUNT, b % WORDS_COUNT];
      assert.equal(inventedWord(left) === inventedWord(right), left === right);
    }),
  );
});

test('no word of five letters or more is left in a text', () => {
  const word = fc.stringMatching(/^[b-df-hj-np-tv-z]{5,9}$/);
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), (words) => {
      const text = words.join(' ');
      for (const replaced of [one.value(text), one.freeText(text)]) {
        for (const original of words) assert.ok(!replaced.toLowerCase().includes(original));
      }
    }),
  );
});

test('a sentence has as many words as before, and the same sentence the same ones', () => {
  const text = 'Needed for the quarter end, says Rebecca.';
  const replaced = one.freeText(text);
  assert.equal(replaced.split(' ').length, text.split(' ').length);
  assert.match(replaced, /^[A-Z].*\.$/);
  assert.equal(one.freeText(text), replaced);
  assert.notEqual(one.freeText(`Also ${text}`).split(' ')[1], replaced.split(' ')[0]);
});

test('numbers keep their sign, length and kind', () => {
  for (const [value, form] of [
    [52_000, /^\d{5}$/],
    [-17, /^-\d\d$/],
    [37.5, /^\d\d\.\d$/],
    [9_007_199_254_740_991, /^\d{16}$/],
  ] as const) {
    const replaced = one.number(value);
    assert.match(String(replaced), form);
    assert.ok(!Number.isInteger(replaced) || Number.isSafeInteger(replaced));
  }
  assert.equal(one.number(1e300), 0);
});

test('dates keep their order, distance and day of the week', () => {
  const before = ['2024-02-29', '2024-03-01', '2025-01-01'];
  const after = before.map((date) => one.date(date));
  const day = (date: string | undefined) => Date.parse(`${date}`) / 86_400_000;
  for (const [at, date] of before.entries()) {
    assert.equal(day(after[at]), day(date) - 70);
    assert.equal(Math.abs(day(after[at]) - day(date)) % 7, 0);
  }
  assert.equal(one.date('0000-01-01'), '0000-01-01');
  assert.equal(one.instant(0), 0);
  assert.equal(one.instant(1_764_000_000_000), 1_764_000_000_000 - 70 * 86_400_000);
});

test('a name that would become too long for an import ends in a hash', () => {
  const long = Array.from({ length: 40 }, (_, n) => `word${'x'.repeat(n % 3)}`)
    .join(' ')
    .slice(0, 200);
  const replaced = one.value(long);
  assert.ok(replaced.length <= 255, String(replaced.length));
  assert.match(replaced, / [0-9a-f]{16}$/);
  assert.notEqual(one.value(`${long}y`), replaced);
});

test('blank texts stay', () => {
  assert.equal(one.value(''), '');
  assert.equal(one.value('  '), '  ');
});
