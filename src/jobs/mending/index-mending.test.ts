import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import type { HeldDocument, HeldSelection } from '../../service/ports/search-backend.ts';
import type { Store } from '../../service/ports/store.ts';
import { IndexMending, type MendingOptions } from './index-mending.ts';

/** A store and an index of it in memory; the index is fed at once, unless it refuses a document. */
class World {
  /** Sequences by id. */
  readonly stored = new Map<string, number>();
  readonly held = new Map<string, number | null>();
  /** Documents without an id of ours. */
  strays: string[] = [];
  readonly refused = new Set<string>();
  readonly damaged = new Set<string>();
  readonly logged: object[] = [];
  isClosed = false;
  feeds = true;
  fails = false;
  last = 0;
  readonly fed: string[] = [];

  put(...ids: string[]): void {
    for (const id of ids) {
      this.last += 1;
      this.stored.set(id, this.last);
      this.held.set(id, this.last);
    }
  }

  mending(options: Partial<MendingOptions> = {}): IndexMending {
    const world = this;
    const versions = (ids: readonly string[]) =>
      ids.flatMap((id) => {
        const sequence = this.stored.get(id);
        return sequence === undefined ? [] : [{ id, sequence }];
      });
    const read = {
      tenants: async () => [{ id: 't' }],
      documentCounts: async () => ({ roles: this.stored.size }),
      lastSequence: async () => this.last,
      documentVersions: async (_t: string, index: string, after: string, limit: number) =>
        index === 'roles' ? versions(sorted(this.stored, after).slice(0, limit)) : [],
      documentVersionsById: async (_t: string, _i: string, ids: readonly string[]) => versions(ids),
      documentsById: async (
        _t: string,
        _i: string,
        ids: readonly string[],
        setAside: (id: string) => void,
      ) => {
        for (const id of ids) if (this.damaged.has(id)) setAside(id);
        return [];
      },
    };
    const records = {
      feedAgain: async (_t: string, _i: string, ids: readonly string[]) => {
        for (const id of ids) this.#feed(id);
      },
    };
    const store = { read, write: (work: (of: unknown) => unknown) => work(records) };
    return new IndexMending(
      {
        store: store as unknown as Store,
        contents: {
          count: async () => (this.isClosed ? null : this.held.size),
          held: async (_t, index, of) => {
            if (this.fails) throw new Error('no answer');
            if (this.isClosed) return null;
            return index === 'roles' ? this.#heldOf(of) : [];
          },
          strays: async (_t, index) =>
            index === 'roles' ? this.strays.map((id) => ({ id, sequence: null })) : [],
          refuses: (_t, _i, id) => this.refused.has(id),
        },
        indexer: {
          get feeds() {
            return world.feeds;
          },
          waitFor: async () => {},
        },
        rebuilding: async () => false,
      },
      {
        log: { info: () => {}, warn: (about: object) => void this.logged.push(about) },
        clock: { now: () => 1_000 },
        ...{ everyMs: null, retryMs: 1, gatherMs: 0, rest: 0 },
        ...options,
      },
    );
  }

  #heldOf(of: HeldSelection): HeldDocument[] {
    const ids =
      'ids' in of
        ? of.ids.filter((id) => this.held.has(id) || this.strays.includes(id))
        : sorted(this.held, of.after)
            .filter((id) => of.upTo === null || id <= of.upTo)
            .slice(0, of.limit);
    return ids.map((id) => ({ id, sequence: this.held.get(id) ?? null }));
  }

  #feed(id: string): void {
    this.last += 1;
    this.fed.push(id);
    this.strays = this.strays.filter((one) => one !== id);
    if (!this.stored.has(id)) return void this.held.delete(id);
    this.stored.set(id, this.last);
    this.held.set(id, this.last);
  }
}

const sorted = (of: ReadonlyMap<string, unknown>, after: string) =>
  [...of.keys()].filter((id) => id > after).sort();

const number = (i: number) => String(i).padStart(5, '0');

describe('a comparison', () => {
  test('feeds again what is missing, too many or different, and nothing else', async () => {
    const world = new World();
    world.put(...Array.from({ length: 3_500 }, (_, i) => number(i)));
    world.held.delete(number(7));
    world.held.set(number(2_000), 1);
    world.held.set(number(3_499), null);
    world.held.set('00999x', null);
    world.strays = ['stray'];
    const mending = world.mending();
    assert.equal(await mending.compare(), 5);
    const expected = [number(7), '00999x', number(2_000), number(3_499), 'stray'];
    assert.deepEqual([...world.fed].sort(), expected.sort());
    assert.deepEqual(mending.mended, { search: 0, import: 0, comparison: 5 });
    assert.equal(mending.comparedAt, 1_000);
    assert.equal(await mending.compare(), 0);
    assert.deepEqual([...world.held.keys()].sort(), [...world.stored.keys()].sort());
  });

  test('finds more documents than belong to a range', async () => {
    const world = new World();
    world.put('a', 'z');
    for (let i = 0; i < 4_500; i++) world.held.set(`m${number(i)}`, 9);
    assert.equal(await world.mending().compare(), 4_500);
    assert.deepEqual([...world.held.keys()].sort(), ['a', 'z']);
  });

  test('leaves alone what no feeding mends, and indexes that nobody can change', async () => {
    const world = new World();
    world.put('damaged', 'refused', 'fine');
    world.held.delete('damaged');
    world.held.delete('refused');
    world.damaged.add('damaged');
    world.refused.add('refused');
    const mending = world.mending();
    assert.equal(await mending.compare(), 0);
    world.held.delete('fine');
    world.isClosed = true;
    assert.equal(await mending.compare(), 0);
    world.isClosed = false;
    world.feeds = false;
    assert.equal(await mending.compare(), 0);
    world.feeds = true;
    assert.equal(await mending.compare(), 1);
    assert.deepEqual(world.fed, ['fine']);
  });

  test('warns of many, until one that finds few', async () => {
    const world = new World();
    world.put(...Array.from({ length: 150 }, (_, i) => number(i)));
    world.held.clear();
    const mending = world.mending();
    await mending.compare();
    assert.match(String(mending.warning), /^150 documents of the search index were not/);
    await mending.compare();
    assert.equal(mending.warning, null);
  });

  test('runs by itself, and says that it failed until one succeeds', async () => {
    const world = new World();
    world.put('a', 'b');
    world.fails = true;
    world.held.delete('a');
    const mending = world.mending({ everyMs: 5 });
    mending.start();
    try {
      await eventually(() => assert.match(String(mending.warning), /could not be compared/));
      world.fails = false;
      await eventually(() => assert.equal(mending.mended.comparison, 1));
      await eventually(() => assert.equal(mending.warning, null));
    } finally {
      await mending.stop();
    }
  });
});

describe('what is queued', () => {
  test('is fed again only if it differs, and tried again after a fault', async () => {
    const world = new World();
    world.put('a', 'b', 'c');
    world.held.set('a', null);
    world.held.delete('b');
    world.fails = true;
    const mending = world.mending();
    mending.start();
    try {
      mending.onUntrue({ tenantId: 't', index: 'roles', id: 'a' });
      mending.onUntrue({ tenantId: 't', index: 'roles', id: 'c' });
      mending.check('t', 'roles', ['a', 'b', 'c']);
      await eventually(() => assert.ok(world.logged.length > 3));
      assert.deepEqual(world.fed, []);
      world.fails = false;
      await eventually(() => assert.deepEqual([...world.fed].sort(), ['a', 'b']));
      const { search, import: imported } = mending.mended;
      assert.equal(search + imported, 2);
    } finally {
      await mending.stop();
    }
  });

  test('is the whole index where an import left many documents as they were', async () => {
    const world = new World();
    const ids = Array.from({ length: 5_000 }, (_, i) => number(i));
    world.put(...ids);
    world.held.delete(number(4_321));
    const mending = world.mending();
    mending.check('t', 'roles', ids);
    await mending.finish();
    assert.deepEqual(world.fed, [number(4_321)]);
    assert.equal(mending.mended.import, 1);
  });

  test('is logged once a minute for a document, and for a hundred of them', () => {
    const world = new World();
    const mending = world.mending();
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 300; i++) {
        mending.onUntrue({ tenantId: 't', index: 'roles', id: number(i) });
      }
    }
    assert.equal(world.logged.length, 100);
  });
});
