import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IndexName } from '../../query/query.ts';
import { CooperativeScheduler } from '../../scheduling/cooperative.ts';
import { Deadline } from '../../scheduling/deadline.ts';
import type { Hit } from '../ports/search-backend.ts';
import { AccessPathGraph, HeldAccess } from './access-path-graph.ts';
import { withAccessPaths } from './access-path-hits.ts';
import type { Json } from './access-references.ts';

const encoder = new TextEncoder();
const encoded = (members: object) => encoder.encode(JSON.stringify(members));
const references = (ids: readonly string[]) => ids.map((id) => ({ id }));
const numbered = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${prefix}${n}`);
const role = (id: string) => ({ id, type: 'ROLE' });

/** Sources whose documents are these, by id. */
const sourcesOf = (documents: Readonly<Record<string, object>>, timeoutMs = 10_000) => ({
  tenantId: 'acme',
  scheduler: new CooperativeScheduler(),
  options: { deadline: new Deadline(timeoutMs) },
  indexes: {
    documentsById: async (index: IndexName, ids: readonly string[]) =>
      ids.flatMap((id) => {
        const document = documents[id];
        if (document === undefined) return [];
        return [{ index, id, root: encoded({ id, ...document }), nested: new Uint8Array(0) }];
      }),
  },
});

async function pathsOf(access: readonly Json[], sources: ReturnType<typeof sourcesOf>) {
  const held = new HeldAccess();
  held.add(access);
  const graph = await AccessPathGraph.read(held, sources);
  return sources.scheduler.run(graph.pathSteps(access), sources.options);
}

test('cuts long names', async () => {
  const sources = sourcesOf({ r: { name: 'n'.repeat(100_000), entitlements: references(['e']) } });
  const paths = await pathsOf([role('r'), { id: 'e' }], sources);
  const [path] = paths.get('e')?.listed ?? [];
  assert.equal(path?.[0]?.name, `${'n'.repeat(199)}…`);
});

test('lists 100 paths of an element and 10,000 of a list, first those that are the only ones', async () => {
  const elements = numbered('e', 200);
  const entitlements = references(elements);
  const roles = numbered('r', 150);
  const documents = Object.fromEntries(roles.map((id) => [id, { name: id, entitlements }]));
  const last = { name: 'last', entitlements: references(['only']) };
  const access = [...roles, 'last'].map(role);
  const ids = ['only', ...elements];
  const paths = await pathsOf([...access, ...references(ids)], sourcesOf({ ...documents, last }));
  const found = ids.map((id) => paths.get(id) ?? { listed: [], count: 0 });
  assert.deepEqual(new Set(found.map(({ count }) => count)), new Set([1, 150]));
  assert.ok(found.every(({ listed }) => listed.length > 0 && listed.length <= 100));
  assert.ok(found.reduce((sum, { listed }) => sum + listed.length, 0) <= 10_000);

  const few = await pathsOf([...access, { id: 'e0' }], sourcesOf(documents));
  assert.equal(few.get('e0')?.listed.length, 100);
  // Each time that a list has the element counts.
  const repeated = Array.from({ length: 1_000 }, () => ({ id: 'e0' }));
  const shown = await pathsOf([...access, ...repeated], sourcesOf(documents));
  assert.equal(shown.get('e0')?.listed.length, 5);
  assert.equal(shown.get('e0')?.count, 150);
});

test('ends when roles refer to too much, and when the time is over', async () => {
  const wide = { r: { accessProfiles: references(numbered('p', 250_001)) } };
  await assert.rejects(pathsOf([role('r')], sourcesOf(wide)), { code: 'limit_exceeded' });
  const late = sourcesOf({ r: {} }, 0);
  await assert.rejects(pathsOf([role('r')], late), { code: 'deadline_exceeded' });
});

const identity = (id: string, access: readonly object[]): Hit => {
  const nested = encoded({ access }).subarray(1, -1);
  return { index: 'identities', id, score: null, sort: [id], root: encoded({ id }), nested };
};

test('counts the rows that get paths, and refuses a page that becomes too large', async () => {
  const counted: number[] = [];
  const sources = sourcesOf({ r: { name: 'R', entitlements: references(['e']) } });
  const options = { ...sources.options, memory: { holdBytes: (n: number) => counted.push(n) } };
  const hits = ['a', 'b'].map((id) => identity(id, [role('r'), { id: 'e' }]));
  const extended = await withAccessPaths(hits, { ...sources, options });
  assert.match(
    Buffer.from(extended[1]?.nested ?? []).toString(),
    /"e","via":\[\[\{"type":"ROLE","id":"r","name":"R"/,
  );
  assert.deepEqual(
    counted,
    extended.map(({ nested }) => nested.length),
  );
  const large = identity('c', [{ id: 'x'.repeat(2 ** 25) }]);
  const refused = withAccessPaths([...hits, large], { ...sources, options });
  await assert.rejects(refused, { code: 'limit_exceeded', message: /accessPaths: .* 32 MiB/ });
});
