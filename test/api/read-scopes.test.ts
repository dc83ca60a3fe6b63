// A scope that reads never writes, in any area: every endpoint of the table of routes is called by an administrator whose token
// has all scopes that read, and those of profile management with an API key that reads. A new endpoint is included by itself.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ACCESS } from '../../src/auth/access.ts';
import { withApiKey } from '../support/api-key.ts';
import { addUser, type Party } from '../support/callers.ts';
import { type RunningService, startService } from '../support/service.ts';
import { fakeRoutes } from './fakes.ts';

const READ_SCOPES = [
  'read',
  ...new Set(
    Object.values(ACCESS)
      .flatMap(({ scopes }) => scopes)
      .filter((scope) => scope.endsWith(':read')),
  ),
];

/** Requests that only read although they are a POST: their question is a body. */
const QUESTIONS = [
  // Any token of a recipient ends their own subscription; this caller is no recipient.
  /\/scheduled-searches(\/v1)?\/:id\/unsubscribe$/,
  /\/search(\/v1)?$/,
  /\/search(\/v1)?\/(count|explain|aggregate|rows|:index)$/,
  /^\/api(\/v1)?\/advanced_search\/run$/,
  /^\/mcp$/,
];
const ENDPOINTS = fakeRoutes().filter(({ operation }) => operation !== null);
const reads = (endpoint: (typeof ENDPOINTS)[number]) =>
  endpoint.method === 'GET' ||
  (endpoint.method === 'POST' && QUESTIONS.some((question) => question.test(endpoint.path)));

let service: RunningService;
let reader: Party;
let key: Awaited<ReturnType<typeof withApiKey>>;

before(async () => {
  service = await startService();
  await service.addDocuments([{ _type: 'role', id: 'r-1', name: 'n' }]);
  reader = await addUser(service, { capabilities: ['ORG_ADMIN'], scope: READ_SCOPES });
  key = await withApiKey(service, service.tenantId, { scope: 'read' });
});
after(() => service.stop());

const placeOf = (path: string) => path.replace(':index', 'roles').replace(/:\w+/g, 'r-1');

for (const endpoint of ENDPOINTS.filter((each) => !reads(each))) {
  const { method, path, dialect } = endpoint;
  test(`${method} ${path} refuses a scope that reads`, async () => {
    assert.equal((await reader.call(method, placeOf(path))).status, 403);
    if (dialect === 'nerm') assert.equal((await key.call(method, placeOf(path))).status, 403);
  });
}

test('the endpoints that take a scope that reads change nothing', async () => {
  const { read } = service.cardea.store;
  const before = await read.lastSequence();
  const served = new Set<string>();
  for (const { method, path, dialect } of ENDPOINTS.filter(reads)) {
    const body = method === 'GET' ? undefined : { query: { query: '*' }, indices: ['roles'] };
    const { status } = await reader.call(method, placeOf(path), body);
    if (status !== 403) served.add(dialect);
    if (dialect === 'nerm') {
      assert.notEqual((await key.call(method, placeOf(path), body)).status, 403, path);
    }
  }
  assert.deepEqual([...served].sort(), ['isc', 'nerm', 'search']);
  assert.equal(await read.lastSequence(), before);
});
