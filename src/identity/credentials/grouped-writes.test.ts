import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { type TestTenant, testTenant } from '../../../test/support/tenant.ts';
import { LOCAL_OPERATOR } from '../audit/audit-event.ts';
import { ForwardingStore } from '../ports/forwarding-store.ts';
import { GroupedWrites, type Recorded } from './grouped-writes.ts';

let setting: TestTenant;
let transactions: number;
let failure: Error | null;
let writes: GroupedWrites;

beforeEach(async () => {
  setting = await testTenant();
  transactions = 0;
  failure = null;
  const { store } = setting;
  const counting = new ForwardingStore(store, {
    write(work) {
      transactions++;
      return failure === null ? store.write(work) : Promise.reject(failure);
    },
  });
  writes = new GroupedWrites(counting);
});

let ids = 0;

function recorded<T>(value: T): Recorded<T> {
  const event = {
    ...{ id: `e${++ids}`, created: '2026-01-01T00:00:00.000Z', actor: LOCAL_OPERATOR, target: 't' },
    ...{ action: 'Test', operation: 'REQUEST', technicalName: 'TEST_REQUEST_PASSED' },
    ...{ status: 'PASSED' as const, attributes: {} },
  };
  return { value, tenantId: setting.tenant.id, events: [event] };
}

const eventCount = async () => (await setting.store.read.auditHead(setting.tenant.id))?.number ?? 0;

test('writes during a transaction share the next one, and each gets its own value', async () => {
  const before = await eventCount();
  const all = Array.from({ length: 40 }, (_, i) => writes.write(async () => recorded(i)));
  assert.deepEqual(await Promise.all(all), [...all.keys()]);
  assert.equal(transactions, 2);
  assert.equal(await eventCount(), before + 40);
});

test('a failed group rejects each of its members, and the next group runs', async () => {
  const before = await eventCount();
  failure = new Error('the disk is full');
  const failed = [1, 2, 3].map((n) => writes.write(async () => recorded(n)));
  for (const one of await Promise.allSettled(failed)) {
    assert.equal(one.status === 'rejected' && one.reason.message, 'the disk is full');
  }
  failure = null;
  assert.equal(await writes.write(async () => recorded('committed')), 'committed');
  assert.equal(await eventCount(), before + 1);
});
