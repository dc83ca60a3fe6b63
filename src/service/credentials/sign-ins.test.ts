// A sign-in with a known id leaves one event in the tenant of its credential, whether it succeeds
// or not.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import {
  auditTrail,
  credentialsOf,
  type TestTenant,
  testTenant,
} from '../../../test/support/tenant.ts';
import { ServiceError } from '../../errors.ts';
import { DamagedTrailError } from '../ports/audit-chain.ts';
import { ForwardingStore, withRecords } from '../ports/forwarding-store.ts';
import type { Store } from '../ports/store.ts';
import { createCredential } from './credentials.ts';
import { type SignIn, SignIns } from './sign-ins.ts';
import { TokenService } from './tokens.ts';

let setting: TestTenant;
let signIns: SignIns;
let tokens: TokenService;
const faults: unknown[] = [];

beforeEach(async () => {
  setting = await testTenant();
  faults.length = 0;
  use(setting.store);
});

function use(store: Store): void {
  const { clock } = setting;
  signIns = new SignIns(store, (error) => faults.push(error), clock);
  tokens = new TokenService(setting.store, { clock, signIns });
}

const ask = (parameters: Record<string, string>) =>
  assert.rejects(tokens.issue(parameters, null, '10.1.2.3', 'request-1'), ServiceError);
const ORIGIN = { remoteAddress: '10.1.2.3', requestId: 'request-1' };

async function trail(status: 'FAILED' | 'PASSED' = 'FAILED') {
  await signIns.flush();
  const events = (await auditTrail(setting)).filter(
    ({ technicalName }) => technicalName === `AUTHENTICATION_REQUEST_${status}`,
  );
  return events.map((event) => event['attributes'] as Record<string, unknown>);
}

test('a wrong secret, an expired token and a forbidden grant each leave an event', async () => {
  const { store, tenant, clock, admin } = setting;
  const soon = { expirationDate: new Date(clock.now() + 5_000).toISOString() };
  const { parameters, id } = await credentialsOf(setting, admin, soon);
  await ask({ ...parameters, client_secret: 'S3CRET' });
  clock.pass(10);
  await ask(parameters);
  const { credential: client, secret } = await createCredential(store, tenant.id, 'client', {
    name: 'robot',
    scope: [],
  });
  const party = { client_id: client.id, client_secret: secret };
  await ask({ ...party, grant_type: 'refresh_token', refresh_token: 'S3CRET' });
  const events = await trail();
  assert.deepEqual(events, [
    { actorId: id, clientId: id, reason: 'secret', ...ORIGIN },
    { actorId: id, clientId: id, reason: 'ended', ...ORIGIN },
    { actorId: client.id, clientId: client.id, reason: 'grant', ...ORIGIN },
  ]);
  assert.doesNotMatch(JSON.stringify(await auditTrail(setting)), /S3CRET/);
});

test('an unknown id leaves no event', async () => {
  const { parameters } = await credentialsOf(setting, setting.admin);
  await ask({ ...parameters, client_id: 'stranger' });
  assert.deepEqual([await trail(), await trail('PASSED')], [[], []]);
});

test('each issued token leaves an event: of a user, of an API client, of a refresh', async () => {
  const { store, tenant, admin } = setting;
  const { parameters, id } = await credentialsOf(setting, admin);
  await tokens.issue(parameters, null, '10.1.2.3', 'request-1');
  const robot = await createCredential(store, tenant.id, 'client', { name: 'robot', scope: [] });
  const plain = { client_id: robot.credential.id, client_secret: robot.secret };
  for (const _ of [1, 2]) {
    await tokens.issue({ ...plain, grant_type: 'client_credentials' }, null, '::1', 'request-2');
  }
  const { credential: client, secret } = await createCredential(store, tenant.id, 'client', {
    ...{ name: 'refresher', scope: [], grantTypes: ['CLIENT_CREDENTIALS', 'REFRESH_TOKEN'] },
  });
  const party = { client_id: client.id, client_secret: secret };
  const first = await tokens.issue({ ...party, grant_type: 'client_credentials' }, null, '::1');
  const refresh = { ...party, grant_type: 'refresh_token' };
  await tokens.issue({ ...refresh, refresh_token: String(first['refresh_token']) }, null, '::1');
  const events = await trail('PASSED');
  assert.deepEqual(events[0], { actorId: admin.id, clientId: id, ...ORIGIN });
  assert.deepEqual(
    events.map(({ clientId }) => clientId).sort(),
    [id, robot.credential.id, robot.credential.id, client.id, client.id].sort(),
  );
});

test('rate-limited guesses leave no event', async () => {
  const { parameters } = await credentialsOf(setting, setting.admin);
  for (let n = 0; n < 60; n++) await ask({ ...parameters, client_secret: 'wrong' });
  assert.equal((await trail()).length, 20);
});

test('events of a tenant whose trail cannot be written keep no other tenant waiting', async () => {
  const { store, tenant } = setting;
  let damaged = true;
  use(
    new ForwardingStore(store, {
      write: (work) =>
        store.write((records) =>
          work(
            withRecords(records, {
              async appendAuditEvents(tenantId, events) {
                if (damaged && tenantId === 'other') throw new DamagedTrailError(tenantId);
                await records.appendAuditEvents(tenantId, events);
              },
            }),
          ),
        ),
    }),
  );
  const origin = { address: 'a', requestId: 'r' };
  const credential = { kind: 'pat', name: 'n', clientId: 'c', user: null } as const;
  for (const tenantId of ['other', tenant.id, 'other']) {
    signIns.enqueue({ ...credential, tenantId, reason: 'secret', origin });
  }
  assert.equal((await trail()).length, 1);
  assert.equal(faults.length, 1);
  damaged = false;
  await signIns.flush();
  assert.equal((await store.read.auditHead('other'))?.number, 2);
  assert.equal((await trail()).length, 1);
  await signIns.close();
});

test('events wait while the store is read-only, at most a thousand, and the dropped ones are counted', async () => {
  const { store, tenant } = setting;
  let full = true;
  use(
    new ForwardingStore(store, {
      write: (work) =>
        full ? Promise.reject(new ServiceError('unavailable', 'disk full')) : store.write(work),
    }),
  );
  const { id: tenantId } = tenant;
  const origin = { address: 'a', requestId: 'r' };
  const credential = { tenantId, kind: 'pat', name: 'n', clientId: 'c' } as const;
  const one: SignIn = { ...credential, user: null, reason: 'secret', origin };
  for (let n = 0; n < 1_007; n++) signIns.enqueue(one);
  await signIns.flush();
  assert.equal(faults.length, 1);
  full = false;
  const events = await trail();
  assert.equal(events.length, 1_000);
  assert.equal(events.at(-1)?.['omitted'], 7);
  await signIns.close();
});
