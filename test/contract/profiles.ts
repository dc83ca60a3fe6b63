// The contract of every store for profiles, their values and jobs: records are returned as written,
// lists equal those of a naive sort, values are found by folded text, day and reference, and
// deletions leave nothing behind.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import type {
  Profile,
  ProfileFilters,
  ProfileOrder,
  ProfileValue,
  ProfileWindow,
  ValueItem,
} from '../../src/service/ports/profile-records.ts';
import type { Condition, ProfileSearch } from '../../src/service/ports/profile-search.ts';
import type { User } from '../../src/service/ports/resources.ts';
import type { Store } from '../../src/service/ports/store.ts';
import { foldText } from '../../src/service/profiles/values/fold-text.ts';
import type { OpenStore } from './store.ts';

const AT = '2026-01-01T00:00:00.000Z';

const profile = (id: string, more: Partial<Profile> = {}): Profile => ({
  ...{ id, uid: `uid-${id}`, name: `Name ${id}`, profileTypeId: 't1', status: 'Active' },
  ...{ idProofingStatus: null, archived: false, createdAt: AT, updatedAt: AT },
  ...more,
});
const user = (id: string, more: Partial<User> = {}): User => ({
  ...{ id, uid: `uid-${id}`, name: 'Mira', email: 'm@x.test', login: id, title: null },
  ...{ type: 'NeprofileUser', status: 'Active', lastLogin: null, cookiesAcceptedAt: null },
  ...{ preferredLanguage: null, locale: null, groupStrings: null, sailpointIdentityId: null },
  ...{ profileId: null, createdAt: AT, updatedAt: AT },
  ...more,
});
const text = (value: string): ValueItem => ({ value, day: null, refId: null });
const date = (day: number): ValueItem => ({ value: `day ${day}`, day, refId: null });
const reference = (refId: string): ValueItem => ({ value: null, day: null, refId });
const value = (profileId: string, attributeId: string, ...items: ValueItem[]): ProfileValue => ({
  ...{ profileId, attributeId, items },
});

/** Registers the suite for a kind of store. */
export function profileContract(name: string, open: OpenStore): void {
  describe(`profile contract: ${name}`, () => {
    let store: Store;
    before(async () => {
      store = await open('profiles');
    });
    after(() => store.close());
    roundTrips(() => store);
    pages(() => store);
    walks(() => store);
    searches(() => store);
    lookups(() => store);
    deletions(() => store);
    jobs(() => store);
  });
}

function roundTrips(store: () => Store): void {
  const tenant = 'tenant-trips';

  test('returns a profile as written, by id and uid, only in its tenant', async () => {
    const full = profile('p1', {
      ...{ name: ' Ünï ', uid: 'KEY', idProofingStatus: 'pass', archived: true },
      ...{ status: 'On Leave', updatedAt: '2026-02-01T00:00:00.001Z' },
    });
    await store().write((records) => records.addProfiles(tenant, [full]));
    assert.deepEqual(await store().read.profilesByKey(tenant, ['p1', 'p1', 'x']), [full]);
    assert.deepEqual(await store().read.profilesByKey(tenant, ['KEY', 'p1']), [full]);
    assert.deepEqual(await store().read.profilesByKey(tenant, ['key']), []);
    assert.deepEqual(await store().read.profilesByKey(tenant, []), []);
    assert.deepEqual(await store().read.profilesByKey('tenant-x', ['p1', 'KEY']), []);
    const changed = { ...full, name: 'b', profileTypeId: 't2', archived: false, status: 'Active' };
    await store().write((records) => records.updateProfiles('tenant-x', [changed]));
    assert.deepEqual(await store().read.profilesByKey(tenant, ['p1']), [full]);
    await store().write((records) => records.updateProfiles(tenant, [changed]));
    assert.deepEqual(await store().read.profilesByKey(tenant, ['p1']), [changed]);
  });

  test('has each uid only once', async () => {
    const twin = profile('p2', { uid: 'KEY' });
    await assert.rejects(store().write((records) => records.addProfiles(tenant, [twin])));
    assert.deepEqual(await store().read.profilesByKey(tenant, ['p2']), []);
  });

  const item = fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1 }).map(text),
    fc.string({ unit: 'grapheme', minLength: 300, maxLength: 400 }).map(text),
    fc.integer({ min: -719_162, max: 2_932_896 }).map(date),
    fc.uuid().map(reference),
  );
  const written = fc.array(fc.array(item, { minLength: 1, maxLength: 4 }), { maxLength: 6 });

  let trips = 0;
  test('returns values as written, and replaces them by later ones', async () => {
    await fc.assert(
      fc.asyncProperty(written, written, async (first, second) => {
        const id = `trip-${trips++}`;
        await store().write((records) => records.addProfiles(tenant, [profile(id)]));
        const values = (lists: ValueItem[][]) =>
          lists.map((items, n) => value(id, `a${n}`, ...items));
        await store().write((records) => records.addValues(tenant, values(first)));
        assert.deepEqual(await stored(id), values(first));
        await store().write((records) => records.putValues(tenant, values(second)));
        const left = [...second, ...first.slice(second.length)];
        assert.deepEqual(await stored(id), values(left));
        const cleared = left.map((_, n) => value(id, `a${n}`));
        await store().write((records) => records.putValues(tenant, cleared));
        assert.deepEqual(await stored(id), []);
      }),
      { numRuns: 40 },
    );
  });

  test('reads the values of many profiles at once, only in their tenant', async () => {
    const ids = Array.from({ length: 700 }, (_, n) => `many-${n}`);
    const all = ids.map((id) => value(id, 'a', text(id), text('x')));
    await store().write(async (records) => {
      await records.addProfiles(
        tenant,
        ids.map((id) => profile(id)),
      );
      await records.addValues(tenant, all);
    });
    const values = await store().read.valuesOf(tenant, [...ids, ...ids, 'nobody']);
    assert.equal(values.length, 700);
    for (const { profileId, items } of values)
      assert.deepEqual(items, [text(profileId), text('x')]);
    assert.deepEqual(await store().read.valuesOf('tenant-x', ids), []);
  });

  const stored = async (id: string) => {
    const values = await store().read.valuesOf(tenant, [id]);
    return [...values].sort((a, b) => (a.attributeId < b.attributeId ? -1 : 1));
  };
}

/** The expected page, computed naively. */
function naivePage(all: readonly Profile[], filters: ProfileFilters, window: ProfileWindow) {
  const { archived, id, uid, name, nameContains, profileTypeId, status, idProofingStatus } =
    filters;
  const { createdFrom, createdBefore, updatedFrom, updatedBefore, updatedAfter } = filters;
  const matching = all.filter(
    (one) =>
      (archived === undefined || one.archived === archived) &&
      (id === undefined || one.id === id) &&
      (uid === undefined || one.uid === uid) &&
      (name === undefined || foldText(one.name) === name) &&
      (nameContains === undefined || foldText(one.name).includes(nameContains)) &&
      (profileTypeId === undefined || one.profileTypeId === profileTypeId) &&
      (status === undefined || one.status === status) &&
      (idProofingStatus === undefined || one.idProofingStatus === idProofingStatus) &&
      (createdFrom === undefined || one.createdAt >= createdFrom) &&
      (createdBefore === undefined || one.createdAt < createdBefore) &&
      (updatedFrom === undefined || one.updatedAt >= updatedFrom) &&
      (updatedBefore === undefined || one.updatedAt < updatedBefore) &&
      (updatedAfter === undefined || one.updatedAt > updatedAfter),
  );
  const byAfterId = 'afterId' in window;
  const key = (one: Profile) => foldText(byAfterId ? one.id : one[window.order]);
  const sorted = matching.sort((a, b) => byCodePoint(key(a), key(b)) || byCodePoint(a.id, b.id));
  const rest = byAfterId ? sorted.filter(({ id }) => id > window.afterId) : sorted;
  const start = byAfterId ? 0 : window.offset;
  return { total: matching.length, page: rest.slice(start, start + window.limit) };
}

function byCodePoint(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function searches(store: () => Store): void {
  const tenant = 'tenant-searches';
  const all = Array.from({ length: 1000 }, (_, n) => profile(`s-${String(n).padStart(4, '0')}`));
  before(async () => {
    await store().write(async (records) => {
      await records.addProfiles(tenant, all);
      await records.addValues(
        tenant,
        all.map(({ id }, n) => value(id, 'a1', text(n % 2 === 0 ? 'even' : 'odd'))),
      );
    });
  });
  const search = (equal: string, negated: boolean, more: Partial<ProfileSearch>) => ({
    conditions: Array.from({ length: 100 }, (): Condition => {
      return { kind: 'value', attributeId: 'a1', test: { kind: 'equals', text: equal }, negated };
    }),
    ...({ archived: false, order: 'id', offset: 0, limit: 20, total: true } as const),
    ...more,
  });

  test('splits a search with many conditions into short statements on every path', async () => {
    for (const [equal, negated] of [['even', true] as const, ['odd', false] as const]) {
      let statements = 0;
      const request = search(equal, negated, { offset: 20 });
      const page = await store().read.matchingProfiles(tenant, request, async () => {
        statements += 1;
      });
      const odd = all.filter((_, n) => n % 2 === 1).map(({ id }) => id);
      assert.deepEqual(page, { ids: odd.slice(20, 40), total: 500 });
      assert.ok(statements > 2, String(statements));
    }
  });

  test('ends a search that is cancelled between two statements', async () => {
    let statements = 0;
    const page = store().read.matchingProfiles(tenant, search('none', true, {}), async () => {
      statements += 1;
      if (statements === 3) throw new Error('enough');
    });
    await assert.rejects(page, /enough/);
    assert.equal(statements, 3);
  });
}

function pages(store: () => Store): void {
  const tenant = 'tenant-pages';
  const ORDERS: readonly ProfileOrder[] = [
    ...(['id', 'uid', 'name', 'status', 'profileTypeId', 'createdAt', 'updatedAt'] as const),
  ];
  const NAMES = ['ada', 'Ada', ' ADA ', 'bea', 'Öz', 'öz', 'ﬀ', '𝒳', '~', 'Zoe'];
  const all = Array.from({ length: 80 }, (_, n) => {
    const at = (step: number) => new Date(Date.parse(AT) + ((n * step) % 23) * 1000).toISOString();
    return profile(`id-${String((n * 37) % 80).padStart(2, '0')}`, {
      ...{ uid: n % 3 === 0 ? `U${n}` : `u${n}`, name: NAMES[(n * 7) % 10] ?? '' },
      ...{ profileTypeId: `t${n % 3}`, createdAt: at(5), updatedAt: at(11), archived: n % 5 === 0 },
      status: ['Active', 'On Leave', 'Terminated', 'Active'][n % 4] ?? '',
      idProofingStatus: [null, 'pass', null, 'pending', null][n % 5] ?? null,
    });
  });
  before(async () => {
    await store().write(async (records) => {
      await records.addProfiles(tenant, all);
      await records.addProfiles('tenant-beside', all);
      await records.addValues(
        tenant,
        all.map(({ id }, n) => value(id, 'tier', text(TIERS[n % 4] ?? ''))),
      );
    });
  });
  const TIERS = ['gold', 'silver', 'gold', 'bronze'];

  const second = fc
    .integer({ min: -1, max: 24 })
    .map((n) => new Date(Date.parse(AT) + n * 1000).toISOString());
  const filters = fc.record(
    {
      ...{ archived: fc.boolean(), name: fc.constantFrom('ada', 'öz', '𝒳', 'nobody') },
      nameContains: fc.constantFrom('d', 'z', '𝒳', '', '%', '_', '\\', "'"),
      profileTypeId: fc.constantFrom('t0', 't1', 't9'),
      status: fc.constantFrom('Active', 'On Leave', 'Inactive'),
      ...{ id: fc.constantFrom('id-17', 'id-40'), uid: fc.constantFrom('U3', 'u3', 'u4') },
      idProofingStatus: fc.constantFrom('pass', 'pending', 'fail'),
      ...{ createdFrom: second, createdBefore: second },
      ...{ updatedFrom: second, updatedBefore: second, updatedAfter: second },
    },
    { requiredKeys: [] },
  );
  const window = fc.oneof(
    fc.record({
      order: fc.constantFrom(...ORDERS),
      offset: fc.integer({ min: 0, max: 90 }),
      limit: fc.integer({ min: 1, max: 90 }),
    }),
    fc.record({
      afterId: fc.constantFrom('', 'id-17', 'id-79', 'zz'),
      limit: fc.integer({ min: 1, max: 90 }),
    }),
  );

  test('returns the pages and totals of a naive sort and filter', async () => {
    await fc.assert(
      fc.asyncProperty(filters, window, async (filter, asked) => {
        const expected = naivePage([...all], filter, asked);
        const page = await store().read.profilePage(tenant, filter, asked);
        assert.deepEqual(
          page.map(({ id }) => id),
          expected.page.map(({ id }) => id),
        );
        assert.deepEqual(page, expected.page);
        assert.equal(await store().read.countProfiles(tenant, filter), expected.total);
      }),
      { numRuns: 300 },
    );
  });

  const tiers = fc.option(fc.constantFrom(...TIERS, 'none'), { nil: undefined });
  test('finds by filters and a value what a naive search finds', async () => {
    await fc.assert(
      fc.asyncProperty(filters, tiers, window, async (filter, tier, asked) => {
        fc.pre('order' in asked);
        const { archived = false, ...others } = filter;
        const ofTier = all.filter((_, n) => tier === undefined || TIERS[n % 4] === tier);
        const expected = naivePage(ofTier, { archived, ...others }, asked);
        const conditions: Condition[] = [{ kind: 'record', filters: others }];
        if (tier !== undefined) {
          const test = { kind: 'equals', text: tier } as const;
          conditions.unshift({ kind: 'value', attributeId: 'tier', test, negated: false });
        }
        const search = { conditions, archived, ...asked, total: true };
        const { ids, total } = await store().read.matchingProfiles(tenant, search, async () => {});
        assert.deepEqual(
          ids,
          expected.page.map(({ id }) => id),
        );
        assert.equal(total, expected.total);
      }),
      { numRuns: 300 },
    );
  });
}

function walks(store: () => Store): void {
  test('fills a page that follows an id when profiles are deleted while it is read', async () => {
    const tenant = 'tenant-walks';
    const all = ['1', '2', '3', '4', '5', '6'].map((id) => profile(id));
    await store().write((records) => records.addProfiles(tenant, all));
    const deleted = [['1', '2'], ['4']];
    const page = await store().read.profilePage(tenant, {}, { afterId: '', limit: 3 }, async () => {
      const ids = deleted.shift() ?? [];
      await store().write((records) => records.deleteProfiles(tenant, ids));
    });
    assert.deepEqual(
      page.map(({ id }) => id),
      ['3', '5', '6'],
    );
  });
}

function lookups(store: () => Store): void {
  const tenant = 'tenant-lookups';
  before(async () => {
    await store().write(async (records) => {
      await records.addProfiles(tenant, [
        profile('p1', { name: 'Fjord' }),
        profile('p2'),
        profile('p3', { profileTypeId: 't2' }),
      ]);
      await records.addValues(tenant, [
        value('p1', 'a', text(' Ada '), text('Bea')),
        value('p1', 'b', date(7)),
        value('p1', 'c', reference('r1'), reference('r2')),
        value('p2', 'a', text('ada')),
        value('p2', 'b', date(7)),
        value('p2', 'c', reference('r1')),
        value('p3', 'a', text('ADA')),
        value('p3', 'b', date(8)),
      ]);
      const base = { uid: 'o-uid', createdAt: AT, updatedAt: AT };
      const option = { ...base, id: 'o1', neAttributeId: 'c', option: 'Oslo' };
      await records.addResource(tenant, 'option', option);
      await records.addResource(tenant, 'user', user('u1', { uid: 'mira' }));
    });
  });

  test('finds profiles by folded text, day or reference of a value', async () => {
    const holders = async (...args: ['folded' | 'day' | 'refId', string, string[], string?]) => {
      const [by, attribute, keys, of = tenant] = args;
      const holders = await store().read.holdersOf(of, attribute, by, keys);
      return holders.map(({ profileId, key }) => `${profileId} ${key}`).sort();
    };
    assert.deepEqual(await holders('folded', 'a', ['ada', 'bea', 'x']), [
      ...['p1 ada', 'p1 bea', 'p2 ada', 'p3 ada'],
    ]);
    assert.deepEqual(await holders('folded', 'a', ['Ada']), []);
    assert.deepEqual(await holders('folded', 'b', ['day 7']), []);
    assert.deepEqual(await holders('day', 'b', ['7', '9']), ['p1 7', 'p2 7']);
    assert.deepEqual(await holders('refId', 'c', ['r2']), ['p1 r2']);
    assert.deepEqual(await holders('folded', 'a', ['ada'], 'tenant-x'), []);
  });

  test('finds the profiles of a type that have all values and no further items', async () => {
    const ada = { attributeId: 'a', by: 'folded', keys: ['ada'] } as const;
    const seventh = { attributeId: 'b', by: 'day', keys: ['7'] } as const;
    const one = { attributeId: 'c', by: 'refId', keys: ['r1'] } as const;
    const both = { attributeId: 'c', by: 'refId', keys: ['r1', 'r2'] } as const;
    const names = { ...ada, keys: ['ada', 'bea'] };
    const { read } = store();
    assert.deepEqual(await read.profilesWith(tenant, 't1', [seventh], 10), ['p1', 'p2']);
    assert.deepEqual(await read.profilesWith(tenant, 't1', [seventh], 1), ['p1']);
    assert.deepEqual(await read.profilesWith(tenant, 't1', [ada], 10), ['p2']);
    assert.deepEqual(await read.profilesWith(tenant, 't2', [ada], 10), ['p3']);
    assert.deepEqual(await read.profilesWith(tenant, 't2', [ada, seventh], 10), []);
    assert.deepEqual(await read.profilesWith(tenant, 't1', [one], 10), ['p2']);
    assert.deepEqual(await read.profilesWith(tenant, 't1', [seventh, names, both], 10), ['p1']);
    assert.deepEqual(await read.profilesWith('tenant-x', 't1', [ada], 10), []);
    const many = { ...both, keys: Array.from({ length: 2000 }, (_, n) => `r${n}`) };
    assert.deepEqual(await read.profilesWith(tenant, 't1', [many], 10), []);
  });

  test('returns the names of referenced records', async () => {
    const { read } = store();
    assert.deepEqual(await read.shownAs(tenant, 'profile', ['p1', 'x']), [
      { id: 'p1', text: 'Fjord' },
    ]);
    assert.deepEqual(await read.shownAs(tenant, 'option', ['o1']), [{ id: 'o1', text: 'Oslo' }]);
    assert.deepEqual(await read.shownAs(tenant, 'user', ['u1']), [
      { id: 'u1', text: 'Mira (m@x.test)' },
    ]);
    assert.deepEqual(await read.shownAs('tenant-x', 'user', ['u1']), []);
    const mira = { id: 'u1', uid: 'mira', text: 'Mira (m@x.test)' };
    assert.deepEqual(await read.usersByKey(tenant, ['mira', 'u1']), [mira]);
    assert.deepEqual(await read.usersByKey('tenant-x', ['mira', 'u1']), []);
    const match = { attributeId: 'c', folded: 'oslo', id: 'o1', label: 'Oslo' };
    assert.deepEqual(await read.optionsByLabel(tenant, ['a', 'c'], ['x', 'oslo']), [match]);
    assert.deepEqual(await read.optionsByLabel(tenant, ['a'], ['oslo']), []);
    assert.deepEqual(await read.optionsByLabel('tenant-x', ['c'], ['oslo']), []);
  });
}

function deletions(store: () => Store): void {
  test('clears a deleted profile in its users, only in its tenant', async () => {
    const tenant = 'tenant-users';
    const profileOf = async (id: string, of = tenant) =>
      (await store().read.resource(of, 'user', id))?.profileId;
    await store().write(async (records) => {
      for (const own of [tenant, 'tenant-users-beside']) {
        await records.addProfiles(own, [profile('gone'), profile('stays')]);
        await records.addResource(own, 'user', user('a', { profileId: 'gone' }));
        await records.addResource(own, 'user', user('b', { profileId: 'stays' }));
      }
    });
    assert.equal(await profileOf('a'), 'gone');
    await store().write((records) => records.deleteProfiles(tenant, ['gone']));
    assert.equal(await profileOf('a'), null);
    assert.equal(await profileOf('b'), 'stays');
    assert.equal(await profileOf('a', 'tenant-users-beside'), 'gone');
  });

  test('deletes a profile with its values, links and risk, and clears references to it', async () => {
    const tenant = 'tenant-gone';
    const base = (id: string) => ({ id, uid: id, createdAt: AT, updatedAt: AT });
    await store().write(async (records) => {
      for (const own of [tenant, 'tenant-beside']) {
        await records.addProfiles(own, [profile('gone'), profile('stays')]);
        await records.addValues(own, [
          value('gone', 'a', text('x')),
          value('stays', 'c', reference('gone'), reference('stays')),
          value('stays', 'd', reference('gone')),
        ]);
        for (const profileId of ['gone', 'stays']) {
          await records.addResource(own, 'roleProfile', {
            ...{ ...base(profileId), roleId: 'r', profileId },
          });
          await records.addResource(own, 'userProfile', {
            ...{ ...base(profileId), userId: 'u', profileId, neAttributeId: null },
            relationshipType: 'owner',
          });
          await records.addResource(own, 'riskScore', {
            ...{ ...base(profileId), objectId: profileId, objectType: 'Profile' },
            ...{ overallScore: 1, overallRiskLevelId: null, impactScore: null },
            ...{ impactRiskLevelId: null, probabilityScore: null, probabilityRiskLevelId: null },
          });
        }
      }
      await records.deleteProfiles(tenant, ['gone', 'never']);
    });
    const { read } = store();
    assert.deepEqual(await read.profilesByKey(tenant, ['gone']), []);
    assert.equal((await read.profilesByKey('tenant-beside', ['gone'])).length, 1);
    assert.deepEqual(await read.valuesOf(tenant, ['gone', 'stays']), [
      value('stays', 'c', reference('stays')),
    ]);
    assert.equal((await read.valuesOf('tenant-beside', ['gone', 'stays'])).length, 3);
    for (const kind of ['roleProfile', 'userProfile', 'riskScore'] as const) {
      assert.equal(await read.resourceId(tenant, kind, 'gone'), null);
      assert.equal(await read.resourceId(tenant, kind, 'stays'), 'stays');
      assert.equal(await read.resourceId('tenant-beside', kind, 'gone'), 'gone');
    }
  });
}

function jobs(store: () => Store): void {
  test('returns a job as written, and deletes it by the time in its id', async () => {
    const tenant = 'tenant-jobs';
    const job = (id: string) => ({
      ...({ id, status: 'complete', jobType: 'import', created: AT } as const),
      jobData: [{ id: 'p1', errors: [] }],
    });
    const [old, young] = [job('64f0c1d2e3b4a59687766554'), job('64f0c1d3000000000000000a')];
    await store().write(async (records) => {
      for (const one of [old, young]) await records.addJob(tenant, one);
      await records.addJob('tenant-beside', old);
    });
    assert.deepEqual(await store().read.job(tenant, old.id), old);
    assert.equal(await store().read.job('tenant-x', old.id), null);
    await store().write((records) => records.deleteJobsBefore(tenant, '64f0c1d3'));
    assert.equal(await store().read.job(tenant, old.id), null);
    assert.deepEqual(await store().read.job(tenant, young.id), young);
    assert.deepEqual(await store().read.job('tenant-beside', old.id), old);
  });
}
