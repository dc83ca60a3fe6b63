import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { publicPrefixes } from './path-versions.ts';
import {
  PROFILE_AREAS,
  PUBLIC_AREAS,
  READ_ONLY_SEGMENTS,
  SERVED_SEGMENTS,
} from './public-areas.ts';
import { unservedCause } from './unserved-areas.ts';

const SERVED = [...READ_ONLY_SEGMENTS, ...SERVED_SEGMENTS];

for (const [area, segments] of Object.entries(PUBLIC_AREAS)) {
  test(`names the area ${area} under every version`, () => {
    for (const segment of segments.filter((one) => !SERVED.includes(one))) {
      const paths = [...publicPrefixes(`/${segment}`), `/${segment}/v2`];
      for (const path of paths.flatMap((one) =>
        ['', '/x', '/x/y', '?a=1'].map((end) => one + end),
      )) {
        const [, areas = ''] =
          /: Cardea does not have this area of the public API \((.*)\)$/.exec(
            unservedCause(path) ?? '',
          ) ?? [];
        assert.ok(areas.split(', ').includes(area), `${path}: ${areas}`);
      }
    }
    assert.notEqual(unservedCause(`/${area}/v1`), null, 'by its own name');
  });
}

for (const area of PROFILE_AREAS) {
  test(`names the area ${area} of profile management`, () => {
    const cause = `${area.replaceAll('_', ' ')}: Cardea does not have this area of profile management (${area})`;
    for (const path of [`/api/${area}`, `/api/v1/${area}/x?a=1`, `/api/v2025/${area}`]) {
      assert.equal(unservedCause(path), cause);
    }
  });
}

const SPECIFICATION = '../shared/contract/areas.json';

test('has every segment of the public specification, where that is at hand', () => {
  if (!existsSync(SPECIFICATION)) return;
  const { segments } = JSON.parse(readFileSync(SPECIFICATION, 'utf8')) as {
    readonly segments: Record<string, string[]>;
  };
  for (const [segment, areas] of Object.entries(segments)) {
    const ours = Object.keys(PUBLIC_AREAS).filter((area) => PUBLIC_AREAS[area]?.includes(segment));
    assert.deepEqual(ours.sort(), areas.sort(), segment);
  }
});

const CAUSES: readonly (readonly [path: string, cause: string])[] = [
  [
    '/beta/access-profiles/x/bulk-update',
    'access profiles: Cardea does not have this operation, it only reads access profiles (access-profiles)',
  ],
  ['/v3/auth-users', 'auth users: Cardea does not have this operation of the area (auth-users)'],
  [
    '/saved-searches/v2/x/y',
    'saved searches: Cardea does not have this operation of the area (saved-search)',
  ],
  [
    '/v3/accounts/search-attribute-config',
    'search attribute configuration: Cardea does not have this area of the public API (search-attribute-configuration)',
  ],
  [
    '/v2025/sources/x/machine-account-mappings',
    'machine account mappings: Cardea does not have this area of the public API (machine-account-mappings)',
  ],
  ...['/v2', '/v2?a=1', '/v2/identities/ada'].map(
    (path) =>
      [
        path,
        '/v2 is an earlier API, which Cardea does not have; the versions are /v3, /v2024, /v2025, /v2026, /beta',
      ] as const,
  ),
  [
    '/cc/api/user/list',
    '/cc/api is a private API, which Cardea does not have; the versions of the public one are /v3, /v2024, /v2025, /v2026, /beta',
  ],
  ...['/ui', '/ui/session', '/ui/d/user-preferences/personal-access-tokens'].map(
    (path) => [path, 'there are no pages below /ui: the web console is at /console'] as const,
  ),
  ...['/oauth/authorize?response_type=code', '/logout'].map(
    (path) =>
      [
        path,
        'there is no sign-in page: request a token with grant_type=client_credentials at /oauth/token',
      ] as const,
  ),
  ...['/api/v2025/users', '/api/v2025', '/api/v2025/nobody/x?a=1'].map(
    (path) =>
      [
        path,
        'the paths of profile management begin with /api or /api/v1, not with /api/v2025',
      ] as const,
  ),
  ...['/api/non-employee-sources', '/api/v1/non-employee-sources/x'].map(
    (path) =>
      [
        path,
        'non employee lifecycle management: this area of the public API is not below /api (non-employee-lifecycle-management)',
      ] as const,
  ),
];
for (const [path, cause] of CAUSES) {
  test(`says of ${path} what it is`, () => assert.equal(unservedCause(path), cause));
}

for (const path of [
  '/v3',
  '/',
  '/certifications',
  '/v9/certifications',
  '/certifications/v12',
  '/v3/certification',
  '/v3/constructor',
  '/api/profiles/x/y',
  '/api/v1/roles/x/y',
  '/api/form',
  '/api/no-area',
  '/api',
  '/api/v1',
  '/apis/forms',
  '/v20',
  '/uis',
  '/oauth/authorize/x',
]) {
  test(`has nothing to say of ${path}`, () => assert.equal(unservedCause(path), null));
}
