// Every route, every status it can answer with: each response is one that docs/openapi.yaml allows, and the document
// promises no route that is not served.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { InjectOptions } from 'fastify';
import { type ErrorCode, ServiceError } from '../../src/errors.ts';
import { PATH_VERSIONS } from '../../src/http/requests/path-versions.ts';
import { assertDocumented, operations } from '../support/openapi.ts';
import { DASHBOARD, SAVED_SEARCH, SCHEDULED_SEARCH, SEARCH_RUN } from './fake-searches.ts';
import {
  API_KEY,
  asAdmin,
  fakeApp,
  fakeRoutes,
  json,
  LISTED_ID,
  OAUTH_CLIENT,
  USER_ID,
} from './fakes.ts';

const TOKEN_ID = '0c9d5be01f22c4a67f3c0d51aa9e4be8';
const patch = { ...asAdmin, 'content-type': 'application/json-patch+json' };
const post = { ...asAdmin, ...json };

const metricsPage = { contentType: 'text/plain; charset=utf-8', render: async () => 'up 1\n' };
const app = fakeApp(
  {
    search: {
      async search(_caller, body, { count }) {
        const wanted = (body as { throw?: ErrorCode }).throw;
        if (wanted !== undefined) {
          // Every refusal for a rate says when to come back.
          const details = wanted === 'rate_limited' ? { retryAfterSeconds: 3 } : {};
          throw new ServiceError(wanted, 'As the test wishes.', details);
        }
        if ((body as { crash?: boolean }).crash) throw new TypeError('secret detail');
        return { total: count === 'true' ? 0 : null, body: [Buffer.from('[]')], warnings: [] };
      },
    },
  },
  { metricsPage },
);
after(() => app.close());

async function seen(options: InjectOptions & { method: string; url: string }) {
  const response = await app.inject(options);
  const { method, url } = options;
  assertDocumented({
    method,
    url,
    status: response.statusCode,
    headers: response.headers,
    body: response.body,
  });
  return response;
}

const search = (body: object): Pick<InjectOptions, 'headers' | 'payload'> => ({
  headers: post,
  payload: body,
});

type Case = [string, string, number, Omit<InjectOptions, 'method' | 'url'>];

/** The lists, and what is below an object of them. */
const LISTS: readonly (readonly [area: string, ...below: string[]])[] = [
  ['accounts', 'entitlements'],
  ['identities'],
  ['public-identities'],
  ['roles', 'entitlements', 'assigned-identities'],
  ['access-profiles', 'entitlements'],
  ['entitlements'],
  ['sources'],
  ['account-activities'],
];

const CASES: readonly Case[] = [
  ['GET', `/v3/auth-users/${USER_ID}`, 200, { headers: asAdmin }],
  ['GET', `/auth-users/v1/${USER_ID}`, 200, { headers: asAdmin }],
  ['GET', '/v2024/auth-users/stranger', 404, { headers: asAdmin }],
  ['GET', '/v2024/auth-users/stranger', 403, { headers: { authorization: 'Bearer nobody' } }],
  ['GET', '/v2024/auth-users/stranger', 401, {}],
  ['GET', '/v2024/auth-users/%zz', 400, { headers: asAdmin }],
  ['GET', '/admin/v1/identities/i1/access-paths', 200, { headers: asAdmin }],
  ['GET', '/admin/v1/auth-users?count=true', 200, { headers: asAdmin }],
  ['GET', `/admin/v1/auth-users/${USER_ID}/history`, 200, { headers: asAdmin }],
  ['PATCH', `/v2025/auth-users/${USER_ID}`, 200, { headers: patch, payload: '[]' }],
  ['PATCH', `/v2025/auth-users/${USER_ID}`, 400, { headers: patch, payload: '[' }],
  ['PATCH', `/v2025/auth-users/${USER_ID}`, 415, { headers: post, payload: '[]' }],
  ['GET', '/v2026/personal-access-tokens', 200, { headers: asAdmin }],
  ['POST', '/v2026/personal-access-tokens', 200, { headers: post, payload: { name: 'n' } }],
  ['PATCH', `/v3/personal-access-tokens/${TOKEN_ID}`, 200, { headers: patch, payload: '[]' }],
  ['DELETE', `/personal-access-tokens/v1/${TOKEN_ID}`, 204, { headers: asAdmin }],
  ['DELETE', '/personal-access-tokens/v1/other', 404, { headers: asAdmin }],
  ['GET', '/v3/oauth-clients', 200, { headers: asAdmin }],
  ['GET', '/oauth-clients/v1?filters=lastUsed%20isnull', 200, { headers: asAdmin }],
  ['POST', '/v2024/oauth-clients', 200, { headers: post, payload: { name: 'n' } }],
  ['POST', '/oauth-clients/v1', 200, { headers: post, payload: { name: 'n' } }],
  ['GET', `/v2025/oauth-clients/${OAUTH_CLIENT.id}`, 200, { headers: asAdmin }],
  ['GET', `/oauth-clients/v1/${OAUTH_CLIENT.id}`, 200, { headers: asAdmin }],
  ['GET', '/v2025/oauth-clients/other', 404, { headers: asAdmin }],
  ['PATCH', `/v2026/oauth-clients/${OAUTH_CLIENT.id}`, 200, { headers: patch, payload: '[]' }],
  ['PATCH', `/oauth-clients/v1/${OAUTH_CLIENT.id}`, 415, { headers: post, payload: '[]' }],
  ['DELETE', `/v3/oauth-clients/${OAUTH_CLIENT.id}`, 204, { headers: asAdmin }],
  ['DELETE', '/oauth-clients/v1/other', 404, { headers: asAdmin }],
  ['PUT', '/v3/oauth-clients', 405, { headers: post, payload: {} }],
  ...LISTS.flatMap(([area, ...below]): Case[] =>
    [`/v2025/${area}`, `/${area}/v1`].flatMap((path): Case[] => [
      ['GET', `${path}?count=true`, 200, { headers: asAdmin }],
      ['GET', path, 401, {}],
      ['POST', path, 405, { headers: post, payload: {} }],
      [
        'GET',
        `${path}/${LISTED_ID}`,
        area === 'public-identities' ? 404 : 200,
        { headers: asAdmin },
      ],
      ['GET', `${path}/other`, 404, { headers: asAdmin }],
      ...below.map((name): Case => {
        return ['GET', `${path}/${LISTED_ID}/${name}?count=true`, 200, { headers: asAdmin }];
      }),
    ]),
  ),
  ['GET', '/beta/accounts', 403, { headers: { authorization: 'Bearer nobody' } }],
  ['GET', '/v3/saved-searches?count=true', 200, { headers: asAdmin }],
  ['GET', '/saved-searches/v1', 200, { headers: asAdmin }],
  ['POST', '/v2024/saved-searches', 201, { headers: post, payload: {} }],
  ['POST', '/saved-searches/v1', 201, { headers: post, payload: {} }],
  ...['/v2025/saved-searches', '/saved-searches/v1'].flatMap((path): Case[] => [
    ['GET', `${path}/${SAVED_SEARCH.id}`, 200, { headers: asAdmin }],
    ['GET', `${path}/other`, 404, { headers: asAdmin }],
    ['PUT', `${path}/${SAVED_SEARCH.id}`, 200, { headers: post, payload: {} }],
    ['PUT', `${path}/other`, 404, { headers: post, payload: {} }],
    ['DELETE', `${path}/${SAVED_SEARCH.id}`, 204, { headers: asAdmin }],
    ['POST', `${path}/${SAVED_SEARCH.id}/execute`, 202, { headers: post, payload: {} }],
    ['POST', `${path}/other/execute`, 404, { headers: post, payload: {} }],
    ['GET', `${path}/${SAVED_SEARCH.id}/runs`, 200, { headers: asAdmin }],
    ['GET', `${path}/${SAVED_SEARCH.id}/runs/${SEARCH_RUN.id}`, 200, { headers: asAdmin }],
    ['GET', `${path}/${SAVED_SEARCH.id}/runs/other`, 404, { headers: asAdmin }],
    [
      ...(['GET', `${path}/${SAVED_SEARCH.id}/runs/${SEARCH_RUN.id}/results.csv`] as const),
      ...([200, { headers: asAdmin }] as const),
    ],
    ['GET', `${path}/${SAVED_SEARCH.id}/runs/other/results.csv`, 404, { headers: asAdmin }],
    ['GET', `${path}/${SAVED_SEARCH.id}/deliveries?count=true`, 200, { headers: asAdmin }],
  ]),
  ['PATCH', `/v3/saved-searches/${SAVED_SEARCH.id}`, 405, { headers: patch, payload: '[]' }],
  ...['/v2026/scheduled-searches', '/scheduled-searches/v1'].flatMap((path): Case[] => [
    ['GET', `${path}?count=true`, 200, { headers: asAdmin }],
    ['POST', path, 201, { headers: post, payload: {} }],
    ['GET', `${path}/${SCHEDULED_SEARCH.id}`, 200, { headers: asAdmin }],
    ['GET', `${path}/other`, 404, { headers: asAdmin }],
    ['PUT', `${path}/${SCHEDULED_SEARCH.id}`, 200, { headers: post, payload: {} }],
    ['DELETE', `${path}/${SCHEDULED_SEARCH.id}`, 204, { headers: asAdmin }],
    ['DELETE', `${path}/other`, 404, { headers: asAdmin }],
    ['POST', `${path}/${SCHEDULED_SEARCH.id}/unsubscribe`, 204, { headers: post, payload: {} }],
    ['POST', `${path}/other/unsubscribe`, 404, { headers: post, payload: {} }],
  ]),
  ['GET', '/admin/v1/dashboards?count=true', 200, { headers: asAdmin }],
  ['POST', '/admin/v1/dashboards', 201, { headers: post, payload: {} }],
  ['GET', `/admin/v1/dashboards/${DASHBOARD.id}`, 200, { headers: asAdmin }],
  ['GET', '/admin/v1/dashboards/other', 404, { headers: asAdmin }],
  ['PUT', `/admin/v1/dashboards/${DASHBOARD.id}`, 200, { headers: post, payload: {} }],
  ...(['PUT', 'DELETE'] as const).map((method): Case => {
    const headers = { ...post, 'if-match': '"old"' };
    return [method, `/admin/v1/dashboards/${DASHBOARD.id}`, 412, { headers, payload: {} }];
  }),
  ['DELETE', `/admin/v1/dashboards/${DASHBOARD.id}`, 204, { headers: asAdmin }],
  ['PATCH', `/admin/v1/dashboards/${DASHBOARD.id}`, 405, { headers: patch, payload: '[]' }],
  ['POST', '/v3/search', 200, search({})],
  ['POST', '/search/v1?count=true', 200, search({})],
  ['POST', '/beta/search/events', 200, search({})],
  ['POST', '/search/v1/events?count=true', 200, search({})],
  ['POST', '/v2025/search/people', 404, search({})],
  ['POST', '/v3/search', 413, { headers: { ...post, 'content-length': '1048577' } }],
  ['POST', '/v3/search', 500, search({ crash: true })],
  ['POST', '/v3/search', 503, search({ throw: 'unavailable' })],
  ['POST', '/v3/search', 429, search({ throw: 'rate_limited' })],
  ['POST', '/v3/search', 400, search({ throw: 'deadline_exceeded' })],
  ['POST', '/v3/search/count', 204, search({})],
  ['POST', '/search/v1/count', 401, { headers: json, payload: {} }],
  ['POST', '/v2024/search/rows', 200, search({})],
  ['POST', '/search/v1/rows?format=csv', 200, search({})],
  ['POST', '/v3/search/rows?format=xml', 400, search({})],
  ['POST', '/v2026/search/explain', 200, search({})],
  ['POST', '/search/v1/explain?id=i-2', 404, search({})],
  ['POST', '/v3/search/aggregate', 200, search({})],
  ['POST', '/search/v1/aggregate', 200, { headers: { ...post, accept: 'text/csv' }, payload: {} }],
  ['GET', '/v2024/search/identities/i-1', 200, { headers: asAdmin }],
  ['HEAD', '/v2024/search/identities/i-1', 200, { headers: asAdmin }],
  ['GET', '/v2024/search/identities/i-2', 404, { headers: asAdmin }],
  ['POST', '/oauth/token?grant_type=client_credentials', 200, {}],
  ['POST', '/oauth/token', 415, { headers: { 'content-type': 'text/plain' }, payload: 'x' }],
  ['POST', '/oauth/introspect', 200, { headers: json, payload: { token: 't' } }],
  ['POST', '/oauth/revoke', 200, { headers: json, payload: { token: 't' } }],
  ['POST', '/oauth/revoke', 415, { headers: { 'content-type': 'text/plain' }, payload: 'x' }],
  ['POST', '/oauth/sign-out', 204, { headers: asAdmin }],
  ['POST', '/oauth/sign-out', 401, {}],
  ['GET', '/oauth/userinfo', 200, { headers: asAdmin }],
  ['GET', '/oauth/userinfo', 401, {}],
  ['GET', '/oauth/info', 200, {}],
  ['GET', '/oauth/jwks', 200, {}],
  ['POST', '/admin/v1/documents?refresh=wait', 200, { headers: post, payload: '{"id":"a"}\n' }],
  ['POST', '/admin/v1/documents?index=people', 400, { headers: post, payload: '{}' }],
  ['POST', '/admin/v1/documents', 403, { headers: { authorization: 'Bearer nobody' } }],
  ['DELETE', '/admin/v1/documents/identities/i-1', 204, { headers: asAdmin }],
  ['DELETE', '/admin/v1/documents/identities/i-2', 404, { headers: asAdmin }],
  ['POST', '/admin/v1/auth-users', 200, { headers: post, payload: '[{"id":"a"}]' }],
  ['POST', '/admin/v1/auth-users', 201, { headers: post, payload: { uid: 'ada' } }],
  ['GET', `/admin/v1/auth-users/${USER_ID}`, 200, { headers: asAdmin }],
  ['GET', '/admin/v1/auth-users/other', 404, { headers: asAdmin }],
  [
    ...(['PATCH', `/admin/v1/auth-users/${USER_ID}`, 200] as const),
    { headers: post, payload: { enabled: false } },
  ],
  ['DELETE', `/admin/v1/auth-users/${USER_ID}`, 204, { headers: asAdmin }],
  [
    'DELETE',
    `/admin/v1/auth-users/${USER_ID}`,
    403,
    { headers: { authorization: 'Bearer nobody' } },
  ],
  ['POST', `/admin/v1/auth-users/${USER_ID}/sign-out`, 204, { headers: asAdmin }],
  ['GET', '/admin/v1/status', 200, { headers: asAdmin }],
  ['GET', '/admin/v1/status', 403, { headers: { authorization: 'Bearer nobody' } }],
  ['GET', '/admin/v1/mirror', 200, { headers: asAdmin }],
  ['GET', '/admin/v1/mirror', 403, { headers: { authorization: 'Bearer nobody' } }],
  ['GET', '/admin/v1/api-keys', 200, { headers: asAdmin }],
  ['POST', '/admin/v1/api-keys', 201, { headers: post, payload: { name: 'nightly script' } }],
  ['DELETE', `/admin/v1/api-keys/${API_KEY.id}`, 204, { headers: asAdmin }],
  ['DELETE', '/admin/v1/api-keys/other', 404, { headers: asAdmin }],
  ...(
    [
      ['GET', 'faults', 200],
      ['PUT', 'faults', 200],
      ['DELETE', 'faults', 204],
      ['GET', 'requests', 200],
      ['DELETE', 'requests', 204],
      ['GET', 'advice', 200],
      ['GET', 'clock', 200],
      ['PUT', 'clock', 200],
      ['POST', 'snapshots', 200],
      ['POST', 'snapshots/1/restore', 204],
      ['DELETE', 'snapshots/1', 204],
      ['POST', 'reset', 204],
    ] as const
  ).map(([method, path, status]): Case => {
    const request = method === 'PUT' ? { headers: post, payload: '{}' } : { headers: asAdmin };
    return [method, `/admin/v1/${path}`, status, request];
  }),
  ['GET', '/', 200, {}],
  ['GET', '/health', 200, {}],
  ['GET', '/ready', 200, {}],
  ['GET', '/health_check', 200, {}],
  ['GET', '/metrics', 200, {}],
  ['GET', '/v3/auth-users', 404, { headers: asAdmin }],
  ['GET', '/v1/search', 404, {}],
  ['POST', '/v2027/search', 404, search({})],
  ['POST', '/xv3/search', 404, search({})],
  ['POST', '/v3x/search', 404, search({})],
  ['PUT', '/v2027/search', 404, {}],
  ['POST', '/v3/access-requests', 404, { headers: post, payload: {} }],
  ['GET', '/certifications/v1', 404, { headers: asAdmin }],
  ['PUT', '/v3/search', 405, { headers: post, payload: 'not json' }],
  ['DELETE', '/oauth/token', 405, {}],
];

for (const [method, url, status, options] of CASES) {
  test(`${method} ${url} answers ${status} as documented`, async () => {
    const response = await seen({ method: method as 'GET', url, ...options });
    assert.equal(response.statusCode, status, response.body);
  });
}

test('a service that is not ready says why, as documented', async () => {
  const unready = fakeApp({ status: { unreadyReasons: async () => ['the index is being built'] } });
  const response = await unready.inject('/ready');
  assert.equal(response.statusCode, 503);
  assert.deepEqual(response.json(), { status: 'unready', reasons: ['the index is being built'] });
  const { headers, body } = response;
  assertDocumented({ method: 'GET', url: '/ready', status: 503, headers, body });
  const check = await unready.inject('/health_check');
  assert.equal(check.statusCode, 503);
  const message = 'the index is being built';
  assert.deepEqual(check.json(), {
    ...{ healthy: false, message, status: 'unready', reasons: [message] },
  });
  await unready.close();
});

test('what is documented is what is served', () => {
  const documented = PATH_VERSIONS.flatMap((version) => operations(version)).map(
    ({ method, path }) => `${method} ${path}`,
  );
  const served = fakeRoutes({ metricsPage }).map(
    ({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`,
  );
  assert.deepEqual([...new Set(documented)].sort(), served.sort());
});

test('clients of profile management read at /health_check that the service is healthy', async () => {
  const response = await fakeApp({}).inject('/health_check');
  const message = 'The service is ready.';
  assert.deepEqual(response.json(), { healthy: true, message, status: 'ready' });
});
