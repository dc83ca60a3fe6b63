// The SQLite query plan of every search: for all conditions, orders and leading conditions, the
// database reads each table by an index and scans none.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { writeEmptyStore } from '../../../test/support/empty-store.ts';
import type { ProfileOrder } from '../../service/ports/profile-records.ts';
import type { Condition, ValueTest } from '../../service/ports/profile-search.ts';
import { compile, type SqlValue, type Tree } from '../sql/statement.ts';
import { openConnection, type SqliteConnection } from '../sqlite/sqlite-driver.ts';
import { countOf, matchesAmong, pageOf, positionOf, sizeQuery } from './profile-search.ts';
import { leadsOf } from './search-conditions.ts';

const folder = mkdtempSync(join(tmpdir(), 'cardea-search-'));
let connection: SqliteConnection;
before(async () => {
  const path = join(folder, 'cardea.db');
  await writeEmptyStore(path);
  connection = await openConnection(path, 1000);
});
after(() => {
  connection.close();
  rmSync(folder, { recursive: true, force: true });
});

const TESTS: readonly ValueTest[] = [
  { kind: 'present', of: 'text' },
  { kind: 'present', of: 'day' },
  { kind: 'present', of: 'reference' },
  { kind: 'equals', text: 'a' },
  { kind: 'startsWith', text: 'a' },
  { kind: 'endsWith', text: 'a' },
  { kind: 'contains', text: 'a' },
  { kind: 'greater', text: 'a', number: null },
  { kind: 'less', text: '9', number: 9 },
  { kind: 'refersTo', id: 'a' },
  { kind: 'day', span: { min: 1, max: 2 } },
];

const CONDITIONS: readonly Condition[] = [
  ...TESTS.flatMap((test) =>
    [false, true].map((negated): Condition => ({ kind: 'value', attributeId: 'a', test, negated })),
  ),
  { kind: 'status', statuses: ['Active'] },
  { kind: 'status', statuses: ['Active', 'Inactive', 'On Leave'] },
  { kind: 'profileType', id: 'a', negated: false },
  { kind: 'profileType', id: 'a', negated: true },
  { kind: 'daysBetween', attributeId: 'a', anchorId: 'b', span: { min: null, max: 3 } },
  { kind: 'risk', levelIds: ['a', 'b'] },
  { kind: 'record', filters: { uid: 'a' } },
  { kind: 'record', filters: { id: 'a', name: 'a', nameContains: 'a' } },
  { kind: 'record', filters: { name: 'a', updatedAfter: '2026' } },
  { kind: 'record', filters: { nameContains: 'a', updatedAfter: '2026' } },
  { kind: 'record', filters: { createdFrom: '2026', createdBefore: '2027' } },
  { kind: 'record', filters: { idProofingStatus: 'pass' } },
];

const ORDERS: readonly ProfileOrder[] = [
  ...(['id', 'uid', 'name', 'status', 'profileTypeId', 'createdAt', 'updatedAt'] as const),
];

const ALL = { archived: false, offset: 0, limit: 100, total: true };

function planOf(tree: Tree<unknown>): string[] {
  const { sql, parameters } = compile(tree, 'sqlite');
  const rows = connection.all(`explain query plan ${sql}`, parameters as SqlValue[]);
  return rows.map(({ detail }) => String(detail));
}

const SLICE = { after: { id: 'p1', value: 'a' }, until: { id: 'p9', value: 'z' } };

/**
 * By the tenant and another column; all profiles of a tenant are read by an index of ids, which has
 * the columns of most conditions.
 */
const INDEX_SEARCH =
  /\(tenant_id=\? AND |^SEARCH profile USING (COVERING INDEX profile_by_id|INDEX sqlite_autoindex_profile_1) \(tenant_id=\?\)$/;

/**
 * The leading subquery is read by an index and then once as `named`, which the plan calls a scan.
 */
function assertIndexed(tree: Tree<unknown>, label: string): void {
  const plan = planOf(tree);
  const message = `${label}\n${plan.join('\n')}`;
  assert.ok(plan.length > 0, label);
  for (const step of plan) {
    if (/^SCAN (named|\d-ROW)/.test(step)) continue;
    assert.ok(!step.startsWith('SCAN'), message);
    if (step.startsWith('SEARCH')) assert.match(step, INDEX_SEARCH, message);
    assert.doesNotMatch(step, /AUTOMATIC/, message);
  }
}

for (const condition of CONDITIONS) {
  test(`${JSON.stringify(condition)} uses an index as filter and as lead, in every order`, () => {
    const others: readonly Condition[] = [
      { kind: 'status', statuses: ['Active'] },
      { kind: 'profileType', id: 'a', negated: false },
      condition,
    ];
    const scope = { tenantId: 't', archived: false };
    const leads = leadsOf(scope, condition);
    for (const lead of leads ?? []) assertIndexed(sizeQuery(lead, 10), 'size');
    for (const conditions of [[condition], others]) {
      for (const order of ORDERS) {
        for (const leading of leads === null ? [null] : [null, condition]) {
          const search = { ...ALL, conditions, order };
          assertIndexed(pageOf('t', search, leading), `page ${order}`);
          assertIndexed(countOf('t', search, leading), 'count');
          if (leading !== null) continue;
          assertIndexed(positionOf('t', search, SLICE.after, 100), `position ${order}`);
          assertIndexed(pageOf('t', search, null, SLICE), `slice ${order}`);
          assertIndexed(countOf('t', search, null, SLICE), `count of a slice ${order}`);
          assertIndexed(matchesAmong(scope, conditions, ['p1', 'p2']), 'profiles by id');
        }
      }
    }
  });
}

test('pages by id and by creation are read in index order without sorting', () => {
  const search = { ...ALL, order: 'createdAt' } as const;
  for (const conditions of [
    [],
    [CONDITIONS[1]!],
    [{ kind: 'profileType', id: 'a', negated: false }],
  ] as Condition[][]) {
    const plan = planOf(pageOf('t', { ...search, conditions }, null));
    assert.ok(!plan.some((step) => step.includes('TEMP B-TREE')), plan.join('\n'));
  }
});
