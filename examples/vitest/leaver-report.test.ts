import { startTenant, type TestTenant } from 'cardea/testing';
import { Configuration } from 'sailpoint-api-client';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { leaverReport } from '../leaver-report.ts';
import { PEOPLE } from '../people.ts';

let tenant: TestTenant;

beforeAll(async () => {
  tenant = await startTenant({ identities: 0, documents: PEOPLE });
});
beforeEach(() => tenant.reset());
afterAll(() => tenant.close());

test('lists people who left and have an open account', async () => {
  const configuration = new Configuration({
    baseurl: tenant.baseUrl,
    clientId: tenant.credentials.clientId,
    clientSecret: tenant.credentials.clientSecret,
    tokenUrl: `${tenant.baseUrl}/oauth/token`,
  });
  const report = await leaverReport(configuration);
  expect(report.map(({ id }) => id)).toEqual(['ada']);
  expect(await tenant.advice()).toEqual([]);
});
