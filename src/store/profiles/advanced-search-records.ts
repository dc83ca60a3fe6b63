// Advanced searches in their table, rules as one JSON text; profile-search.ts runs them.

import type {
  AdvancedSearch,
  WritableAdvancedSearchRecords,
} from '../../service/ports/advanced-search-records.ts';
import { wireName } from '../../service/profiles/resources/wire-names.ts';
import { deleteByKey, insertOf } from '../sql/keyed-rows.ts';
import type { AdvancedSearchTable } from '../sql/schema.ts';
import { type Executor, statement, tables } from '../sql/statement.ts';
import { storedJson } from '../sql/stored-json.ts';
import { type PageSource, readPage } from './page-query.ts';
import { matchingProfiles } from './profile-search.ts';

export function advancedSearchRecords(executor: Executor): WritableAdvancedSearchRecords {
  return {
    async advancedSearch(tenantId, key) {
      const row =
        (await executor.get(BY_ID, { tenantId, key })) ??
        (await executor.get(BY_UID, { tenantId, key }));
      return row === undefined ? null : search(row);
    },
    async advancedSearchPage(tenantId, query) {
      const { rows, total } = await readPage(executor, SOURCE, tenantId, query);
      return { rows: (rows as unknown as AdvancedSearchTable[]).map(search), total };
    },
    matchingProfiles: (tenantId, search, between) =>
      matchingProfiles({ executor, tenantId, between }, search),
    async addAdvancedSearch(tenantId, { id, uid, createdAt, updatedAt, label, rules }) {
      await executor.run(INSERT, {
        tenantId,
        id,
        uid,
        createdAt,
        updatedAt,
        label,
        rules: JSON.stringify(rules),
      });
    },
    async updateAdvancedSearch(tenantId, { id, updatedAt, label, rules }) {
      const text = JSON.stringify(rules);
      await executor.run(UPDATE, { tenantId, id, updatedAt, label, rules: text });
    },
    async deleteAdvancedSearch(tenantId, id) {
      await executor.run(DELETE, { tenantId, id });
    },
  };
}

const SOURCE: PageSource = {
  table: 'advanced_search',
  // The label has no folded column: the order ignores the case of ASCII letters only, as for a uid.
  compared: (member) => ({
    column: wireName(member),
    folds: false,
    optional: member === 'label',
    lowered: member === 'label',
  }),
};

function search(row: AdvancedSearchTable): AdvancedSearch {
  return {
    id: row.id,
    uid: row.uid,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    label: row.label,
    rules: storedJson(row.rules, 'advanced search', row.id),
  };
}

const by = (column: 'id' | 'uid') =>
  statement((p: { tenantId: string; key: string }) =>
    tables
      .selectFrom('advanced_search')
      .selectAll()
      .where('tenant_id', '=', p.tenantId)
      .where(column, '=', p.key),
  );

const BY_ID = by('id');
const BY_UID = by('uid');

type Edited = {
  tenantId: string;
  id: string;
  updatedAt: string;
  label: string | null;
  rules: string;
};

const INSERT = insertOf('advanced_search', [
  'tenant_id',
  'id',
  'uid',
  'created_at',
  'updated_at',
  'label',
  'rules',
]);

const UPDATE = statement((p: Edited) =>
  tables
    .updateTable('advanced_search')
    .set({ label: p.label, rules: p.rules, updated_at: p.updatedAt })
    .where('tenant_id', '=', p.tenantId)
    .where('id', '=', p.id),
);

const DELETE = deleteByKey('advanced_search');
