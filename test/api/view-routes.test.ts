// What every route gives a caller whom a view restricts: an administrator with all scopes is restricted, and calls each route of
// the table. A new route needs a row here.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ACCESS } from '../../src/auth/access.ts';
import { PATH_VERSIONS } from '../../src/http/requests/path-versions.ts';
import { addUser, type Party } from '../support/callers.ts';
import { type RunningService, startService } from '../support/service.ts';
import { fakeRoutes } from './fakes.ts';

/** `filtered`: the documents of the view. `whole`: nothing of documents. `refused`: 403 with the reason. */
type Verdict = 'filtered' | 'whole' | 'refused';

/** By route, without the version of the API; a route has exactly one row. */
const ROWS: readonly (readonly [RegExp, Verdict])[] = [
  [/^POST \/search(\/(count|aggregate|rows|explain|:index))?$/, 'filtered'],
  [/^GET \/search\/:index\/:id$/, 'filtered'],
  [/^POST \/mcp$/, 'filtered'],
  [/^GET \/admin\/v1\/identities\/:id\/access-paths$/, 'filtered'],
  [/^GET \/(accounts|identities|roles|access-profiles|entitlements)(\/:id)?$/, 'filtered'],
  [/^GET \/(public-identities|sources(\/:id)?|account-activities(\/:id)?)$/, 'filtered'],
  [/^GET \/(accounts|roles|access-profiles)\/:id\/entitlements$/, 'filtered'],
  [/^GET \/roles\/:id\/assigned-identities$/, 'filtered'],
  [/^GET \/auth-users\/:id$/, 'refused'],
  [/^PATCH \/auth-users\/:id$/, 'refused'],
  [/^GET \/personal-access-tokens$/, 'refused'],
  [/^(POST|PATCH|DELETE) \/personal-access-tokens(\/:id)?$/, 'refused'],
  [/^\w+ \/oauth-clients(\/:id)?$/, 'refused'],
  [/^GET \/saved-searches(\/:id)?$/, 'whole'],
  [/^(POST|PUT|DELETE) \/saved-searches(\/:id)?$/, 'refused'],
  [/^POST \/saved-searches\/:id\/execute$/, 'refused'],
  [/^GET \/saved-searches\/:id\/(runs(\/:runId(\/results\.csv)?)?|deliveries)$/, 'refused'],
  [/^GET \/scheduled-searches(\/:id)?$/, 'whole'],
  [/^(POST|PUT) \/scheduled-searches(\/:id)?$/, 'refused'],
  [/^DELETE \/scheduled-searches\/:id$/, 'refused'],
  [/^POST \/scheduled-searches\/:id\/unsubscribe$/, 'whole'],
  [/^GET \/admin\/v1\/dashboards(\/:id)?$/, 'whole'],
  [/^(POST|PUT|DELETE) \/admin\/v1\/dashboards(\/:id)?$/, 'refused'],
  [/^\w+ \/api(\/v1)?\/.*$/, 'refused'],
  [/^\w+ \/admin\/v1\/(documents|auth-users|views|fields|api-keys)(\/.*)?$/, 'refused'],
  [/^GET \/admin\/v1\/(status|mirror)$/, 'refused'],
  [/^POST \/oauth\/sign-out$/, 'whole'],
  [/^GET \/oauth\/userinfo$/, 'whole'],
];

/** Powers for tests are served on servers for tests alone. */
const ENDPOINTS = fakeRoutes().filter(
  ({ operation, isTestPower }) => operation !== null && !isTestPower,
);

/** A route as the rows name it. */
function nameOf({ method, path }: { readonly method: string; readonly path: string }): string {
  const version = PATH_VERSIONS.find((prefix) => path.startsWith(`${prefix}/`));
  const area = version === undefined ? path : path.slice(version.length);
  const isVersioned = !/^\/(admin|api)\//.test(area);
  return `${method} ${isVersioned ? area.replace(/^(\/[\w-]+)\/v1(?=\/|$)/, '$1') : area}`;
}

let service: RunningService;
let viewer: Party;

before(async () => {
  service = await startService();
  await service.addDocuments([{ _type: 'role', id: 'r-1', name: 'n' }]);
  viewer = await addUser(service, { capabilities: ['ORG_ADMIN'], scope: ['sp:scopes:all'] });
  const view = { name: 'nothing', indices: {} };
  assert.equal((await service.call('POST', '/admin/v1/views', view)).status, 201);
  const path = `/admin/v1/auth-users/${viewer.userId}`;
  assert.equal((await service.call('PATCH', path, { view: 'nothing' })).status, 200);
});
after(() => service.stop());

const THROUGH_A_VIEW = /not available through a view, and you are restricted to "nothing"/;

test('each route has one row', () => {
  for (const endpoint of ENDPOINTS) {
    const name = nameOf(endpoint);
    assert.equal(ROWS.filter(([route]) => route.test(name)).length, 1, name);
  }
  for (const [route] of ROWS) {
    assert.ok(
      ENDPOINTS.some((endpoint) => route.test(nameOf(endpoint))),
      String(route),
    );
  }
});

test('the powers for tests are refused through a view', () => {
  const powers = fakeRoutes().filter(({ isTestPower }) => isTestPower);
  assert.ok(powers.length > 5, String(powers.length));
  for (const { operation, path } of powers) {
    assert.ok(typeof operation === 'string', path);
    assert.equal(ACCESS[operation].throughViews, 'refused', path);
  }
});

for (const endpoint of ENDPOINTS) {
  const { method, path } = endpoint;
  const verdict = ROWS.find(([route]) => route.test(nameOf(endpoint)))?.[1];
  // It ends the session of the caller.
  if (path === '/oauth/sign-out') continue;
  test(`${method} ${path} is ${verdict} through a view`, async () => {
    const place = path.replace(':index', 'roles').replace(/:\w+/g, 'r-1');
    const searches = verdict === 'filtered' && method === 'POST';
    const body = { query: { query: '*' }, indices: ['roles'] };
    const answer = await viewer.call(method, place, searches ? body : undefined);
    const text = await answer.text();
    if (verdict === 'refused') {
      assert.equal(answer.status, 403, text);
      assert.match(text, /not available through a view/, text);
    } else assert.doesNotMatch(text, THROUGH_A_VIEW);
    assert.doesNotMatch(text, /"name":"n"/);
  });
}
