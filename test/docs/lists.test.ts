// What docs/openapi.yaml says of the parameters that only some lists have is what they take; the others follow from the tables by
// which the service reads them (scripts/openapi-lists.ts).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parametersOf } from '../../src/service/lists/list-parameters.ts';
import { LIST_RESOURCES } from '../../src/service/lists/list-resources.ts';
import { PROFILES } from '../../src/service/profiles/profile-cases.ts';
import { wireName } from '../../src/service/profiles/resources/wire-names.ts';
import { openapi } from '../support/openapi.ts';

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
}

const OF_EVERY_LIST = ['limit', 'offset', 'count', 'filters', 'sorters'];
const { filters, parameters: ofProfiles = [] } = PROFILES;

const LISTS: readonly (readonly [path: string, names: readonly string[]])[] = [
  ...Object.values(LIST_RESOURCES).map(
    ({ area }) => [area, [...OF_EVERY_LIST, ...parametersOf(area).names]] as const,
  ),
  ['/sources', [...OF_EVERY_LIST, 'for-subadmin', 'includeIDNSource']],
  ['/accounts/{id}/entitlements', OF_EVERY_LIST],
  ['/roles/{id}/entitlements', OF_EVERY_LIST],
  ['/roles/{id}/assigned-identities', OF_EVERY_LIST],
  ['/access-profiles/{id}/entitlements', OF_EVERY_LIST],
  [
    '/profiles',
    [
      ...['limit', 'offset', 'order', 'metadata', 'query', ...ofProfiles],
      ...Object.keys(filters).flatMap((name) =>
        filters[name]?.type === 'none' ? [] : wireName(name),
      ),
    ],
  ],
];

for (const [path, names] of LISTS) {
  test(`GET ${path} has the documented parameters`, () => {
    assert.deepEqual(parametersAt(path).sort(), [...new Set(names)].sort());
  });
}

function parametersAt(path: string): string[] {
  const all = openapi['paths']?.[path]?.['get']?.['parameters'] as unknown as Parameter[];
  const components = openapi['components']?.['parameters'] as unknown as Record<string, Parameter>;
  return all.map(({ $ref = '', name }) => components[$ref.split('/').at(-1) ?? '']?.name ?? name);
}
