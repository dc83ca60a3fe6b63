import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cutText, rowsText } from './bounded-answer.ts';

const REMEDY = {
  smaller: 'Name fewer members',
  others: (shown: number) => `continue with offset ${40 + shown}`,
  alone: 'read it with get',
};

type Rows = { total: number; rows: unknown[]; note?: string };

test('rows that fit are returned without a note', () => {
  const text = rowsText({ total: 2 }, [{ a: 1 }, { a: 2 }], REMEDY);
  assert.equal(text, '{"total":2,"rows":[{"a":1},{"a":2}]}');
  assert.equal(rowsText({}, [], REMEDY), '{"rows":[]}');
});

test('rows that do not fit are left out, with the offset of the first of them', () => {
  const rows = Array.from({ length: 20 }, (_, n) => ({ n, text: 'é'.repeat(50) }));
  const text = rowsText({ total: 99 }, rows, REMEDY, 1_500);
  assert.ok(Buffer.byteLength(text) <= 1_500);
  const { rows: kept, note, total } = JSON.parse(text) as Rows;
  assert.equal(total, 99);
  assert.ok(kept.length > 3 && kept.length < 20);
  assert.deepEqual(kept, rows.slice(0, kept.length));
  assert.match(
    note ?? '',
    new RegExp(`${20 - kept.length} of 20 rows .* offset ${40 + kept.length}\\.`),
  );
});

test('a row that is larger than the whole answer is left out with another note', () => {
  const { rows, note } = JSON.parse(rowsText({}, ['x'.repeat(2_000)], REMEDY, 1_000)) as Rows;
  assert.deepEqual(rows, []);
  assert.match(note ?? '', /first of 1 rows alone is larger than 1000 bytes/);
});

test('a text is cut between characters, with a note', () => {
  assert.equal(cutText('short', 'Ask for less.', 10), 'short');
  const text = cutText('ééééé', 'Ask for less.', 5);
  assert.equal(text, 'éé\n[Cut: 10 bytes, of which the first 5 are shown. Ask for less.]');
});
