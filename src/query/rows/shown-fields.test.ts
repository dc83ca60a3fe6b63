import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DOCUMENT_COLUMNS } from './default-columns.ts';
import { DOCUMENT_FACETS, type OwnField, shownFields } from './shown-fields.ts';

const DEFAULTS = { columns: DOCUMENT_COLUMNS.identities, facets: DOCUMENT_FACETS.identities };
const FILLED = Object.fromEntries(
  [...DEFAULTS.columns, ...DEFAULTS.facets].map((path) => [path, 100]),
);

const own = (path: string, documents: number, values: number, kind: OwnField['kind'] = 'text') => ({
  ...{ path: `attributes.${path}`, documents, values, kind },
});

const shown = (documents: Readonly<Record<string, number>>, fields: readonly OwnField[]) =>
  shownFields('identities', { total: 100, documents: new Map(Object.entries(documents)) }, fields);

const CASES: readonly (readonly [
  what: string,
  documents: Readonly<Record<string, number>>,
  fields: readonly OwnField[],
  expected: ReturnType<typeof shown>,
])[] = [
  ['the defaults where all are filled', FILLED, [own('team', 100, 5)], DEFAULTS],
  ['the defaults where nothing is filled', {}, [], DEFAULTS],
  [
    'own fields in the places of empty ones, groups before what is different in each document',
    { ...FILLED, 'attributes.jobTitle': 0, 'attributes.city': 4, 'attributes.country': 0 },
    [own('badge', 100, 100), own('team', 90, 5), own('site', 95, 3)],
    {
      columns: [
        ...['displayName', 'attributes.site', 'attributes.department', 'attributes.team'],
        ...['accessCount', 'status'],
      ],
      facets: DEFAULTS.facets.map((path) =>
        path === 'attributes.country' ? 'attributes.site' : path,
      ),
    },
  ],
  [
    'no own field with one value, and no number, date or long list as a facet',
    { displayName: 100, isManager: 100 },
    [own('same', 100, 1), own('day', 100, 60), own('grade', 100, 4, 'long'), own('team', 50, 2)],
    {
      columns: ['displayName', 'attributes.grade', 'attributes.team', 'attributes.day'],
      facets: ['attributes.team', 'isManager'],
    },
  ],
  [
    'the name where nobody has a display name, then what else is filled',
    { name: 100, email: 50, 'manager.name': 2 },
    [own('team', 100, 5)],
    { columns: ['name', 'attributes.team', 'email'], facets: ['attributes.team'] },
  ],
];

for (const [what, documents, fields, expected] of CASES) {
  test(`shows ${what}`, () => assert.deepEqual(shown(documents, fields), expected));
}
