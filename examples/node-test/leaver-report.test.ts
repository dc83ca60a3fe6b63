import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { startTenant, type TestTenant } from 'cardea/testing';
import { Configuration } from 'sailpoint-api-client';
import { carelessReport } from '../careless-report.ts';
import { leaverReport } from '../leaver-report.ts';
import { leavers, PEOPLE } from '../people.ts';

let tenant: TestTenant;
const access = () => ({
  baseurl: tenant.baseUrl,
  clientId: tenant.credentials.clientId,
  clientSecret: tenant.credentials.clientSecret,
});
const configuration = () =>
  new Configuration({ ...access(), tokenUrl: `${tenant.baseUrl}/oauth/token` });

before(async () => {
  tenant = await startTenant({ identities: 0, documents: PEOPLE });
});
beforeEach(() => tenant.reset());
after(() => tenant.close());

test('lists people who left and have an open account', async () => {
  assert.deepEqual(await leaverReport(configuration()), [
    { id: 'ada', name: 'person.ada', openAccounts: ['Directory'] },
  ]);
});

test('reads more than one page', async () => {
  await tenant.seed(leavers(600));
  assert.equal((await leaverReport(configuration())).length, 601);
  assert.deepEqual(await tenant.advice(), []);
});

test('waits when it is asked to', async () => {
  await tenant.faults.set([
    { match: { path: '/v2024/search', first: 1 }, then: { status: 429, retryAfter: 1 } },
  ]);
  assert.equal((await leaverReport(configuration())).length, 1);
  assert.deepEqual(await tenant.advice(), []);
});

test('the advisor finds the mistakes of a careless report', async () => {
  await tenant.seed(leavers(6));
  await tenant.faults.set([
    { match: { path: '/v2024/search', first: 1 }, then: { status: 429, retryAfter: 1 } },
  ]);
  await carelessReport(access(), 3);
  assert.deepEqual(
    (await tenant.advice()).map(({ rule }) => rule),
    ['retry-after', 'search-after-ties', 'token-per-request'],
  );
});
