// Rows that are computed from a search whose pages go on without an end.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CooperativeScheduler } from '../scheduling/cooperative.ts';
import { remoteRows } from './remote-rows.ts';

test('rows of a search that lists far more documents than it counts end with an error', async () => {
  let listed = 0;
  const remote = {
    async search(_: object, limit: number) {
      listed += limit;
      return Array.from({ length: limit }, (_, i) => ({ id: `i${i}`, name: 'user' }));
    },
    count: async () => 300,
  };
  const body = { indices: ['identities'], query: { query: '*' }, columns: ['id'] };
  const options = {
    ...{ scheduler: new CooperativeScheduler(), now: 0, signal: new AbortController().signal },
  };
  const { chunks } = await remoteRows(body, {}, 'ndjson', remote, options);
  let bytes = 0;
  await assert.rejects(
    async () => {
      for await (const chunk of chunks) bytes += chunk.bytes.length;
    },
    {
      message: /^identities: the remote tenant counts 300 documents, but has listed 10750 and goes/,
    },
  );
  assert.equal(listed, 10_750);
  assert.ok(bytes > 0);
});
