// What a token can do that was requested with scope=sp:search:read: search, and nothing else. Every route of the table is called
// by an administrator; one that answers anything but 403 needs a row here.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type RunningService, startService } from '../support/service.ts';
import { fakeRoutes } from './fakes.ts';

/** Routes that a token for searches may use, and those that need no token at all. */
const OPEN: readonly RegExp[] = [
  /^POST (\/\w+)?\/search(\/v1)?(\/(count|rows|explain|aggregate|:index))?$/,
  /^GET (\/\w+)?\/search(\/v1)?\/:index\/:id$/,
  /^GET \/admin\/v1\/identities\/:id\/access-paths$/,
  /^POST \/mcp$/,
  // The directory, for every user with any scope.
  /^GET (\/\w+)?\/public-identities(\/v1)?$/,
  // Whom the token belongs to.
  /^GET \/oauth\/userinfo$/,
  // The public specification asks for no scope: a person's own schedule and subscription.
  /^GET (\/\w+)?\/scheduled-searches(\/v1)?\/:id$/,
  /^POST (\/\w+)?\/scheduled-searches(\/v1)?\/:id\/unsubscribe$/,
  // Without a token.
  /^POST \/oauth\/(token|introspect|revoke)$/,
  /^GET \/oauth\/(info|jwks)$/,
  /^GET \/(|health|ready|health_check|openapi\.\w+)$/,
];

let service: RunningService;
let narrow: Record<string, string>;

before(async () => {
  service = await startService({ CARDEA_MCP: 'on', CARDEA_TESTING: 'on' });
  await service.addDocuments([{ _type: 'role', id: 'r-1', name: 'n' }]);
  const { clientId: client_id, clientSecret: client_secret } = service;
  const answer = await fetch(`${service.url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      ...{ grant_type: 'client_credentials', client_id, client_secret, scope: 'sp:search:read' },
    }),
  });
  const { access_token, scope } = (await answer.json()) as Record<string, string>;
  assert.equal(scope, 'sp:search:read');
  narrow = { authorization: `Bearer ${access_token}` };
});
after(() => service.stop());

for (const { method, path } of fakeRoutes()) {
  const isOpen = OPEN.some((row) => row.test(`${method} ${path}`));
  test(`${method} ${path} ${isOpen ? 'is open to' : 'refuses'} a token for searches`, async () => {
    const place = path.replace(':index', 'roles').replace(/:\w+/g, 'r-1');
    const body = method === 'GET' || method === 'DELETE' ? undefined : {};
    const patch = method === 'PATCH' && !path.startsWith('/api/') ? JSON_PATCH : {};
    const answer = await service.call(method, place, body, { ...patch, ...narrow });
    const text = await answer.text();
    assert.equal(answer.status === 403, !isOpen, `${answer.status} ${text}`);
    if (!isOpen) assert.match(text, /needs one of the scopes/);
  });
}

const JSON_PATCH = { 'content-type': 'application/json-patch+json' };
