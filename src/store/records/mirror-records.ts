// The state of mirrors: one row per mirror, one per part, and one per document or record that a
// mirror brought. Ids compare by their UTF-8 bytes in both databases, as in the searches that the
// deletion sweep walks.

import type {
  Mirror,
  MirrorPart,
  WritableMirrorRecords,
} from '../../service/ports/mirror-records.ts';
import { upsertOf } from '../sql/keyed-rows.ts';
import { type Executor, statement, tables } from '../sql/statement.ts';
import { storedJson } from '../sql/stored-json.ts';

export function mirrorRecords(executor: Executor): WritableMirrorRecords {
  return {
    async mirror(tenantId) {
      const row = await executor.get(SELECT, { tenantId });
      return row === undefined ? null : mirrorOf(row);
    },
    async mirrors() {
      return (await executor.all(SELECT_ALL, {})).map(mirrorOf);
    },
    async mirrorParts(tenantId) {
      const rows = await executor.all(SELECT_PARTS, { tenantId });
      return rows.map(partOf);
    },
    async mirroredIds(tenantId, part, { after, upTo }, limit) {
      const key = { tenantId, part, after: after ?? '', limit };
      const rows =
        upTo === null
          ? await executor.all(SELECT_IDS_AFTER, key)
          : await executor.all(SELECT_IDS_BETWEEN, { ...key, upTo });
      return rows.map(({ id }) => id);
    },
    async mirroredCounts(tenantId) {
      const rows = await executor.scan(
        tables
          .selectFrom('mirror_item')
          .select((row) => ['part', row.fn.countAll().as('items')])
          .where('tenant_id', '=', tenantId)
          .groupBy('part'),
      );
      return Object.fromEntries(rows.map(({ part, items }) => [part, Number(items)]));
    },
    async existingDocuments(tenantId, index, ids) {
      if (ids.length === 0) return new Set();
      const rows = await executor.query(
        tables
          .selectFrom('document')
          .select('id')
          .where('tenant_id', '=', tenantId)
          .where('index_name', '=', index)
          .where('id', 'in', ids)
          .where('hash', 'is not', null),
      );
      return new Set(rows.map(({ id }) => id));
    },
    async putMirror({ tenantId, source, ...details }) {
      await executor.run(PUT, { tenantId, source, details: JSON.stringify(details) });
    },
    async putMirrorPart(tenantId, { name, ...progress }) {
      await executor.run(PUT_PART, { tenantId, part: name, progress: JSON.stringify(progress) });
    },
    async addMirrored(tenantId, part, ids) {
      await executor.each(
        ADD_ITEM,
        ids.map((id) => ({ tenantId, part, id })),
      );
    },
    async removeMirrored(tenantId, part, ids) {
      await executor.each(
        REMOVE_ITEM,
        ids.map((id) => ({ tenantId, part, id })),
      );
    },
  };
}

function mirrorOf(row: { tenant_id: string; source: string; details: string }): Mirror {
  const details = storedJson(row.details, 'mirror of', row.source) as Omit<
    Mirror,
    'tenantId' | 'source'
  >;
  return { ...details, tenantId: row.tenant_id, source: row.source };
}

function partOf({ part, progress }: { part: string; progress: string }): MirrorPart {
  return { ...storedJson(progress, 'progress of a mirror in', part), name: part };
}

const SELECT = statement((p: { tenantId: string }) =>
  tables.selectFrom('mirror').selectAll().where('tenant_id', '=', p.tenantId),
);

const SELECT_ALL = statement(() => tables.selectFrom('mirror').selectAll().orderBy('tenant_id'));

const SELECT_PARTS = statement((p: { tenantId: string }) =>
  tables.selectFrom('mirror_part').selectAll().where('tenant_id', '=', p.tenantId).orderBy('part'),
);

type IdsAfter = { tenantId: string; part: string; after: string; limit: number };

const SELECT_IDS_AFTER = statement((p: IdsAfter) =>
  tables
    .selectFrom('mirror_item')
    .select('id')
    .where('tenant_id', '=', p.tenantId)
    .where('part', '=', p.part)
    .where('id', '>', p.after)
    .orderBy('id')
    .limit(p.limit),
);

const SELECT_IDS_BETWEEN = statement((p: IdsAfter & { upTo: string }) =>
  tables
    .selectFrom('mirror_item')
    .select('id')
    .where('tenant_id', '=', p.tenantId)
    .where('part', '=', p.part)
    .where('id', '>', p.after)
    .where('id', '<=', p.upTo)
    .orderBy('id')
    .limit(p.limit),
);

const PUT = upsertOf('mirror', ['tenant_id'], ['source', 'details']);

const PUT_PART = upsertOf('mirror_part', ['tenant_id', 'part'], ['progress']);

type Item = { tenantId: string; part: string; id: string };

const ADD_ITEM = statement((p: Item) =>
  tables
    .insertInto('mirror_item')
    .values({ tenant_id: p.tenantId, part: p.part, id: p.id })
    .onConflict((conflict) => conflict.doNothing()),
);

const REMOVE_ITEM = statement((p: Item) =>
  tables
    .deleteFrom('mirror_item')
    .where('tenant_id', '=', p.tenantId)
    .where('part', '=', p.part)
    .where('id', '=', p.id),
);
