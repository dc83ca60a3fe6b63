// Views: one row each, by name, with what they show as JSON; and the view of an auth user.

import type { View, WritableViewRecords } from '../../service/ports/view-records.ts';
import { deleteByKey, type RowKey, selectByKey, upsertOf } from '../sql/keyed-rows.ts';
import type { ViewTable } from '../sql/schema.ts';
import { type Executor, hasNul, statement, tables } from '../sql/statement.ts';
import { storedJson } from '../sql/stored-json.ts';

export function viewRecords(executor: Executor): WritableViewRecords {
  return {
    async view(tenantId, name) {
      // A name in a path is any text; no stored name has a NUL, and PostgreSQL rejects it.
      if (hasNul(name)) return null;
      const row = await executor.get(SELECT, { tenantId, id: name });
      return row === undefined ? null : viewOf(row);
    },
    async views(tenantId) {
      const stored = (await executor.all(SELECT_ALL, { tenantId })).map(viewOf);
      return stored.sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    async putView(tenantId, { name: id, created, modified, ...details }) {
      const row = { tenantId, id, created, modified, details: JSON.stringify(details) };
      await executor.run(PUT, row);
    },
    async deleteView(tenantId, name) {
      if (hasNul(name)) return false;
      return (await executor.run(DELETE, { tenantId, id: name })) > 0;
    },
    async setUserView(tenantId, id, name) {
      await executor.run(SET_USER_VIEW, { tenantId, id, name });
    },
  };
}

function viewOf({ id: name, created, modified, details }: ViewTable): View {
  return { name, ...storedJson(details, 'view', name), created, modified };
}

const SELECT = selectByKey('document_view');

const SELECT_ALL = statement((p: { tenantId: string }) =>
  tables.selectFrom('document_view').selectAll().where('tenant_id', '=', p.tenantId),
);

const PUT = upsertOf('document_view', ['tenant_id', 'id'], ['created', 'modified', 'details']);

const DELETE = deleteByKey('document_view');

const SET_USER_VIEW = statement((p: RowKey & { name: string | null }) =>
  tables
    .updateTable('auth_user')
    .set({ view_name: p.name })
    .where('tenant_id', '=', p.tenantId)
    .where('id', '=', p.id),
);
