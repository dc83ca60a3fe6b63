import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { planSearch, testContext } from '../../../test/support/query-context.ts';
import { ServiceError } from '../../errors.ts';
import { caretLine, withCaret } from './caret.ts';

const context = testContext();

describe('the caret marks the place of an error below the text', () => {
  const table: readonly (readonly [text: string, offset: number, shown: string])[] = [
    ['a AND (', 7, 'a AND (\n       ^'],
    ['"', 0, '"\n^'],
    ['', 0, '\n^'],
    ['naïve 😀 (x', 9, 'naïve 😀 (x\n        ^'],
    ['a\tb\n(c', 4, 'a b (c\n    ^'],
    ['x'.repeat(60), 60, `${'x'.repeat(60)}\n${' '.repeat(60)}^`],
    ['x'.repeat(61), 61, `…${'x'.repeat(60)}\n${' '.repeat(61)}^`],
    ['x'.repeat(61), 0, `${'x'.repeat(60)}…\n^`],
    [
      `${'a'.repeat(50)}!${'b'.repeat(50)}`,
      50,
      `…${'a'.repeat(30)}!${'b'.repeat(29)}…\n${' '.repeat(31)}^`,
    ],
  ];
  for (const [text, offset, shown] of table) {
    test(JSON.stringify(`${text.slice(0, 30)} at ${offset}`), () =>
      assert.equal(caretLine(text, offset), shown),
    );
  }
});

test('adds a caret line only to errors with an offset', () => {
  const fault = new ServiceError('query_malformed', 'Wrong', { offset: 1 });
  assert.throws(
    () =>
      withCaret('abc', () => {
        throw fault;
      }),
    (error) => {
      assert.ok(error instanceof ServiceError);
      assert.deepEqual(error.details, { offset: 1, causes: ['Wrong', 'abc\n ^'] });
      return true;
    },
  );
  for (const other of [new ServiceError('limit_exceeded', 'x'), new TypeError('y')]) {
    assert.throws(
      () =>
        withCaret('abc', () => {
          throw other;
        }),
      other,
    );
  }
});

describe('a malformed query text is rejected with a message and a caret line', () => {
  const table: readonly (readonly [body: object, sentence: RegExp, shown: string])[] = [
    [
      { query: { query: 'name:(a b' } },
      /^Query string, offset 9: .* expected \) for the \( at offset 5$/,
      'name:(a b\n         ^',
    ],
    [{ query: { query: ' ' } }, /^Query string, offset 0: .*expected at least one clause/, ' \n^'],
    [{ query: { query: 'x created:soon' } }, /^Query string, offset 10: .*expected a date/, ''],
    [
      { query: { query: '*', innerHit: { type: 'accounts', query: 'a AND' } } },
      /^query\.innerHit\.query: Query string, offset 5/,
      'a AND\n     ^',
    ],
    [
      { queryType: 'DSL', queryDsl: { query_string: { query: '"a' } } },
      /^queryDsl\.query_string\.query: Query string, offset 0/,
      '"a\n^',
    ],
    [{ query: { query: 'a '.repeat(1025) } }, /1024 clauses/, ''],
  ];
  for (const [body, sentence, shown] of table) {
    test(JSON.stringify(body).slice(0, 80), () => {
      assert.throws(
        () => planSearch(body, {}, context),
        (error) => {
          assert.ok(error instanceof ServiceError);
          const [first = '', second = '', ...more] = error.details.causes ?? [];
          assert.match(first, sentence);
          assert.match(second, /\n *\^$/);
          if (shown !== '') assert.equal(second, shown);
          assert.deepEqual(more, []);
          return true;
        },
      );
    });
  }
});
