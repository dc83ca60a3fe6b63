// Fifty tests at the same time, each with a tenant of its own in one process.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startServer, type TestServer } from 'cardea/testing';
import { Configuration } from 'sailpoint-api-client';
import { leaverReport } from '../leaver-report.ts';
import { leavers } from '../people.ts';

describe('fifty tests at the same time', { concurrency: 50 }, () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
  });
  after(() => server.close());

  for (let n = 0; n < 50; n += 1) {
    test(`a tenant with ${n} leavers reports ${n}`, async () => {
      const tenant = await server.createTenant({ identities: 0, documents: leavers(n) });
      const configuration = new Configuration({
        baseurl: tenant.baseUrl,
        clientId: tenant.credentials.clientId,
        clientSecret: tenant.credentials.clientSecret,
        tokenUrl: `${tenant.baseUrl}/oauth/token`,
      });
      assert.equal((await leaverReport(configuration)).length, n);
    });
  }
});
