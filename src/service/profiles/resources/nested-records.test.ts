import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turnsDuring } from '../../../../test/support/turns-during.ts';
import { writeNested } from './nested-records.ts';

test('lets others run while many items are written', async () => {
  const parts = Array.from({ length: 1_000 }, (_, order) => ({ order }));
  const nested = {
    ...{ name: 'items', before: [], find: async () => null },
    read: async (body: ReadonlyMap<string, unknown>) => body.get('order'),
  };
  let items: readonly unknown[] = [];
  const turns = await turnsDuring(async () => {
    items = await writeNested<unknown>(parts, nested, {});
  });
  assert.deepEqual(
    items,
    parts.map(({ order }) => order),
  );
  assert.ok(turns >= 15, `${turns} turns`);
});
