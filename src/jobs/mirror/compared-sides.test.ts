import assert from 'node:assert/strict';
import { test } from 'node:test';
import { profileSides } from './compared-sides.ts';
import type { MirrorWorld } from './parts/mirror-world.ts';
import type { RemoteProfiles } from './remote/remote-tenant.ts';

async function expectedProfile(profile: object, stored: Record<string, unknown>) {
  const read = { resourcePage: async () => ({ rows: [{ uid: 'photo' }], total: null }) };
  const world = { store: { read }, tenantId: 't' } as unknown as MirrorWorld;
  const { expected } = await profileSides(world, {} as RemoteProfiles);
  const text = Buffer.from(JSON.stringify(profile));
  return expected({ id: 'p1', text }, stored);
}

test('expects of a profile no empty values and no attachments', async () => {
  const attributes = { photo: 'face.png', notes: '', hours: 7, badge: 'B-1' };
  const profile = { id: 'p1', name: 'Ada', unknown: 1, attributes };
  assert.deepEqual(await expectedProfile(profile, { id: 'p1', name: 'Ada', attributes: {} }), {
    ...{ id: 'p1', name: 'Ada', attributes: { hours: '7', badge: 'B-1' } },
  });
});

test('expects the times of a profile as an import stores them', async () => {
  const stored = { created_at: '2024-05-01T10:00:00.000Z', updated_at: '2024-05-02T00:00:00.000Z' };
  const there = { created_at: '2024-05-01T12:00:00+02:00', updated_at: null };
  assert.deepEqual(await expectedProfile(there, stored), { ...stored, attributes: {} });
  const wrong = { ...there, updated_at: 'yesterday' };
  await assert.rejects(expectedProfile(wrong, stored), /updated_at must be an ISO 8601/);
});
