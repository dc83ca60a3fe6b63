import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, beforeEach, test } from 'node:test';
import { openThrowAwayStore } from '../../../test/support/empty-store.ts';
import { lines } from '../../../test/support/service.ts';
import { operatorOf } from '../../service/audit/operator-event.ts';
import { Documents } from '../../service/imports/documents.ts';
import { ForwardingStore } from '../../service/ports/forwarding-store.ts';
import type { Store } from '../../service/ports/store.ts';
import { openConnection } from '../../store/sqlite/sqlite-driver.ts';
import { FieldKinds } from './field-kinds.ts';

const TENANT = 't';
const directory = mkdtempSync(join(tmpdir(), 'cardea-field-kinds-'));
let opened = 0;
let store: Store;
let logged: object[] = [];
const log = { info: (details: object) => logged.push(details), warn() {}, error() {} };
const PACE = { log: log as never, rest: 0, everyMs: 60_000 };

beforeEach(async () => {
  logged = [];
  store = await openThrowAwayStore(join(directory, `${opened++}.db`));
  await store.write((records) =>
    records.addTenant({
      id: TENANT,
      name: 'acme',
      pod: 'pod1',
      created: '2026-01-01T00:00:00.000Z',
    }),
  );
});
afterEach(() => store.close());
after(() => rmSync(directory, { recursive: true, force: true }));

async function put(values: readonly unknown[], from = 0): Promise<void> {
  const documents = values.map((value, at) => ({
    ...{ _type: 'identity', id: `i${String(from + at).padStart(4, '0')}` },
    attributes: { code: value, city: 'Oslo' },
  }));
  const imports = new Documents(store, { clock: Date });
  const { failed } = await imports.importDocuments(operatorOf(TENANT), lines(documents), {
    isSeed: true,
  });
  assert.equal(failed, 0);
}

const kind = async () => {
  const fields = await store.read.dynamicFields(TENANT);
  return fields.find(({ field }) => field.path === 'attributes.code')?.field.type;
};
const fedAfter = async (sequence: number) =>
  (await store.read.changesAfter(sequence, 1_000)).map(({ id }) => id);

test('documents from before the change are fed again, and no others', async () => {
  await put([1, null, 2, [3, 4]]);
  await put(['A-7', 5], 4);
  assert.equal(await kind(), 'text');
  const last = await store.read.lastSequence();
  await new FieldKinds(store, PACE).finish();
  assert.deepEqual(await fedAfter(last), ['i0000', 'i0002', 'i0003', 'i0005']);
  assert.deepEqual(await store.read.changedFields(), []);
  assert.deepEqual(logged, [
    {
      ...{ tenantId: TENANT, index: 'identities', documents: 4 },
      fields: ['attributes.code: long is now text'],
    },
  ]);
  await new FieldKinds(store, PACE).finish();
  assert.equal((await fedAfter(last)).length, 4, 'nothing is left to do');
});

test('values that an earlier version stored against the kind of their field widen it', async () => {
  await put([1, 2]);
  await put(['A-7', 'B-8'], 2);
  await store.close();
  // As the step of the schema leaves a store of before.
  const path = join(directory, `${opened - 1}.db`);
  const connection = await openConnection(path, 1_000);
  connection.exec(
    "update dynamic_field set type = 'long', indexed_as = 'long' where path = 'attributes.code'",
  );
  connection.close();
  store = await openThrowAwayStore(path);
  assert.equal(await kind(), 'long');
  const last = await store.read.lastSequence();
  await new FieldKinds(store, PACE).finish();
  assert.equal(await kind(), 'text');
  assert.deepEqual(await fedAfter(last), ['i0002', 'i0003']);
  await new FieldKinds(store, PACE).finish();
  assert.deepEqual(await fedAfter(last), ['i0002', 'i0003', 'i0000', 'i0001']);
  assert.deepEqual(await store.read.changedFields(), []);
});

test('what ends at any point is done by the next run', async () => {
  const numbers = Array.from({ length: 450 }, (_, n) => n);
  await put(numbers);
  await put(['last'], numbers.length);
  const last = await store.read.lastSequence();
  for (let calls = 0; (await store.read.changedFields()).length > 0; calls++) {
    assert.ok(calls < 20, 'it ends');
    let left = calls;
    const write: Store['write'] = (work) => {
      left -= 1;
      return left < 0 ? Promise.reject(new Error('killed')) : store.write(work);
    };
    const kinds = new FieldKinds(new ForwardingStore(store, { write }), PACE);
    await kinds.finish().catch((error: Error) => assert.equal(error.message, 'killed'));
  }
  assert.deepEqual([...new Set(await fedAfter(last))].length, 450);
});
