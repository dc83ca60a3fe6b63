import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '../auth/caller.ts';
import { localAccess, type SearchCases } from './local-access.ts';
import { RefusedCall } from './search-access.ts';

const CALLER: Caller = {
  ...{ tenantId: 't', views: null, identityId: 'i', userName: 'ines' },
  ...{ current: async () => CALLER, ownerCapabilities: [] },
  ...{ clientId: 'c', tokenId: 'k' },
  ...{ scopes: ['sp:scopes:all'], capabilities: ['ORG_ADMIN'], personalTokenId: null },
  credentialEnds: Number.POSITIVE_INFINITY,
};
const MEMORY = { holdBytes: () => {} };

test('reads no more rows of a table than an assistant may get', async () => {
  let read = 0;
  async function* endless() {
    for (const bytes = new Uint8Array(2 ** 20); ; read += 1) yield { bytes, rows: 1 };
  }
  const rows = async () => ({ total: null, warnings: [], headers: [], chunks: endless() });
  const cases = { rows } as unknown as SearchCases;
  const access = localAccess(cases, CALLER, { memory: MEMORY });
  await assert.rejects(access.rows({}, 500), (error) => {
    assert.ok(error instanceof RefusedCall);
    assert.match(error.message, /more than 8 MiB: ask for fewer rows/);
    return true;
  });
  assert.equal(read, 8);
});
