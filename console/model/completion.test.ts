import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { printField, printValue, tokenAt } from './completion.ts';

/** `|` is the caret. */
const check = (marked: string, expected: string | null) =>
  test(`completes ${marked}`, () => {
    const caret = marked.indexOf('|');
    const text = marked.replace('|', '');
    const typed = tokenAt(text, caret);
    const shown =
      typed &&
      [
        typed.kind,
        typed.field && `of ${typed.field}`,
        typed.nested && `in ${typed.nested}`,
        JSON.stringify(typed.prefix),
        `for ${JSON.stringify(text.slice(typed.from, typed.to))}`,
      ]
        .filter(Boolean)
        .join(' ');
    assert.equal(shown, expected);
  });

check('|', 'field "" for ""');
check('disp|', 'field "disp" for "disp"');
check('dis|play', 'field "dis" for "display"');
check('a AND attributes.de|', 'field "attributes.de" for "attributes.de"');
check('-na|', 'field "na" for "na"');
check('name:|', 'value of name "" for ""');
check('name:Ad|', 'value of name "Ad" for "Ad"');
check('name:"Ada L|', 'value of name "Ada L" for "\\"Ada L"');
check('name:"Ada L|ove"', 'value of name "Ada L" for "\\"Ada Love\\""');
check('name:"Ada"|', null);
check('name:(Ada OR Bo|', 'value of name "Bo" for "Bo"');
check('@acc|', 'field "@acc" for "@acc"');
check('@accounts(|', 'field in accounts "" for ""');
check('@accounts(source.name:Act|', 'value of source.name in accounts "Act" for "Act"');
check('@accounts(source.name:(A OR B|', 'value of source.name in accounts "B" for "B"');
check('@accounts(a:b) AND nam|', 'field "nam" for "nam"');
check('created:[2024|', null);
check('created:[2024 TO 2025] na|', 'field "na" for "na"');
check('name:/a|', null);

test('quotes values only where necessary', () => {
  assert.equal(printValue('Sales'), 'Sales');
  assert.equal(printValue('Human Resources'), '"Human Resources"');
  assert.equal(printValue('a"b\\c'), '"a\\"b\\\\c"');
  assert.equal(printValue('OR'), '"OR"');
});

test('escapes special characters in field names', () => {
  const written = printField('attributes.a b:c');
  assert.equal(written, 'attributes.a\\ b\\:c');
  assert.equal(tokenAt(`${written}:x`, written.length + 2)?.field, 'attributes.a b:c');
});

test('never throws, and replaces a range around the caret', () => {
  const texts = fc
    .array(
      fc.constantFrom('a', ' ', '"', '\\', '(', ')', ':', '@', '/', '[', ']', '*', 'AND ', '😀'),
    )
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(texts, fc.nat(20), (text, at) => {
      const caret = Math.min(at, text.length);
      const typed = tokenAt(text, caret);
      if (typed !== null)
        assert.ok(typed.from <= caret && caret <= typed.to && typed.to <= text.length);
    }),
  );
});
