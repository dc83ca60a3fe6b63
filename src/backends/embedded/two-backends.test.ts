// Two engines in one process share nothing: neither answers nor caches of one show in the other.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { searchOptions } from '../../../test/support/search-options.ts';
import { staticMapping } from '../../query/mapping/document-types.ts';
import type { Plan } from '../../query/plan.ts';
import type { Query } from '../../query/query.ts';
import type { SearchBackend } from '../../service/ports/search-backend.ts';
import { openEmbeddedBackend } from './embedded-backend.ts';

const OPTIONS = searchOptions();
const ROLES = 400;
const directory = mkdtempSync(join(tmpdir(), 'cardea-two-'));
/** The first two hold the same roles, the third others with the same ids and names of segments. */
let [one, same, other]: SearchBackend[] = [];

before(async () => {
  [one, same, other] = await Promise.all([open('one', 3), open('same', 3), open('other', 5)]);
});
after(async () => {
  for (const backend of [one, same, other]) await backend?.close();
  rmSync(directory, { recursive: true, force: true });
});

/** A backend of roles in two segments, whose members depend on a number. */
async function open(name: string, factor: number): Promise<SearchBackend> {
  const backend = await openEmbeddedBackend({
    path: join(directory, name),
    mapping: (_tenant, index) => staticMapping(index, { name: 'acme', pod: 'cardea' }),
    lastSequence: async () => 0,
  });
  const encoder = new TextEncoder();
  const changes = Array.from({ length: ROLES }, (_, n) => {
    const id = `r${String(n).padStart(4, '0')}`;
    const role = {
      id,
      name: `Role ${'many '.repeat(1 + ((n * factor) % 4))}${(n * factor) % 17}`,
      description: `about ${(n * factor) % 7}`,
      modified: new Date(Date.UTC(2024, (n * factor) % 24, 1)).toISOString(),
      owner: { id: `o${(n * factor) % 11}`, name: `Owner ${(n * factor) % 13}` },
    };
    const root = encoder.encode(JSON.stringify(role));
    const document = { index: 'roles' as const, id, root, nested: new Uint8Array(0) };
    return { sequence: n + 1, tenantId: 'acme', index: 'roles' as const, id, document };
  });
  for (const half of [changes.slice(0, ROLES / 2), changes.slice(ROLES / 2)]) {
    await backend.apply('acme', half);
    await backend.refresh();
  }
  return backend;
}

function plan(query: Query, changes: Partial<Plan> = {}): Plan {
  return {
    ...{ targets: [{ index: 'roles', query }], sort: [], from: 0, size: 20, trackTotal: true },
    source: { includes: [], excludes: [], nested: true },
    ...changes,
  };
}

const BY_SCORE = { sort: [{ field: '_score', order: 'desc', type: 'score' }] } as const;
const BY_NAME = { sort: [{ field: 'name', order: 'asc', type: 'string' }] } as const;
const ALL: Query = { kind: 'matchAll' };
const PLANS: Readonly<Record<string, Plan>> = {
  'a word by score': plan(
    { kind: 'term', field: 'name', form: 'word', value: 'many' },
    { ...BY_SCORE },
  ),
  'a phrase by score': plan(
    { kind: 'phrase', field: 'name', terms: ['many', '3'], slop: 0 },
    { ...BY_SCORE },
  ),
  'a prefix': plan({ kind: 'prefix', field: 'name', form: 'folded', value: 'role many many 1' }),
  'a text inside values': plan({
    kind: 'wildcard',
    field: 'description',
    form: 'folded',
    pattern: '*t 5*',
  }),
  'a value': plan({ kind: 'term', field: 'owner.name', form: 'folded', value: 'owner 4' }),
  'everything by name': plan(ALL, { ...BY_NAME }),
  'a range of dates': plan({
    ...{ kind: 'numberRange', field: 'modified', column: 'value' },
    ...{ gte: Date.UTC(2024, 3, 1), lt: Date.UTC(2024, 9, 1) },
  }),
};

async function answerOf(backend: SearchBackend | undefined, request: Plan): Promise<unknown> {
  assert.ok(backend);
  const { hits, total } = await backend.search('acme', request, OPTIONS);
  const count = await backend.count('acme', request, OPTIONS);
  return { total, count, hits: hits.map(({ id, score, sort }) => ({ id, score, sort })) };
}

test('each answers as if it were alone, however often both are searched', async () => {
  const alone = new Map<string, unknown>();
  for (const [name, request] of Object.entries(PLANS))
    alone.set(name, await answerOf(same, request));
  for (let round = 0; round < 4; round++) {
    for (const [name, request] of Object.entries(PLANS)) {
      const [mine, theirs] = [await answerOf(one, request), await answerOf(other, request)];
      assert.deepEqual(mine, alone.get(name), name);
      assert.notDeepEqual(theirs, mine, `${name}: the other has other roles`);
    }
  }
});

test('a search in one touches no cache of the other', async () => {
  assert.ok(one?.figures && other?.figures);
  const before = other.figures().caches;
  for (const request of Object.values(PLANS)) await answerOf(one, request);
  assert.deepEqual(other.figures().caches, before);
});
