// SQLite's query plans for profiles: many profiles of a tenant are fast only if each query searches
// an index. The database is empty and has no statistics, as that of the product.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { writeEmptyStore } from '../../../test/support/empty-store.ts';
import type {
  ProfileFilters,
  ProfileOrder,
  ProfileWindow,
  WritableProfileRecords,
} from '../../service/ports/profile-records.ts';
import type { WritableResources } from '../../service/ports/resource-records.ts';
import { compile, type Executor, type Tree } from '../sql/statement.ts';
import { openConnection, type SqliteConnection } from '../sqlite/sqlite-driver.ts';
import { profilePage } from './profile-page.ts';
import { profileRecords } from './profile-records.ts';
import { resourceRecords } from './resource-records.ts';

type Values = Parameters<SqliteConnection['all']>[1];

const directory = mkdtempSync(join(tmpdir(), 'cardea-plan-'));
let connection: SqliteConnection;
before(async () => {
  const path = join(directory, 'plan.db');
  await writeEmptyStore(path);
  connection = await openConnection(path, 1000);
});
after(() => {
  connection.close();
  rmSync(directory, { recursive: true, force: true });
});

function planOf(sql: string, parameters: Values): string[] {
  return connection
    .all(`explain query plan ${sql}`, parameters)
    .map(({ detail }) => String(detail));
}

const treePlan = (tree: Tree<unknown>) => {
  const { sql, parameters } = compile(tree, 'sqlite');
  return planOf(sql, parameters as Values);
};

const ORDERS: readonly ProfileOrder[] = [
  ...(['id', 'uid', 'name', 'status', 'profileTypeId', 'createdAt', 'updatedAt'] as const),
];

/** All ways to combine filters. */
function* combinations(names: readonly (keyof ProfileFilters)[]): Iterable<ProfileFilters> {
  const values: ProfileFilters = {
    ...{ name: 'n', profileTypeId: 't', status: 'Active', updatedAfter: '2026', archived: true },
  };
  for (let bits = 0; bits < 1 << names.length; bits++) {
    const chosen = names.filter((_, n) => (bits >> n) & 1);
    yield Object.fromEntries(chosen.map((name) => [name, values[name]]));
  }
}

const labelOf = (filters: ProfileFilters) => Object.keys(filters).join(', ') || 'no filter';

for (const order of ORDERS) {
  for (const narrow of combinations(['name', 'profileTypeId', 'status', 'updatedAfter'])) {
    for (const archived of [false, true]) {
      const filters = { archived, ...narrow };
      const kind = archived ? 'archived' : 'current';
      test(`a page of ${kind} profiles by ${order} with ${labelOf(narrow)} searches an index`, () => {
        const plan = treePlan(profilePage('t', filters, { order, offset: 40, limit: 20 }));
        assertWalk(plan, narrow.name === undefined);
      });
    }
  }
}

for (const filters of combinations(['profileTypeId', 'updatedAfter'])) {
  test(`a page after an id with ${labelOf(filters)} walks an index in order`, () => {
    const plan = treePlan(profilePage('t', filters, { afterId: 'x', limit: 20 }));
    assertWalk(plan, true);
    assert.match(plan[0] ?? '', /id>\?/);
  });
}

/** Filters that match few profiles, and the search in an index that each leads to. */
type Narrow = [filters: ProfileFilters, search: RegExp, ordered: readonly ProfileOrder[]];
const NARROW: readonly Narrow[] = [
  [{ id: 'x' }, /\(tenant_id=\? AND id=\?/, ORDERS],
  [{ uid: 'x' }, /\(tenant_id=\? AND uid=\?\)/, ORDERS],
  [
    { uid: 'x', name: 'n', status: 'Active', createdFrom: '1' },
    /\(tenant_id=\? AND uid=\?\)/,
    ORDERS,
  ],
  [
    { idProofingStatus: 'pass' },
    /profile_by_proofing \(tenant_id=\? AND archived=\? AND id_proofing_status=\?\)/,
    ['createdAt'],
  ],
  [
    { createdFrom: '1', createdBefore: '2' },
    /profile_by_created \(.* AND archived=\? AND created_at>\? AND created_at<\?\)/,
    ['createdAt'],
  ],
  [
    { updatedFrom: '1', updatedBefore: '2', status: 'Active' },
    /profile_by_updated \(.* AND archived=\? AND updated_at>\? AND updated_at<\?\)/,
    ['updatedAt'],
  ],
];
for (const [filters, search, ordered] of NARROW) {
  for (const order of ORDERS) {
    test(`a page by ${order} with ${labelOf(filters)} searches for few profiles and sorts at most them`, () => {
      const window = { order, offset: 40, limit: 20 };
      const plan = treePlan(profilePage('t', { archived: false, ...filters }, window));
      assert.match(plan[0] ?? '', search);
      assert.deepEqual(
        plan.slice(1),
        ordered.includes(order) ? [] : ['USE TEMP B-TREE FOR ORDER BY'],
      );
    });
  }
}

/** @param ordered whether nothing is sorted: profiles with one name are */
function assertWalk(plan: readonly string[], ordered: boolean): void {
  const [search, ...rest] = plan;
  const text = plan.join('; ');
  if (ordered) {
    assert.match(search ?? '', /^SEARCH profile USING COVERING INDEX \w+ \(tenant_id=\?/, text);
    assert.deepEqual(rest, []);
  } else {
    assert.match(
      search ?? '',
      /USING (COVERING )?INDEX profile_by_name \(.*name_folded=\?\)/,
      text,
    );
    assert.deepEqual(rest, ['USE TEMP B-TREE FOR ORDER BY']);
  }
}

/** Every query of the records, with arguments that make it run. */
const window: ProfileWindow = { order: 'createdAt', offset: 0, limit: 10 };
type Records = WritableProfileRecords & WritableResources;
const QUERIES: readonly [name: string, run: (records: Records) => Promise<unknown>][] = [
  ['profilePage', (records) => records.profilePage('t', { archived: false }, window)],
  ['profilesByKey', (records) => records.profilesByKey('t', ['a', 'b', 'c'])],
  ['valuesOf', (records) => records.valuesOf('t', ['a', 'b', 'c'])],
  ['attributesBy id', (records) => records.attributesBy('t', 'id', ['a'])],
  ['attributesBy uid', (records) => records.attributesBy('t', 'uid', ['a', 'b'])],
  ['shownAs option', (records) => records.shownAs('t', 'option', ['a', 'b'])],
  ['shownAs profile', (records) => records.shownAs('t', 'profile', ['a', 'b'])],
  ['shownAs user', (records) => records.shownAs('t', 'user', ['a', 'b'])],
  ['usersByKey', (records) => records.usersByKey('t', ['a', 'b'])],
  ['optionsByLabel', (records) => records.optionsByLabel('t', ['a', 'b'], ['x', 'y'])],
  ['holdersOf folded', (records) => records.holdersOf('t', 'a', 'folded', ['x', 'y'])],
  ['holdersOf day', (records) => records.holdersOf('t', 'a', 'day', ['1', '2'])],
  ['holdersOf refId', (records) => records.holdersOf('t', 'a', 'refId', ['x'])],
  [
    'profilesWith',
    (records) =>
      records.profilesWith(
        't',
        'type',
        [
          { attributeId: 'a', by: 'folded', keys: ['x', 'y'] },
          { attributeId: 'b', by: 'refId', keys: ['r'] },
          { attributeId: 'c', by: 'day', keys: ['7'] },
        ],
        10,
      ),
  ],
  ['countProfilesOfType', (records) => records.countProfilesOfType('t', 'a')],
  ['job', (records) => records.job('t', 'a')],
  [
    'putValues',
    (records) => records.putValues('t', [{ profileId: 'p', attributeId: 'a', items: [] }]),
  ],
  ['deleteProfiles', (records) => records.deleteProfiles('t', ['a', 'b'])],
  ...(['id', 'uid'] as const).map(
    (member) =>
      [
        `a page of records with ${member}`,
        (records: Records) => {
          const where = [{ member, equals: 'x' }];
          const page = { where, order: null, limit: 10, offset: 0, total: true };
          return records.resourcePage('t', 'user', page);
        },
      ] as [string, (records: Records) => Promise<unknown>],
  ),
  [
    'a page of records after an id',
    (records) => {
      const page = { where: [], order: 'id', limit: 10, offset: 0, afterId: 'x', total: false };
      return records.resourcePage('t', 'user', page);
    },
  ],
  ['deleteJobsBefore', (records) => records.deleteJobsBefore('t', 'a')],
  ...[...combinations(['archived', 'name', 'profileTypeId', 'status', 'updatedAfter'])].map(
    (filters) =>
      [
        `countProfiles with ${labelOf(filters)}`,
        (records: Records) => records.countProfiles('t', filters),
      ] as [string, (records: Records) => Promise<unknown>],
  ),
];
for (const [name, run] of QUERIES) {
  test(`${name} searches, and scans no table`, async () => {
    const plans: string[] = [];
    const ask = (sql: string, parameters: Values) => {
      plans.push(...planOf(sql, parameters));
      return connection.all(sql, parameters);
    };
    const query = async (tree: Tree<unknown>) => {
      const { sql, parameters } = compile(tree, 'sqlite');
      return ask(sql, parameters as Values);
    };
    const executor = {
      ...{ query, queryWhole: query, scan: query },
      ...Object.fromEntries(
        (['all', 'get', 'run'] as const).map((method) => [
          method,
          async (...[statement, parameters]: Parameters<Executor['get']>) => {
            const text = statement.in('sqlite');
            return ask(text.sql, text.bind(parameters))[0];
          },
        ]),
      ),
      each: async (...[statement, parameters]: Parameters<Executor['each']>) => {
        const { sql, bind } = statement.in('sqlite');
        return parameters.map((one) => ask(sql, bind(one)));
      },
      pause: async () => {},
    } as unknown as Executor;
    await run({ ...profileRecords(executor), ...resourceRecords(executor) });
    assert.ok(plans.length > 0);
    assert.deepEqual(
      plans.filter((detail) => detail.startsWith('SCAN')),
      [],
    );
    // Bound by the tenant alone a search scans all rows of the tenant; a count may, in an index.
    const bound = name.startsWith('countProfiles')
      ? /COVERING INDEX \w+ \(tenant_id=\?|tenant_id=\? AND /
      : /tenant_id=\? AND /;
    for (const detail of plans.filter((line) => line.startsWith('SEARCH')))
      assert.match(detail, bound, detail);
  });
}
