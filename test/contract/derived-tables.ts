// The contract of tables that are derived from records, for every store: rows that are lost, wrong or too
// many are named, and computed anew; a profile that lost values is refused. No table is forgotten.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { operatorOf } from '../../src/service/audit/operator-event.ts';
import { Documents } from '../../src/service/imports/documents.ts';
import type { Store } from '../../src/service/ports/store.ts';
import { DERIVED_NAMES, OTHER_TABLES } from '../../src/store/derived/derived-tables.ts';
import { CHECKED_NAMES } from '../../src/store/sql/row-checksum.ts';
import type { Schema } from '../../src/store/sql/schema.ts';
import type { AuditDatabase } from './audit-trail.ts';
import { ACME, authUser } from './store-records.ts';

/** Damage of a table, and what is found. */
interface Damage {
  /** Statements, with a semicolon between them. */
  readonly sql: string;
  readonly found: string;
  /** How many documents are fed again. */
  readonly fedAgain?: number;
}

const DAMAGE: Readonly<Record<string, Damage>> = {
  'all holders are lost': {
    sql: 'delete from capability_holder',
    found: '3 wrong in capability_holder',
  },
  'the holders of one capability are lost': {
    sql: "delete from capability_holder where capability = 'ORG_ADMIN'",
    found: '2 wrong in capability_holder',
  },
  'somebody holds what nobody gave': {
    sql: `insert into capability_holder values ('${ACME.id}', 'ORG_ADMIN', 'c')`,
    found: '1 wrong in capability_holder',
  },
  'a holder has another capability': {
    sql: "update capability_holder set capability = 'ORG_ADMIM' where auth_user_id = 'a'",
    found: '2 wrong in capability_holder',
  },
  'all dynamic fields are lost': {
    sql: 'delete from dynamic_field',
    found: '4 missing in dynamic_field',
    fedAgain: 3,
  },
  'one dynamic field is lost': {
    sql: "delete from dynamic_field where path = 'attributes.level'",
    found: '1 missing in dynamic_field',
    fedAgain: 1,
  },
  'one dynamic field is lost, and another one has too narrow a kind': {
    sql: `update dynamic_field set type = 'long' where path = 'attributes.city';
      delete from dynamic_field where path = 'attributes.level'`,
    found: '2 missing in dynamic_field',
    fedAgain: 3,
  },
  'versions of fields are lost': {
    sql: 'delete from dynamic_field_version',
    found: '1 miscounted in dynamic_field_version',
  },
  'the number of documents is another one': {
    sql: 'update document_count set documents = 7',
    found: '1 miscounted in document_count',
  },
  'the number of documents is lost': {
    sql: 'delete from document_count',
    found: '1 miscounted in document_count',
  },
};

/** Registers the tests. */
export function derivedContract(
  kind: string,
  open: (name: string) => Promise<Pick<AuditDatabase, 'store' | 'run'>>,
): void {
  describe(`derived tables on ${kind}`, () => {
    test('every table has checksums, is derived, or has a reason for neither', async () => {
      const { store, run } = await open('derived_all');
      const names = [...CHECKED_NAMES, ...DERIVED_NAMES, ...Object.keys(OTHER_TABLES)];
      for (const table of names as (keyof Schema)[]) await run(`delete from ${table} where 1 = 0`);
      await store.close();
    });

    for (const [at, [damage, { sql, found, fedAgain = 0 }]] of Object.entries(DAMAGE).entries()) {
      test(`if ${damage}, that is named, and the rows are computed anew`, async () => {
        const { store, run } = await open(`derived_${at}`);
        await fill(store);
        const before = await answersOf(store);
        assert.deepEqual(await wrongOf(store), []);
        for (const statement of sql.split(';')) await run(statement);
        assert.deepEqual(await wrongOf(store), [found]);
        const last = await store.read.lastSequence();
        await store.write((records) => records.mendDerivedRows());
        assert.deepEqual(await wrongOf(store), []);
        assert.deepEqual(await answersOf(store), before);
        assert.equal((await store.read.changesAfter(last, 100)).length, fedAgain);
        await store.close();
      });
    }

    test('a dynamic field of another kind is left out, and learnt again once it was moved away', async () => {
      const { store, run } = await open('derived_kind');
      await fill(store);
      const before = await answersOf(store);
      const own = "path = 'attributes.level'";
      await run(`update dynamic_field set checksum = 'x' || checksum where ${own}`);
      await run(`update dynamic_field set type = 'text' where ${own}`);
      await run(`update dynamic_field set checksum = substr(checksum, 2) where ${own}`);
      const paths = (await store.read.dynamicFields(ACME.id)).map(({ field }) => field.path);
      assert.deepEqual(paths, ['attributes.city', 'attributes.name of it', 'attributes.since']);
      const { documents } = await store.read.documentDamage();
      const [key] = documents;
      assert.equal(key?.id, 'identities attributes.level');
      assert.equal(documents.length, 1);
      const taken = await store.write((records) => records.takeDamagedDocument(key));
      assert.match(String(taken?.root), /"path":"attributes\.level","type":"text"/);
      await store.write((records) => records.mendDerivedRows());
      assert.deepEqual(await answersOf(store), before);
      await store.close();
    });

    for (const [lost, where] of Object.entries({ all: '1 = 1', one: "attribute_id = 'x'" })) {
      test(`a profile that lost ${lost} of its values is refused, and moved away with the others`, async () => {
        const { store, run } = await open(`derived_values_${lost}`);
        await fill(store);
        await run(`delete from profile_value where profile_id = 'p' and ${where}`);
        await assert.rejects(store.read.valuesOf(ACME.id, ['p', 'q']), {
          code: 'unavailable',
          message: /^A value of the profile "p" is damaged in the store: /,
        });
        const setAside: string[] = [];
        const values = await store.read.valuesOf(ACME.id, ['p', 'q'], (id) => setAside.push(id));
        assert.deepEqual([setAside, values.length], [['p'], 2]);
        const { documents } = await store.read.documentDamage();
        assert.deepEqual(documents, [{ tenantId: ACME.id, index: 'profile', id: 'p' }]);
        for (const key of documents) {
          assert.ok(await store.read.isDamagedRecord(key));
          await store.write((records) => records.takeDamagedDocument(key));
        }
        const stray = await store.write((records) => records.takeStrayRows());
        const left = lost === 'all' ? [] : ['y'];
        assert.deepEqual(
          stray.map(({ row }) => JSON.parse(row)['attribute_id']),
          left,
        );
        assert.deepEqual(await store.read.documentDamage(), { count: 0, documents: [] });
        assert.deepEqual(await store.read.inconsistencies(), []);
        await store.close();
      });
    }
  });
}

async function fill(store: Store): Promise<void> {
  await store.write(async (records) => {
    await records.addTenant(ACME);
    await records.putAuthUsers(ACME.id, [
      authUser('a', { capabilities: ['ORG_ADMIN'] }),
      authUser('b', { capabilities: ['ORG_ADMIN', 'HELPDESK'] }),
      authUser('c', {}),
    ]);
    const at = ACME.created;
    await records.addProfiles(
      ACME.id,
      ['p', 'q'].map((id) => ({
        ...{ id, uid: `uid-${id}`, name: id, profileTypeId: 't', status: 'Active' },
        ...{ idProofingStatus: null, archived: false, createdAt: at, updatedAt: at },
      })),
    );
    const items = [{ value: '1', day: null, refId: null }];
    const values = ['p', 'q'].flatMap((profileId) =>
      ['x', 'y'].map((attributeId) => ({ profileId, attributeId, items })),
    );
    await records.addValues(ACME.id, values);
  });
  const documents = new Documents(store, { clock: Date });
  const attributes = [
    { city: 'Oslo', since: '2026-01-01' },
    { city: 'Rome', level: 5 },
    { city: 'Bonn', 'name of it': true },
  ];
  async function* lines() {
    for (const [at, one] of attributes.entries()) {
      yield {
        line: at + 1,
        text: JSON.stringify({ _type: 'identity', id: `i${at}`, attributes: one }),
      };
    }
  }
  const { failed } = await documents.importDocuments(operatorOf(ACME.id), lines(), {
    isSeed: true,
  });
  assert.equal(failed, 0);
}

const answersOf = async ({ read }: Store) => ({
  administrators: await read.countHolders(ACME.id, 'ORG_ADMIN', ''),
  fields: (await read.dynamicFields(ACME.id)).map(({ index, field }) => ({ index, field })),
  counts: await read.documentCounts(ACME.id),
});

const wrongOf = async ({ read }: Store) =>
  (await read.wrongRows()).map(({ kind, table, rows }) => `${rows} ${kind} in ${table}`);
