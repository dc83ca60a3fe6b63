import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cursorOf, pageSize } from '../model/paging.ts';
import type { Document, SearchBody } from '../model/wire.ts';
import { allPages, EXPORT_PAGE, fileHead, formatPage } from './export.ts';

/** A service with `total` documents, sorted by number. */
function serviceWith(total: number) {
  const source = async (body: SearchBody, limit: number): Promise<Document[]> => {
    const after = (body['searchAfter'] as [string] | undefined)?.[0];
    const from = after === undefined ? 0 : Number(after) + 1;
    return Array.from({ length: Math.min(limit, total - from) }, (_, n) => ({
      id: String(from + n),
    }));
  };
  return { source };
}

for (const total of [0, 1, EXPORT_PAGE - 1, EXPORT_PAGE, EXPORT_PAGE + 1, 3 * EXPORT_PAGE]) {
  test(`returns each of ${total} documents once`, async () => {
    const { source } = serviceWith(total);
    const seen: unknown[] = [];
    for await (const page of allPages({}, ['id'], source)) seen.push(...page.map(({ id }) => id));
    assert.deepEqual(
      seen,
      Array.from({ length: total }, (_, n) => String(n)),
    );
  });
}

test('throws when a page fails', async () => {
  const { source } = serviceWith(5_000);
  let calls = 0;
  const breaking = async (body: SearchBody, limit: number) => {
    if (++calls === 3) throw new Error('gone');
    return source(body, limit);
  };
  const all = async () => {
    for await (const _ of allPages({}, ['id'], breaking));
  };
  await assert.rejects(all, /gone/);
});

test('takes a value for each sort key as the cursor', () => {
  const row = { id: 'x', n: 3, tags: ['b', 'a', 'c'], source: { name: 'HR' } };
  assert.deepEqual(cursorOf(row, ['tags', 'id']), ['a', 'x']);
  assert.deepEqual(cursorOf(row, ['-tags', '-n', 'gone', 'source.name.exact']), [
    'c',
    3,
    null,
    'HR',
  ]);
});

test('grows pages with the number of loaded rows, up to a limit', () => {
  assert.deepEqual([0, 100, 1_000, 100_000].map(pageSize), [100, 100, 500, 2_000]);
});

test('writes one document per line as NDJSON, and a header with the columns as CSV', () => {
  const page = [
    { id: '1', name: 'Ada' },
    { id: '2', name: 'Bob' },
  ];
  assert.equal(
    formatPage(page, 'ndjson', []),
    '{"id":"1","name":"Ada"}\n{"id":"2","name":"Bob"}\n',
  );
  assert.equal(
    fileHead('csv', ['name']) + formatPage(page, 'csv', ['name']),
    '\uFEFFname\r\nAda\r\nBob\r\n',
  );
});
