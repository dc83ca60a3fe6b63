// The contract of every store. `open` opens the same database for the same `name`, so that the
// suite can simulate two processes and a restart.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Field, widerKind } from '../../src/query/mapping/mapping.ts';
import type {
  AuthUser,
  DocumentChange,
  Store,
  WritableRecords,
} from '../../src/service/ports/store.ts';
import type { StoredDocument } from '../../src/service/ports/stored-document.ts';
import { credentials, revocations } from './store-credentials.ts';
import { dashboards } from './store-dashboards.ts';
import { groups } from './store-groups.ts';
import { merges } from './store-merges.ts';
import { mirrors } from './store-mirrors.ts';
import { pages } from './store-pages.ts';
import { purges } from './store-purge.ts';
import {
  ACME,
  accessToken,
  authUser,
  document,
  encoder,
  type OpenStore,
  OTHER,
  plain,
  summary,
  text,
  withStore,
} from './store-records.ts';
import { savedSearches } from './store-saved-searches.ts';
import { snapshots } from './store-snapshots.ts';
import { userLists } from './store-user-lists.ts';
import { views } from './store-views.ts';

export type { OpenStore } from './store-records.ts';

/**
 * Registers the suite for a kind of store.
 * @param openEmpty the same for databases that have no tables before
 */
export function storeContract(kind: string, open: OpenStore, openEmpty = open): void {
  describe(`store contract: ${kind}`, () => {
    tenantsAndUsers(open);
    credentials(open);
    revocations(open);
    documents(open);
    pages(open);
    userLists(open);
    changes(open);
    purges(open);
    merges(open);
    mirrors(open);
    savedSearches(open);
    dashboards(open);
    views(open);
    snapshots(open);
    fields(open);
    transactions(open);
    groups(open);
    handles(open, openEmpty);
    consistency(open);
  });
}

function tenantsAndUsers(open: OpenStore): void {
  describe('tenants and auth users', () => {
    const held = withStore(open, 'users');

    test('finds a tenant by name and id, and lists tenants by name', async () => {
      const { read } = held.store;
      assert.deepEqual(plain(await read.tenantByName('acme')), ACME);
      assert.deepEqual(plain(await read.tenantById('tenant-other')), OTHER);
      assert.equal(await read.tenantByName('ACME'), null);
      assert.equal(await read.tenantById('acme'), null);
      assert.deepEqual(plain(await read.tenants()), [ACME, OTHER]);
    });

    test('refuses a second tenant of the same name without changes', async () => {
      await assert.rejects(held.store.write((records) => records.addTenant({ ...OTHER, id: 'x' })));
      assert.equal((await held.store.read.tenants()).length, 2);
    });

    test('returns an auth user as written, only in its tenant', async () => {
      const user = authUser('u1', {
        email: 'mira@acme.test',
        capabilities: ['ROLE_ADMIN', 'HELPDESK'],
      });
      const { store } = held;
      assert.deepEqual(await store.write((r) => r.putAuthUsers(ACME.id, [user])), ['created']);
      assert.deepEqual(plain(await store.read.authUser(ACME.id, 'u1')), user);
      assert.deepEqual(plain(await store.read.authUserByUid(ACME.id, 'uid-u1')), user);
      assert.equal(await store.read.authUser(OTHER.id, 'u1'), null);
      assert.equal(await store.read.authUserByUid(OTHER.id, 'uid-u1'), null);
    });

    test('sorts texts by bytes, independent of the locale of the database', async () => {
      const { store } = held;
      const users = ['a', 'Z', 'ä', 'B', 'a b', 'ab'].map((id) => authUser(id, {}));
      await store.write((r) => r.putAuthUsers('tenant-ordered', users));
      const page = await store.read.authUserPage('tenant-ordered', '', 10);
      assert.deepEqual(
        page.map(({ id }) => id),
        ['B', 'Z', 'a', 'a b', 'ab', 'ä'],
      );
    });

    test('rejects texts with U+0000, and finds nothing by such a name', async () => {
      const { store } = held;
      await assert.rejects(
        store.write((r) => r.revokeToken(ACME.id, { id: 'a\0b', expires: 0 })),
        { name: 'ServiceError', code: 'request_invalid', message: /U\+0000/ },
      );
      assert.equal(await store.read.credentialById('a\0'), null);
    });

    test('reports an auth user as unchanged or updated', async () => {
      const { store } = held;
      const user = authUser('u2', {});
      const reordered = Object.fromEntries(Object.entries(user).reverse()) as unknown as AuthUser;
      await store.write((r) => r.putAuthUsers(ACME.id, [user]));
      assert.deepEqual(await store.write((r) => r.putAuthUsers(ACME.id, [reordered])), [
        'unchanged',
      ]);
      const renamed = { ...user, displayName: 'Other' };
      assert.deepEqual(await store.write((r) => r.putAuthUsers(ACME.id, [renamed])), ['updated']);
      assert.deepEqual(plain(await store.read.authUser(ACME.id, 'u2')), renamed);
    });

    test('counts the holders of a capability in one tenant, except one user and those in a view', async () => {
      const { store } = held;
      const admins = ['a1', 'a2', 'a3'].map((id) => authUser(id, { capabilities: ['ORG_ADMIN'] }));
      await store.write((r) => r.putAuthUsers(ACME.id, admins));
      await store.write((r) => r.putAuthUsers(OTHER.id, admins.slice(0, 1)));
      assert.equal(await store.read.countHolders(ACME.id, 'ORG_ADMIN', ''), 3);
      assert.equal(await store.read.countHolders(ACME.id, 'ORG_ADMIN', 'a2'), 2);
      assert.equal(await store.read.countHolders(OTHER.id, 'ORG_ADMIN', 'a1'), 0);
      await store.write((r) =>
        r.setCapabilities(ACME.id, 'a1', ['HELPDESK', 'CERT_ADMIN'], ['ORG_ADMIN']),
      );
      assert.equal(await store.read.countHolders(ACME.id, 'ORG_ADMIN', ''), 2);
      assert.equal(await store.read.countHolders(OTHER.id, 'ORG_ADMIN', ''), 1);
      await store.write((r) => r.setUserView(ACME.id, 'a2', 'sales'));
      assert.equal(await store.read.countHolders(ACME.id, 'ORG_ADMIN', ''), 1);
      const user = await store.read.authUser(ACME.id, 'a1');
      assert.deepEqual(user?.capabilities, ['HELPDESK', 'CERT_ADMIN']);
    });
  });
}

function documents(open: OpenStore): void {
  describe('documents', () => {
    const held = withStore(open, 'documents');

    test('returns a document with the same bytes, only in its tenant and index', async () => {
      const { store } = held;
      const short = document('d1', 'ünï', '"accounts":[{"id":"a1"}]');
      const long = document(
        'd0',
        'ünï '.repeat(500),
        `"accounts":[${'{"id":"a1"},'.repeat(500)}{}]`,
      );
      for (const put of [short, long]) {
        assert.deepEqual(await store.write((r) => r.putDocuments(ACME.id, [put])), ['created']);
        assert.deepEqual(text(await store.read.document(ACME.id, 'identities', put.id)), text(put));
      }
      assert.equal(await store.read.document(OTHER.id, 'identities', 'd1'), null);
      assert.equal(await store.read.document(ACME.id, 'roles', 'd1'), null);
      assert.equal(await store.read.document(ACME.id, 'identities', 'D1'), null);
    });

    test('reports the outcome of each document in a batch, also of a repeated id', async () => {
      const { store } = held;
      const outcomes = await store.write((r) =>
        r.putDocuments(ACME.id, [
          document('d2', 'a'),
          document('d2', 'a'),
          document('d2', 'b'),
          document('d3', 'a'),
        ]),
      );
      assert.deepEqual(outcomes, ['created', 'unchanged', 'updated', 'created']);
      const stored = await store.read.document(ACME.id, 'identities', 'd2');
      assert.deepEqual(text(stored), text(document('d2', 'b')));
      assert.deepEqual(await store.write((r) => r.putDocuments(ACME.id, [])), []);
    });

    test('detects changes by the hash of a document', async () => {
      const { store } = held;
      const hash = encoder.encode('0123456789abcdef');
      await store.write((r) => r.putDocuments(ACME.id, [{ ...document('d4', 'a'), hash }]));
      const again = { ...document('d4', 'b'), hash };
      assert.deepEqual(await store.write((r) => r.putDocuments(ACME.id, [again])), ['unchanged']);
      const stored = await store.read.document(ACME.id, 'identities', 'd4');
      assert.deepEqual(text(stored), text(document('d4', 'a')));
    });

    test('counts live documents by index', async () => {
      const { store } = held;
      await store.write((r) =>
        r.putDocuments(OTHER.id, [document('d1', 'a'), document('d2', 'a')]),
      );
      const role = { ...document('r1', 'a'), index: 'roles' } as const;
      await store.write((r) => r.putDocuments(OTHER.id, [role]));
      await store.write((r) => r.deleteDocument(OTHER.id, 'identities', 'd1'));
      assert.deepEqual(await store.read.documentCounts(OTHER.id), {
        ...{ accessprofiles: 0, accountactivities: 0, entitlements: 0, events: 0 },
        ...{ identities: 1, roles: 1 },
      });
    });
  });
}

function changes(open: OpenStore): void {
  describe('the change sequence', () => {
    const held = withStore(open, 'changes');
    const tail = async (after: number) =>
      (await held.store.read.changesAfter(after, 100)).map(summary);

    test('gives each change the next sequence, but not an equal document', async () => {
      const { store } = held;
      assert.equal(await store.read.lastSequence(), 0);
      await store.write((r) => r.putDocuments(ACME.id, [document('a', '1'), document('b', '1')]));
      await store.write((r) => r.putDocuments(OTHER.id, [document('a', '1')]));
      assert.deepEqual(await tail(0), ['1 acme a 1', '2 acme b 1', '3 other a 1']);
      await store.write((r) => r.putDocuments(ACME.id, [document('b', '1'), document('a', '2')]));
      assert.deepEqual(await tail(0), ['2 acme b 1', '3 other a 1', '4 acme a 2']);
      assert.equal(await store.read.lastSequence(), 4);
    });

    test('writes a tombstone for a deletion, but not for a missing document', async () => {
      const { store } = held;
      const remove = (id: string) =>
        store.write((r) => r.deleteDocument(ACME.id, 'identities', id));
      assert.equal(await remove('b'), true);
      assert.equal(await remove('b'), false);
      assert.equal(await remove('never'), false);
      assert.deepEqual(await tail(3), ['4 acme a 2', '5 acme b gone']);
      assert.equal(await store.read.document(ACME.id, 'identities', 'b'), null);
      assert.equal(await store.read.lastSequence(), 5);
    });

    test('recreates a deleted document', async () => {
      const { store } = held;
      const put = await store.write((r) => r.putDocuments(ACME.id, [document('b', '1')]));
      assert.deepEqual(put, ['created']);
      assert.deepEqual(await tail(4), ['6 acme b 1']);
    });

    test('returns the changes after a sequence up to a limit', async () => {
      const { store } = held;
      assert.deepEqual((await store.read.changesAfter(3, 1)).map(summary), ['4 acme a 2']);
      assert.deepEqual(await tail(6), []);
    });
  });
}

function fields(open: OpenStore): void {
  describe('dynamic fields', () => {
    const held = withStore(open, 'fields');
    const field = (path: string, type: Field['type']): Field => ({
      ...{ path, type, nested: path.startsWith('accounts.') ? 'accounts' : null },
      dynamic: true,
    });

    test('records each field once, and increments the version with each addition', async () => {
      const { store } = held;
      assert.equal(await store.read.fieldsVersion(ACME.id), 0);
      const account = field('accounts.accountAttributes.uid', 'long');
      const city = field('attributes.city', 'text');
      await store.write((r) => r.addDynamicFields(ACME.id, 'identities', [city, account]));
      const version = await store.read.fieldsVersion(ACME.id);
      assert.ok(version > 0);
      await store.write((r) => r.addDynamicFields(ACME.id, 'identities', [account, city]));
      assert.equal(await store.read.fieldsVersion(ACME.id), version);
      const read = await store.read.dynamicFields(ACME.id);
      assert.deepEqual(
        read.map(({ index, field }) => ({ index, field })),
        [
          { index: 'identities', field: account },
          { index: 'identities', field: city },
        ],
      );
      for (const { since } of read) assert.ok(Math.abs(Date.now() - Number(since)) < 600_000);
      await store.write((r) => r.addDynamicFields(ACME.id, 'events', [city]));
      assert.ok((await store.read.fieldsVersion(ACME.id)) > version);
    });

    const KINDS = ['boolean', 'long', 'double', 'text'] as const;
    for (const before of KINDS) {
      for (const later of KINDS) {
        const kind = widerKind(before, later);
        test(`a ${before} field that gets a ${later} is ${kind}, in one call, transaction or two`, async () => {
          const { store } = held;
          const path = (how: string) => `attributes.${before} ${later} ${how}`;
          const add = (r: WritableRecords, how: string, types: readonly Field['type'][]) =>
            r.addDynamicFields(
              ACME.id,
              'roles',
              types.map((type) => field(path(how), type)),
            );
          await store.write(async (r) => {
            await add(r, 'call', [before, later]);
            await add(r, 'transaction', [before]);
            await add(r, 'transaction', [later]);
            await add(r, 'two', [before]);
          });
          const version = await store.read.fieldsVersion(ACME.id);
          await store.write((r) => add(r, 'two', [later]));
          const fields = await store.read.dynamicFields(ACME.id);
          for (const how of ['call', 'transaction', 'two']) {
            const found = fields.find((one) => one.field.path === path(how));
            assert.equal(found?.field.type, kind, how);
          }
          const isWider = kind !== before;
          assert.equal((await store.read.fieldsVersion(ACME.id)) > version, isWider);
          const changed = (await store.read.changedFields()).find(
            (one) => one.field.path === path('two'),
          );
          assert.equal(changed?.indexedAs, isWider ? before : undefined);
          if (changed === undefined) return;
          await store.write((r) => r.endChange({ ...changed, field: field(path('two'), before) }));
          const left = async () =>
            (await store.read.changedFields()).some((one) => one.field.path === path('two'));
          assert.ok(await left(), 'it has changed again meanwhile');
          await store.write((r) => r.endChange(changed));
          assert.ok(!(await left()));
        });
      }
    }

    test('sets the kind of a field, which widens again with a value that does not fit', async () => {
      const { store } = held;
      const kinds = async () =>
        (await store.read.dynamicFields(ACME.id))
          .filter(({ field: { path } }) => path === 'attributes.grade')
          .map(({ field: { type } }) => type);
      const add = (type: Field['type']) => (r: WritableRecords) =>
        r.addDynamicFields(ACME.id, 'roles', [field('attributes.grade', type)]);
      await store.write(add('text'));
      const version = await store.read.fieldsVersion(ACME.id);
      await store.write(async (r) => {
        await add('text')(r);
        assert.equal(await r.setFieldKind(ACME.id, 'roles', 'attributes.grade', 'long'), true);
        assert.equal(await r.setFieldKind(ACME.id, 'roles', 'attributes.none', 'long'), false);
        assert.equal(await r.setFieldKind(OTHER.id, 'roles', 'attributes.grade', 'long'), false);
      });
      assert.deepEqual(await kinds(), ['long']);
      assert.ok((await store.read.fieldsVersion(ACME.id)) > version);
      await store.write(async (r) => {
        await add('long')(r);
        await r.setFieldKind(ACME.id, 'roles', 'attributes.grade', 'boolean');
        await add('long')(r);
      });
      assert.deepEqual(await kinds(), ['text']);
    });

    test('stores fields by tenant', async () => {
      assert.deepEqual(await held.store.read.dynamicFields(OTHER.id), []);
      assert.equal(await held.store.read.fieldsVersion(OTHER.id), 0);
    });
  });
}

function transactions(open: OpenStore): void {
  describe('transactions', () => {
    const held = withStore(open, 'transactions');

    test('shows the writes of a transaction to readers only after its end', async () => {
      const { store } = held;
      await store.write(async (r) => {
        await r.putDocuments(ACME.id, [document('a', '1')]);
        assert.notEqual(await r.document(ACME.id, 'identities', 'a'), null);
        assert.equal(await r.lastSequence(), 1);
        assert.equal(await store.read.document(ACME.id, 'identities', 'a'), null);
        assert.equal(await store.read.lastSequence(), 0);
      });
      assert.equal(await store.read.lastSequence(), 1);
    });

    test('discards changes and sequences on a rollback', async () => {
      const { store } = held;
      const failure = new Error('no');
      const work = store.write(async (r) => {
        await r.putDocuments(ACME.id, [document('a', '2'), document('b', '1')]);
        await r.deleteDocument(ACME.id, 'identities', 'a');
        await r.putAuthUsers(ACME.id, [authUser('u1', { capabilities: ['ORG_ADMIN'] })]);
        await r.addCredential(ACME.id, accessToken('t1', 'u1'));
        await r.addDynamicFields(ACME.id, 'roles', [
          { path: 'attributes.x', type: 'text', nested: null, dynamic: true },
        ]);
        throw failure;
      });
      await assert.rejects(work, failure);
      const { read } = store;
      assert.deepEqual((await read.changesAfter(0, 10)).map(summary), ['1 acme a 1']);
      assert.equal((await read.documentCounts(ACME.id)).identities, 1);
      assert.equal(await read.authUser(ACME.id, 'u1'), null);
      assert.equal(await read.countHolders(ACME.id, 'ORG_ADMIN', ''), 0);
      assert.equal(await read.credentialById('t1'), null);
      assert.equal(await read.fieldsVersion(ACME.id), 0);
      await store.write((r) => r.putDocuments(ACME.id, [document('c', '1')]));
      assert.equal(await read.lastSequence(), 2);
    });

    test('counts the writes that have ended, failed ones too, before their promises settle', async () => {
      const { store } = held;
      const before = store.writes;
      const counts: number[] = [];
      store.onWrite(() => counts.push(store.writes - before));
      const work = store.write((r) => r.putDocuments(ACME.id, [document('d', '1')]));
      assert.equal(store.writes, before);
      await work;
      assert.deepEqual(counts, [1]);
      await assert.rejects(store.write(() => Promise.reject(new Error('no'))));
      assert.deepEqual(counts, [1, 2]);
      await store.read.lastSequence();
      assert.equal(store.writes, before + 2);
    });

    test('runs writes one after the other, in the order of calls', async () => {
      const { store } = held;
      const order: string[] = [];
      const work = ['first', 'second', 'third'].map((name) =>
        store.write(async () => {
          order.push(`${name} begins`);
          await new Promise((resolve) => setTimeout(resolve, 2));
          order.push(`${name} ends`);
        }),
      );
      await Promise.all(work);
      assert.deepEqual(order, [
        ...['first begins', 'first ends', 'second begins', 'second ends'],
        ...['third begins', 'third ends'],
      ]);
    });

    test('undoes a failed write alone, also among others that share its transaction', async () => {
      const { store } = held;
      const before = await store.read.lastSequence();
      const writes = Array.from({ length: 30 }, (_, i) =>
        store.write(async (r) => {
          await r.putDocuments(ACME.id, [document(`shared${i}`, '1')]);
          // A statement that the database refuses, and an error of the work itself.
          if (i % 3 === 2) await r.addTenant({ ...OTHER, id: `other${i}` });
          if (i % 3 === 0) throw new Error(`write ${i}`);
          return i;
        }),
      );
      const outcomes = await Promise.allSettled(writes);
      const kept = outcomes.map(({ status }) => status === 'fulfilled');
      assert.deepEqual(
        kept,
        writes.map((_, i) => i % 3 === 1),
      );
      const rejected = outcomes[6];
      assert.match(String(rejected?.status === 'rejected' && rejected.reason), /write 6/);
      for (const i of writes.keys()) {
        const stored = await store.read.document(ACME.id, 'identities', `shared${i}`);
        assert.equal(stored !== null, kept[i], `write ${i}`);
        if (kept[i]) assert.equal(await writes[i], i);
      }
      assert.equal(await store.read.lastSequence(), before + 10);
      assert.deepEqual(
        (await store.read.changesAfter(before, 100)).map(({ sequence }) => sequence - before),
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
      );
    });

    test('refuses to use records after their transaction', async () => {
      const { store } = held;
      const records = await store.write(async (r) => r);
      await assert.rejects(records.putDocuments(ACME.id, [document('z', '1')]));
      assert.equal(await store.read.document(ACME.id, 'identities', 'z'), null);
    });
  });
}

function handles(open: OpenStore, openEmpty: OpenStore): void {
  describe('several handles on one database', () => {
    test('creates the tables when ten handles open an empty database at once', async () => {
      const stores = await Promise.all(Array.from({ length: 10 }, () => openEmpty('openers')));
      for (const store of stores) {
        await store.ping();
        assert.equal(await store.read.lastSequence(), 0);
      }
      await Promise.all(stores.map((store) => store.close()));
    });

    test('gives two concurrent writers one sequence without gaps', async () => {
      const stores = [await open('writers'), await open('writers')];
      const seen: DocumentChange[] = [];
      const work = stores.map(async (store, s) => {
        for (let i = 0; i < 40; i++) {
          await store.write((r) =>
            r.putDocuments(ACME.id, [document(`${s}-${i}`, 'a'), document(`shared-${i}`, `${s}`)]),
          );
        }
      });
      const tail = (async () => {
        for (let after = 0; after < 160; after = seen.at(-1)?.sequence ?? 0) {
          const more = await (stores[0] as Store).read.changesAfter(after, 50);
          seen.push(...more);
          if (more.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
        }
      })();
      await Promise.all([...work, tail]);
      const numbers = seen.map(({ sequence }) => sequence);
      assert.deepEqual(
        numbers,
        [...new Set(numbers)].sort((a, b) => a - b),
      );
      const ids = new Set(seen.map(({ id }) => id));
      assert.equal(ids.size, 120, 'the tail that ran beside the writers has seen every document');
      for (const store of stores) {
        assert.equal(await store.read.lastSequence(), 160);
        assert.equal((await store.read.documentCounts(ACME.id)).identities, 120);
        await store.close();
      }
    });

    test('finds everything after reopening', async () => {
      const first = await open('again');
      await first.write(async (r) => {
        await r.addTenant(ACME);
        await r.putAuthUsers(ACME.id, [authUser('u1', {})]);
        await r.putDocuments(ACME.id, [document('a', '1')]);
      });
      await first.close();
      await first.close();
      const second = await open('again');
      assert.deepEqual(plain(await second.read.tenants()), [ACME]);
      assert.equal((await second.read.authUser(ACME.id, 'u1'))?.uid, 'uid-u1');
      assert.deepEqual((await second.read.changesAfter(0, 10)).map(summary), ['1 acme a 1']);
      await second.close();
    });

    test('is unavailable after it is closed', async () => {
      const store = await open('closed');
      await store.close();
      const unavailable = { name: 'ServiceError', code: 'unavailable' };
      await assert.rejects(store.ping(), unavailable);
      await assert.rejects(store.read.tenants(), unavailable);
      await assert.rejects(
        store.write((r) => r.addTenant(ACME)),
        unavailable,
      );
    });
  });
}

function consistency(open: OpenStore): void {
  describe('references between tables', () => {
    const held = withStore(open, 'consistency');
    const role: StoredDocument = {
      ...{ index: 'roles', id: 'r', nested: new Uint8Array(0) },
      root: encoder.encode('{"id":"r"}'),
    };

    test('are valid for everything that is written through the port', async () => {
      await held.store.write(async (r) => {
        await r.putDocuments(ACME.id, [role, { ...role, id: 's' }]);
        await r.deleteDocument(ACME.id, 'roles', 's');
      });
      assert.deepEqual(await held.store.read.inconsistencies(), []);
    });

    test('are reported for a missing tenant, and repaired without other changes', async () => {
      const { store } = held;
      await store.write(async (r) => {
        await r.putDocuments('nobody', [role]);
        await r.revokeToken('nobody', { id: 'x', expires: 0 });
      });
      const inconsistencies = await store.read.inconsistencies();
      const lines = inconsistencies.map(({ kind, table, rows }) => `${rows} ${kind} in ${table}`);
      assert.deepEqual(lines.sort(), [
        '1 stray in document',
        '1 stray in document_count',
        '1 stray in revoked_token',
      ]);
      const stray = await store.write((r) => r.takeStrayRows());
      assert.deepEqual(stray.map(({ table }) => table).sort(), [
        ...['document', 'document_count', 'revoked_token'],
      ]);
      await store.write((r) => r.mendDerivedRows());
      assert.deepEqual(await store.read.inconsistencies(), []);
      assert.equal((await store.read.documentCounts(ACME.id)).roles, 1);
      assert.ok((await store.read.document(ACME.id, 'roles', 'r')) !== null);
    });
  });
}
