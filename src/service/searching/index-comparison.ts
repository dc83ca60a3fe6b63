// Compares the index with the store: looks up every indexed document in the store and compares the
// bytes, which detects missing, surplus, outdated and damaged documents. A document that is damaged in
// the store is missing in the index, or still is what it was. Of an index that tells what it holds
// (`contents` of the port) the changes are compared first: its searches do not return what was not fed.

import { INDEX_NAMES } from '../../query/mapping/document-types.ts';
import type { Plan } from '../../query/plan.ts';
import type { IndexName } from '../../query/query.ts';
import { Deadline } from '../../scheduling/deadline.ts';
import { compareRanges } from '../documents/index-differences.ts';
import { loadMappings } from '../documents/mapping-cache.ts';
import type { Hit, IndexContents, SearchBackend } from '../ports/search-backend.ts';
import type { Store, Tenant } from '../ports/store.ts';
import type { StoredDocument } from '../ports/stored-document.ts';
import { hitPages, wholeTenant } from './rows/hit-walk.ts';

/** The differences in one index of one tenant. */
export interface IndexDifference {
  /** Name of the tenant. */
  readonly tenant: string;
  readonly index: IndexName;
  /** Documents in the store but not in the index. */
  readonly missing: number;
  /** Documents in the index but not in the store. */
  readonly surplus: number;
  /** Documents in both with different content. */
  readonly different: number;
}

export interface IndexComparison {
  /** Documents compared. */
  readonly documents: number;
  /** Empty when index and store agree. */
  readonly differences: readonly IndexDifference[];
}

const PAGE = 500;
const PAGE_MS = 60_000;

/**
 * Compares all indexes. Nothing may be written meanwhile, and the index must be up to date.
 * @param progress called with the number of compared documents and their total
 * @throws ServiceError `unavailable` for a damaged segment; the index is then fed again
 */
export async function compareIndex(
  store: Store,
  backend: SearchBackend,
  progress: (done: number, total: number) => void,
): Promise<IndexComparison> {
  const { tenantCounts, total } = await countDocuments(store);
  const differences: IndexDifference[] = [];
  let documents = 0;
  const damage = await store.read.documentDamage({ namesMax: Number.POSITIVE_INFINITY });
  for (const { tenant, counts } of tenantCounts) {
    for (const index of INDEX_NAMES) {
      const damaged = damage.documents.filter(
        (one) => one.tenantId === tenant.id && one.index === index,
      ).length;
      const stored = { documents: counts[index], damaged };
      const compared = (more: number) => {
        documents += more;
        progress(documents, total);
      };
      const { contents } = backend;
      const difference =
        (contents && (await compareContents(store, contents, tenant, index))) ??
        (await compareOne(store, backend, tenant, index, stored, compared));
      if (difference !== null) differences.push(difference);
    }
  }
  return { documents, differences };
}

/** Comparisons of an index that is written to, before it is said to change too fast. */
const ATTEMPTS_MAX = 3;

/**
 * As compareIndex, of an index that may be fed meanwhile.
 * @param fed waits until a change is in the index
 * @returns null if each comparison found differences, and changes went on
 */
export async function compareFedIndex(
  store: Store,
  backend: SearchBackend,
  fed: (sequence: number) => Promise<void>,
  progress: (done: number, total: number) => void,
): Promise<IndexComparison | null> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const before = await store.read.lastSequence();
    await fed(before);
    const comparison = await compareIndex(store, backend, progress);
    const isSame = (await store.read.lastSequence()) === before;
    if (isSame || comparison.differences.length === 0) return comparison;
  }
  return null;
}

/**
 * Reads every document of all indexes, without comparing them: for an index that is behind the
 * store. Nothing may be written to it meanwhile.
 * @param progress called with the number of documents read and of those in the store
 * @throws ServiceError `unavailable` for a damaged segment
 */
export async function readIndex(
  store: Store,
  backend: SearchBackend,
  progress: (done: number, total: number) => void,
): Promise<void> {
  const { tenantCounts, total } = await countDocuments(store);
  let documents = 0;
  for (const { tenant } of tenantCounts) {
    for (const index of INDEX_NAMES) {
      for await (const { hits } of pages(store, backend, tenant.id, index)) {
        documents += hits.length;
        progress(documents, total);
      }
    }
  }
}

/** The numbers of documents in the store, by tenant and together. */
async function countDocuments(store: Store) {
  const tenants = await store.read.tenants();
  const tenantCounts = await Promise.all(
    tenants.map(async (tenant) => ({ tenant, counts: await store.read.documentCounts(tenant.id) })),
  );
  const total = tenantCounts.reduce(
    (sum, { counts }) => INDEX_NAMES.reduce((inner, index) => inner + counts[index], sum),
    0,
  );
  return { tenantCounts, total };
}

async function compareOne(
  store: Store,
  backend: SearchBackend,
  tenant: Tenant,
  index: IndexName,
  stored: { readonly documents: number; readonly damaged: number },
  compared: (more: number) => void,
): Promise<IndexDifference | null> {
  let [indexed, surplus, different, damaged] = [0, 0, 0, 0];
  const setAside = () => {
    damaged++;
  };
  for await (const { hits } of pages(store, backend, tenant.id, index)) {
    for (const hit of hits) {
      const before = damaged;
      const [document] = await store.read.documentsById(tenant.id, index, [hit.id], setAside);
      // The index may still have what a damaged document was.
      if (damaged > before) continue;
      if (document === undefined) surplus++;
      else if (!sameContent(hit, document)) different++;
    }
    indexed += hits.length;
    compared(hits.length);
  }
  const expected = stored.documents - (stored.damaged - damaged);
  const missing = Math.max(0, expected - (indexed - surplus));
  if (missing + surplus + different === 0) return null;
  return { tenant: tenant.name, index, missing, surplus, different };
}

async function compareContents(
  store: Store,
  contents: IndexContents,
  tenant: Tenant,
  index: IndexName,
): Promise<IndexDifference | null> {
  const found = { missing: 0, surplus: 0, different: 0 };
  const of = { tenantId: tenant.id, index };
  const options = () => ({ deadline: new Deadline(PAGE_MS) });
  for await (const range of compareRanges(store.read, contents, of, options)) {
    const missing = range.filter(({ kind }) => kind === 'missing');
    const damaged = new Set<string>();
    const ids = missing.map(({ id }) => id);
    await store.read.documentsById(tenant.id, index, ids, (id) => damaged.add(id));
    for (const { id, kind } of range) if (!damaged.has(id)) found[kind] += 1;
  }
  if (found.missing + found.surplus + found.different === 0) return null;
  return { tenant: tenant.name, index, ...found };
}

/** All documents of an index. */
async function* pages(store: Store, backend: SearchBackend, tenantId: string, index: IndexName) {
  const plan: Plan = {
    targets: [{ index, query: { kind: 'matchAll' } }],
    sort: [{ field: 'id', order: 'asc', type: 'string' }],
    ...{ from: 0, size: PAGE, trackTotal: false },
    source: { includes: [], excludes: [], nested: true },
  };
  const mappings = await loadMappings(store.read, tenantId);
  const indexes = wholeTenant(backend, { tenantId, mappings });
  yield* hitPages(plan, { indexes, options: () => ({ deadline: new Deadline(PAGE_MS) }) });
}

function sameContent(hit: Hit, { root, nested }: StoredDocument): boolean {
  return sameBytes(hit.root, root) && sameBytes(hit.nested, nested);
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && Buffer.compare(a, b) === 0;
}
