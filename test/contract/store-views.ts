// The part of the store contract that views use.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { View } from '../../src/service/ports/view-records.ts';
import { ACME, accessToken, apiClient, type OpenStore, OTHER, withStore } from './store-records.ts';

const AT = '2026-01-01T00:00:00.000Z';

function view(name: string, changed: Partial<View> = {}): View {
  const rules = { indices: { identities: 'name:"Ada ÿ"', roles: '*' }, hide: ['phone'] };
  return { name, description: 'd', ...rules, created: AT, modified: AT, ...changed };
}

/** Registers the tests. */
export function views(open: OpenStore): void {
  describe('views', () => {
    const held = withStore(open, 'views');

    test('are read as written, by name, in their tenant alone', async () => {
      const { store } = held;
      await store.write(async (r) => {
        for (const name of ['b', 'a', 'B', 'a-1']) await r.putView(ACME.id, view(name));
        await r.putView(OTHER.id, view('other'));
        await r.putView(ACME.id, view('b', { hide: [], modified: '2026-02-01T00:00:00.000Z' }));
      });
      const { read } = store;
      assert.deepEqual(await read.view(ACME.id, 'a'), view('a'));
      assert.deepEqual((await read.view(ACME.id, 'b'))?.hide, []);
      assert.deepEqual(
        (await read.views(ACME.id)).map(({ name }) => name),
        ['B', 'a', 'a-1', 'b'],
      );
      for (const name of ['other', 'A', '', 'a\0']) {
        assert.equal(await read.view(ACME.id, name), null, JSON.stringify(name));
      }
      await store.write(async (r) => {
        assert.equal(await r.deleteView(ACME.id, 'other'), false);
        assert.equal(await r.deleteView(ACME.id, 'a\0'), false);
        assert.equal(await r.deleteView(ACME.id, 'a'), true);
      });
      assert.equal(await read.view(ACME.id, 'a'), null);
      assert.deepEqual(await read.inconsistencies(), []);
    });

    test('stay with the credentials that were created for them, whatever changes', async () => {
      const { store } = held;
      await store.write(async (r) => {
        await r.addCredential(ACME.id, { ...accessToken('v1', 'u1'), view: 'gone' });
        await r.addCredential(ACME.id, { ...apiClient('v2'), view: 'gone' });
        await r.updateCredential(ACME.id, { ...accessToken('v1', 'u1'), name: 'n', view: null });
        await r.updateCredential(ACME.id, { ...apiClient('v2'), name: 'n', view: null });
      });
      assert.equal((await store.read.credentialById('v1'))?.view, 'gone');
      assert.equal((await store.read.credentialById('v2'))?.view, 'gone');
    });
  });
}
