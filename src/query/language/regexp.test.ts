import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ServiceError } from '../../errors.ts';
import { fold } from '../analysis/fold.ts';
import { foldRegexp, parseRegexp, type RegexpNode, withoutNegatedClasses } from './regexp.ts';

/** The tree in prefix form. */
function print(node: RegexpNode): string {
  switch (node.kind) {
    case 'union':
    case 'intersection':
    case 'concat':
      return `${node.kind}(${node.nodes.map(print).join(' ')})`;
    case 'repeat':
      return `${print(node.node)}{${node.min},${node.max ?? ''}}`;
    case 'class': {
      const ranges = node.ranges.map(([from, to]) =>
        from === to ? String.fromCodePoint(from) : `${from.toString(16)}-${to.toString(16)}`,
      );
      return `[${node.negated ? '^' : ''}${ranges.join(' ')}]`;
    }
    case 'string':
      return JSON.stringify(node.value);
    case 'interval':
      return `<${node.min}-${node.max}/${node.digits}>`;
    case 'any':
    case 'anyString':
    case 'nothing':
      return node.kind;
  }
}

const TREES: readonly (readonly [pattern: string, tree: string])[] = [
  ['', '""'],
  ['a', '"a"'],
  ['ab', 'concat("a" "b")'],
  ['a|b|c', 'union("a" "b" "c")'],
  ['a&b', 'intersection("a" "b")'],
  ['a|b&cd', 'union("a" intersection("b" concat("c" "d")))'],
  ['.', 'any'],
  ['.*', 'any{0,}'],
  ['a?b+', 'concat("a"{0,1} "b"{1,})'],
  ['a{2}', '"a"{2,2}'],
  ['a{2,}', '"a"{2,}'],
  ['a{2,3}', '"a"{2,3}'],
  ['a{3,2}', 'nothing'],
  ['(ab)*', 'concat("a" "b"){0,}'],
  ['()', '""'],
  ['[abc]', '[a b c]'],
  ['[a-c]', '[61-63]'],
  ['[^a-c]', '[^61-63]'],
  ['[]a]', '[] a]'],
  ['[a\\]]', '[a ]]'],
  ['[.*]', '[. *]'],
  ['\\d', '[30-39]'],
  ['\\W', '[^30-39 41-5a _ 61-7a]'],
  ['[\\dx]', '[30-39 x]'],
  ['[\\D]', '[0-2f 3a-10ffff]'],
  ['"a.b"c', 'concat("a.b" "c")'],
  ['<1-31>', '<1-31/0>'],
  ['<01-31>', '<1-31/2>'],
  ['<31-1>', '<1-31/0>'],
  ['@', 'anyString'],
  ['#', 'nothing'],
  ['\\.\\@\\#\\~', 'concat("." "@" "#" "~")'],
  ['*a', 'concat("*" "a")'],
  ['^a$', 'concat("^" "a" "$")'],
  ['😀+', '"😀"{1,}'],
];
for (const [pattern, tree] of TREES) {
  test(`/${pattern}/ parses to ${tree}`, () => assert.equal(print(parseRegexp(pattern)), tree));
}

const FAULTS: readonly (readonly [pattern: string, offset: number])[] = [
  ['(a', 2],
  ['a)', 1],
  ['[a', 2],
  ['[', 1],
  ['[b-a]', 1],
  ['a{', 2],
  ['a{x}', 2],
  ['a{1', 3],
  ['a{1234567890}', 2],
  ['"a', 1],
  ['<1-', 0],
  ['<a>', 0],
  ['<-1>', 0],
  ['a|', 2],
  ['a\\', 2],
  ['\\q', 0],
  ['~a', 0],
];
for (const [pattern, offset] of FAULTS) {
  test(`rejects /${pattern}/ at offset ${offset}`, () => {
    assert.throws(
      () => parseRegexp(pattern),
      (error) => error instanceof ServiceError && error.details.offset === offset,
    );
  });
}

test('rejects patterns that are too large or too deep', () => {
  for (const pattern of ['a{10001}', '((a{100}){100}){100}', `${'('.repeat(101)}a`]) {
    assert.throws(() => parseRegexp(pattern), { code: 'limit_exceeded' }, pattern);
  }
  parseRegexp('a{10000}');
  parseRegexp('a'.repeat(1000));
  parseRegexp(`a${'?'.repeat(999)}`);
});

test('lower-casing keeps negated classes', () => {
  assert.equal(foldRegexp('[A-C]\\DX\\W\\S\\\\D', fold), '[a-c]\\Dx\\W\\S\\\\d');
});

test('negated classes are written as the characters that they match', () => {
  for (const [pattern, written] of [
    ['', ''],
    ['a\\d[^\\w]', 'a\\d[^\\w]'],
    ['\\Dx', '[^0-9]x'],
    ['[\\D]', '[\u0000-/:-\u{10ffff}]'],
    ['\\\\D"\\D"\\S', '\\\\D"\\D"[^\t-\n\r-\r - ]'],
    ['[^]\\Wa]', '[^]\u0000-/:-@[-^`-`{-\u{10ffff}a]'],
  ] as const) {
    assert.equal(withoutNegatedClasses(pattern), written);
  }
});

test('any text yields a regular expression or a ServiceError', () => {
  const piece = fc.constantFrom(...'ab.?+*|{}()[]^-"<>&@#~\\dD12,');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
      try {
        parseRegexp(pieces.join(''));
      } catch (error) {
        assert.ok(error instanceof ServiceError, String(error));
      }
    }),
    { numRuns: 2000 },
  );
});
