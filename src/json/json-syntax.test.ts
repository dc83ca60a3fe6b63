// What is said of malformed JSON, by kind of fault, and that a fault is found exactly where no valid
// JSON can follow any more.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findJsonFault, jsonFaultClause, parseJson } from './json-syntax.ts';

const FAULTS: readonly [text: string, clause: string][] = [
  // Words of other languages.
  ['{"a":True}', 'at offset 5: True is written true'],
  ['{"a":False}', 'at offset 5: False is written false'],
  ['[None]', 'at offset 1: None is written null'],
  ['[undefined]', 'at offset 1: undefined is written null'],
  ['[nil]', 'at offset 2: nil is written null'],
  ['[NaN]', 'at offset 1: NaN is no number of JSON: send null, or a text'],
  ['[nan]', 'at offset 2: nan is no number of JSON: send null, or a text'],
  ['[Infinity]', 'at offset 1: Infinity is no number of JSON: send null, or a text'],
  ['[-Infinity]', 'at offset 2: -Infinity is no number of JSON: send null, or a text'],
  [
    '[trve]',
    "at offset 3: 'v' stands in the word that begins at offset 1: it is not true, and texts need double quotes",
  ],
  [
    '[truely]',
    "at offset 5: 'l' stands where a comma or ']' is expected: a quote may be missing before it",
  ],
  ['[tru', 'at offset 4: the JSON ends inside the word true'],
  // Numbers.
  [
    '.5',
    "at offset 0: '.' stands where a value is expected: a number needs a digit before its point",
  ],
  ['[+5]', "at offset 1: '+' stands where a value or ']' is expected: a number has no plus sign"],
  ['[-.5]', "at offset 2: '.' stands where a digit is expected in a number"],
  ['[5.]', "at offset 3: ']' stands where a digit is expected after the point of a number"],
  ['[5e]', "at offset 3: ']' stands where a digit is expected in the exponent of a number"],
  ['[05]', 'at offset 2: a digit follows the zero with which a number begins'],
  [
    '[0x1F]',
    "at offset 2: 'x' stands where a comma or ']' is expected: JSON has no hexadecimal numbers",
  ],
  [
    '[1_000]',
    "at offset 2: '_' stands where a comma or ']' is expected: a quote may be missing before it",
  ],
  ['-', 'at offset 1: the JSON ends inside a number'],
  ['[1.', 'at offset 3: the JSON ends inside a number'],
  // Quotes.
  [
    '{"sort":[+created]}',
    "at offset 9: '+' stands where a value or ']' is expected: texts need double quotes",
  ],
  [
    '[name]',
    "at offset 2: 'a' stands in the word that begins at offset 1: it is not null, and texts need double quotes",
  ],
  [
    '[created]',
    "at offset 1: 'c' stands where a value or ']' is expected: texts need double quotes",
  ],
  [
    "['a']",
    "at offset 1: a single quote stands where a value or ']' is expected: texts and names are in double quotes",
  ],
  [
    "{'a':1}",
    "at offset 1: a single quote stands where the name of a member in double quotes or '}' is expected: texts and names are in double quotes",
  ],
  [
    '[“a”]',
    "at offset 1: the character U+201C stands where a value or ']' is expected: texts and names are in double quotes",
  ],
  [
    '{a:1}',
    "at offset 1: 'a' stands where the name of a member in double quotes or '}' is expected",
  ],
  [
    '{"a":1, b:2}',
    "at offset 8: 'b' stands where the name of a member in double quotes is expected",
  ],
  [
    '{"a:1}',
    'at offset 6: the JSON ends inside the text that begins at offset 1: its closing quote is missing',
  ],
  [
    '"a\\',
    'at offset 3: the JSON ends inside the text that begins at offset 0: its closing quote is missing',
  ],
  [
    '{"a:"b"}',
    "at offset 5: 'b' stands where a colon is expected: a quote may be missing before it",
  ],
  ['{"a":b"}', "at offset 5: 'b' stands where a value is expected: texts need double quotes"],
  [
    '{"a":"b\n"}',
    'in line 1, column 8 (offset 7): a line break stands in the text that begins at offset 5: its closing quote is missing, or it must be written as an escape',
  ],
  [
    '["a\tb"]',
    'at offset 3: a tab stands in the text that begins at offset 1: it must be written as an escape',
  ],
  ['["\\x41"]', "at offset 3: 'x' after a backslash is no escape of JSON"],
  ['["\\\'"]', 'at offset 3: a single quote after a backslash is no escape of JSON'],
  ['["\\u00g0"]', "at offset 6: 'g' stands where a hexadecimal digit of an escape is expected"],
  // Punctuation.
  [
    '{"a":1,}',
    "at offset 7: '}' stands where the name of a member in double quotes is expected: the comma before it is one too many",
  ],
  [
    '[1, ]',
    "at offset 4: ']' stands where a value is expected: the comma before it is one too many",
  ],
  ['[,1]', "at offset 1: a comma stands where a value or ']' is expected"],
  ['{"a":1 "b":2}', "at offset 7: a double quote stands where a comma or '}' is expected"],
  ['{"a"=1}', "at offset 4: '=' stands where a colon is expected"],
  ['{"a":1;}', "at offset 6: ';' stands where a comma or '}' is expected"],
  [
    '["a":1]',
    "at offset 4: a colon stands where a comma or ']' is expected: members are in an object, not in an array",
  ],
  ['{"a"}', "at offset 4: '}' stands where a colon is expected"],
  ['{"a":}', "at offset 5: '}' stands where a value is expected"],
  [
    '{"a":[1}',
    "at offset 7: '}' stands where a comma or ']' is expected: what is open begins at offset 5",
  ],
  [
    '{"a":1}}',
    "at offset 7: '}' follows the JSON, which ends at offset 7: there is one closing bracket too many",
  ],
  // What comes before, between and after.
  ['', 'at offset 0: there is no JSON'],
  [' \n ', 'at offset 3: there is only white space'],
  [
    '{"a":{"b":1}',
    'at offset 12: the JSON ends before it is complete: the object that begins at offset 0 is not closed',
  ],
  [
    '[[1,2',
    'at offset 5: the JSON ends before it is complete: the array that begins at offset 1 is not closed',
  ],
  [
    '{"a":',
    'at offset 5: the JSON ends before it is complete: the object that begins at offset 0 is not closed',
  ],
  [
    '{}{}',
    "at offset 2: '{' follows the JSON, which ends at offset 2: only one document is accepted",
  ],
  ['{} x', "at offset 3: 'x' follows the JSON, which ends at offset 2"],
  [
    '\ufeff{}',
    'at offset 0: a byte order mark (U+FEFF) stands where a value is expected: it is no white space of JSON',
  ],
  [
    '{\u00a0}',
    "at offset 1: a no-break space (U+00A0) stands where the name of a member in double quotes or '}' is expected: it is no white space of JSON",
  ],
  [
    '{\0"\0',
    "at offset 1: the character U+0000 stands where the name of a member in double quotes or '}' is expected: the text must be UTF-8, not UTF-16",
  ],
  ['{"a":1 // one\n}', 'in line 1, column 8 (offset 7): a comment begins, and JSON has none'],
  ['/* one */ {}', 'at offset 0: a comment begins, and JSON has none'],
  ['{\n  # one\n}', 'in line 2, column 3 (offset 4): a comment begins, and JSON has none'],
  [
    '[😀]',
    "at offset 1: the character U+1F600 stands where a value or ']' is expected: texts need double quotes",
  ],
  ['{\n  "a": 1,\n  "b": True\n}', 'in line 3, column 8 (offset 19): True is written true'],
  ['grant_type=x', "at offset 0: 'g' stands where a value is expected: texts need double quotes"],
  ['<html>', "at offset 0: '<' stands where a value is expected: texts need double quotes"],
];
for (const [text, clause] of FAULTS) {
  test(`${JSON.stringify(text)} is not valid ${clause}`, () => {
    assert.throws(() => JSON.parse(text), 'JSON.parse agrees');
    assert.equal(jsonFaultClause(text), clause);
    assert.throws(() => parseJson(text, (found) => new Error(found)), { message: clause });
  });
}

test('no more than one character of an unknown text is shown', () => {
  for (const text of ['{"password": hunter2}', "{'secret': 1}", '[tsecret]', '["a" secret]']) {
    assert.doesNotMatch(jsonFaultClause(text), /hunter|secret/);
  }
});

/** What can follow inside a token, before the brackets that are open are closed. */
const MIDDLES = [
  ...['', '"', '0', 'null', ':0', '"a":0', '":0', 'a":0', 'rue', 'ue', 'e', 'alse', 'lse', 'se'],
  ...['ull', 'll', 'l', 'n"', 'n":0', '0000"', '000"', '00"', '0"', '0000":0', '000":0', '00":0'],
];

/** Whether a valid JSON begins with the text, by JSON.parse alone. */
function canContinue(text: string): boolean {
  const closers = [''];
  // Brackets inside of strings only add candidates, which JSON.parse rejects.
  let outside = '';
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (char === '\\' && inString) i++;
    else if (char === '"') inString = !inString;
    else if (!inString && char === '{') outside = `}${outside}`;
    else if (!inString && char === '[') outside = `]${outside}`;
    else if (!inString && (char === '}' || char === ']')) outside = outside.slice(1);
  }
  closers.push(outside);
  return MIDDLES.some((middle) => closers.some((end) => isJson(text + middle + end)));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The offset of the first character after which nothing can make the text valid. */
function firstOffence(text: string): number {
  let offset = 0;
  while (offset < text.length && canContinue(text.slice(0, offset + 1))) offset++;
  return offset;
}

const PIECES = [
  ...'{}[]",:\\u0019e.+-tfn \n\t#/\'x\u0001\u00a0',
  'true',
  'NaN',
  '\\n',
  '\\u00',
  '😀',
];

test('for mutations of valid JSON a fault is found exactly when JSON.parse fails, at the first offending character', () => {
  const mutation = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    removed: fc.integer({ min: 0, max: 3 }),
    inserted: fc.oneof(fc.constant(''), fc.constantFrom(...PIECES)),
  });
  const spaces = fc.constantFrom(undefined, 1);
  let invalid = 0;
  fc.assert(
    fc.property(
      fc.jsonValue({ maxDepth: 3 }),
      spaces,
      fc.array(mutation, { minLength: 1, maxLength: 3 }),
      (value, indent, mutations) => {
        let text = JSON.stringify(value, null, indent);
        for (const { at, removed, inserted } of mutations) {
          const place = Math.floor(at * (text.length + 1));
          text = text.slice(0, place) + inserted + text.slice(place + removed);
        }
        const fault = findJsonFault(text);
        assert.equal(fault === null, isJson(text), text);
        if (fault === null) return;
        invalid++;
        assert.equal(fault.offset, firstOffence(text), JSON.stringify(text));
      },
    ),
    { numRuns: 2_000 },
  );
  assert.ok(invalid > 500, String(invalid));
});

test('any text is judged as by JSON.parse, whatever its depth', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...PIECES), maxLength: 30 }), (text) => {
      assert.equal(findJsonFault(text) === null, isJson(text), JSON.stringify(text));
    }),
    { numRuns: 2_000 },
  );
  const deep = '['.repeat(200_000);
  assert.equal(findJsonFault(deep)?.offset, deep.length);
  assert.equal(findJsonFault(deep + ']'.repeat(200_000)), null);
});
