// The status of mirrors: their age is that of their oldest part, and a failure stays until a run
// that does not fail.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Mirror, MirrorPart, MirrorRun } from '../ports/mirror-records.ts';
import { mirrorFigures, mirrorStatus } from './mirror-status.ts';

const NO_COUNTS = { created: 0, updated: 0, unchanged: 0, deleted: 0, refused: 0 };
const INDEXES = [
  ...['accessprofiles', 'accountactivities', 'entitlements', 'events', 'identities', 'roles'],
];
const NOON = Date.parse('2026-01-01T12:00:00.000Z');

function part(name: string, copiedAt: string | null): MirrorPart {
  return {
    ...{ name, walk: null, copiedAt, newest: null, sweptAt: null, there: 7 },
    ...{ totals: { ...NO_COUNTS, refused: 2 }, refusals: [], refusedIds: [], shrinking: null },
  };
}

function run(outcome: MirrorRun['outcome'], error: string | null = null): MirrorRun {
  return { began: '', ended: '', outcome, error, counts: NO_COUNTS };
}

function recordsOf(parts: readonly MirrorPart[], runs: readonly MirrorRun[] = []) {
  const mirror: Mirror = {
    ...{ tenantId: 't', source: 'https://acme.example/', profilesSource: null, authUsers: 'none' },
    ...{ running: null, runs, counted: NO_COUNTS, audited: NO_COUNTS },
  };
  return {
    mirror: async (tenantId: string) => (tenantId === 't' ? mirror : null),
    mirrors: async () => [mirror],
    mirrorParts: async () => parts,
    mirroredCounts: async () => ({ roles: 5 }),
  };
}

const complete = INDEXES.map((name, i) => part(name, `2026-01-01T11:5${i}:00.000Z`));

test('is as old as its oldest index, whatever the age of the auth users', async () => {
  const parts = [...complete, part('auth-users', '2025-01-01T00:00:00.000Z')];
  const status = await mirrorStatus(recordsOf(parts), 't', NOON);
  assert.deepEqual([status?.copiedAt, status?.lagSeconds], ['2026-01-01T11:50:00.000Z', 600]);
  const roles = status?.parts.find(({ name }) => name === 'roles');
  assert.deepEqual([roles?.here, roles?.there, roles?.refused], [5, 7, 2]);
});

test('has no age before every index was copied', async () => {
  for (const parts of [[], complete.slice(1), [...complete.slice(1), part('roles', null)]]) {
    const status = await mirrorStatus(recordsOf(parts), 't', NOON);
    assert.deepEqual([status?.copiedAt, status?.lagSeconds], [null, null]);
  }
});

test('shows the error of the last run only', async () => {
  const failed = run('failed', 'it answered 403');
  const errorOf = async (runs: readonly MirrorRun[]) =>
    (await mirrorStatus(recordsOf(complete, runs), 't', NOON))?.error;
  assert.equal(await errorOf([failed, run('complete')]), 'it answered 403');
  assert.equal(await errorOf([run('complete'), failed]), null);
  assert.equal(await errorOf([]), null);
});

test('tells what the copy cannot, and says nothing of a tenant that is no mirror', async () => {
  const status = await mirrorStatus(recordsOf(complete), 't', NOON);
  assert.match(status?.limits.join('\n') ?? '', /deleted .* since the first copy/);
  assert.match(status?.limits.join('\n') ?? '', /Auth users are not mirrored/);
  assert.equal(await mirrorStatus(recordsOf(complete), 'other', NOON), null);
});

test('counts mirrors, and those that fail, for metrics', async () => {
  const figures = await mirrorFigures(recordsOf(complete, [run('failed', 'x')]), NOON);
  assert.deepEqual(figures, { mirrors: 1, failing: 1, lagSeconds: 600 });
  const young = await mirrorFigures(recordsOf([]), NOON);
  assert.deepEqual(young, { mirrors: 1, failing: 0, lagSeconds: null });
});
