// Requests no client means, at random: whatever is sent, the answer is a documented one and never a 5xx.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import type { InjectOptions } from 'fastify';
import { caseCount } from '../support/case-count.ts';
import { assertDocumented } from '../support/openapi.ts';
import { asAdmin, fakeApp, LEVEL, OAUTH_CLIENT, USER_ID } from './fakes.ts';

const app = fakeApp();
after(() => app.close());

const segment = fc.constantFrom(
  ...['', 'v3', 'v2024', 'v1', 'search', 'count', 'aggregate', 'auth-users', 'identities', 'i-1'],
  ...['personal-access-tokens', 'oauth', 'token', 'info', 'admin', 'documents', USER_ID],
  ...['oauth-clients', OAUTH_CLIENT.id, 'api', 'api', 'risk_levels', LEVEL.id],
  ...['..', '.', '%2e%2e', '%2F', '%zz', '%00', '%0d%0a', 'é', '*', ':id', '__proto__', 'a b'],
);
const query = fc.constantFrom(
  ...[
    '',
    '?',
    '?limit=abc',
    '?limit=1&metadata=1',
    '?query[limit]=x',
    '?offset=-1&offset=2',
    '?count',
    '?a[b]=c',
    '?__proto__=1',
    '?%',
  ],
  ...[
    '?refresh=now',
    '?index=people',
    '?owner-id=',
    '?filters=x',
    '?x=%ff',
    '?grant_type=x&grant_type=y',
  ],
);
const type = fc.constantFrom(
  ...['', 'application/json', 'application/json-patch+json', 'text/plain', 'application/x-ndjson'],
  ...['multipart/form-data', 'multipart/form-data; boundary=x', ';', 'a/b/c', '\u00e9/x'],
  'application/x-www-form-urlencoded; charset=nonsense',
);
const payload = fc.oneof(
  fc.constantFrom(
    '',
    '{}',
    '[]',
    'null',
    '0',
    '"',
    '{"a":',
    '--x\r\n\r\n',
    '\u0000',
    '{"__proto__":1}',
  ),
  fc.string({ maxLength: 40 }),
  fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value)),
);
const authorization = fc.constantFrom(
  ...['Bearer admin', 'Bearer admin', 'Bearer nobody', 'Bearer', 'Basic x', 'Basic ====', ''],
);
const method = fc.constantFrom('GET', 'POST', 'PATCH', 'DELETE', 'PUT', 'HEAD', 'OPTIONS');

test('whatever is sent, the answer is documented and no 5xx', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        method,
        path: fc.array(segment, { minLength: 1, maxLength: 5 }),
        query,
        type,
        payload,
        authorization,
      }),
      async (sent) => {
        const url = encodeURI(`/${sent.path.join('/')}${sent.query}`).replace(/%25/g, '%');
        const options: InjectOptions = {
          method: sent.method as 'GET',
          url,
          headers: {
            ...asAdmin,
            authorization: sent.authorization,
            ...(sent.type === '' ? {} : { 'content-type': sent.type }),
          },
        };
        if (!['GET', 'HEAD'].includes(sent.method)) options.payload = sent.payload;
        const { statusCode, headers, body } = await app.inject(options);
        assert.ok(statusCode < 500, `${sent.method} ${url}: ${body}`);
        assert.match(String(headers['slpt-request-id']), /^[0-9a-f]{32}$/);
        if (statusCode >= 400 && sent.method !== 'HEAD') {
          assert.match(String(headers['content-type']), /^application\/json/);
          assert.equal(typeof JSON.parse(body), 'object');
        } else if (statusCode < 300 && !/\.|%2e/i.test(url)) {
          // `inject` resolves dot segments, so the URL as sent is not the one that was routed.
          assertDocumented({ method: sent.method, url, status: statusCode, headers, body });
        }
      },
    ),
    { numRuns: caseCount(400, 1500) },
  );
});
