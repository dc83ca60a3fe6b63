import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MATCH_ALL } from '../../query/build.ts';
import { AccessPaths } from '../../query/language/access-paths.ts';
import { DEFAULT_LIMITS } from '../../query/limits.ts';
import { staticMapping } from '../../query/mapping/document-types.ts';
import type { Plan } from '../../query/plan.ts';
import { CooperativeScheduler } from '../../scheduling/cooperative.ts';
import { Deadline } from '../../scheduling/deadline.ts';
import type { Hit, ReadOptions, SearchResult } from '../ports/search-backend.ts';
import { lookUpPaths } from './access-path-lookup.ts';

const CONDITION = { index: 'roles', query: MATCH_ALL, elements: MATCH_ALL } as const;
const encoder = new TextEncoder();
const references = (ids: readonly string[]) => ids.map((id) => ({ id }));

function hitOf(index: Hit['index'], id: string, members: object): Hit {
  const root = encoder.encode(JSON.stringify({ id }));
  const nested = encoder.encode(JSON.stringify(members).slice(1, -1));
  return { index, id, score: null, sort: [id], root, nested };
}

/** Roles of a tenant, looked up on a backend that notes the options of its searches. */
async function lookUp(
  hitsOf: (plan: Plan) => readonly Hit[],
  { timeoutMs = 30_000, maxTerms = DEFAULT_LIMITS.maxTerms } = {},
) {
  const paths = new AccessPaths((index) => staticMapping(index, { name: 'acme', pod: 'cardea' }));
  paths.find(CONDITION);
  const searches: ReadOptions[] = [];
  const lookup = lookUpPaths(paths, {
    options: { deadline: new Deadline(timeoutMs), memory: { holdBytes: () => {} } },
    scheduler: new CooperativeScheduler(),
    limits: { ...DEFAULT_LIMITS, maxTerms },
    indexes: {
      checkReader: async () => {},
      async search(plan, options): Promise<SearchResult> {
        searches.push(options);
        const hits = hitsOf(plan);
        const [after] = plan.searchAfter ?? [];
        const from = hits.findIndex(({ id }) => id === after) + 1;
        return { hits: hits.slice(from, from + plan.size), total: hits.length };
      },
    },
  });
  await Promise.allSettled([lookup]);
  return { lookup, searches, grants: () => paths.find(CONDITION) };
}

const manyRoles = (count: number, ids: readonly string[]) => {
  const roles = Array.from({ length: count }, (_, n) =>
    hitOf('roles', `r${n}`, { entitlements: references(ids.map((id) => `${id}-${n}`)) }),
  );
  return () => roles;
};

test('finds what roles grant directly and through their access profiles', async () => {
  const { grants } = await lookUp(({ targets: [target] }) =>
    target?.index === 'roles'
      ? [
          hitOf('roles', 'r1', { accessProfiles: references(['p1', 'p2', 'p1']) }),
          hitOf('roles', 'r2', { entitlements: references(['e1']), accessProfiles: [] }),
          hitOf('roles', 'r3', {}),
        ]
      : [
          hitOf('accessprofiles', 'p1', { entitlements: references(['e1', 'e2']) }),
          hitOf('accessprofiles', 'p2', { entitlements: references(['e2']) }),
        ],
  );
  assert.deepEqual(grants(), {
    matched: 3,
    grants: [
      { id: 'r1', grantedIds: ['e1', 'e2', 'p1', 'p2'] },
      { id: 'r2', grantedIds: ['e1'] },
    ],
  });
});

test('all searches and parses share one time limit', async () => {
  const { searches } = await lookUp(manyRoles(120, ['e']));
  assert.equal(searches.length, 3);
  assert.equal(new Set(searches.map(({ deadline }) => deadline)).size, 1);
  assert.ok(searches.every(({ memory }) => memory === undefined));
  const late = await lookUp(manyRoles(120, ['e']), { timeoutMs: 0 });
  await assert.rejects(late.lookup, { code: 'deadline_exceeded' });
  assert.equal(late.searches.length, 1);
});

test('stops at the first page whose ids are more than a query may have terms', async () => {
  const { lookup, searches } = await lookUp(manyRoles(120, ['a', 'b', 'c']), { maxTerms: 100 });
  await assert.rejects(lookup, { code: 'limit_exceeded', message: /CARDEA_MAX_TERMS/ });
  assert.equal(searches.length, 1);
});
