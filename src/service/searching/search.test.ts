// The time that searches have: checks of those that are to be stored, and walks through all hits.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testContext } from '../../../test/support/query-context.ts';
import type { Reader } from '../../auth/caller.ts';
import { ServiceError } from '../../errors.ts';
import { INDEX_NAMES } from '../../query/mapping/document-types.ts';
import { DEFAULT_LIMITS } from '../../query/requests/search-request.ts';
import { CooperativeScheduler, type WorkOptions } from '../../scheduling/cooperative.ts';
import { operatorOf } from '../audit/operator-event.ts';
import type { Documents } from '../imports/documents.ts';
import type { Mappings, SearchBackend } from '../ports/search-backend.ts';
import { Search } from './search.ts';
import { Visibility } from './visibility.ts';

const CALLER = operatorOf('tenant-1');
const BODY = { indices: ['identities'], query: { query: 'name:ada' } };

/** A search use case. @param backend without one it can only plan */
function planner(scheduler: CooperativeScheduler, backend: Partial<SearchBackend> = {}): Search {
  const { mapping } = testContext();
  const mappings = Object.fromEntries(INDEX_NAMES.map((index) => [index, mapping(index)]));
  const documents = { mappings: () => mappings as Mappings } as unknown as Documents;
  const settings = { limits: DEFAULT_LIMITS, timeoutMs: 30_000, scheduler };
  const clock = { now: () => 0 };
  const visibility = new Visibility({
    ...{ backend: backend as SearchBackend, documents, clock },
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
      left.push(options.deadline.leftMs);
      const result = super.run(steps, options);
      nowMs += 12_000;
      return result;
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
    async search(_tenantId, { targets: [target] }, { deadline }) {
      times[target?.index as keyof typeof times].push(deadline.timeoutMs);
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

const NARROWED = { code: 'forbidden', message: /What you may see has changed/ };
const RULES = { name: 'v', indices: { identities: '*' }, hide: [] };
const GONE = new ServiceError('token_invalid', 'The token was revoked.');

/** A reader of now, and of later. */
const CHANGED: readonly (readonly [
  what: string,
  views: Reader['views'],
  later: () => Reader['views'],
  error: object,
])[] = [
  ['a view of its reader was narrowed', [RULES], () => [{ ...RULES, hide: ['phone'] }], NARROWED],
  ['a view of its reader was deleted', [RULES], () => [{ ...RULES, indices: {} }], NARROWED],
  ['its reader is restricted since', null, () => [RULES], NARROWED],
  [
    'its reader lost the right',
    null,
    () => {
      throw GONE;
    },
    GONE,
  ],
];
for (const [what, views, later, error] of CHANGED) {
  test(`a walk ends at the next page when ${what}`, async () => {
    let isLater = false;
    const reader: Reader = {
      ...{ ...CALLER, views },
      current: async () => (isLater ? { ...reader, views: later() } : reader),
    };
    const root = new TextEncoder().encode('{"id":"a"}');
    const hit = { index: 'identities', id: 'a', score: null, sort: ['a'], root } as const;
    const backend: Pick<SearchBackend, 'search'> = {
      search: async () => ({ hits: [{ ...hit, nested: new Uint8Array() }], total: null }),
    };
    const body = { ...BODY, sort: ['id'] };
    const walk = planner(new CooperativeScheduler(), backend).walk(reader, body, {
      ...{ size: 1, signal: new AbortController().signal },
    });
    for (let page = 0; page < 3; page++) assert.equal((await walk.next()).done, false);
    isLater = true;
    await assert.rejects(walk.next(), error);
  });
}
