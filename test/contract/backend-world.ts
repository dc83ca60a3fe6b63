// A backend for the tests of its contract, over the state of a harness, so that a test can close and
// reopen it; and the plans and changes of these tests.

import assert from 'node:assert/strict';
import { afterEach, beforeEach } from 'node:test';
import { ServiceError } from '../../src/errors.ts';
import type { Plan } from '../../src/query/plan.ts';
import type { IndexName, Query } from '../../src/query/query.ts';
import type { Hit, SearchBackend } from '../../src/service/ports/search-backend.ts';
import type { DocumentChange } from '../../src/service/ports/store.ts';
import { searchOptions } from '../support/search-options.ts';

export interface BackendHarness {
  /** Opens the backend over the committed state, with the static mappings. */
  open(): Promise<SearchBackend>;
  /** The last sequence of the store. */
  lastSequence: number;
  /** Deletes all state. */
  dispose(): Promise<void>;
}

export const OPTIONS = searchOptions();
export const ALL: Query = { kind: 'matchAll' };

/** A plan over roles that returns everything, in index order. */
export function planOf(
  changes: Partial<Plan> & { query?: Query; indexes?: IndexName[] } = {},
): Plan {
  const { query = ALL, indexes = ['roles'], ...rest } = changes;
  return {
    targets: indexes.map((index) => ({ index, query })),
    sort: [],
    from: 0,
    size: 100,
    trackTotal: true,
    source: { includes: [], excludes: [], nested: true },
    ...rest,
  };
}

/** A change that puts a role, or removes it when `name` is null. */
export function change(
  sequence: number,
  id: string,
  name: string | null,
  more: { tenantId?: string; index?: IndexName; count?: number; apps?: string[] } = {},
): DocumentChange {
  const { tenantId = 'acme', index = 'roles', count = 0, apps = [] } = more;
  const nested =
    apps.length === 0
      ? ''
      : `"accessProfiles":${JSON.stringify(apps.map((app) => ({ id: app, name: app })))}`;
  const document = {
    index,
    id,
    root: bytes(JSON.stringify({ id, name, entitlementCount: count })),
    nested: bytes(nested),
  };
  return { sequence, tenantId, index, id, document: name === null ? null : document };
}

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
export const text = (value: Uint8Array): string => new TextDecoder().decode(value);
export const ids = (hits: readonly Hit[]): string[] => hits.map((hit) => hit.id);
export const number = (i: number): string => String(i).padStart(5, '0');

/** Opens a backend before each test of the current group, and disposes of it afterwards. */
export function backendWorld(create: () => Promise<BackendHarness>) {
  let harness: BackendHarness;
  let backend: SearchBackend;
  beforeEach(async () => {
    harness = await create();
    backend = await harness.open();
  });
  afterEach(async () => {
    await backend.close();
    await harness.dispose();
  });
  const search = (plan: Plan, tenantId = 'acme') =>
    backend.search(tenantId, JSON.parse(JSON.stringify(plan)) as Plan, OPTIONS);
  return {
    harness: () => harness,
    backend: () => backend,
    search,
    /** Applies changes and makes them searchable. */
    async feed(...changes: DocumentChange[]): Promise<void> {
      for (const one of changes) {
        harness.lastSequence = Math.max(harness.lastSequence, one.sequence);
      }
      for (const tenantId of new Set(changes.map((one) => one.tenantId))) {
        await backend.apply(
          tenantId,
          changes.filter((one) => one.tenantId === tenantId),
        );
      }
      await backend.refresh();
    },
    /** The ids of the hits of a query. */
    idsOf: async (query: Query = ALL, tenantId = 'acme') =>
      ids((await search(planOf({ query }), tenantId)).hits),
    async reopen(): Promise<void> {
      await backend.close();
      backend = await harness.open();
    },
  };
}

export const named = (value: string): Query => ({
  kind: 'term',
  field: 'name',
  form: 'folded',
  value,
});

export const fails = (work: Promise<unknown>, code: string) =>
  assert.rejects(work, (error) => error instanceof ServiceError && error.code === code);
