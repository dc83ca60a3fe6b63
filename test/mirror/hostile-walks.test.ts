// suite: slow
// A remote tenant whose lists do not end, or are not in order: each part of a mirror ends within its
// bounds, says why, and stays incomplete; a tenant that only grows is copied whole.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { verifyMirror } from '../../src/compose/mirror.ts';
import type { RemoteRecord } from '../../src/jobs/mirror/remote/remote-tenant.ts';
import type { PageItem } from '../../src/service/documents/import-pages.ts';
import { openTestMirror, type TestMirror } from '../support/mirror-world.ts';

/** Documents that a walk may pass when 300 are counted. */
const MOST = 2 * 300 + 10_000;
const PAGE = 1_000;
const OLD = { created_at: '2024-01-01T00:00:00.000Z', updated_at: '2024-01-01T00:00:00.000Z' };
const TYPE = { id: uuid(1), uid: 'contractor', name: 'Contractor', ...OLD };

let mirror: TestMirror;
/** Documents or ids that the remote tenant has listed. */
let listed: number;
beforeEach(async () => {
  mirror = await openTestMirror();
  listed = 0;
});
afterEach(() => mirror.close());

function uuid(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

function identity(number: number, members: object = {}): RemoteRecord {
  return {
    ...{ _type: 'identity', id: `i${String(number).padStart(9, '0')}`, name: `user${number}` },
    ...{ created: '2024-01-01T00:00:00.000Z', modified: '2025-01-01T00:00:00.000Z', ...members },
  };
}

function profile(number: number): RemoteRecord {
  return {
    ...{ id: uuid(number), uid: `C${number}`, name: `Profile ${number}`, status: 'Active' },
    ...{ profile_type_id: TYPE.id, archived: false, attributes: {}, ...OLD },
  };
}

function level(number: number): RemoteRecord {
  return { id: uuid(number), uid: `l${number}`, label: `L${number}`, order: 1, points: 1, ...OLD };
}

const itemOf = (row: RemoteRecord): PageItem => ({
  id: row.id,
  text: Buffer.from(JSON.stringify(row)),
});
const numberOf = (id: string | null) => (id === null ? 0 : Number(id.slice(-9)));
const numbers = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i);

/** How a list goes on after an id: the numbers of the next page. */
type Listing = (after: string | null) => readonly number[];

/** Lists that no tenant has, with what is said of them. */
const LISTINGS: readonly (readonly [
  name: string,
  () => Listing,
  said: RegExp,
  listedMax: number,
])[] = [
  [
    'that never ends',
    () => (after) => numbers(numberOf(after) + 1, PAGE),
    /the remote tenant counts 300 documents, but has listed 11000 and goes on\. The list is not/,
    // The next page is on its way while one is checked.
    MOST + 2 * PAGE,
  ],
  [
    'whose pages alternate',
    () => {
      let turn = 0;
      return () => numbers(turn++ % 2 === 0 ? 1 : 101, 100);
    },
    /expected ids after \S+200, but the remote tenant listed \S+01, as if it ignored the order/,
    400,
  ],
  [
    'that repeats one page',
    () => () => numbers(1, 100),
    /expected ids after \S+100, but the remote tenant listed \S+01, as if it ignored the order/,
    300,
  ],
  [
    'that goes backwards',
    () => (after) => numbers((after === null ? 10_000 : numberOf(after)) - 100, 100),
    /expected ids after \S+9999, but the remote tenant listed \S+9899, as if it ignored the order/,
    300,
  ],
];

/** Makes a kind of walk go through a list. @returns the name of its part */
type Walk = (listing: Listing) => Promise<string> | string;

function listedBy<T>(listing: Listing, rowOf: (number: number) => T) {
  return (after: string | null) => {
    const page = listing(after).map(rowOf);
    listed += page.length;
    return page;
  };
}

async function copied(): Promise<void> {
  mirror.tenant.rows = numbers(1, 300).map((number) => identity(number));
  assert.equal((await mirror.run({ sweepEveryMs: 0 })).outcome, 'complete');
}

const WALKS: Readonly<Record<string, Walk>> = {
  'a first copy': (listing) => {
    mirror.tenant.rows = numbers(1, 300).map((number) => identity(number));
    const page = listedBy(listing, (number) => itemOf(identity(number)));
    mirror.tenant.page = async ({ index, after }) => (index === 'identities' ? page(after) : []);
    return 'identities';
  },
  'an increment': async (listing) => {
    await copied();
    const page = listedBy(listing, (number) => itemOf(identity(number)));
    mirror.tenant.page = async ({ index, after }) => (index === 'identities' ? page(after) : []);
    return 'identities';
  },
  'a sweep': async (listing) => {
    await copied();
    const page = listedBy(listing, (number) => identity(number).id);
    mirror.tenant.ids = async ({ index, after }) => (index === 'identities' ? page(after) : []);
    mirror.tenant.documents = async (_, ids) => ids.map((id) => itemOf(identity(numberOf(id))));
    return 'identities';
  },
  'a copy of profiles': (listing) => {
    const profiles = numbers(1, 300).map((number) => profile(number));
    mirror.profiles.collections = { profile_types: [TYPE], profiles };
    const page = listedBy(listing, (number) => itemOf(profile(number)));
    mirror.profiles.profiles = async ({ after }) => page(after);
    return 'profile-management/profiles';
  },
};

for (const [name, arrange] of Object.entries(WALKS)) {
  describe(`${name} through a list`, () => {
    for (const [list, listing, said, listedMax] of LISTINGS) {
      test(`${list} stops, and says why`, { timeout: 120_000 }, async () => {
        const part = await arrange(listing());
        const before = await mirror.part(part);
        const choices = name === 'a sweep' ? { sweepEveryMs: 0 } : {};
        const { outcome, faults } = await mirror.run(choices);
        assert.deepEqual([outcome, faults.length], ['failed', 1], faults.join());
        assert.match(faults[0] ?? '', said);
        assert.ok(faults[0]?.startsWith(`${part}: `), faults[0]);
        assert.ok(listed <= listedMax, `${listed} listed`);
        const { copiedAt, sweptAt, walk } = await mirror.part(part);
        // An increment is complete before the sweep that is not.
        assert.equal(copiedAt === null, name.includes('copy'));
        assert.deepEqual([sweptAt, walk?.doubtful], [before?.sweptAt ?? null, true]);
        const here = await mirror.here(part);
        assert.ok(here <= MOST, `${here} here`);
        // Later runs bring no more onto the disk.
        for (let i = 0; i < 3; i++) {
          const again = await mirror.run(choices);
          assert.deepEqual([again.outcome, again.counts.created], ['failed', 0]);
        }
        assert.equal(await mirror.here(part), here);
      });
    }
  });
}

test('a collection that never ends stops, and is not read again before it is counted as that long', async () => {
  mirror.profiles.collections = { risk_levels: numbers(1, 300).map(level) };
  let requests = 0;
  mirror.profiles.records = async (collection, offset) => {
    if (collection !== 'risk_levels') return [];
    requests += 1;
    return numbers(offset + 1, PAGE).map(level);
  };
  const part = 'profile-management/risk_levels';
  const { outcome, faults } = await mirror.run();
  assert.equal(outcome, 'failed');
  assert.match(faults.join(), /^profile-management\/risk_levels: .* counts 300 documents, but has/);
  assert.equal(requests, 11);
  const here = await mirror.here(part);
  assert.ok(here <= MOST, `${here}`);
  assert.equal((await mirror.part(part)).copiedAt, null);
  assert.match((await mirror.run()).faults.join(), /risk_levels: .* counts 300 documents, but has/);
  assert.equal(requests, 11, 'it was only counted');
  assert.equal((await mirror.run({ full: true })).outcome, 'failed');
  assert.equal(requests, 22);
});

test('a collection whose pages alternate, whatever the offset, stops', async () => {
  let turn = 0;
  mirror.profiles.records = async (collection) =>
    collection === 'risk_levels' ? numbers(turn++ % 2 === 0 ? 1 : 101, 100).map(level) : [];
  const { faults } = await mirror.run();
  assert.match(faults.join(), /risk_levels: the remote tenant repeats records, as if it ignored/);
  assert.ok(turn <= 7, `${turn}`);
});

describe('a comparison with a list', () => {
  for (const [list, listing, said, listedMax] of LISTINGS) {
    test(`${list} stops, and says why`, async () => {
      await copied();
      const page = listedBy(listing(), (number) => itemOf(identity(number)));
      mirror.tenant.page = async ({ index, after }) => (index === 'identities' ? page(after) : []);
      const options = { sample: null, random: Math.random };
      const world = { ...mirror.world(), profiles: null };
      await assert.rejects(verifyMirror(world, options), { message: said });
      assert.ok(listed <= listedMax, `${listed} listed`);
    });
  }
});

describe('after a list that could not be believed', () => {
  const [endless] = LISTINGS.map(([, listing]) => listing);

  test('--full begins again, and what was never there is deleted', async () => {
    const sound = mirror.tenant.page;
    await WALKS['a first copy']?.((endless as () => Listing)());
    await mirror.run();
    mirror.tenant.page = sound;
    mirror.tenant.rows = numbers(20_001, 300).map((number) => identity(number));
    const choices = { full: true, allowShrinking: true };
    const { outcome, counts } = await mirror.run(choices);
    assert.deepEqual([outcome, counts.created], ['complete', 300]);
    assert.equal(await mirror.here('identities'), 300);
  });

  test('a walk goes on where it was once pages follow each other, and a sweep finds the rest', async () => {
    mirror.tenant.rows = numbers(1, 300).map((number) => identity(number));
    const sound = mirror.tenant.page;
    mirror.tenant.pageSize = 100;
    const odd = [numbers(1, 100), numbers(251, 10), numbers(1, 100)];
    mirror.tenant.page = async ({ index }) =>
      index === 'identities' ? (odd.shift() ?? []).map((number) => itemOf(identity(number))) : [];
    assert.equal((await mirror.run()).outcome, 'failed');
    mirror.tenant.page = sound;
    const { outcome } = await mirror.run();
    assert.deepEqual([outcome, await mirror.here('identities')], ['complete', 300]);
  });
});

test('documents of another type are refused and counted, and are not here', async () => {
  const roles = numbers(1, 120).map((number) => identity(number, { _type: 'role' }));
  mirror.tenant.rows = [...roles, ...numbers(121, 30).map((number) => identity(number))];
  const { outcome, counts, refused } = await mirror.run({ sweepEveryMs: 0 });
  assert.deepEqual([outcome, counts.created, counts.refused], ['complete', 30, 240]);
  const reason = '_type "role" is not that of identities';
  assert.deepEqual(refused, [{ part: 'identities', count: 240, id: refused[0]?.id, reason }]);
  assert.equal(await mirror.here('identities'), 30);
  assert.equal(await mirror.here('roles'), 0);
  const { parts } = await verifyMirror(mirror.world(), { sample: null, random: Math.random });
  const compared = parts.find(({ part }) => part === 'identities');
  assert.deepEqual([compared?.here, compared?.there], [30, 150]);
});

test('texts and ids of a remote tenant are stored escaped and shortened', async () => {
  const evil = '\u001b[2K\r\nmirror complete\u009b1A\u202e';
  mirror.tenant.rows = [
    identity(1, { id: `i1${evil}` }),
    identity(2, { created: `${evil}${'x'.repeat(5_000)}` }),
    identity(3, { _type: evil }),
  ];
  const report = await mirror.run();
  assert.equal(report.counts.refused, 3);
  const { refusals } = await mirror.part('identities');
  for (const text of [report, refusals].flatMap((value) => textsOf(value))) {
    assert.doesNotMatch(text, /[\p{Cc}\p{Bidi_Control}]/u);
    assert.ok(text.length <= 350 * 6, `${text.length}`);
  }
});

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsOf);
}

test('profiles that are refused once less in each pass are not read for ever', async () => {
  const profiles = numbers(10, 110).map((number) => profile(number));
  mirror.profiles.collections = { profile_types: [TYPE], profiles };
  let passes = 0;
  mirror.profiles.profiles = async ({ after }) => {
    if (after !== null) return [];
    passes += 1;
    return profiles.map((one, i) => itemOf({ ...one, status: i < passes ? 'Active' : 'Odd' }));
  };
  const { outcome } = await mirror.run();
  assert.equal(outcome, 'complete');
  assert.equal(passes, 100);
});

describe('a tenant that grows while it is read', () => {
  test('is copied whole, although far more documents come than were announced', async () => {
    mirror.tenant.rows = numbers(1, 300).map((number) => identity(number));
    mirror.tenant.pageSize = PAGE;
    const sound = mirror.tenant.page.bind(mirror.tenant);
    mirror.tenant.page = async (page) => {
      const { length } = mirror.tenant.rows;
      if (page.index === 'identities' && length < 15_000) {
        mirror.tenant.rows.push(...numbers(length + 1, 1_200).map((number) => identity(number)));
      }
      return sound(page);
    };
    const { outcome, faults, counts } = await mirror.run();
    assert.deepEqual([outcome, faults], ['complete', []]);
    assert.equal(counts.created, mirror.tenant.rows.length);
    assert.ok(counts.created > MOST);
  });

  test('is copied in an increment, although nearly everything changed meanwhile', async () => {
    mirror.tenant.rows = numbers(1, 12_000).map((number) => identity(number));
    mirror.tenant.pageSize = PAGE;
    await mirror.run({ sweepEveryMs: 0 });
    mirror.tenant.rows[11_999] = identity(12_000, { modified: '2026-01-01T11:00:00.000Z' });
    const sound = mirror.tenant.page.bind(mirror.tenant);
    mirror.tenant.page = async (page) => {
      const changed = { name: 'changed', modified: '2026-01-01T12:00:00.000Z' };
      mirror.tenant.rows = numbers(1, 12_000).map((number) => identity(number, changed));
      return sound(page);
    };
    const { outcome, counts } = await mirror.run();
    assert.deepEqual([outcome, counts.updated], ['complete', 12_000]);
  });

  test('has collections that are read whole, although they grow', async () => {
    const levels = numbers(1, 300).map(level);
    mirror.profiles.collections = { risk_levels: levels };
    mirror.profiles.records = async (collection, offset) => {
      if (collection !== 'risk_levels') return [];
      if (levels.length < 12_000) levels.push(...numbers(levels.length + 1, 1_300).map(level));
      return levels.slice(offset, offset + PAGE);
    };
    const { outcome, counts } = await mirror.run();
    assert.deepEqual([outcome, counts.created], ['complete', levels.length]);
  });
});
