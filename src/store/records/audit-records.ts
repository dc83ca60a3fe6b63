// The audit trail: events in a hash chain per tenant, the recorded end of each chain, and how far
// events were exported.
// Invariant: rows of `audit_event` are only inserted. Triggers reject anything else
// (audit-protection.ts).
import { sql } from 'kysely';
import { documentHash } from '../../service/documents/document-hash.ts';
import { EMPTY_CHAIN, extendChain } from '../../service/ports/audit-chain.ts';
import type { StoredAuditEvent, WritableAuditRecords } from '../../service/ports/audit-records.ts';
import type { StoredDocument } from '../../service/ports/stored-document.ts';
import { upsertOf } from '../sql/keyed-rows.ts';
import { PUT_HEAD, SELECT_HEAD, storedEvent } from '../sql/shared-statements.ts';
import { type Executor, statement, tables } from '../sql/statement.ts';
import { protectionFaults, restoreProtection } from './audit-protection.ts';
import { authUserEvents, targetIdIn } from './audit-targets.ts';
import { decodeDocument } from './document-bytes.ts';
import { takeSequences, writeDocuments } from './document-records.ts';

export function auditRecords(executor: Executor): WritableAuditRecords {
  return {
    async auditChain(tenantId, number, limit) {
      return (await executor.all(SELECT_CHAIN, { tenantId, number, limit })).map(storedEvent);
    },
    async auditHead(tenantId) {
      const row = await executor.get(SELECT_HEAD, { tenantId });
      return row === undefined ? null : { ...row };
    },
    async auditEvents(tenantId, ids) {
      if (ids.length === 0) return new Map();
      const rows = await executor.query(
        tables
          .selectFrom('audit_event')
          .select(['id', 'number', 'event', 'sequence'])
          .where('tenant_id', '=', tenantId)
          .where('id', 'in', ids),
      );
      return new Map(rows.map(({ id, event: text, ...row }) => [id, { ...row, text }]));
    },
    authUserEvents: (tenantId, query) => authUserEvents(executor, tenantId, query),
    async auditEventsAfter(sequence, limit) {
      return (await executor.all(SELECT_AFTER, { sequence, limit })).map(storedEvent);
    },
    async storeHistory(sequence) {
      const row = await executor.get(SELECT_HISTORY, { sequence });
      if (row === undefined) return { last: 0, lastMark: null, mark: null };
      return {
        last: row.last,
        lastMark: markOf(row.last_event, row.last_writer),
        mark: markOf(row.event, row.writer),
      };
    },
    async auditExport(target) {
      const row = await executor.get(SELECT_EXPORT, { target });
      return row === undefined
        ? null
        : { target, sequence: row.sequence, owner: row.owner, leaseUntil: row.lease_until };
    },
    async eventDocuments(tenantId, afterId, limit) {
      const rows = await executor.all(SELECT_DOCUMENTS, { tenantId, afterId, limit });
      return rows.map(({ sequence, id, root, nested }) => {
        const columns = { root: root ?? NO_BYTES, nested: nested ?? NO_BYTES };
        return { sequence, index: 'events', id, ...(decodeDocument(columns) ?? columns) };
      });
    },
    async auditTenants() {
      const events = tables.selectFrom('audit_event').select('tenant_id');
      const rows = await executor.scan(
        events.union(tables.selectFrom('audit_head').select('tenant_id')),
      );
      return rows.map((row) => row.tenant_id).sort();
    },
    auditProtectionFaults: () => protectionFaults(executor),
    restoreAuditProtection: () => restoreProtection(executor),
    appendAuditEvents: (tenantId, events) => appendAuditEvents(executor, tenantId, events),
    async setAuditExport({ target, sequence, owner, leaseUntil }) {
      await executor.run(PUT_EXPORT, { target, sequence, owner, leaseUntil });
    },
  };
}

const NO_BYTES = new Uint8Array(0);
const TEXT = new TextDecoder();

async function appendAuditEvents(
  executor: Executor,
  tenantId: string,
  events: readonly StoredDocument[],
): Promise<void> {
  const changed = events.map((document) => {
    return { document, hash: document.hash ?? documentHash(document.root, document.nested) };
  });
  if (changed.length === 0) return;
  const [last, head] = await Promise.all([
    takeSequences(executor, changed.length),
    executor.shared === null
      ? executor.get(SELECT_HEAD, { tenantId })
      : executor.shared.head(tenantId),
  ]);
  const first = last - changed.length + 1;
  const chained = extendChain(
    tenantId,
    head ?? EMPTY_CHAIN,
    events.map(({ id, root }) => ({ id, text: TEXT.decode(root) })),
  );
  await Promise.all([
    writeDocuments(executor, tenantId, changed, {
      created: [['events', changed.length]],
      last,
    }),
    putChain(
      executor,
      chained.map((event, i) => ({ ...event, sequence: first + i })),
    ),
  ]);
}

/** Inserts events that continue a tenant's chain, and updates its head. */
export async function putChain(
  executor: Executor,
  events: readonly StoredAuditEvent[],
): Promise<void> {
  const last = events.at(-1);
  if (last === undefined) return;
  const { tenantId, number, hash } = last;
  const rows = events.map((event) => ({ targetId: targetIdIn(event.text), ...event }));
  const inserted = executor.each(INSERT, rows);
  if (executor.shared !== null) {
    executor.shared.setHead(tenantId, { number, hash });
    await inserted;
  } else {
    await Promise.all([inserted, executor.run(PUT_HEAD, { tenantId, number, hash })]);
  }
}

type Inserted = Readonly<Record<keyof StoredAuditEvent, string | number>> & {
  readonly targetId: string | null;
  readonly sequence: number;
  readonly tenantId: string;
  readonly number: number;
  readonly id: string;
  readonly text: string;
  readonly previousHash: string;
  readonly hash: string;
};

/** `fail`, as a table with triggers costs SQLite less then (migrations/0024-audit-inserts.ts). */
const INSERT = statement((p: Inserted) =>
  tables.insertInto('audit_event').orFail().values({
    sequence: p.sequence,
    tenant_id: p.tenantId,
    number: p.number,
    id: p.id,
    event: p.text,
    previous_hash: p.previousHash,
    hash: p.hash,
    target_id: p.targetId,
  }),
);

const SELECT_CHAIN = statement((p: { tenantId: string; number: number; limit: number }) =>
  tables
    .selectFrom('audit_event')
    .selectAll()
    .where('tenant_id', '=', p.tenantId)
    .where('number', '>', p.number)
    .orderBy('number')
    .limit(p.limit),
);

/** Without a writer as versions that recorded none. */
function markOf(...parts: readonly (string | null)[]): string | null {
  const known = parts.filter((part) => part !== null);
  return known.length === 0 ? null : known.join(' ');
}

const SELECT_HISTORY = statement((p: { sequence: number }) =>
  tables
    .selectFrom('sequence_counter')
    .where('name', '=', 'document')
    .select((row) => {
      const event = row
        .selectFrom('audit_event')
        .select(sql<string>`audit_event.sequence || ' ' || hash`.as('mark'))
        .orderBy('sequence', 'desc')
        .limit(1);
      const writer = row
        .selectFrom('store_writer')
        .select('id')
        .orderBy('sequence', 'desc')
        .limit(1);
      const last = 'sequence_counter.value';
      return [
        'value as last',
        event.whereRef('audit_event.sequence', '<=', last).as('last_event'),
        writer.whereRef('store_writer.sequence', '<', last).as('last_writer'),
        event.where('audit_event.sequence', '<=', p.sequence).as('event'),
        writer.where('store_writer.sequence', '<', p.sequence).as('writer'),
      ];
    }),
);

const SELECT_AFTER = statement((p: { sequence: number; limit: number }) =>
  tables
    .selectFrom('audit_event')
    .selectAll()
    .where('sequence', '>', p.sequence)
    .orderBy('sequence')
    .limit(p.limit),
);

const SELECT_EXPORT = statement((p: { target: string }) =>
  tables
    .selectFrom('audit_export')
    .select(['sequence', 'owner', 'lease_until'])
    .where('target', '=', p.target),
);

const PUT_EXPORT = upsertOf('audit_export', ['target'], ['sequence', 'owner', 'lease_until']);

const SELECT_DOCUMENTS = statement((p: { tenantId: string; afterId: string; limit: number }) =>
  tables
    .selectFrom('document')
    .select(['sequence', 'id', 'root', 'nested'])
    .where('tenant_id', '=', p.tenantId)
    .where('index_name', '=', 'events')
    .where('id', '>', p.afterId)
    .where('hash', 'is not', null)
    .orderBy('id')
    .limit(p.limit),
);
