import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ServiceError } from '../../errors.ts';
import { DEFAULT_LIMITS } from '../limits.ts';
import { type CollectionFilter, readCollectionFilter } from './collection-filter.ts';
import { readCollectionPage, readCollectionSorters } from './collection-page.ts';

const FIELDS = {
  id: 'text',
  name: 'text',
  enabled: 'flag',
  lastLogin: 'number',
  lastUsed: 'date',
  capabilities: 'list',
} as const;

/** The filter with all parentheses. */
function shown(filter: CollectionFilter): string {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return `(${filter.parts.map(shown).join(` ${filter.kind} `)})`;
    case 'not':
      return `not ${shown(filter.part)}`;
    case 'compare':
      return [filter.field, filter.operator, ...filter.values.map((v) => JSON.stringify(v))].join(
        ' ',
      );
  }
}

describe('a filter', () => {
  const check = (text: string, expected: string) =>
    test(`${text} reads as ${expected}`, () => {
      const filter = readCollectionFilter(text, FIELDS);
      assert.equal(filter === null ? 'null' : shown(filter), expected);
    });
  check('', 'null');
  check('   ', 'null');
  check('capabilities ca "ORG_ADMIN"', 'capabilities ca "ORG_ADMIN"');
  check('capabilities ca ("A", "B")', 'capabilities ca "A" "B"');
  check('name eq "O\'Neil “x”"', 'name eq "O\'Neil “x”"');
  check('name gt "a" and name le "b"', '(name gt "a" and name le "b")');
  check('name sw "a \\"b\\" \\\\"', 'name sw "a \\"b\\" \\\\"');
  check('pr capabilities', 'capabilities pr');
  check('capabilities pr', 'capabilities pr');
  check('isnull name', 'name isnull');
  check('lastLogin lt 1764000000000', 'lastLogin lt 1764000000000');
  check('lastUsed le 2026-03-01T12:00:00Z', 'lastUsed le 1772366400000');
  check('lastUsed le "2026-03-01"', 'lastUsed le 1772323200000');
  check('lastUsed le 2018', 'lastUsed le 1514764800000');
  check('lastUsed le "2018"', 'lastUsed le 1514764800000');
  check('lastUsed le 2018-02', 'lastUsed le 1517443200000');
  check('enabled eq FALSE', 'enabled eq false');
  check(
    'name eq "a" or name eq "b" and enabled eq true',
    '(name eq "a" or (name eq "b" and enabled eq true))',
  );
  check(
    'not (name eq "a" or name eq "b") and enabled ne true',
    '(not (name eq "a" or name eq "b") and enabled ne true)',
  );
  check('not not name pr', 'not not name pr');
});

describe('a filter that cannot be read says where and why', () => {
  const check = (text: string, message: RegExp) =>
    test(`${text}: ${message.source}`, () => {
      assert.throws(
        () => readCollectionFilter(text, FIELDS),
        (error) =>
          error instanceof ServiceError &&
          error.code === 'request_invalid' &&
          message.test(error.message),
      );
    });
  check('nam eq "a"', /offset 0: nam cannot be filtered by; did you mean name\?/);
  check('zzzzzz eq "a"', /the fields are id, name, enabled, lastLogin, lastUsed, capabilities/);
  check('constructor eq "a"', /constructor cannot be filtered by/);
  check('name like "a"', /offset 5: like is no operator of name; it has eq, ne, co/);
  check('capabilities eq "A"', /eq is no operator of capabilities; it has ca, in, pr, isnull/);
  check('name eq a', /offset 8: expected a text in plain double quotes for name, found "a"/);
  check('name eq', /offset 7: expected a text in plain double quotes for name, found the end/);
  check('name eq "a', /offset 8: this quote is not closed by a plain double quote: "a/);
  check('name eq "a”', /offset 8: this quote is not closed by a plain double quote: "a”/);
  check('name eq 4bd6', /offset 8: expected a text in plain double quotes for name, found "4bd6"/);
  check('name eq true', /offset 8: expected a text in plain double quotes for name, found "true"/);
  check("name eq 'a b'", /offset 8: expected a text in plain double quotes .* found "'a b'"/);
  check('name eq “a b”', /offset 8: expected a text in plain double quotes .* found "“a b”"/);
  check('name in [“a”]', /offset 8: .* plain double quotes, and lists in parentheses, for name/);
  check('name in ["a"]', /offset 8: .* plain double quotes, and lists in parentheses, for name/);
  check('name in ("a", ‘b’)', /offset 14: expected a text in plain double quotes for name/);
  check('lastUsed le ‘2018’', /offset 12: .*; texts are in plain double quotes/);
  check('“name” eq "a"', /offset 0: .*; texts are in plain double quotes/);
  check('name eq "a” and name eq "b"', /offset 25: .*; texts are in plain double quotes/);
  check('name EQ "a"', /offset 5: operators are in lower case: write eq instead of EQ/);
  check('name eq "a" AND name pr', /offset 12: operators are in lower case: write and/);
  check('name eq "a" Or name pr', /offset 12: operators are in lower case: write or/);
  check('NOT name pr', /offset 0: operators are in lower case: write not/);
  check('name eq "a" and NOT (name pr)', /offset 16: operators are in lower case: write not/);
  check('name PR', /offset 5: operators are in lower case: write pr/);
  check('PR name', /offset 0: operators are in lower case: write pr/);
  check('capabilities CA ("A")', /offset 13: operators are in lower case: write ca/);
  check('name eq "a" name eq "b"', /offset 12: expected and, or or the end of the filter/);
  check('(name eq "a"', /expected "\)", found the end/);
  check('name in ()', /expected a text in plain double quotes for name, found "\)"/);
  check('enabled eq 1', /expected true or false for enabled/);
  check('lastLogin gt "x"', /expected a number for lastLogin/);
  check('lastLogin gt 1x', /offset 13: expected a number for lastLogin, found "1x"/);
  check('name eq "a" & enabled eq true', /offset 12: expected and, or or the end .* found "&"/);
});

test('a filter has bounds', () => {
  const limits = { ...DEFAULT_LIMITS, maxClauses: 3, maxDepth: 3, maxQueryLength: 100 };
  const read =
    (text: string, bounds = limits) =>
    () =>
      readCollectionFilter(text, FIELDS, bounds);
  const fault = { code: 'limit_exceeded' };
  assert.doesNotThrow(read('name in ("a", "b", "c")'));
  assert.throws(read('name in ("a", "b", "c", "d")'), fault);
  assert.doesNotThrow(read(Array(100).fill('name pr').join(' or '), DEFAULT_LIMITS));
  assert.throws(read(Array(101).fill('name pr').join(' or '), DEFAULT_LIMITS), fault);
  assert.doesNotThrow(read('(((name pr)))'));
  assert.throws(read('((((name pr))))'), fault);
  assert.throws(read('not not not not name pr'), fault);
  assert.throws(read(`name eq "${'x'.repeat(100)}"`), fault);
});

describe('a page', () => {
  const bounds = { byDefault: 250, most: 1000 };
  test('has defaults', () => {
    assert.deepEqual(readCollectionPage({}, bounds), { limit: 250, offset: 0, count: false });
  });
  test('reads its parameters', () => {
    const page = readCollectionPage({ limit: '5', offset: '10', count: 'true' }, bounds);
    assert.deepEqual(page, { limit: 5, offset: 10, count: true });
  });
  for (const parameters of [
    { limit: '1001' },
    { limit: '-1' },
    { limit: '1e3' },
    { limit: '' },
    { offset: 'x' },
    { count: 'yes' },
  ]) {
    test(`rejects ${JSON.stringify(parameters)}`, () => {
      assert.throws(() => readCollectionPage(parameters, bounds), { code: 'request_invalid' });
    });
  }
});

describe('sorters', () => {
  const read = (text: string) => readCollectionSorters(text, ['id', 'name'], DEFAULT_LIMITS);
  test('have an order each', () => {
    assert.deepEqual(read('name, -id,+name'), [
      { field: 'name', order: 'asc' },
      { field: 'id', order: 'desc' },
      { field: 'name', order: 'asc' },
    ]);
    assert.deepEqual(read(' '), []);
  });
  test('reject unknown names and too many keys', () => {
    assert.throws(() => read('names'), /not sortable; did you mean name\?/);
    assert.throws(() => read('name,'), /"" is not sortable; expected one of id, name/);
    assert.throws(() => read(Array(33).fill('id').join(',')), { code: 'limit_exceeded' });
  });
});
