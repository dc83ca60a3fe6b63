// suite: slow
// Every object of every list of the demo company is one that docs/openapi.yaml allows: `call` checks
// each answer.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { demoDocuments } from '../../src/demo/documents.ts';
import { LIST_RESOURCES } from '../../src/service/lists/list-resources.ts';
import { type RunningService, startService } from '../support/service.ts';

/** Lists below an object of a list. */
const BELOW: Readonly<Record<string, readonly string[]>> = {
  '/accounts': ['entitlements'],
  '/roles': ['entitlements', 'assigned-identities'],
  '/access-profiles': ['entitlements'],
};
const AREAS = [...Object.values(LIST_RESOURCES).map(({ area }) => area), '/sources'];
/** Objects that are read one by one of each list. */
const READ = 10;

type Listed = { readonly id: string };

let service: RunningService;

before(async () => {
  service = await startService();
  const documents = demoDocuments({ seed: 3, identities: 200, now: Date.UTC(2026, 10, 28) });
  await service.addDocuments([...documents] as unknown as Record<string, unknown>[]);
});
after(() => service.stop());

async function get<Body>(path: string): Promise<Body> {
  const answer = await service.call('GET', path);
  assert.equal(answer.status, 200, path);
  return (await answer.json()) as Body;
}

for (const area of AREAS) {
  test(`every object of ${area} is as documented, and read by its id as it is listed`, async () => {
    const objects: Listed[] = [];
    for (let offset = 0; ; offset += 50) {
      const page = await get<Listed[]>(`/v2026${area}?limit=50&offset=${offset}`);
      objects.push(...page);
      if (page.length < 50) break;
    }
    assert.ok(objects.length > READ, `${objects.length} objects`);
    const step = Math.ceil(objects.length / READ);
    for (const object of objects.filter((_, n) => n % step === 0)) {
      const path = `${area}/v1/${object.id}`;
      if (area !== '/public-identities') assert.deepEqual(await get<Listed>(path), object);
      for (const name of BELOW[area] ?? []) await get(`${path}/${name}`);
    }
  });
}

test('a role of the demo company has identities, and an account entitlements', async () => {
  const below = async (area: string, name: string) => {
    const all = await get<Listed[]>(`/v3${area}?limit=30`);
    const lists = await Promise.all(all.map(({ id }) => get<Listed[]>(`/v3${area}/${id}/${name}`)));
    return lists.flat().length;
  };
  assert.ok((await below('/roles', 'assigned-identities')) > 0);
  assert.ok((await below('/accounts', 'entitlements')) > 0);
  assert.ok((await below('/access-profiles', 'entitlements')) > 0);
});
