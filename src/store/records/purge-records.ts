// Purges rows that nothing needs any more: documents that the retention ends, tombstones, and
// credentials that have expired.
// Invariant: `purged` of sequence_counter is the highest sequence of a purged tombstone, and is
// written in the same transaction. A consumer of the change sequence that does not hold all changes
// up to it must start from nothing (src/backends/indexer.ts).
// Invariant: the row of the last change stays, also when it is a tombstone.

import type { ExpiringRows, WritablePurgeRecords } from '../../service/ports/purge-records.ts';
import { deleteByKey, type RowKey, upsert } from '../sql/keyed-rows.ts';
import { type Executor, type Statement, statement, tables } from '../sql/statement.ts';
import { writeTombstones } from './document-records.ts';

export function purgeRecords(executor: Executor): WritablePurgeRecords {
  return {
    async purgeMark() {
      const row = await executor.get(SELECT_MARK, {});
      if (row === undefined) return null;
      return { markedSequence: row.marked_sequence, markedAt: row.marked_at };
    },
    async purgeClock() {
      return (await executor.get(SELECT_CLOCK, {}))?.marked_at ?? null;
    },
    async setPurgeClock(instant) {
      await executor.run(PUT_CLOCK, { instant });
    },
    async purgedSequence() {
      return (await executor.get(SELECT_PURGED, {}))?.value ?? 0;
    },
    async eventsPurgedBefore(tenantId) {
      return (await executor.get(SELECT_EVENTS, { tenantId }))?.purged_before ?? null;
    },
    async setPurgeMark({ markedSequence, markedAt }) {
      await executor.run(PUT_MARK, { markedSequence, markedAt });
    },
    async setEventsPurgedBefore(tenantId, instant) {
      const row = await executor.get(SELECT_EVENTS, { tenantId });
      if (row !== undefined && row.purged_before >= instant) return;
      await executor.run(PUT_EVENTS, { tenantId, instant });
    },
    async deleteUnchangedDocuments(tenantId, index, ids, sequence) {
      if (ids.length === 0) return 0;
      const rows = await executor.query(
        tables
          .selectFrom('document')
          .select('id')
          .where('tenant_id', '=', tenantId)
          .where('index_name', '=', index)
          .where('id', 'in', ids)
          .where('hash', 'is not', null)
          .where('sequence', '<=', sequence),
      );
      await writeTombstones(
        executor,
        tenantId,
        index,
        rows.map(({ id }) => id),
      );
      return rows.length;
    },
    async purgeTombstones(sequence, limit) {
      const rows = await executor.all(SELECT_TOMBSTONES, { sequence, limit });
      const last = rows.at(-1);
      if (last === undefined) return 0;
      await executor.each(
        DELETE_TOMBSTONE,
        rows.map((row) => ({ sequence: row.sequence })),
      );
      await executor.run(RAISE_PURGED, { sequence: last.sequence });
      return rows.length;
    },
    async purgeExpired(rows, instant, limit) {
      const { select, remove, expiry } = EXPIRING[rows];
      const keys = await executor.all(select, { expires: expiry(instant), limit });
      await executor.each(
        remove,
        keys.map((key) => ({ tenantId: key.tenant_id, id: key.id })),
      );
      return keys.length;
    },
  };
}

const STATE = 'state';
const CLOCK = 'clock';
const PURGED = 'purged';

const SELECT_MARK = statement(() =>
  tables
    .selectFrom('purge_state')
    .select(['marked_sequence', 'marked_at'])
    .where('name', '=', STATE),
);

/** Earlier builds leased the purge to one process: these columns are of no use now. */
const NO_LEASE = { owner: '', lease_until: 0 };

const PUT_MARK = statement((p: { markedSequence: number; markedAt: number }) =>
  upsert('purge_state', ['name'], {
    ...{ name: STATE, ...NO_LEASE },
    marked_sequence: p.markedSequence,
    marked_at: p.markedAt,
  }),
);

const SELECT_CLOCK = statement(() =>
  tables.selectFrom('purge_state').select('marked_at').where('name', '=', CLOCK),
);

const PUT_CLOCK = statement((p: { instant: number }) =>
  upsert('purge_state', ['name'], {
    ...{ name: CLOCK, ...NO_LEASE },
    marked_sequence: 0,
    marked_at: p.instant,
  }),
);

const SELECT_EVENTS = statement((p: { tenantId: string }) =>
  tables.selectFrom('event_purge').select('purged_before').where('tenant_id', '=', p.tenantId),
);

const PUT_EVENTS = statement((p: { tenantId: string; instant: number }) =>
  upsert('event_purge', ['tenant_id'], { tenant_id: p.tenantId, purged_before: p.instant }),
);

const SELECT_PURGED = statement(() =>
  tables.selectFrom('sequence_counter').select('value').where('name', '=', PURGED),
);

const RAISE_PURGED = statement((p: { sequence: number }) =>
  tables
    .updateTable('sequence_counter')
    .set({ value: p.sequence })
    .where('name', '=', PURGED)
    .where('value', '<', p.sequence),
);

/** Reads the index of tombstones, and none of the other documents. */
const SELECT_TOMBSTONES = statement((p: { sequence: number; limit: number }) =>
  tables
    .selectFrom('document')
    .select('sequence')
    .where('hash', 'is', null)
    .where('sequence', '<=', p.sequence)
    .where('sequence', '<', (row) =>
      row.selectFrom('sequence_counter').select('value').where('name', '=', 'document'),
    )
    .orderBy('sequence')
    .limit(p.limit),
);

const DELETE_TOMBSTONE = statement((p: { sequence: number }) =>
  tables.deleteFrom('document').where('sequence', '=', p.sequence).where('hash', 'is', null),
);

interface ExpiringTable {
  readonly select: Statement<
    { expires: string | number; limit: number },
    { tenant_id: string; id: string }
  >;
  readonly remove: Statement<RowKey, unknown>;
  /** An instant as the column `expires` of the table holds it. */
  expiry(instant: number): string | number;
}

function expiringTable(
  table: 'revoked_token' | 'refresh_token',
  expiry: ExpiringTable['expiry'],
): ExpiringTable {
  return {
    select: statement((p: { expires: string | number; limit: number }) =>
      tables
        .selectFrom(table)
        .select(['tenant_id', 'id'])
        .where('expires', '<', p.expires as never)
        .orderBy('expires')
        .limit(p.limit),
    ),
    remove: deleteByKey(table),
    expiry,
  };
}

const EXPIRING: Readonly<Record<ExpiringRows, ExpiringTable>> = {
  revoked_tokens: expiringTable('revoked_token', (instant) => instant),
  refresh_tokens: expiringTable('refresh_token', (instant) => new Date(instant).toISOString()),
};
