// Exports at least once: no event is lost over failures, restarts and changes of the exporting
// node.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { temporaryStore } from '../../../test/support/tenant.ts';
import { createTenant } from '../../service/accounts/provisioning.ts';
import { LOCAL_OPERATOR, recordAuditEvents } from '../../service/audit/audit-event.ts';
import { chainHash } from '../../service/ports/audit-chain.ts';
import type { Store, Tenant } from '../../service/ports/store.ts';
import { AuditExporter } from './audit-exporter.ts';
import type { ExportTarget } from './export-target.ts';
import { HttpTarget } from './http-target.ts';

interface Line {
  readonly tenant: string;
  readonly tenantId: string;
  readonly number: number;
  readonly previousHash: string;
  readonly hash: string;
  readonly event: { readonly id: string; readonly technicalName: string };
}

let store: Store;
let tenant: Tenant;
let now: number;
let warnings: string[];

beforeEach(async () => {
  store = await temporaryStore();
  tenant = await createTenant(store, { name: 'acme' });
  now = 1_000_000;
  warnings = [];
});

let events = 0;

async function record(count: number): Promise<void> {
  const all = Array.from({ length: count }, () => ({
    id: `e${++events}`,
    created: '2026-01-01T00:00:00.000Z',
    actor: LOCAL_OPERATOR,
    target: 't',
    act: 'AUTH_USER_PATCH' as const,
    attributes: {},
  }));
  await store.write((records) => recordAuditEvents(records, tenant.id, all));
}

/** A target that stores the lines it receives, and fails while `failing` is set. */
class FakeTarget implements ExportTarget {
  readonly name: string = 'fake';
  readonly texts: string[] = [];
  failing: 'no' | 'before' | 'after' = 'no';

  async deliver(lines: readonly string[]): Promise<void> {
    if (this.failing === 'before') throw new Error('the collector is unavailable');
    this.texts.push(...lines);
    if (this.failing === 'after') throw new Error('the answer was lost');
  }

  get numbers(): number[] {
    return this.texts.map((text) => (JSON.parse(text) as Line).number);
  }
}

function exporter(target: ExportTarget, owner = 'node-1'): AuditExporter {
  return new AuditExporter(store, target, {
    owner,
    clock: { now: () => now },
    log: { info: () => {}, warn: (_, message) => warnings.push(message) },
    ...{ pollMs: 1, retryMs: 1, retryMsMax: 2, leaseMs: 30_000 },
  });
}

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);

test('exports each event as a line with its number in the chain and all inputs of its hash', async () => {
  await record(2);
  const target = new FakeTarget();
  assert.equal(await exporter(target).exportBatch(), 3);
  for (const [i, line] of target.texts.entries()) {
    const { event, ...chained } = JSON.parse(line) as Line;
    assert.deepEqual(
      [chained.tenant, chained.tenantId, chained.number],
      ['acme', tenant.id, i + 1],
    );
    const text = line.slice(line.indexOf('"event":') + '"event":'.length, -1);
    assert.deepEqual(JSON.parse(text), event);
    assert.equal(chainHash({ ...chained, text }), chained.hash);
  }
  assert.equal(await exporter(target).exportBatch(), 0);
});

test('repeats a failed delivery and omits no event', async () => {
  await record(2);
  const target = new FakeTarget();
  const auditExporter = exporter(target);
  target.failing = 'before';
  await assert.rejects(auditExporter.exportBatch(), /collector is unavailable/);
  target.failing = 'after';
  await assert.rejects(auditExporter.exportBatch(), /answer was lost/);
  target.failing = 'no';
  await auditExporter.exportBatch();
  await record(1);
  await auditExporter.exportBatch();
  assert.deepEqual(target.numbers, [1, 2, 3, 1, 2, 3, 4]);
});

test('another process continues at the position once the lease has expired', async () => {
  const target = new FakeTarget();
  await exporter(target, 'node-1').exportBatch();
  await record(2);
  assert.equal(await exporter(target, 'node-2').exportBatch(), 0);
  now += 30_000;
  assert.equal(await exporter(target, 'node-2').exportBatch(), 2);
  assert.equal(await exporter(target, 'node-1').exportBatch(), 0);
  assert.deepEqual(target.numbers, [1, 2, 3]);
});

test('the name of a collector tells its origin, not the path that may be a secret', () => {
  const nameOf = (path: string) =>
    new HttpTarget(`https://logs.example.org/${path}`, null, async () => {}).name;
  const names = ['audit', 'other', 'audit?token=x'].map(nameOf);
  assert.equal(new Set(names).size, 3);
  for (const name of names) assert.match(name, /^http https:\/\/logs\.example\.org [0-9a-f]{16}$/);
  assert.equal(nameOf('audit'), names[0]);
});

test('ignores a lease from a clock that is far ahead', async () => {
  const target = new FakeTarget();
  now += 86_400_000;
  await exporter(target, 'node-1').exportBatch();
  now -= 86_400_000;
  await record(1);
  assert.equal(await exporter(target, 'node-2').exportBatch(), 1);
});

test('splits many events into several deliveries', async () => {
  await record(1_200);
  const target = new FakeTarget();
  const auditExporter = exporter(target);
  const sizes: number[] = [];
  for (let size = -1; size !== 0; sizes.push(size)) size = await auditExporter.exportBatch();
  assert.deepEqual(sizes, [500, 500, 201, 0]);
  assert.deepEqual(target.numbers, range(1, 1_201));
});

test('follows the trail, reports failure and recovery, and releases its lease', async () => {
  const target = new FakeTarget();
  target.failing = 'before';
  const auditExporter = exporter(target);
  auditExporter.start();
  await eventually(() => assert.ok(warnings.length > 1));
  assert.match(auditExporter.warning ?? '', /could not be exported/);
  target.failing = 'no';
  await record(3);
  await eventually(() => assert.deepEqual(target.numbers, range(1, 4)));
  await eventually(() => assert.equal(auditExporter.warning, null));
  await auditExporter.stop();
  await record(1);
  assert.equal(await exporter(target, 'node-2').exportBatch(), 1);
});
