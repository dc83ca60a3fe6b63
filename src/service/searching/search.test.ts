// The time that searches have: checks of those that are to be stored, and walks through all hits.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testContext } from '../../../test/support/query-context.ts';
import type { Reader } from '../../auth/caller.ts';
import { INDEX_NAMES } from '../../query/mapping/document-types.ts';
import { DEFAULT_LIMITS } from '../../query/search-request.ts';
import { CooperativeScheduler, type WorkOptions } from '../../scheduling/cooperative.ts';
import type { Documents } from '../documents/documents.ts';
import type { Mappings } from '../documents/mapping-cache.ts';
import type { SearchBackend } from '../ports/search-backend.ts';
import type { ViewLookups } from '../views/views-in-force.ts';
import { Search } from './search.ts';
import { Visibility } from './visibility.ts';

const CALLER = { tenantId: 'tenant-1', views: null, authUsers: [] };
const BODY = { indices: ['identities'], query: { query: 'name:ada' } };

const NO_VIEWS: ViewLookups = { view: async () => null, userStatus: async () => null };

/** A search use case. @param backend without one it can only plan */
function planner(
  scheduler: CooperativeScheduler,
  backend: Partial<SearchBackend> = {},
  views = NO_VIEWS,
): Search {
  const { mapping } = testContext();
  const mappings = Object.fromEntries(INDEX_NAMES.map((index) => [index, mapping(index)]));
  const documents = { mappings: () => mappings as Mappings } as unknown as Documents;
  const settings = { limits: DEFAULT_LIMITS, timeoutMs: 30_000, scheduler };
  const clock = { now: () => 0 };
  const visibility = new Visibility({
    ...{ backend: backend as SearchBackend, documents, views, clock },
    ...settings,
  });
  return new Search(visibility, clock, settings);
}

test('all checks of one change have the time limit of one query together', async (t) => {
  let nowMs = 0;
  t.mock.method(performance, 'now', () => nowMs);
  const left: number[] = [];
  class SlowScheduler extends CooperativeScheduler {
    override run<T>(steps: Generator<void, T>, options: WorkOptions): Promise<T> {
      left.push(options.leftMs ?? options.timeoutMs);
      nowMs += 12_000;
      return super.run(steps, options);
    }
  }
  const check = planner(new SlowScheduler()).checker(CALLER);
  for (let n = 0; n < 3; n++) await check(BODY);
  await assert.rejects(check(BODY), { code: 'deadline_exceeded', message: /longer than 30 s/ });
  assert.deepEqual(left, [30_000, 18_000, 6_000, -6_000]);
});

test('a check ends when its client disconnects', async () => {
  const client = new AbortController();
  const check = planner(new CooperativeScheduler()).checker(CALLER, client.signal);
  await check(BODY);
  client.abort();
  await assert.rejects(check(BODY), { code: 'cancelled' });
});

test('a walk looks up via.… within the time of a query, and has a shorter one for each page', async () => {
  const times = { roles: [] as number[], identities: [] as number[] };
  const backend: Pick<SearchBackend, 'search'> = {
    async search(_tenantId, { targets: [target] }, { timeoutMs }) {
      times[target?.index as keyof typeof times].push(timeoutMs);
      return { hits: [], total: 0 };
    },
  };
  const body = {
    ...{ indices: ['identities'], sort: ['id'] },
    query: { query: '@access(via.role:clerk AND source.name:Payroll)' },
  };
  const { signal } = new AbortController();
  const walk = planner(new CooperativeScheduler(), backend).walk(CALLER, body, {
    ...{ size: 10, timeoutMs: 50, signal },
  });
  for await (const { hits } of walk) assert.deepEqual(hits, []);
  assert.deepEqual(times, { roles: [30_000], identities: [50] });
});

const RULES = { name: 'v', indices: { identities: '*' }, hide: [] };
const STORED = { ...RULES, description: '', created: '', modified: '' };
const STATUS = { capabilities: [], enabled: true, tokensValidFrom: 0 };

const NARROWED: readonly (readonly [
  what: string,
  reader: Reader,
  before: ViewLookups,
  after: ViewLookups,
])[] = [
  [
    'a view of its reader was narrowed',
    { ...CALLER, views: [RULES] },
    { ...NO_VIEWS, view: async () => STORED },
    { ...NO_VIEWS, view: async () => ({ ...STORED, hide: ['phone'] }) },
  ],
  [
    'a view of its reader was deleted',
    { ...CALLER, views: [RULES] },
    { ...NO_VIEWS, view: async () => STORED },
    NO_VIEWS,
  ],
  [
    'its reader is restricted since',
    { ...CALLER, authUsers: ['ada'] },
    { ...NO_VIEWS, userStatus: async () => ({ ...STATUS, view: null }) },
    { ...NO_VIEWS, userStatus: async () => ({ ...STATUS, view: 'v' }) },
  ],
];
for (const [what, reader, before, after] of NARROWED) {
  test(`a walk ends at the next page when ${what}`, async () => {
    let views = before;
    const lookups: ViewLookups = {
      view: (...key) => views.view(...key),
      userStatus: (...key) => views.userStatus(...key),
    };
    const root = new TextEncoder().encode('{"id":"a"}');
    const hit = { index: 'identities', id: 'a', score: null, sort: ['a'], root } as const;
    const backend: Pick<SearchBackend, 'search'> = {
      search: async () => ({ hits: [{ ...hit, nested: new Uint8Array() }], total: null }),
    };
    const body = { ...BODY, sort: ['id'] };
    const walk = planner(new CooperativeScheduler(), backend, lookups).walk(reader, body, {
      ...{ size: 1, signal: new AbortController().signal },
    });
    for (let page = 0; page < 3; page++) assert.equal((await walk.next()).done, false);
    views = after;
    await assert.rejects(walk.next(), { code: 'forbidden', message: /What you may see/ });
  });
}
