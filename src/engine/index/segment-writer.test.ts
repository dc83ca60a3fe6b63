import assert from 'node:assert/strict';
import test from 'node:test';
import { sourceDocument, testMapping, testSegment } from '../../../test/support/segments.ts';
import {
  NO_MORE_DOCS,
  POSITION_GAP,
  type Postings,
  type TermDictionary,
} from '../sections/segment.ts';

const NESTED = ['accounts'];
const mapping = testMapping(
  {
    id: 'keyword',
    name: 'text',
    tags: 'text',
    status: 'keyword',
    created: 'date',
    count: 'long',
    ratio: 'double',
    active: 'boolean',
    'owns.sources.name': 'text',
    'attributes.end': 'text?',
    'accounts.id': 'keyword',
    'accounts.name': 'text',
    'accounts.source.name': 'text',
    'accounts.disabled': 'boolean',
    'accounts.size': 'long',
  },
  NESTED,
);

const segment = testSegment(mapping, [
  sourceDocument(
    'b',
    {
      name: 'Ada Lovelace',
      tags: ['red hot', '', 'RED'],
      status: 'Active',
      created: '2024-01-02T00:00:00Z',
      count: 3,
      ratio: 0.5,
      active: true,
      owns: { sources: [{ name: 'HR' }, { name: 'AD' }] },
      attributes: { end: '2024-02-29' },
      unknown: { deep: 1 },
      accounts: [
        { id: 'x1', name: 'ada', source: { name: 'HR Main' }, disabled: false, size: 7 },
        { id: 'X2', source: { name: 'AD' }, disabled: 'true' },
      ],
    },
    NESTED,
    5,
  ),
  sourceDocument(
    'a',
    { name: null, tags: [], created: 0, count: 'three', accounts: [] },
    NESTED,
    4,
  ),
  sourceDocument(
    'c',
    { name: 'ada', attributes: { end: '42.5' }, accounts: { id: 'x3' } },
    NESTED,
    6,
  ),
]);

function terms(dictionary: TermDictionary): string[] {
  return Array.from({ length: dictionary.size }, (_, ord) => dictionary.term(ord));
}

function rows(postings: Postings): number[] {
  const rows: number[] = [];
  for (let row = postings.nextDoc(); row !== NO_MORE_DOCS; row = postings.nextDoc()) rows.push(row);
  return rows;
}

test('rows are in id order, whatever the order of the documents', () => {
  assert.deepEqual(terms(segment.ids), ['a', 'b', 'c']);
  assert.deepEqual([...segment.versions], [4, 5, 6]);
});

test('sources are returned unchanged', () => {
  assert.equal(JSON.parse(new TextDecoder().decode(segment.sources.root(1))).name, 'Ada Lovelace');
  assert.match(new TextDecoder().decode(segment.sources.nested(1)), /^"accounts":\[/);
  assert.equal(new TextDecoder().decode(segment.sources.nested(0)), '"accounts":[]');
});

test('words of a text field have rows, positions and norms', () => {
  const words = segment.root.words('tags');
  assert.ok(words);
  assert.deepEqual(terms(words.terms), ['hot', 'red']);
  const postings = words.postings(words.terms.find('red'));
  assert.equal(postings.nextDoc(), 1);
  assert.equal(postings.freq(), 2);
  assert.equal(postings.nextPosition(), 0);
  assert.equal(postings.nextPosition(), 2 + 2 * POSITION_GAP);
  assert.deepEqual([...words.norms], [0, 3, 0]);
  assert.equal(words.docCount, 1);
  assert.equal(words.sumTotalTermFreq, 3);
});

test('values have each distinct value, including the empty one', () => {
  const values = segment.root.values('tags');
  assert.ok(values);
  assert.deepEqual(terms(values.exact), ['', 'RED', 'red hot']);
  assert.deepEqual(terms(values.folded), ['', 'red', 'red hot']);
  assert.deepEqual([...values.ords], [0, 1, 2]);
  assert.deepEqual([...(values.ordStart ?? [])], [0, 0, 3, 3]);
});

test('a field with one value per row has one ordinal per row', () => {
  const values = segment.root.values('name');
  assert.deepEqual([...(values?.ords ?? [])], [-1, 0, 1]);
  assert.equal(values?.ordStart, null);
  assert.equal(values?.docCount, 2);
});

test('arrays of objects that are not nested are flattened into the root', () => {
  const words = segment.root.words('owns.sources.name');
  assert.deepEqual(terms(words!.terms), ['ad', 'hr']);
});

test('nested elements have rows of their own, and a single object is one element', () => {
  const table = segment.nested.get('accounts');
  assert.ok(table);
  assert.deepEqual([...(table.parent ?? [])], [1, 1, 2]);
  assert.deepEqual([...(table.firstRow ?? [])], [0, 0, 2, 3]);
  const ids = table.values('accounts.id');
  assert.deepEqual(terms(ids!.exact), ['X2', 'x1', 'x3']);
  assert.deepEqual([...ids!.foldedToExact], [1, 0, 2]);
  const disabled = table.numbers('accounts.disabled', 'value');
  assert.deepEqual([...disabled!.values], [0, 1, Number.NaN]);
});

test('numbers, dates and booleans are columns; values that cannot be converted are left out', () => {
  const { root } = segment;
  assert.deepEqual(
    [...root.numbers('created', 'value')!.values],
    [0, Date.UTC(2024, 0, 2), Number.NaN],
  );
  assert.deepEqual([...root.numbers('count', 'value')!.sortedRows], [1]);
  assert.deepEqual([...root.numbers('ratio', 'value')!.sortedValues], [0.5]);
  assert.deepEqual([...root.numbers('active', 'value')!.sortedValues], [1]);
  assert.deepEqual(
    [...root.numbers('attributes.end', 'date')!.sortedValues],
    [Date.UTC(2024, 1, 29)],
  );
  assert.deepEqual([...root.numbers('attributes.end', 'number')!.sortedRows], [2]);
  assert.equal(root.numbers('name', 'number'), undefined);
});

test('the catch-all has all words, keywords and longs of a document', () => {
  const { words, folded, longs } = segment.catchAll;
  assert.deepEqual(rows(words.postings(words.terms.find('ada'))), [1, 2]);
  assert.deepEqual(rows(words.postings(words.terms.find('hr'))), [1]);
  assert.deepEqual(terms(folded.terms), ['a', 'active', 'b', 'c', 'x1', 'x2', 'x3']);
  assert.deepEqual(rows(folded.postings(folded.terms.find('x3'))), [2]);
  assert.deepEqual([...longs.sortedValues], [3, 7]);
  assert.deepEqual([...longs.sortedRows], [1, 1]);
});

test('no documents result in an empty segment', () => {
  const empty = testSegment(mapping, []);
  assert.equal(empty.docCount, 0);
  assert.equal(empty.root.words('name'), undefined);
  assert.equal(empty.catchAll.words.terms.find('a'), -1);
  assert.deepEqual([...(empty.nested.get('accounts')?.firstRow ?? [])], [0]);
});
