import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publicPrefixes } from './path-versions.ts';
import { READ_ONLY_AREAS, UNSERVED_AREAS, unservedCause } from './unserved-areas.ts';

for (const [area, segments] of Object.entries(UNSERVED_AREAS)) {
  test(`names the area of ${area} below every path version`, () => {
    for (const path of segments.flatMap((segment) => publicPrefixes(`/${segment}`))) {
      for (const suffix of ['', '/x', '/x/y', '?a=1']) {
        const cause = `${area}: Cardea does not have this area of the public API`;
        assert.equal(unservedCause(path + suffix), cause);
      }
    }
  });
}

test('no path belongs to two areas', () => {
  const segments = [...Object.values(UNSERVED_AREAS).flat(), ...READ_ONLY_AREAS];
  assert.equal(new Set(segments).size, segments.length);
});

test('says of lists that they are only read', () => {
  assert.equal(
    unservedCause('/beta/access-profiles/x/bulk-update'),
    'access profiles: Cardea does not have this operation, it only reads access profiles',
  );
});

for (const path of [
  '/v3/search',
  '/v3',
  '/',
  '/certifications',
  '/v9/certifications',
  '/certifications/v12',
  '/v3/certification',
]) {
  test(`has nothing to say of ${path}`, () => assert.equal(unservedCause(path), null));
}
