import assert from 'node:assert/strict';
import { test } from 'node:test';
import { profileSides } from './compared-sides.ts';
import type { MirrorWorld } from './mirror-world.ts';
import type { RemoteProfiles } from './remote/remote-tenant.ts';

test('expects of a profile no empty values and no attachments', async () => {
  const read = { resourcePage: async () => ({ rows: [{ uid: 'photo' }], total: null }) };
  const world = { store: { read }, tenantId: 't' } as unknown as MirrorWorld;
  const { expected } = await profileSides(world, {} as RemoteProfiles);
  const attributes = { photo: 'face.png', notes: '', hours: 7, badge: 'B-1' };
  const text = Buffer.from(JSON.stringify({ id: 'p1', name: 'Ada', unknown: 1, attributes }));
  assert.deepEqual(expected({ id: 'p1', text }, { id: 'p1', name: 'Ada', attributes: {} }), {
    ...{ id: 'p1', name: 'Ada', attributes: { hours: '7', badge: 'B-1' } },
  });
});
