// Every path of the published npm client belongs to an area that Cardea serves, or to one of which it says that it does not.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { publicPrefixes } from '../../src/http/requests/path-versions.ts';
import { PUBLIC_AREAS, READ_ONLY_SEGMENTS } from '../../src/http/requests/public-areas.ts';
import { fakeApp, fakeRoutes } from '../api/fakes.ts';
import { assertDocumented } from '../support/openapi.ts';

describe('the areas of the published client', () => {
  const app = fakeApp();
  after(() => app.close());
  const served = new Set(fakeRoutes().map(({ path }) => path.split('/')[2]));
  const known = new Set([...served, ...Object.values(PUBLIC_AREAS).flat()]);

  test('answer changes of what search finds with 405, or 404 below it, and say that they only read', async () => {
    for (const area of READ_ONLY_SEGMENTS) {
      for (const [path, status] of [
        [`/v2025/${area}`, 405],
        [`/${area}/v1/x/y/z`, 404],
      ] as const) {
        const response = await app.inject({ method: 'POST', url: path, payload: {} });
        assert.equal(response.statusCode, status, path);
        const name = area.replace(/-/g, ' ');
        const causes: { text: string }[] = response.json().causes;
        const expected = `${name}: Cardea does not have this operation, it only reads ${name} (${area})`;
        assert.equal(causes.at(-1)?.text, expected);
        if (status === 405) assert.equal(response.headers['allow'], 'GET, HEAD');
      }
    }
  });

  for (const version of ['beta', 'v3', 'v2024']) {
    const source = fileURLToPath(
      import.meta.resolve(`sailpoint-api-client/dist/${version}/api.js`),
    );
    const paths = readFileSync(source, 'utf8').matchAll(/localVarPath = "\/([a-z0-9-]+)/g);
    const segments = [...new Set([...paths].map(([, segment = '']) => segment))];

    test(`are all known, of ${version}`, () => {
      assert.ok(segments.length > 30, `${segments.length}`);
      // A misprint of the client, whose path begins with its version twice.
      const unknown = segments.filter((segment) => !known.has(segment) && segment !== 'beta');
      assert.deepEqual(unknown, []);
    });

    test(`answer 404 with a cause that names them where they are not served, of ${version}`, async () => {
      for (const segment of segments.filter((one) => !served.has(one) && one !== 'beta')) {
        const url = `/${version}/${segment}`;
        const response = await app.inject({ method: 'POST', url, payload: {} });
        const { statusCode, headers, body } = response;
        assert.equal(statusCode, 404, url);
        assert.match(response.json().causes[0].text, /: Cardea does not have this/, url);
        assertDocumented({ method: 'POST', url, status: statusCode, headers, body });
      }
    });
  }

  test('are named under every version, and as the first segment before one', async () => {
    for (const [area, segments] of Object.entries(PUBLIC_AREAS)) {
      for (const segment of segments.filter((one) => !served.has(one))) {
        for (const prefix of [...publicPrefixes(`/${segment}`), `/${segment}/v2`]) {
          const url = `${prefix}/x`;
          const { statusCode, body } = await app.inject({ method: 'GET', url });
          assert.equal(statusCode, 404, url);
          assert.match(body, new RegExp(`[( ]${area.replace('.', '\\.')}[,)]`), url);
        }
      }
    }
  });

  test('include one whose path looks like that of an account', async () => {
    for (const prefix of publicPrefixes('/accounts')) {
      const url = `${prefix}/search-attribute-config`;
      const headers = { authorization: 'Bearer admin' };
      for (const method of ['GET', 'POST'] as const) {
        const { statusCode, body } = await app.inject({ method, url, headers });
        assert.equal(statusCode, 404, url);
        assert.match(body, /area of the public API \(search-attribute-configuration\)/, url);
      }
    }
  });

  test('of profile management are named as well', async () => {
    for (const area of ['forms', 'workflow_sessions', 'system_roles', 'isc/accounts']) {
      for (const prefix of ['/api', '/api/v1', '/api/api']) {
        const url = `${prefix}/${area}`;
        const { statusCode, headers, body } = await app.inject({ method: 'GET', url });
        assert.equal(statusCode, 404, url);
        assert.match(JSON.parse(body).error, /does not have this area of profile management/, url);
        assertDocumented({ method: 'GET', url, status: statusCode, headers, body });
      }
    }
  });
});
