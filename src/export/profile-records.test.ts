import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PageQuery } from '../service/ports/collection.ts';
import type { Records } from '../service/ports/store.ts';
import { resourcePages } from './profile-records.ts';

/** Records of which the first ones are deleted after each page. */
function shrinking(ids: string[]): Pick<Records, 'resourcePage'> {
  const resourcePage = async (_tenant: string, _kind: string, query: PageQuery) => {
    const { afterId = '', offset, limit } = query;
    const rest = ids.filter((id) => id > afterId).slice(offset, offset + limit);
    ids.splice(0, 10);
    return { rows: rest.map((id) => ({ id })), total: null };
  };
  return { resourcePage } as unknown as Pick<Records, 'resourcePage'>;
}

test('yields each record that exists the whole time once, while others are deleted', async () => {
  const ids = Array.from({ length: 1_100 }, (_, n) => String(n).padStart(4, '0'));
  const yielded: string[] = [];
  for await (const page of resourcePages(shrinking([...ids]), 'tenant', 'role'))
    yielded.push(...page.map(({ id }) => id));
  assert.deepEqual(yielded, ids);
});
