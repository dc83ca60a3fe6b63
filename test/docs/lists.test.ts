// What docs/openapi.yaml says of the lists is what they have: parameters, the operators of each field,
// sorters and largest pages; of those of profile management parameters, orders and largest pages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orderNames } from '../../src/http/routes/profiles/collection.ts';
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
import type { Collection } from '../../src/service/ports/collection.ts';
import { PROFILES } from '../../src/service/profiles/profile-cases.ts';
import { descriptors } from '../../src/service/profiles/resources/descriptors.ts';
import { wireName } from '../../src/service/profiles/resources/wire-names.ts';
import { ADVANCED_SEARCHES } from '../../src/service/profiles/rules/advanced-searches.ts';
import { openapi } from '../support/openapi.ts';

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly description: string;
  readonly schema: {
    readonly maximum?: number;
    readonly default?: unknown;
    readonly enum?: readonly string[];
  };
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

/** What runs of advanced searches have: archived profiles are never among their results. */
const { archived: _, ...RUN_FILTERS } = PROFILES.filters;
const RUNS: Collection = { ...PROFILES, filters: RUN_FILTERS, parameters: [] };
const PROFILE_LISTS: readonly (readonly [path: string, collection: Collection, method?: string])[] =
  [
    ...Object.values(descriptors).map(({ collection }) => {
      // The search area has a list of roles, too.
      const { key } = collection;
      return [key === 'roles' ? '/api/roles' : `/${key}`, collection] as const;
    }),
    ['/profiles', PROFILES],
    ['/advanced_search', ADVANCED_SEARCHES],
    ['/advanced_search/{id}/run', RUNS],
    ['/advanced_search/run', RUNS, 'post'],
  ];
for (const [path, collection, method = 'get'] of PROFILE_LISTS) {
  test(`${method} ${path} documents each filter and order`, () => {
    const { filters, filterAliases = {}, parameters = [], orders, limitMax } = collection;
    const members = Object.keys(filters).filter((member) => filters[member]?.type !== 'none');
    const attributes = collection.key === 'profiles' ? ['query'] : [];
    const expected = [
      ...['limit', 'offset', 'order', 'metadata', ...parameters, ...attributes],
      ...[...members.map(wireName), ...Object.keys(filterAliases)],
    ];
    const documented = parametersAt(path, method);
    assert.deepEqual([...documented.keys()].sort(), [...new Set(expected)].sort());
    assert.equal(documented.get('limit')?.schema.maximum, limitMax);
    assert.deepEqual(documented.get('order')?.schema.enum, orderNames({ orders }));
  });
}

function parametersAt(path: string, method = 'get'): ReadonlyMap<string, Parameter> {
  const all = openapi['paths']?.[path]?.[method]?.['parameters'] as unknown as Parameter[];
  assert.equal(new Set(all.map((parameter) => dereferenced(parameter).name)).size, all.length);
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
