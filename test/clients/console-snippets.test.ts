// Runs the curl command that the console offers to copy, with all kinds of quotes in it.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { snippet } from '../../console/export/snippets.ts';
import { searchBody } from '../../console/model/search-body.ts';
import { defaultSearch } from '../../console/model/search-state.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;
before(async () => {
  service = await startService();
  await service.addDocuments([
    {
      _type: 'identity',
      id: 'o',
      name: 'ohara',
      displayName: "Scarlett O'Hara",
      attributes: { city: 'Tara "1"' },
    },
    {
      _type: 'identity',
      id: 'x',
      name: 'other',
      displayName: "Ellen O'Hara",
      attributes: { city: 'Savannah' },
    },
  ]);
});
after(() => service?.stop());

test('finds the same documents with the curl command as the console does', async () => {
  const state = {
    ...defaultSearch('identities'),
    query: `displayName:"O'Hara"`,
    facetFilters: { 'attributes.city': ['Tara "1"'] },
  };
  const line = snippet('curl', searchBody(state), `${service.url}/`);
  const { stdout } = await promisify(execFile)('bash', ['-c', line], {
    env: { ...process.env, TOKEN: await service.token() },
    timeout: 60_000,
  });
  assert.deepEqual(
    JSON.parse(stdout).map(({ id }: { id: string }) => id),
    ['o'],
  );
});
