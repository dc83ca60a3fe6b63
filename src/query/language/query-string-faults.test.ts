// Texts that the query language rejects, one per row, with the place of the fault; and the limits of
// a query.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planSearch, testContext } from '../../../test/support/query-context.ts';
import { ServiceError } from '../../errors.ts';
import { formatQuery } from '../format-query.ts';

const REJECTED: readonly (readonly [text: string, offset: number, expected: RegExp])[] = [
  ['', 0, /blank/],
  [' \t\n', 0, /blank/],
  ['\u3000', 0, /blank/],
  ['(a', 2, /expected \) for the \( at offset 0/],
  ['a)', 1, /expected a clause/],
  ['()', 1, /expected a word/],
  ['"a', 0, /quote is not closed/],
  ['/a', 0, /not closed/],
  ['AND a', 0, /expected a word/],
  ['a AND', 5, /expected a word/],
  ['a OR OR b', 5, /unexpected OR/],
  ['NOT NOT a', 4, /unexpected NOT/],
  ['+-a', 1, /unexpected "-"/],
  ['a -', 3, /unexpected end of the query/],
  ['f:', 2, /expected a value or \( after "f:"/],
  ['f:a:b', 3, /unexpected ":"/],
  [':a', 0, /unexpected ":"/],
  ['"a":b', 3, /unexpected ":"/],
  ['f:-5', 2, /unexpected "-"/],
  ['[1 TO', 5, /upper bound/],
  ['[1 TO 2', 7, /expected \] or \}/],
  ['[ TO 2]', 2, /lower bound/],
  ['f:[1 2]', 5, /expected TO/],
  ['f:["a TO b]', 3, /quote is not closed/],
  ['a]', 1, /closes no range/],
  ['a^', 2, /number after \^/],
  ['a^x', 2, /number after \^/],
  ['a^2^3', 3, /unexpected \^3/],
  ['[a TO b]~1', 8, /unexpected ~/],
  ['~1', 0, /unexpected ~/],
  ['a~1.5', 0, /whole/],
  ['a\\', 1, /character after/],
  ['name:\\u12', 5, /four hexadecimal digits/],
  ['"\\uZZZZ"', 1, /four hexadecimal digits/],
  ['@accounts(', 10, /expected a word/],
  ['@accounts()', 10, /expected a word/],
  ['@(a)', 1, /nested array after @/],
  ['attributes.*:x', 12, /unexpected ":"/],
  ['attributes.?:x', 12, /unexpected ":"/],
  ['created:2024-05-01T10:00:00Z', 21, /unexpected ":"/],
  ['created:now-1d/d', 14, /not closed/],
  ['accessCount:abc', 12, /expected a number/],
  ['accessCount:99999999999999999999', 12, /expected a number/],
  ['accessCount:[a TO 3]', 12, /expected a number/],
  ['accessCount:3*', 12, /holds numbers, a prefix query is for strings/],
  ['accessCount:/3/', 12, /a regular expression is for strings/],
  ['accessCount:3~1', 12, /a fuzzy query is for strings/],
  ['created:foo', 8, /expected a date like/],
  ['created:2024-02-30', 8, /expected a date like/],
  ['created:[2024 TO foo]', 8, /expected a date like/],
  ['created:20*', 8, /a prefix query is for strings/],
  ['disabled:maybe', 9, /expected true or false/],
  ['disabled:t*', 9, /a prefix query is for strings/],
  ['name:a AND @accounts(disabled:maybe)', 30, /expected true or false/],
  ['_exists_:[a TO b]', 9, /name of a field/],
  ['_exists_:na?e', 9, /only \* is a wildcard/],
  ['name:/a~b/', 7, /complement ~ is not supported; use \[\^/],
  ['name:/(a/', 8, /expected \)/],
  ['nope:/[a/', 8, /expected \]/],
  ['name:/[Z-a]/', 5, /runs backwards/],
];

const context = testContext();

for (const [text, offset, expected] of REJECTED) {
  test(`rejects ${JSON.stringify(text)} at offset ${offset}`, () => {
    assert.throws(
      () => planSearch({ indices: ['identities'], query: { query: text } }, {}, context),
      (error) => {
        assert.ok(error instanceof ServiceError, String(error));
        assert.equal(error.code, 'query_malformed');
        assert.match(error.details.causes?.[0] ?? '', expected);
        assert.equal(error.details.offset, offset);
        return true;
      },
    );
  });
}

const BOUNDED: readonly (readonly [name: string, text: string, limit: string])[] = [
  ['51 levels', `${'('.repeat(51)}a${')'.repeat(51)}`, 'CARDEA_MAX_DEPTH'],
  ['20,000 levels', '('.repeat(20_000), 'CARDEA_MAX_DEPTH'],
  ['nested levels', `${'(@accounts('.repeat(26)}a`, 'CARDEA_MAX_DEPTH'],
  [
    '1,025 clauses',
    Array.from({ length: 1025 }, (_, at) => `t${at}`).join(' '),
    'CARDEA_MAX_CLAUSES',
  ],
  [
    '16,000 words on each leaf of an array',
    `@accounts(${'a,'.repeat(16_000)})`,
    'CARDEA_MAX_TERMS',
  ],
  ['65,537 characters', 'a'.repeat(65_537), 'CARDEA_MAX_QUERY_LENGTH'],
  [
    'a regular expression of 1,001 characters',
    `name:/${'a'.repeat(1001)}/`,
    'CARDEA_MAX_REGEX_LENGTH',
  ],
];
for (const [name, text, limit] of BOUNDED) {
  test(`rejects ${name} and names the limit`, () => {
    assert.throws(
      () => planSearch({ query: { query: text } }, {}, context),
      (error) =>
        error instanceof ServiceError &&
        error.code === 'limit_exceeded' &&
        (error.details.causes?.[0] ?? '').includes(limit),
    );
  });
}

test('plans queries just within the limits without dropping a clause', () => {
  const planned = (query: string): string => {
    const { targets } = planSearch({ indices: ['identities'], query: { query } }, {}, context);
    return formatQuery(targets[0]?.query ?? { kind: 'matchNone' });
  };
  const clauses = (length: number, clause: (at: number) => string) =>
    Array.from({ length }, (_, at) => clause(at)).join(' ');
  assert.equal(planned(`${'('.repeat(50)}a${')'.repeat(50)}`), planned('a'));
  assert.equal(
    planned(`id:(${clauses(800, (at) => `"${at}"`).replaceAll(' ', ' OR ')})`),
    `(${clauses(800, (at) => `id.folded:${at}`)})`,
  );
  const words = planned(clauses(1024, (at) => `t${at}`));
  for (let at = 0; at < 1024; at++) assert.ok(words.includes(`_all:t${at} |`), `t${at}`);
  assert.equal(planned(`name:${'?'.repeat(5000)}`), `name:${'?'.repeat(5000)}`);
  const parts = [...planned('a'.repeat(65_536)).matchAll(/\bname:(a+)/g)].map(([, part]) => part);
  assert.equal(parts.join(''), 'a'.repeat(65_536));
  assert.equal(planned(`name:${'a,'.repeat(16_000)}`), `(${clauses(16_000, () => 'name:a')})`);
  const uuid = 'ef38f943-47e9-4562-b5bb-8424a56397d8';
  const found = `(${clauses(800, () => `id.folded:${uuid}`)})`;
  const anyOf = (clause: string) => clauses(800, () => clause).replaceAll(' ', ' OR ');
  assert.equal(planned(`id:(${anyOf(uuid)})`), found);
  assert.equal(planned(`id:(${anyOf(`"${uuid}"`)})`), found);
  assert.equal(planned(anyOf(`id:${uuid}`)), found);
});

test('a pattern of field names counts one clause per matching field', () => {
  const many = testContext(Array.from({ length: 1100 }, (_, at) => `attributes.a${at}`));
  assert.throws(
    () => planSearch({ indices: ['identities'], query: { query: 'attributes.\\*:x' } }, {}, many),
    { code: 'limit_exceeded' },
  );
  planSearch({ indices: ['identities'], query: { query: '_exists_:attributes' } }, {}, many);
});
