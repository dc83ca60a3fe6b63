// Walks through everything, while it stands still and while it changes: each document that nobody touches comes exactly
// once, whatever the sort values are.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { caseCount } from '../support/case-count.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;

before(async () => {
  service = await startService();
});
after(() => service.stop());

interface Row {
  readonly id: string;
  readonly [member: string]: unknown;
}

/** Walks by searchAfter as the SDKs do: only `limit` is sent, and a short page is the last. */
async function* walk(query: string, sort: readonly string[], limit: number): AsyncGenerator<Row[]> {
  let searchAfter: unknown[] = [];
  for (;;) {
    const answer = await service.call('POST', `/v2024/search?limit=${limit}`, {
      indices: ['roles'],
      query: { query },
      sort,
      searchAfter,
    });
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    const rows = JSON.parse(text) as Row[];
    yield rows;
    const last = rows.at(-1);
    if (rows.length < limit || last === undefined) return;
    searchAfter = sort.map((key) => last[key.replace('-', '')] ?? null);
  }
}

async function idsOf(query: string, sort: readonly string[], limit = 250): Promise<string[]> {
  const ids: string[] = [];
  for await (const rows of walk(query, sort, limit)) ids.push(...rows.map(({ id }) => id));
  return ids;
}

function roles(word: string, count: number, more: (n: number) => object): Row[] {
  return Array.from({ length: count }, (_, n) => {
    const id = `${word}-${String(n).padStart(6, '0')}`;
    return { _type: 'role', id, name: `${id} of ${word}`, description: word, ...more(n) };
  });
}

for (const size of [0, 1, 249, 250, 251, 500, caseCount(1_001, 10_000)]) {
  test(`a walk over ${size} documents sees exactly them`, async () => {
    const documents = roles(`walk${size}`, size, () => ({ created: '2025-01-01T00:00:00Z' }));
    await service.addDocuments(documents);
    const expected = documents.map(({ id }) => id);
    assert.deepEqual(await idsOf(`description:walk${size}`, ['id']), expected);
    assert.deepEqual(await idsOf(`description:walk${size}`, ['-id']), expected.toReversed());
    const limit = size > 1000 ? 2_500 : 100;
    assert.deepEqual(await idsOf(`description:walk${size}`, ['created', 'id'], limit), expected);
  });
}

test('offsets and searchAfter see the same', async () => {
  const paged: string[] = [];
  for (let offset = 0; offset < 10_000; offset += 2_500) {
    const answer = await service.call('POST', `/v2024/search?limit=2500&offset=${offset}`, {
      indices: ['roles'],
      query: { query: 'description:walk10000' },
      sort: ['name'],
    });
    paged.push(...((await answer.json()) as Row[]).map(({ id }) => id));
  }
  assert.deepEqual(paged, await idsOf('description:walk10000', ['name'], 3_000));
});

test('a sort field that half of them lack loses nobody', async () => {
  await service.addDocuments(
    roles('gaps', 600, (n) =>
      n % 2 === 0 ? { modified: `2025-01-0${1 + (n % 3)}T00:00:00Z` } : {},
    ),
  );
  for (const sort of [
    ['modified', 'id'],
    ['-modified', 'id'],
    ['-modified', '-id'],
  ]) {
    const ids = await idsOf('description:gaps', sort, 70);
    assert.equal(ids.length, 600);
    assert.equal(new Set(ids).size, 600);
  }
});

test('while others come, go and change, every untouched document comes exactly once', async () => {
  const created = '2024-05-05T05:05:05.005Z';
  const still = roles('still', 2_000, () => ({ created }));
  const moving = roles('stirred', 300, () => ({ created }));
  await service.addDocuments([...still, ...moving]);
  const seen: string[] = [];
  let page = 0;
  for await (const rows of walk('description:(still stirred)', ['created', 'id'], 200)) {
    seen.push(...rows.map(({ id }) => id));
    const added = roles(`stirred`, 20, () => ({ created })).map((role) => ({
      ...role,
      id: `${page % 2 === 0 ? 'a' : 'z'}-${page}-${role.id}`,
    }));
    const changed = moving.slice(10 * page, 10 * page + 5);
    await service.addDocuments([
      ...added,
      ...changed.map((role) => ({ ...role, name: 'changed' })),
    ]);
    const gone = moving[299 - page];
    if (gone !== undefined) {
      await service.call('DELETE', `/admin/v1/documents/roles/${gone.id}?refresh=wait`);
    }
    page += 1;
  }
  const untouched = seen.filter((id) => id.startsWith('still-'));
  assert.deepEqual(
    untouched,
    still.map(({ id }) => id),
  );
  assert.equal(new Set(seen).size, seen.length);
});
