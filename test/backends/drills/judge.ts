// What must be so after a drill: every acknowledged write is there, none was applied twice, the trail has one event for
// each, and every node answers from an index that is the store, document by document.
import assert from 'node:assert/strict';
import type { Store } from '../../../src/service/ports/store.ts';
import { DRILLED_TENANT, type Drilled } from './installation.ts';
import { documentOf, type Ledger, levelsOf } from './ledger.ts';

type Json = Record<string, unknown>;

/** What the store holds: documents by id, and events in the order they were written. */
interface Truth {
  readonly roles: ReadonlyMap<string, Json>;
  readonly events: ReadonlyMap<string, Json>;
}

const PAGE = 500;

/** @param openStore opens the store of the drill; it is closed again */
export async function judge(
  drilled: Drilled,
  ledger: Ledger,
  openStore: (address: string) => Promise<Store>,
): Promise<void> {
  const store = await openStore(drilled.store);
  try {
    const tenants = await store.read.tenants();
    const tenant = tenants.find(({ name }) => name === DRILLED_TENANT);
    assert.ok(tenant);
    const truth = await truthOf(store, tenant.id);
    judgeDocuments(ledger, truth);
    await judgeChanges(ledger, truth, store, tenant.id);
    for (const node of drilled.nodes) {
      if (!node.runs) continue;
      const at = { url: node.url, token: drilled.token };
      await judgeIndex(at, 'roles', truth.roles);
      await judgeIndex(at, 'events', truth.events);
    }
  } finally {
    await store.close();
  }
}

async function truthOf(store: Store, tenant: string): Promise<Truth> {
  const [roles, events] = [new Map<string, Json>(), new Map<string, Json>()];
  const decoder = new TextDecoder();
  for (let after = 0; ; ) {
    const changes = await store.read.changesAfter(after, PAGE);
    for (const { tenantId, index, document } of changes) {
      if (document === null || tenantId !== tenant) continue;
      const root = JSON.parse(decoder.decode(document.root)) as Json;
      if (index === 'roles') roles.set(document.id, root);
      if (index === 'events') events.set(document.id, root);
    }
    const last = changes.at(-1);
    if (last === undefined) return { roles, events };
    after = last.sequence;
  }
}

function judgeDocuments(ledger: Ledger, { roles, events }: Truth): void {
  const lost = [...ledger.documents].filter(
    ([id, outcome]) => outcome === 'kept' && !roles.has(id),
  );
  assert.deepEqual(lost, [], 'acknowledged documents are lost');
  for (const [id, root] of roles) {
    assert.ok(ledger.documents.has(id), `${id} was never written`);
    const { _type, ...written } = documentOf(id);
    for (const [name, value] of Object.entries(written)) assert.deepEqual(root[name], value, id);
  }
  const imports = [...events.values()].filter(({ action }) => action === 'ImportDocuments');
  assert.equal(imports.length, roles.size, 'events of imports, one for each document');
}

async function judgeChanges(
  ledger: Ledger,
  { events }: Truth,
  store: Store,
  tenant: string,
): Promise<void> {
  for (const userId of ledger.userIds) {
    const changes = ledger.changes.filter((change) => change.userId === userId);
    const applied = [...events.values()]
      .filter(({ action }) => action === 'CAPABILITY_UPDATE_EVENT')
      .map(({ attributes }) => attributes as { targetId?: string; capabilitiesAfter?: string[] })
      .filter(({ targetId }) => targetId === userId)
      .map(({ capabilitiesAfter = [] }) => levelsOf(capabilitiesAfter));
    // Each one once and in the order it was sent; one without an answer may be missing.
    const kept = new Set(applied);
    const expected = changes.filter(
      ({ outcome, levels }) => outcome === 'kept' || kept.has(levels),
    );
    assert.deepEqual(
      applied.toSorted((a, b) => a - b),
      expected.map(({ levels }) => levels),
      `changes of ${userId}`,
    );
    const user = await store.read.authUser(tenant, userId);
    assert.equal(levelsOf(user?.capabilities ?? []), applied.at(-1) ?? 0, `levels of ${userId}`);
  }
}

async function judgeIndex(
  at: Pick<Drilled, 'url' | 'token'>,
  index: 'roles' | 'events',
  truth: ReadonlyMap<string, Json>,
): Promise<void> {
  const found = new Map<string, Json>();
  for (let last: string | null = null; ; ) {
    const page: Json[] = await pageAfter(at, index, last);
    for (const hit of page) found.set(String(hit['id']), hit);
    last = page.length < PAGE ? null : String(page.at(-1)?.['id']);
    if (last === null) break;
  }
  assert.deepEqual([...found.keys()].sort(), [...truth.keys()].sort(), `${index} at ${at.url}`);
  for (const [id, root] of truth) {
    const hit = found.get(id);
    for (const [name, value] of Object.entries(root)) {
      assert.deepEqual(hit?.[name], value, `${name} of ${id} at ${at.url}`);
    }
  }
}

async function pageAfter(
  { url, token }: Pick<Drilled, 'url' | 'token'>,
  index: string,
  last: string | null,
): Promise<Json[]> {
  const answer = await fetch(`${url}/v2024/search?limit=${PAGE}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ indices: [index], query: { query: '*' }, sort: ['id'] },
      ...(last === null ? {} : { searchAfter: [last] }),
    }),
  });
  assert.equal(answer.status, 200, await answer.clone().text());
  return (await answer.json()) as Json[];
}
