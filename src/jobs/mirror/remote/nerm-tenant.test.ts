// The profile management of a remote tenant, as different services answer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceClient } from '../../../remote/service-client.ts';
import { NermTenant } from './nerm-tenant.ts';

/** The service whose requests all get this answer, and how many there were. */
function serviceOf(status: number, body: unknown, headers: Record<string, string> = {}) {
  let requests = 0;
  const client = new ServiceClient(
    { baseUrl: 'https://acme.example', credentials: { token: 'key' } },
    {
      sender: {
        async send() {
          requests += 1;
          return { status, headers, body: Buffer.from(JSON.stringify(body)) };
        },
        open: () => Promise.reject(new Error('no stream')),
        end() {},
      },
      ...{ sleep: async () => {}, random: () => 0, allowPrivateAddresses: false },
      repeated: 'failed',
    },
  );
  return { service: new NermTenant(client), requests: () => requests };
}

test('tells the time by the clock of the service', async () => {
  const { service } = serviceOf(200, { profiles: [] }, { date: 'Thu, 01 Jan 2026 12:00:00 GMT' });
  assert.equal(await service.now(), '2026-01-01T12:00:00.000Z');
});

const COLLECTIONS: readonly (readonly [name: string, status: number, body: unknown])[] = [
  ['a bare array', 200, [{ id: 'a' }]],
  ['an object', 200, { roles: [{ id: 'a' }] }],
];
for (const [name, status, body] of COLLECTIONS) {
  test(`reads a collection that is ${name}`, async () => {
    assert.deepEqual(await serviceOf(status, body).service.records('roles', 0), [{ id: 'a' }]);
  });
}

test('takes the error of an empty collection for an empty one', async () => {
  const { service } = serviceOf(400, { error: 'no roles found' });
  assert.deepEqual(await service.records('roles', 0), []);
});

test('does not repeat a request that the service does not understand', async () => {
  const { service, requests } = serviceOf(400, { error: 'order is not allowed' });
  await assert.rejects(service.records('roles', 0), /\/api\/roles answered 400: order is not/);
  assert.equal(requests(), 1);
});

test('repeats a request whose answer has no records', async () => {
  const { service, requests } = serviceOf(200, { roles: null });
  await assert.rejects(service.records('roles', 0), /answered 200 with no roles/);
  assert.equal(requests(), 5);
});
