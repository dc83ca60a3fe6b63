import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Document, SearchBody } from '../api/wire.ts';
import { cursorOf, pageSize } from '../search/paging.ts';
import { beginning, EXPORT_PAGE, walk, written } from './export.ts';

/** A service with so many documents, in the order of their numbers. */
function serviceWith(total: number) {
  const asked: SearchBody[] = [];
  const source = async (body: SearchBody, limit: number): Promise<Document[]> => {
    asked.push(body);
    const after = (body['searchAfter'] as [string] | undefined)?.[0];
    const from = after === undefined ? 0 : Number(after) + 1;
    return Array.from({ length: Math.min(limit, total - from) }, (_, n) => ({
      id: String(from + n),
    }));
  };
  return { asked, source };
}

for (const total of [0, 1, EXPORT_PAGE - 1, EXPORT_PAGE, EXPORT_PAGE + 1, 3 * EXPORT_PAGE]) {
  test(`a walk over ${total} documents sees each once`, async () => {
    const { source } = serviceWith(total);
    const seen: unknown[] = [];
    for await (const page of walk({}, ['id'], source)) seen.push(...page.map(({ id }) => id));
    assert.deepEqual(
      seen,
      Array.from({ length: total }, (_, n) => String(n)),
    );
  });
}

test('a walk that breaks off throws', async () => {
  const { source } = serviceWith(5_000);
  let calls = 0;
  const breaking = async (body: SearchBody, limit: number) => {
    if (++calls === 3) throw new Error('gone');
    return source(body, limit);
  };
  const all = async () => {
    for await (const _ of walk({}, ['id'], breaking));
  };
  await assert.rejects(all, /gone/);
});

test('a cursor has a value for each key of the sort', () => {
  const row = { id: 'x', n: 3, tags: ['b', 'a', 'c'], source: { name: 'HR' } };
  assert.deepEqual(cursorOf(row, ['tags', 'id']), ['a', 'x']);
  assert.deepEqual(cursorOf(row, ['-tags', '-n', 'gone', 'source.name.exact']), [
    'c',
    3,
    null,
    'HR',
  ]);
});

test('pages grow with what is there already, up to a bound', () => {
  assert.deepEqual([0, 100, 1_000, 100_000].map(pageSize), [100, 100, 500, 2_000]);
});

test('NDJSON has a document a line, CSV a head and the columns', () => {
  const page = [
    { id: '1', name: 'Ada' },
    { id: '2', name: 'Bob' },
  ];
  assert.equal(written(page, 'ndjson', []), '{"id":"1","name":"Ada"}\n{"id":"2","name":"Bob"}\n');
  assert.equal(
    beginning('csv', ['name']) + written(page, 'csv', ['name']),
    '\uFEFFname\r\nAda\r\nBob\r\n',
  );
});
