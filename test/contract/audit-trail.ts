// The contract of the audit trail for every store: the hash chain of events, and the detection of
// changes that bypass the service through a client of the database.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ServiceError } from '../../src/errors.ts';
import { verifyAuditDatabase } from '../../src/service/audit/audit-database.ts';
import { LOCAL_OPERATOR, recordAuditEvents } from '../../src/service/audit/audit-event.ts';
import { type AuditFault, verifyAudit } from '../../src/service/audit/audit-verification.ts';
import { CHAIN_START, type ChainHead, chainHash } from '../../src/service/ports/audit-chain.ts';
import type { StoredAuditEvent } from '../../src/service/ports/audit-records.ts';
import { withRecords } from '../../src/service/ports/forwarding-store.ts';
import type { Store } from '../../src/service/ports/store.ts';

/** A database, opened by the service and by a separate client. */
export interface AuditDatabase {
  readonly store: Store;
  /** Runs a statement that bypasses the service, with `?` for values. */
  run(sql: string, ...values: (string | number | Uint8Array)[]): Promise<void>;
  /** Drops the triggers that refuse changes, as a user with rights on the database could. */
  dropTriggers(): Promise<void>;
  /** Replaces one of them with a trigger of the same name that refuses nothing. */
  replaceTrigger(): Promise<void>;
  /** Adds a trigger with the given name to the table of events. */
  addTrigger(name: string): Promise<void>;
  /** Statements of this database alone that change or delete the event 1, or all events. */
  readonly changes: readonly string[];
}

const TENANT = 'tenant-acme';
const EVENTS = 6;

/** Records events `e1`, `e2`, … in one tenant, in transactions of several and of one. */
async function record(store: Store, tenantId = TENANT, from = 1, to = EVENTS): Promise<void> {
  const event = (n: number) => ({
    id: `e${n}`,
    created: `2026-01-01T00:00:0${n}.000Z`,
    actor: LOCAL_OPERATOR,
    target: `user ${n}`,
    act: 'AUTH_USER_PATCH' as const,
    attributes: { targetId: `u${n}` },
  });
  const all = Array.from({ length: to - from + 1 }, (_, i) => event(from + i));
  for (const events of [all.slice(0, 2), all.slice(2, 3), all.slice(3)]) {
    await store.write((records) => recordAuditEvents(records, tenantId, events));
  }
}

const chainOf = (store: Store) => store.read.auditChain(TENANT, 0, 100);

/** `kind number` of each fault. */
async function faultsOf(store: Store, noted: readonly ChainHead[] = []): Promise<string[]> {
  const { faults, faultCount } = await verifyAudit(store.read, TENANT, noted);
  assert.equal(faults.length, faultCount);
  return faults.map(({ kind, number }: AuditFault) => `${kind} ${number}`);
}

/** Changes in the database, and the faults that verification reports. */
interface Tampering {
  readonly name: string;
  readonly faults: readonly string[];
  act(database: AuditDatabase, chain: readonly StoredAuditEvent[]): Promise<void>;
}

/** Renumbers the events from `from` on by `by`, in two steps so that numbers stay unique. */
async function renumber({ run }: AuditDatabase, from: number, by: number): Promise<void> {
  await run('update audit_event set number = -(number + ?) where number >= ?', by, from);
  await run('update audit_event set number = -number where number < 0');
}

const textOf = (id: string) => JSON.stringify({ id, stack: 'cardea' });

/** Inserts the event `forged` with a valid hash for its position. */
async function insert(
  { run }: AuditDatabase,
  chain: readonly StoredAuditEvent[],
  number: number,
): Promise<void> {
  const text = textOf('forged');
  const previousHash = chain[number - 2]?.hash ?? CHAIN_START;
  const hash = chainHash({ tenantId: TENANT, number, previousHash, text });
  await run(
    `insert into audit_event (sequence, tenant_id, number, id, event, previous_hash, hash)
     values (1000, ?, ?, 'forged', ?, ?, ?)`,
    ...[TENANT, number, text, previousHash, hash],
  );
}

const deleteFrom = async ({ run }: AuditDatabase, number: number) => {
  await run(
    'delete from document where id in (select id from audit_event where number >= ?)',
    number,
  );
  await run('delete from audit_event where number >= ?', number);
};

/** Inserts a document that claims to be the event `id`. */
const putDocument = ({ run }: AuditDatabase, id: string) =>
  run(
    `insert into document (sequence, tenant_id, index_name, id, hash, root, nested)
     values (1000, ?, 'events', ?, ?, ?, ?)`,
    ...[TENANT, id, Buffer.from('h'), Buffer.from(textOf(id)), Buffer.from('')],
  );

const TAMPERINGS: readonly Tampering[] = [
  {
    name: 'an event that comes before an earlier one in the order of all tenants',
    faults: ['sequence 3', 'sequence 2', 'sequence 3'],
    async act({ run }, chain) {
      const [two, three] = [chain[1], chain[2]] as [StoredAuditEvent, StoredAuditEvent];
      await run('update audit_event set sequence = -1 where number = 2');
      await run('update audit_event set sequence = ? where number = 3', two.sequence);
      await run('update audit_event set sequence = ? where number = 2', three.sequence);
    },
  },
  {
    name: 'events that were renumbered among those of all tenants, in their order',
    faults: Array.from({ length: EVENTS }, (_, i) => `sequence ${i + 1}`),
    act: ({ run }) => run('update audit_event set sequence = sequence - 1000'),
  },
  {
    name: 'a trail that was deleted with its documents',
    faults: ['truncated 1'],
    async act(database) {
      await deleteFrom(database, 1);
    },
  },
  {
    name: 'a trail that was deleted with its documents and its recorded end',
    faults: ['removed 1'],
    async act(database) {
      await deleteFrom(database, 1);
      await database.run('delete from audit_head');
    },
  },
  {
    name: 'a trail that was deleted, with its recorded end moved to the beginning',
    faults: ['removed 1'],
    async act(database) {
      await deleteFrom(database, 1);
      await database.run('update audit_head set number = 0, hash = ?', CHAIN_START);
    },
  },
  {
    name: 'an event whose text was changed',
    faults: ['changed 3', 'copy 3'],
    act: ({ run }) =>
      run("update audit_event set event = replace(event, 'user 3', 'user 9') where number = 3"),
  },
  {
    name: 'an event whose text and hash were changed',
    faults: ['changed 3', 'copy 3'],
    async act({ run }, chain) {
      const event = chain[2] as StoredAuditEvent;
      const text = event.text.replace('user 3', 'user 9');
      const hash = chainHash({ ...event, text });
      await run('update audit_event set event = ?, hash = ? where number = 3', text, hash);
    },
  },
  {
    name: 'a last event whose text and hash were changed',
    faults: ['head 6', 'copy 6'],
    async act({ run }, chain) {
      const event = chain[5] as StoredAuditEvent;
      const text = event.text.replace('user 6', 'user 9');
      const hash = chainHash({ ...event, text });
      await run('update audit_event set event = ?, hash = ? where number = 6', text, hash);
    },
  },
  {
    name: 'an event under the id of another one',
    faults: ['changed 3', 'inserted null', 'copy 3'],
    act: ({ run }) => run("update audit_event set id = 'other' where number = 3"),
  },
  {
    name: 'an event that was removed',
    faults: ['removed 3', 'inserted null'],
    act: ({ run }) => run('delete from audit_event where number = 3'),
  },
  {
    name: 'several events that were removed, with their documents',
    faults: ['removed 2'],
    async act({ run }) {
      await run("delete from document where id in ('e2', 'e3')");
      await run('delete from audit_event where number in (2, 3)');
    },
  },
  {
    name: 'an event that was removed, and later ones renumbered',
    faults: ['removed 3', 'truncated 6', 'inserted null'],
    async act(database) {
      await database.run('delete from audit_event where number = 3');
      await renumber(database, 4, -1);
    },
  },
  {
    name: 'an event that was put in, and later ones renumbered',
    faults: ['inserted 3', 'inserted 7', 'copy 3'],
    async act(database, chain) {
      await renumber(database, 3, 1);
      await insert(database, chain, 3);
    },
  },
  {
    name: 'an event that was put in at the end',
    faults: ['inserted 7', 'copy 7'],
    act: (database, chain) => insert(database, chain, 7),
  },
  {
    name: 'an event that was put in before the first, with a document',
    faults: ['inserted 0'],
    async act(database, chain) {
      await insert(database, chain, 0);
      await putDocument(database, 'forged');
    },
  },
  {
    name: 'a document that was deleted, where another one stands for an event put in before the first',
    faults: ['inserted -9000000000000000', 'copy 3'],
    async act(database, chain) {
      await insert(database, chain, -9_000_000_000_000_000);
      await putDocument(database, 'forged');
      await database.run("delete from document where id = 'e3'");
    },
  },
  {
    name: 'two events that changed places',
    faults: ['reordered 2', 'reordered 4'],
    async act({ run }) {
      await run('update audit_event set number = -number where number in (2, 4)');
      await run('update audit_event set number = 6 + number where number < 0');
    },
  },
  {
    name: 'two events whose texts changed places',
    faults: ['reordered 2', 'reordered 4', 'sequence 4', 'sequence 2'],
    async act({ run }, chain) {
      const put = 'update audit_event set event = ?, id = ? where number = ?';
      const [two, four] = [chain[1], chain[3]] as [StoredAuditEvent, StoredAuditEvent];
      await run(put, four.text, 'aside', 2);
      await run(put, two.text, two.id, 4);
      await run(put, four.text, four.id, 2);
    },
  },
  {
    name: 'a trail that was cut off at its end',
    faults: ['truncated 5'],
    act: (database) => deleteFrom(database, 5),
  },
  {
    name: 'a trail that was cut off, with its recorded end moved',
    faults: ['inserted null', 'inserted null'],
    async act({ run }, chain) {
      await run('delete from audit_event where number >= 5');
      await run('update audit_head set number = 4, hash = ?', chain[3]?.hash ?? '');
    },
  },
  {
    name: 'a recorded end that was deleted',
    faults: ['head 6'],
    act: ({ run }) => run('delete from audit_head'),
  },
  {
    name: 'a document that differs from its event',
    faults: ['copy 3'],
    act: ({ run }) =>
      run("update document set root = ? where id = 'e3'", Buffer.from('{"id":"e3"}')),
  },
  {
    name: 'a document whose bytes are damaged',
    faults: ['copy 3'],
    act: ({ run }) =>
      run("update document set root = ? where id = 'e3'", Buffer.from([1, 2, 3, 4])),
  },
  {
    name: 'a document of an event that was deleted',
    faults: ['copy 3'],
    act: ({ run }) => run("delete from document where id = 'e3'"),
  },
  {
    name: 'a document that claims to be recorded by the service',
    faults: ['inserted null'],
    act: (database) => putDocument(database, 'forged'),
  },
];

/** Changes of triggers and tenants in a database with events, and the faults that are reported. */
const UNDERMININGS: readonly {
  readonly name: string;
  readonly faults: readonly RegExp[];
  act(database: AuditDatabase): Promise<void>;
}[] = [
  {
    name: 'triggers that were dropped',
    faults: [/trigger audit_event_\w+.* is missing: cardea doctor --repair puts it back$/],
    act: ({ dropTriggers }) => dropTriggers(),
  },
  {
    name: 'a trigger that was replaced by one that lets changes through',
    faults: [/trigger audit_event_\w+.* was replaced: cardea doctor --repair puts it back$/],
    act: ({ replaceTrigger }) => replaceTrigger(),
  },
  {
    name: 'a trigger that was added',
    faults: [/has a trigger stranger that does not belong there: cardea doctor --repair drops it$/],
    act: ({ addTrigger }) => addTrigger('stranger'),
  },
  {
    name: 'a tenant that was removed while its trail is there',
    faults: [/the tenant tenant-acme was removed, but has an audit trail/],
    act: ({ run }) => run('delete from tenant'),
  },
  {
    name: 'a tenant that was removed with its events, of whose trail the end is recorded',
    faults: [/the tenant tenant-acme was removed, but has an audit trail/, /is missing/],
    async act(database) {
      await database.run('delete from tenant');
      await database.dropTriggers();
      await deleteFrom(database, 1);
    },
  },
];

const addTenant = (store: Store) =>
  store.write((records) =>
    records.addTenant({ id: TENANT, name: 'acme', pod: 'p', created: '2026-01-01T00:00:00.000Z' }),
  );

/** Damage of the recorded end of TENANT's trail, which has EVENTS events. */
const DAMAGED_ENDS: Readonly<
  Record<string, { readonly sql: string; readonly values?: readonly (string | number)[] }>
> = {
  'is missing': { sql: `delete from audit_head where tenant_id = '${TENANT}'` },
  'is an earlier event': {
    sql: `update audit_head set number = 2, hash = (
      select hash from audit_event where tenant_id = '${TENANT}' and number = 2
    ) where tenant_id = '${TENANT}'`,
  },
  'has a lower number': {
    sql: `update audit_head set number = -8 where tenant_id = '${TENANT}'`,
  },
  'has a higher number': {
    sql: `update audit_head set number = 70000 where tenant_id = '${TENANT}'`,
  },
  'has another hash': {
    sql: `update audit_head set hash = ? where tenant_id = '${TENANT}'`,
    values: ['f'.repeat(64)],
  },
};

/**
 * Registers the suite.
 * @param open opens an empty database with the given name
 */
export function auditContract(kind: string, open: (name: string) => Promise<AuditDatabase>): void {
  describe(`audit trail: ${kind}`, () => {
    test('chains events in the order of writing, separately by tenant', async () => {
      const { store } = await open('chained');
      await record(store);
      await record(store, 'tenant-other', 1, 3);
      const chain = await chainOf(store);
      assert.deepEqual(
        chain.map(({ number, id, previousHash }) => [number, id, previousHash]),
        chain.map((_, i) => [i + 1, `e${i + 1}`, chain[i - 1]?.hash ?? CHAIN_START]),
      );
      for (const event of chain) {
        assert.equal(event.hash, chainHash(event));
        const document = await store.read.document(TENANT, 'events', event.id);
        assert.equal(new TextDecoder().decode(document?.root), event.text);
      }
      const head = await store.read.auditHead(TENANT);
      assert.deepEqual(head, { number: EVENTS, hash: chain.at(-1)?.hash });
      assert.equal((await store.read.auditHead('tenant-other'))?.number, 3);
      assert.equal((await store.read.documentCounts(TENANT)).events, EVENTS);
      const all = await store.read.auditEventsAfter(0, 100);
      assert.equal(all.length, EVENTS + 3);
      assert.deepEqual(
        all.map(({ sequence }) => sequence),
        all.map(({ sequence }) => sequence).sort((a, b) => a - b),
      );
      await store.close();
    });

    test('leaves no event of a transaction that is rolled back', async () => {
      const { store } = await open('rolled_back');
      await assert.rejects(
        store.write(async (records) => {
          await recordAuditEvents(records, TENANT, []);
          await records.appendAuditEvents(TENANT, [
            { index: 'events', id: 'x', root: Buffer.from('{"id":"x"}'), nested: Buffer.from('') },
          ]);
          throw new Error('no');
        }),
        /no/,
      );
      assert.deepEqual(await chainOf(store), []);
      assert.equal(await store.read.auditHead(TENANT), null);
      assert.deepEqual(await faultsOf(store), ['removed 1']);
      await store.close();
    });

    test('refuses to change or delete events in the database', async () => {
      const { store, run, changes } = await open('refused');
      await record(store);
      const chain = await chainOf(store);
      for (const sql of [
        "update audit_event set event = 'x' where number = 1",
        'update audit_event set number = 9 where number = 1',
        'delete from audit_event where number = 1',
        'delete from audit_event',
        `insert into audit_event select * from audit_event where number = 1
           on conflict (sequence) do update set event = 'x'`,
        `insert into audit_event select * from audit_event where number = 1
           on conflict (tenant_id, id) do update set number = 9`,
        ...changes,
      ]) {
        await assert.rejects(run(sql), /neither changed nor deleted/, sql);
      }
      assert.deepEqual(await chainOf(store), chain);
      assert.deepEqual(await faultsOf(store), []);
      await store.close();
    });

    test('verifies an intact trail without faults, also during writes', async () => {
      const { store } = await open('whole');
      await record(store);
      const noted = await store.read.auditHead(TENANT);
      const [found] = await Promise.all([
        verifyAudit(store.read, TENANT, [noted as ChainHead]),
        record(store, TENANT, 7, 9),
      ]);
      assert.deepEqual(found.faults, []);
      assert.deepEqual(await faultsOf(store, [noted as ChainHead]), []);
      await store.close();
    });

    test('misses no document that the retention purged, and every other one', async () => {
      const { store, run } = await open('purged');
      await record(store);
      const before = Date.parse('2026-01-01T00:00:04.000Z');
      const sequence = await store.read.lastSequence();
      await store.write(async (records) => {
        const ids = ['e1', 'e3'];
        assert.equal(await records.deleteUnchangedDocuments(TENANT, 'events', ids, sequence), 2);
        await records.setEventsPurgedBefore(TENANT, before);
      });
      const chain = await chainOf(store);
      const { faults, events, purgedBefore } = await verifyAudit(store.read, TENANT);
      assert.deepEqual([faults, events, purgedBefore], [[], EVENTS, '2026-01-01T00:00:04.000Z']);
      assert.equal((await store.read.auditEventsAfter(0, 100)).length, EVENTS);
      await run("delete from document where id in ('e2', 'e4')");
      assert.deepEqual(await faultsOf(store), ['copy 4']);
      assert.deepEqual(await chainOf(store), chain);
      await store.close();
    });

    test('misses no document that is purged during the verification', async () => {
      const { store } = await open('purging');
      await record(store);
      const sequence = await store.read.lastSequence();
      const purge = () =>
        store.write(async (records) => {
          await records.deleteUnchangedDocuments(TENANT, 'events', ['e1', 'e2'], sequence);
          await records.setEventsPurgedBefore(TENANT, Date.parse('2026-01-01T00:00:03.000Z'));
        });
      let purged = false;
      const source = withRecords(store.read, {
        async eventDocuments(...args: Parameters<Store['read']['eventDocuments']>) {
          if (!purged) await purge();
          purged = true;
          return store.read.eventDocuments(...args);
        },
      });
      assert.deepEqual((await verifyAudit(source, TENANT)).faults, []);
      await store.close();
    });

    test('detects a truncated or rewritten trail from an end that was recorded elsewhere', async () => {
      const database = await open('noted');
      const { store, run } = database;
      await record(store);
      const chain = await chainOf(store);
      const noted = chain.map(({ number, hash }) => ({ number, hash }));
      await database.dropTriggers();
      await deleteFrom(database, 5);
      await run('update audit_head set number = 4, hash = ?', chain[3]?.hash ?? '');
      assert.deepEqual(await faultsOf(store), []);
      assert.deepEqual(await faultsOf(store, noted.slice(5)), ['truncated 5']);
      await insert(database, chain, 5);
      await run('update audit_head set number = 5');
      const faults = await faultsOf(store, noted.slice(4, 5));
      assert.ok(faults.includes('changed 5'), faults.join());
      await store.close();
    });

    for (const [at, [damage, { sql, values = [] }]] of Object.entries(DAMAGED_ENDS).entries()) {
      test(`records nothing behind an end that ${damage}, until it is mended`, async () => {
        const { store, run } = await open(`damaged_end_${at}`);
        await addTenant(store);
        await record(store);
        await record(store, 'tenant-other', 1, 3);
        const chain = await chainOf(store);
        await run(sql, ...values);
        await assert.rejects(record(store, TENANT, 7, 7), (error: ServiceError) => {
          assert.equal(error.code, 'unavailable');
          assert.match(String(error.details.causes), /audit trail .*cardea doctor --repair/);
          return true;
        });
        assert.deepEqual(await chainOf(store), chain);
        assert.equal(await store.read.document(TENANT, 'events', 'e7'), null);
        await record(store, 'tenant-other', 4, 4);
        const heads = (await store.read.inconsistencies()).filter(
          ({ table }) => table === 'audit_head',
        );
        assert.deepEqual(heads, [{ kind: 'miscounted', table: 'audit_head', rows: 1 }]);
        await store.write((records) => records.mendDerivedRows());
        await record(store, TENANT, 7, 7);
        assert.deepEqual(await faultsOf(store), []);
        await store.close();
      });
    }

    for (const [at, { name, act, faults }] of UNDERMININGS.entries()) {
      test(`detects ${name}, and restores triggers`, async () => {
        const database = await open(`undermined_${at}`);
        const { store } = database;
        await addTenant(store);
        await record(store);
        assert.deepEqual(await verifyAuditDatabase(store.read), []);
        await act(database);
        const found = await verifyAuditDatabase(store.read);
        for (const fault of faults) {
          assert.ok(
            found.some((message) => fault.test(message)),
            `${fault}: ${found.join()}`,
          );
        }
        await store.write((records) => records.restoreAuditProtection());
        assert.deepEqual(await store.read.auditProtectionFaults(), []);
        const isEmpty = (await chainOf(store)).length === 0;
        const change = database.run("update audit_event set event = 'x'");
        if (isEmpty) await change;
        else await assert.rejects(change, /neither changed/);
        await store.close();
      });
    }

    for (const [at, { name, act, faults }] of TAMPERINGS.entries()) {
      test(`detects ${name}`, async () => {
        const database = await open(`tampered_${at}`);
        await record(database.store);
        assert.deepEqual(await faultsOf(database.store), []);
        await database.dropTriggers();
        await act(database, await chainOf(database.store));
        assert.deepEqual(await faultsOf(database.store), faults);
        await database.store.close();
      });
    }
  });
}
