// A sign-in that fails leaves one event where its credential belongs, whatever was wrong, and none where nobody is known.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import {
  auditTrail,
  credentialsOf,
  type TestTenant,
  testTenant,
} from '../../test/support/tenant.ts';
import { ServiceError } from '../errors.ts';
import { createClient } from './provisioning.ts';
import { SignInFailures } from './sign-in-failures.ts';
import type { Store } from './store.ts';
import { TokenService } from './tokens.ts';

let setting: TestTenant;
let failures: SignInFailures;
let tokens: TokenService;
const faults: unknown[] = [];

beforeEach(async () => {
  setting = await testTenant();
  faults.length = 0;
  use(setting.store);
});

function use(store: Store): void {
  const { clock } = setting;
  failures = new SignInFailures(store, (error) => faults.push(error), clock);
  tokens = new TokenService(setting.store, { clock, failures });
}

const ask = (parameters: Record<string, string>) =>
  assert.rejects(tokens.issue(parameters, null, '10.1.2.3'), ServiceError);

async function trail() {
  await failures.flush();
  const events = (await auditTrail(setting)).filter(
    ({ technicalName }) => technicalName === 'AUTHENTICATION_REQUEST_FAILED',
  );
  return events.map((event) => event['attributes'] as Record<string, unknown>);
}

test('a wrong secret, an expired token and a grant that is not allowed leave an event each', async () => {
  const { store, tenant, clock, admin } = setting;
  const soon = { expirationDate: new Date(clock.now() + 5_000).toISOString() };
  const { parameters, id } = await credentialsOf(setting, admin, soon);
  await ask({ ...parameters, client_secret: 'S3CRET' });
  clock.pass(10);
  await ask(parameters);
  const { client, secret } = await createClient(store, tenant.id, { name: 'robot', scope: [] });
  const party = { client_id: client.id, client_secret: secret };
  await ask({ ...party, grant_type: 'refresh_token', refresh_token: 'S3CRET' });
  const found = await trail();
  assert.deepEqual(found, [
    { clientId: id, reason: 'secret', remoteAddress: '10.1.2.3' },
    { clientId: id, reason: 'ended', remoteAddress: '10.1.2.3' },
    { clientId: client.id, reason: 'grant', remoteAddress: '10.1.2.3' },
  ]);
  assert.doesNotMatch(JSON.stringify(await auditTrail(setting)), /S3CRET/);
});

test('an id that nobody has leaves none, and neither does a sign-in that goes well', async () => {
  const { parameters } = await credentialsOf(setting, setting.admin);
  await ask({ ...parameters, client_id: 'stranger' });
  await tokens.issue(parameters, null, '10.1.2.3');
  assert.deepEqual(await trail(), []);
});

test('guesses that are told to wait leave none: a flood costs no more than is borne', async () => {
  const { parameters } = await credentialsOf(setting, setting.admin);
  for (let n = 0; n < 60; n++) await ask({ ...parameters, client_secret: 'wrong' });
  assert.equal((await trail()).length, 20);
});

test('while the store cannot write they wait, a thousand at most, and how many are missing is told', async () => {
  const { store, tenant } = setting;
  let full = true;
  use({
    ...{ read: store.read, ping: () => store.ping(), close: () => store.close() },
    write: (work) =>
      full ? Promise.reject(new ServiceError('unavailable', 'disk full')) : store.write(work),
  });
  const { id: tenantId } = tenant;
  const one = { tenantId, name: 'n', clientId: 'c', reason: 'secret', remoteAddress: 'a' } as const;
  for (let n = 0; n < 1_007; n++) failures.note(one);
  await failures.flush();
  assert.equal(faults.length, 1);
  full = false;
  const found = await trail();
  assert.equal(found.length, 1_000);
  assert.equal(found.at(-1)?.['omitted'], 7);
  await failures.close();
});
