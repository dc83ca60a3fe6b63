// Compares random documents in random segments with a naive reading of the same JSON.
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { sourceDocument, testMapping, testSegment } from '../../../test/support/segments.ts';
import { fold } from '../../query/analysis/fold.ts';
import { words } from '../../query/analysis/words.ts';
import {
  NO_MORE_DOCS,
  POSITION_GAP,
  type Table,
  type ValueIndex,
  type WordIndex,
} from '../sections/segment.ts';
import { compareCodePoints } from '../sections/utf8.ts';

const NESTED = ['accounts'];
const mapping = testMapping(
  { name: 'text', status: 'keyword', 'accounts.name': 'text', 'accounts.size': 'long' },
  NESTED,
);

const text = fc.oneof(
  fc.string({
    unit: fc.constantFrom('a', 'B', ' ', 'é', '😀', '\uffff', 'İ', '\ud800'),
    maxLength: 6,
  }),
  fc.lorem({ maxCount: 6 }),
);
const several = fc.oneof(
  { weight: 5, arbitrary: fc.constant([] as string[]) },
  { weight: 2, arbitrary: fc.array(text, { maxLength: 3 }) },
);
const document = fc.record({
  name: several,
  status: several,
  accounts: fc.array(fc.record({ name: several, size: fc.array(fc.integer(), { maxLength: 2 }) }), {
    maxLength: 3,
  }),
});
const documents = fc.dictionary(
  fc.string({ unit: fc.constantFrom('x', 'y', '😀', '\uffff'), minLength: 1, maxLength: 4 }),
  document,
  { maxKeys: 40 },
);

/** Returns the expected rows and positions of each word. */
function expectedWords(rows: readonly (readonly string[])[]): Map<string, [number, number[]][]> {
  const postingsByTerm = new Map<string, [number, number[]][]>();
  rows.forEach((values, row) => {
    let position = 0;
    for (const value of values) {
      for (const { term } of words(value)) {
        const list = postingsByTerm.get(term) ?? [];
        postingsByTerm.set(term, list);
        const last = list[list.length - 1];
        if (last?.[0] === row) last[1].push(position);
        else list.push([row, [position]]);
        position += 1;
      }
      position += POSITION_GAP;
    }
  });
  return postingsByTerm;
}

function actualWords(index: WordIndex | undefined): Map<string, [number, number[]][]> {
  const postingsByTerm = new Map<string, [number, number[]][]>();
  for (let ord = 0; ord < (index?.terms.size ?? 0); ord++) {
    const postings = index!.postings(ord);
    const list: [number, number[]][] = [];
    while (postings.nextDoc() !== NO_MORE_DOCS) {
      const positions = Array.from({ length: postings.freq() }, () => postings.nextPosition());
      list.push([postings.docId(), positions]);
    }
    assert.equal(index!.docFreq(ord), list.length);
    postingsByTerm.set(index!.terms.term(ord), list);
  }
  return postingsByTerm;
}

const sorted = <Value>(map: Map<string, Value>): [string, Value][] =>
  [...map].sort(([a], [b]) => compareCodePoints(a, b));

function checkValues(index: ValueIndex | undefined, rows: readonly (readonly string[])[]): void {
  const distinct = [...new Set(rows.flat())].sort(compareCodePoints);
  assert.equal(index === undefined, distinct.length === 0);
  if (index === undefined) return;
  assert.deepEqual(
    distinct.map((_, ord) => index.exact.term(ord)),
    distinct,
  );
  assert.equal(index.exact.size, distinct.length);
  assert.equal(index.docCount, rows.filter((values) => values.length > 0).length);
  rows.forEach((values, row) => {
    const { ords, ordStart } = index;
    const own =
      ordStart === null ? ords.slice(row, row + 1) : ords.slice(ordStart[row], ordStart[row + 1]);
    const expected = [...new Set(values)]
      .map((value) => distinct.indexOf(value))
      .sort((a, b) => a - b);
    assert.deepEqual(
      [...own].filter((ord) => ord >= 0),
      expected,
    );
  });
  distinct.forEach((value, ord) => {
    const postings = index.postings(ord);
    const holders: number[] = [];
    while (postings.nextDoc() !== NO_MORE_DOCS) holders.push(postings.docId());
    assert.deepEqual(
      holders,
      rows.flatMap((values, row) => (values.includes(value) ? [row] : [])),
    );
    const folded = index.folded.find(fold(value));
    const exactOrds = index.foldedToExact.slice(
      index.foldedStart[folded],
      index.foldedStart[folded + 1],
    );
    assert.ok(exactOrds.includes(ord));
  });
}

function checkText(table: Table, field: string, rows: readonly (readonly string[])[]): void {
  const index = table.words(field);
  assert.deepEqual(sorted(actualWords(index)), sorted(expectedWords(rows)));
  checkValues(table.values(field), rows);
}

test('a segment has exactly the content of its documents', () => {
  fc.assert(
    fc.property(documents, (byId) => {
      const ids = Object.keys(byId).sort(compareCodePoints);
      const segment = testSegment(
        mapping,
        Object.entries(byId).map(([id, document]) => sourceDocument(id, document, NESTED)),
      );
      const clean = (values: readonly string[]): string[] =>
        values.map((value) => value.toWellFormed());
      const expectedDocuments = ids.map((id) => byId[id]!);
      assert.deepEqual(
        ids.map((id) => segment.ids.find(id)),
        ids.map((_, row) => row),
      );
      checkText(
        segment.root,
        'name',
        expectedDocuments.map((document) => clean(document.name)),
      );
      checkValues(
        segment.root.values('status'),
        expectedDocuments.map((document) => clean(document.status)),
      );
      const accounts = expectedDocuments.flatMap((document) => document.accounts);
      const table = segment.nested.get('accounts')!;
      assert.deepEqual(
        [...table.parent!],
        expectedDocuments.flatMap((document, row) => document.accounts.map(() => row)),
      );
      checkText(
        table,
        'accounts.name',
        accounts.map((account) => clean(account.name)),
      );
      const sizes = accounts.flatMap((account) => account.size).sort((a, b) => a - b);
      assert.deepEqual([...(table.numbers('accounts.size', 'value')?.sortedValues ?? [])], sizes);
      const all = expectedDocuments.map((document) =>
        clean([...document.name, ...document.accounts.flatMap((account) => account.name)]),
      );
      assert.deepEqual(sorted(actualWords(segment.catchAll.words)), sorted(expectedWords(all)));
      const keywords = new Set(
        expectedDocuments.flatMap((document) => clean(document.status).map(fold)),
      );
      const { terms } = segment.catchAll.folded;
      assert.deepEqual(
        Array.from({ length: terms.size }, (_, ord) => terms.term(ord)),
        [...keywords].sort(compareCodePoints),
      );
      assert.deepEqual([...segment.catchAll.longs.sortedValues], sizes);
    }),
    { numRuns: 150 },
  );
});
