// What docs/openapi.yaml says of the lists is what they have: parameters, the operators of each field,
// sorters and largest pages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ListFields } from '../../src/service/lists/list-field.ts';
import { parametersOf } from '../../src/service/lists/list-parameters.ts';
import {
  ACCESS_PROFILES,
  ASSIGNED_IDENTITIES,
  ENTITLEMENTS,
  HELD_ENTITLEMENTS,
  LIST_RESOURCES,
  ROLES,
} from '../../src/service/lists/list-resources.ts';
import { SOURCE_FIELDS } from '../../src/service/lists/sources.ts';
import { openapi } from '../support/openapi.ts';

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly description: string;
  readonly schema: { readonly maximum?: number; readonly default?: unknown };
}

/** A list: its path, fields, largest page, and parameters of its own. */
type List = readonly [
  path: string,
  fields: ListFields,
  most: number,
  parameters: readonly string[],
];

const LISTS: readonly List[] = [
  ...Object.values(LIST_RESOURCES).map(({ area, fields, page }): List => {
    return [area, fields, page.most, parametersOf(area).names];
  }),
  ['/sources', SOURCE_FIELDS, 250, ['for-subadmin', 'includeIDNSource']],
  ['/accounts/{id}/entitlements', ENTITLEMENTS.fields, ENTITLEMENTS.page.most, []],
  ['/roles/{id}/entitlements', HELD_ENTITLEMENTS, ROLES.page.most, []],
  ['/access-profiles/{id}/entitlements', HELD_ENTITLEMENTS, ACCESS_PROFILES.page.most, []],
  [
    ...(['/roles/{id}/assigned-identities', ASSIGNED_IDENTITIES.fields] as const),
    ...([ASSIGNED_IDENTITIES.page.most, []] as const),
  ],
];
const OF_EVERY_LIST = ['limit', 'offset', 'count', 'filters'];

for (const [path, fields, most, names] of LISTS) {
  const parameters = parametersAt(path);
  const sorted = Object.keys(fields).filter((name) => fields[name]?.sorts);

  test(`GET ${path} has the documented parameters`, () => {
    const sorters = sorted.length === 0 ? [] : ['sorters'];
    const expected = new Set([...OF_EVERY_LIST, ...sorters, ...names]);
    assert.deepEqual([...parameters.keys()].sort(), [...expected].sort());
    const { maximum, default: byDefault } = parameters.get('limit')?.schema ?? {};
    assert.deepEqual([maximum, byDefault], [most, most]);
  });

  test(`GET ${path} has the documented operators of each field`, () => {
    const { description = '' } = parameters.get('filters') ?? {};
    const documented = [
      ...description.replace(/\n {2,}/g, ' ').matchAll(/^- (.+): (.+)$/gm),
    ].flatMap(([, fieldNames = '', operators]) =>
      codeIn(fieldNames).map((name) => [name, operators]),
    );
    const expected = Object.entries(fields)
      .filter(([, { operators }]) => operators.length > 0)
      .map(([name, { operators }]) => [name, operators.join(', ')]);
    assert.deepEqual(Object.fromEntries(documented), Object.fromEntries(expected));
    assert.equal(documented.length, expected.length);
  });

  test(`GET ${path} has the documented sorters`, () => {
    const [, listed = ''] = parameters.get('sorters')?.description.split('Fields: ') ?? [];
    assert.deepEqual(codeIn(listed), sorted);
  });
}

function parametersAt(path: string): ReadonlyMap<string, Parameter> {
  const all = openapi['paths']?.[path]?.['get']?.['parameters'] as unknown as Parameter[];
  return new Map(all.map(dereferenced).map((parameter) => [parameter.name, parameter]));
}

function dereferenced(parameter: Parameter): Parameter {
  const name = parameter.$ref?.split('/').at(-1) ?? '';
  const component = openapi['components']?.['parameters']?.[name];
  return component === undefined ? parameter : (component as unknown as Parameter);
}

function codeIn(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
}
