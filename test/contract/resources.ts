// The contract of every store for the records of profile management and API keys: records are
// returned as written, pages are in a total order, references to deleted records are cleared, and
// tenants are isolated.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import type { Condition, PageQuery } from '../../src/service/ports/collection.ts';
import type { ResourceKind, ResourceTypes } from '../../src/service/ports/resources.ts';
import type { Store } from '../../src/service/ports/store.ts';
import type { OpenStore } from './store.ts';

const ACME = 'tenant-acme';
const OTHER = 'tenant-other';
const AT = '2026-01-01T00:00:00.000Z';

const base = (id: string) => ({ id, uid: `uid-${id}`, createdAt: AT, updatedAt: AT });

/** One record of each kind, with every member set. */
const SAMPLES: ResourceTypes = {
  profileType: {
    ...{ ...base('t1'), name: 'Vendor Staff', category: 'non-employee', archived: true },
    ...{ bypassDupProtection: true, permittedRoleIds: ['r1'], iscSynced: false },
    profileTypeDupAttributes: [{ id: 'd1', uid: 'du1', profileTypeId: 't1', neAttributeId: 'a1' }],
    profileTypeNamings: [
      { id: 'n1', uid: 'nu1', profileTypeId: 't1', neAttributeId: 'a1', order: 2 },
    ],
  },
  attribute: {
    ...{ ...base('a1'), label: 'Ünit', description: 'x', toolTip: null, crypt: false },
    ...{ archived: false, archivedOn: null, dateFormat: 'yyyy-mm-dd', selectableStatus: null },
    ...{ riskType: 'none', riskScoreSetting: 'standard', ownershipDriven: true },
    ...{ allowMultipleSelections: true, filteredByNeAttribute: false, legacyId: null },
    ...{ filteringNeAttributeId: null, neAttributeFilterId: null },
    ...{ reverseAssociationAttribute: null, profileTypeId: 't1', dataType: 'date' },
    ...{ type: 'DateAttribute', validations: [{ validationMethod: 'required', value: null }] },
  },
  option: { ...base('o1'), neAttributeId: 'a1', option: ' Oslo ' },
  user: {
    ...{ ...base('u1'), name: 'Ada', email: 'Ada@acme.test', type: 'NeaccessUser', title: null },
    ...{ status: 'Pending', login: 'ADA', lastLogin: AT, cookiesAcceptedAt: AT, locale: 'fr' },
    ...{ preferredLanguage: 'fr', groupStrings: 'a,b', sailpointIdentityId: 's', profileId: 'p' },
  },
  role: { ...base('r1'), name: 'Sponsors', type: 'NeprofileRole', groups: ['g'], archived: false },
  userRole: { ...base('ur1'), userId: 'u1', roleId: 'r1' },
  roleProfile: { ...base('rp1'), roleId: 'r1', profileId: 'p' },
  userProfile: {
    ...{ ...base('up1'), userId: 'u1', profileId: 'p', neAttributeId: 'a1' },
    relationshipType: 'owner',
  },
  userManager: { ...base('um1'), userId: 'u1', managerId: 'u1' },
  riskLevel: { ...base('l1'), label: 'High', order: 3, points: 12.5 },
  riskScore: {
    ...{ ...base('s1'), objectId: 'p', objectType: 'Profile', overallScore: 0.25 },
    ...{ overallRiskLevelId: 'l1', impactScore: null, impactRiskLevelId: null },
    ...{ probabilityScore: 3, probabilityRiskLevelId: null },
  },
};
const KINDS = Object.keys(SAMPLES) as ResourceKind[];

const ALL: PageQuery = { where: [], order: null, limit: 1000, offset: 0, total: true };

/** Registers the suite for a kind of store. */
export function resourceContract(name: string, open: OpenStore): void {
  describe(`resource contract: ${name}`, () => {
    let store: Store;
    before(async () => {
      store = await open('resources');
    });
    after(() => store.close());
    const ids = async (kind: ResourceKind, query: Partial<PageQuery>, tenant = ACME) => {
      const { rows } = await store.read.resourcePage(tenant, kind, { ...ALL, ...query });
      return rows.map(({ id }) => id);
    };
    roundTrips(() => store);
    pages(() => store, ids);
    deletions(() => store, ids);
  });
}

type Ids = (
  kind: ResourceKind,
  query: Partial<PageQuery>,
  tenant?: string,
) => Promise<readonly string[]>;

function roundTrips(store: () => Store): void {
  for (const kind of KINDS) {
    test(`returns a ${kind} as written, by id and uid, only in its tenant`, async () => {
      const record = SAMPLES[kind];
      await store().write((records) => records.addResource(ACME, kind, record));
      const { read } = store();
      assert.deepEqual(plain(await read.resource(ACME, kind, record.id)), record);
      assert.deepEqual(plain(await read.resource(ACME, kind, record.uid)), record);
      assert.equal(await read.resourceId(ACME, kind, record.uid), record.id);
      assert.equal(await read.resource(OTHER, kind, record.id), null);
      assert.equal(await read.resourceId(OTHER, kind, record.uid), null);
      const page = await read.resourcePage(ACME, kind, ALL);
      assert.deepEqual(page.rows.map(plain), [record]);
      assert.equal(page.total, 1);
      const changed = { ...record, updatedAt: '2026-02-01T00:00:00.000Z' };
      await store().write((records) => records.updateResource(ACME, kind, changed));
      assert.deepEqual(plain(await read.resource(ACME, kind, record.id)), changed);
      await store().write((records) => records.updateResource(OTHER, kind, record));
      assert.deepEqual(plain(await read.resource(ACME, kind, record.id)), changed);
      const gone = (tenant: string) =>
        store().write((records) => records.deleteResource(tenant, kind, record.id));
      assert.equal(await gone(OTHER), false);
      assert.equal(await gone(ACME), true);
      assert.equal(await gone(ACME), false);
      assert.equal(await read.resource(ACME, kind, record.id), null);
    });
  }

  test('prefers an id over an equal uid', async () => {
    const role = (id: string, uid: string) => ({ ...SAMPLES.role, id, uid });
    await store().write(async (records) => {
      await records.addResource('tenant-ids', 'role', role('one', 'two'));
      await records.addResource('tenant-ids', 'role', role('two', 'three'));
    });
    assert.equal(await store().read.resourceId('tenant-ids', 'role', 'two'), 'two');
    assert.equal(await store().read.resourceId('tenant-ids', 'role', 'three'), 'two');
  });
}

function pages(store: () => Store, ids: Ids): void {
  const USERS: readonly Partial<ResourceTypes['user']>[] = [
    { id: '1', name: 'bea', title: null, createdAt: '2026-01-03T00:00:00.000Z' },
    { id: '2', name: 'Ada', title: 'b', createdAt: '2026-01-02T00:00:00.000Z' },
    { id: '3', name: 'ada ', title: null, createdAt: '2026-01-02T00:00:00.000Z' },
    { id: '4', name: 'Ärni', title: 'B', createdAt: '2026-01-01T00:00:00.000Z' },
    { id: '5', name: 'zoe', title: 'a', createdAt: '2026-01-04T00:00:00.000Z' },
  ];
  before(async () => {
    await store().write(async (records) => {
      for (const part of USERS) {
        const uid = `U-${part.id}`;
        const user = { ...SAMPLES.user, uid, login: uid, ...part };
        await records.addResource('tenant-pages', 'user', user);
      }
      await records.addResource(OTHER, 'user', { ...SAMPLES.user, id: '9', uid: '9', login: '9' });
    });
  });

  const ORDERS: readonly [order: string | null, expected: string][] = [
    [null, '42315'],
    ['id', '12345'],
    ['name', '23154'],
    ['title', '52413'],
    ['uid', '12345'],
    ['status', '12345'],
    ['createdAt', '42315'],
  ];
  for (const [order, expected] of ORDERS) {
    test(`sorts users by ${order} as ${expected}, with missing values last and ties by id`, async () => {
      assert.equal((await ids('user', { order }, 'tenant-pages')).join(''), expected);
    });
  }

  const FILTERS: readonly [where: PageQuery['where'], expected: string][] = [
    [[{ member: 'name', equals: 'ADA' }], '23'],
    [[{ member: 'name', equals: ' äRNI ' }], '4'],
    [[{ member: 'title', equals: 'b' }], '42'],
    [[{ member: 'status', equals: 'Pending' }], '42315'],
    [[{ member: 'status', equals: 'pending' }], ''],
    [[{ member: 'title', equals: null }], '31'],
    [
      [
        { member: 'name', equals: 'ada' },
        { member: 'title', equals: 'b' },
      ],
      '2',
    ],
    [[{ member: 'login', equals: "' or 1=1 --" }], ''],
    [[{ member: 'name', contains: 'D' }], '23'],
    [[{ member: 'name', contains: 'rni' }], '4'],
    [[{ member: 'name', contains: '%' }], ''],
    [[{ member: 'name', contains: '_' }], ''],
    [[{ member: 'name', contains: "' or 1=1 --" }], ''],
  ];
  for (const [where, expected] of FILTERS) {
    test(`filters users with ${JSON.stringify(where)} to ${expected || 'none'}`, async () => {
      const { rows, total } = await store().read.resourcePage('tenant-pages', 'user', {
        ...ALL,
        where,
      });
      assert.equal(rows.map(({ id }) => id).join(''), expected);
      assert.equal(total, expected.length);
    });
  }

  /** Members whose values are neither texts, numbers nor flags. */
  const NESTED = ['profileTypeDupAttributes', 'profileTypeNamings', 'validations'];
  for (const kind of KINDS) {
    test(`finds a ${kind} by each of its members, and not by another value`, async () => {
      const tenant = 'tenant-members';
      const record = SAMPLES[kind];
      await store().write((records) => records.addResource(tenant, kind, record));
      for (const [member, value] of Object.entries(record)) {
        if (value === null || NESTED.includes(member)) continue;
        for (const [where, isMatch] of conditionsOn(member, value)) {
          const matches = await ids(kind, { where: [where] }, tenant);
          assert.deepEqual(matches, isMatch ? [record.id] : [], JSON.stringify(where));
        }
      }
    });
  }

  test('compares flags as booleans', async () => {
    const where = (archived: boolean) => ({ where: [{ member: 'archived', equals: archived }] });
    await store().write(async (records) => {
      await records.addResource('tenant-flags', 'role', SAMPLES.role);
      const old = { ...SAMPLES.role, id: 'old', uid: 'old', archived: true };
      await records.addResource('tenant-flags', 'role', old);
    });
    assert.deepEqual(await ids('role', where(true), 'tenant-flags'), ['old']);
    assert.deepEqual(await ids('role', where(false), 'tenant-flags'), ['r1']);
  });

  test('returns the whole list in pages of any size, with the same total on each', async () => {
    const orders = fc.constantFrom(null, 'name', 'title', 'status');
    await fc.assert(
      fc.asyncProperty(orders, fc.integer({ min: 1, max: 6 }), async (order, limit) => {
        const whole = await ids('user', { order }, 'tenant-pages');
        const walked: string[] = [];
        for (let offset = 0; offset < 10; offset += limit) {
          const page = await store().read.resourcePage('tenant-pages', 'user', {
            ...{ ...ALL, order, limit, offset },
          });
          assert.equal(page.total, 5);
          walked.push(...page.rows.map(({ id }) => id));
        }
        assert.deepEqual(walked, whole);
      }),
      { numRuns: 30 },
    );
  });

  test('returns the whole list in pages that follow an id, whatever is deleted meanwhile', async () => {
    const tenant = 'tenant-walk';
    await store().write(async (records) => {
      for (const id of ['1', '2', '3', '4', '5'])
        await records.addResource(tenant, 'role', { ...SAMPLES.role, id, uid: id });
    });
    const page = (afterId: string) => ids('role', { order: 'id', limit: 2, afterId }, tenant);
    assert.deepEqual(await page(''), ['1', '2']);
    await store().write((records) => records.deleteResource(tenant, 'role', '1'));
    assert.deepEqual(await page('2'), ['3', '4']);
    assert.deepEqual(await page('4'), ['5']);
    assert.deepEqual(await page('5'), []);
  });

  test('returns the total only on request', async () => {
    const page = await store().read.resourcePage(ACME, 'user', { ...ALL, total: false });
    assert.equal(page.total, null);
  });
}

/** Conditions on a member that has the value, and whether they match. */
function conditionsOn(member: string, value: unknown): [Condition, boolean][] {
  const equals = (other: string | number | boolean): Condition => ({ member, equals: other });
  if (Array.isArray(value)) {
    const has = (item: string): Condition => ({ member, hasItem: item });
    return [
      [has(String(value[0])), true],
      [has(String(value[0]).toUpperCase()), true],
      [has(`${value[0]}x`), false],
      [has("' or 1=1 --"), false],
    ];
  }
  if (typeof value === 'boolean')
    return [
      [equals(value), true],
      [equals(!value), false],
    ];
  if (typeof value === 'number')
    return [
      [equals(value), true],
      [equals(value + 1), false],
    ];
  const text = String(value);
  const conditions: [Condition, boolean][] = [
    [equals(text), true],
    [equals(`${text}x`), false],
    [equals('" or 1=1 --'), false],
  ];
  if (!['createdAt', 'updatedAt'].includes(member)) return conditions;
  const within = (from: string, before: string): Condition => {
    return { member, within: { from, before } };
  };
  const later = new Date(Date.parse(text) + 1).toISOString();
  return [...conditions, [within(text, later), true], [within(later, '9'), false]];
}

function deletions(store: () => Store, ids: Ids): void {
  const tenant = 'tenant-deletions';
  const add = <K extends ResourceKind>(kind: K, change: Partial<ResourceTypes[K]>) =>
    store().write((records) =>
      records.addResource(tenant, kind, { ...SAMPLES[kind], uid: change.id, ...change }),
    );
  const remove = (kind: ResourceKind, id: string) =>
    store().write((records) => records.deleteResource(tenant, kind, id));

  test('deletes the links of a user on either end, and no others', async () => {
    await add('userRole', { id: 'a', userId: 'gone' });
    await add('userRole', { id: 'b', userId: 'stays' });
    await add('userManager', { id: 'a', userId: 'gone', managerId: 'stays' });
    await add('userManager', { id: 'b', userId: 'stays', managerId: 'gone' });
    await add('userManager', { id: 'c', userId: 'stays', managerId: 'stays' });
    await add('userProfile', { id: 'a', userId: 'gone' });
    await add('user', { id: 'gone', login: 'gone' });
    assert.equal(await remove('user', 'gone'), true);
    assert.deepEqual(await ids('userRole', {}, tenant), ['b']);
    assert.deepEqual(await ids('userManager', {}, tenant), ['c']);
    assert.deepEqual(await ids('userProfile', {}, tenant), []);
  });

  test('deletes the options of an attribute, and clears it in links', async () => {
    await add('attribute', { id: 'gone' });
    await add('option', { id: 'a', neAttributeId: 'gone' });
    await add('option', { id: 'b', neAttributeId: 'stays' });
    await add('userProfile', { id: 'c', neAttributeId: 'gone' });
    await remove('attribute', 'gone');
    assert.deepEqual(await ids('option', {}, tenant), ['b']);
    const link = await store().read.resource(tenant, 'userProfile', 'c');
    assert.equal(link?.neAttributeId, null);
  });

  test('clears a deleted attribute in those that it filters, and no other', async () => {
    const filters = async (id: string) => {
      const stored = await store().read.resource(tenant, 'attribute', id);
      return [stored?.filteringNeAttributeId, stored?.neAttributeFilterId];
    };
    await add('attribute', { id: 'filter' });
    const byFilter = { filteringNeAttributeId: 'filter', neAttributeFilterId: 'stays' };
    await add('attribute', { id: 'one', ...byFilter });
    await add('attribute', { id: 'two', neAttributeFilterId: 'filter' });
    assert.deepEqual(await filters('one'), ['filter', 'stays']);
    await remove('attribute', 'filter');
    assert.deepEqual(await filters('one'), [null, 'stays']);
    assert.deepEqual(await filters('two'), [null, null]);
  });

  test('clears a deleted profile type in attributes', async () => {
    await add('attribute', { id: 'x', profileTypeId: 'gone' });
    await add('profileType', { id: 'gone' });
    assert.equal(await store().read.countProfilesOfType(tenant, 'gone'), 0);
    await remove('profileType', 'gone');
    assert.equal((await store().read.resource(tenant, 'attribute', 'x'))?.profileTypeId, null);
  });

  test('rolls back a failed transaction', async () => {
    await assert.rejects(
      store().write(async (records) => {
        await records.addResource(tenant, 'role', { ...SAMPLES.role, id: 'lost', uid: 'lost' });
        throw new Error('as the test wishes');
      }),
      /as the test wishes/,
    );
    assert.equal(await store().read.resourceId(tenant, 'role', 'lost'), null);
  });
}

/** Removes prototypes and undefined members, which differ between database drivers. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
