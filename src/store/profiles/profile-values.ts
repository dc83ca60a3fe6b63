// The values of profiles: one row for each item, with columns derived for rules and checks.
// Invariant: the derived columns are computed here only, so two writers cannot differ. A profile has the
// number of its rows here (`items`), written with them by what was added and deleted, so that a profile
// whose rows were lost is refused.

import type { SelectQueryBuilder } from 'kysely';
import { ServiceError } from '../../errors.ts';
import type {
  DuplicateKeys,
  ProfileValue,
  ValueItem,
  ValueKey,
  WritableProfileRecords,
} from '../../service/ports/profile-records.ts';
import { readDecimal } from '../../service/profiles/values/decimal.ts';
import { foldText } from '../../service/profiles/values/fold-text.ts';
import { parametersOf } from '../sql/keyed-rows.ts';
import { CHECKED_TABLES, checksumOf, rowChecksum } from '../sql/row-checksum.ts';
import type { ProfileValueTable, Schema } from '../sql/schema.ts';
import { type Executor, statement, type Tree, tables } from '../sql/statement.ts';
import { keyLists } from './key-list.ts';

type ValueRecords = Pick<
  WritableProfileRecords,
  'valuesOf' | 'optionsByLabel' | 'holdersOf' | 'profilesWith' | 'addValues' | 'putValues'
>;

/** Values between two pauses. */
const VALUES_BEFORE_PAUSE = 200;

const KEY_COLUMN = { folded: 'folded', day: 'day', refId: 'ref_id' } as const;

export function profileValues(executor: Executor): ValueRecords {
  const insert = async (tenantId: string, values: readonly ProfileValue[]) => {
    for (const [i, value] of values.entries()) {
      for (const row of rowsOf(tenantId, value)) {
        // Here, as a trigger would write each row once more: an import has dozens for a profile.
        const checksum = checksumOf('profile_value', row);
        await executor.run(INSERT_VALUE, { ...row, checksum });
      }
      if (i % VALUES_BEFORE_PAUSE === 0) await executor.pause();
    }
  };
  const addItems = async (tenantId: string, added: ReadonlyMap<string, number>) => {
    const changes = [...added].filter(([, items]) => items !== 0);
    await executor.each(
      ADD_ITEMS,
      changes.map(([profileId, items]) => ({ tenantId, profileId, items })),
    );
  };
  return {
    async valuesOf(tenantId, profileIds, setAside = refuseProfile) {
      const values: ProfileValue[] = [];
      for (const [i, list] of keyLists(profileIds).entries()) {
        if (i > 0) await executor.pause();
        const rows = await executor.query(valuesOf(tenantId, list));
        const damaged = damagedProfiles(rows);
        for (const id of damaged) setAside(id);
        collect(
          values,
          rows.filter((row): row is Stored => row.attribute_id !== null && !damaged.has(row.id)),
        );
      }
      return values;
    },
    async optionsByLabel(tenantId, attributeIds, labels) {
      const rows = [];
      for (const ids of keyLists(attributeIds)) {
        for (const [i, folded] of keyLists(labels).entries()) {
          if (i > 0) await executor.pause();
          rows.push(...(await executor.query(optionsByLabel(tenantId, ids, folded))));
        }
      }
      return rows.map(({ attributeId, folded, id, label }) => ({ attributeId, folded, id, label }));
    },
    async holdersOf(tenantId, attributeId, by, keys) {
      const rows = [];
      for (const list of keyLists(keys))
        rows.push(...(await executor.query(holdersOf(tenantId, attributeId, by, list))));
      return rows.map(({ profileId, key }) => ({ profileId, key: String(key) }));
    },
    async profilesWith(tenantId, profileTypeId, values, limit) {
      const rows = await executor.query(profilesWith(tenantId, profileTypeId, values, limit));
      return rows.map(({ id }) => id);
    },
    async addValues(tenantId, values) {
      await insert(tenantId, values);
      await addItems(tenantId, itemsOf(values));
    },
    async putValues(tenantId, values) {
      const added = itemsOf(values);
      for (const { profileId, attributeId } of values) {
        const deleted = await executor.run(DELETE_VALUE, { tenantId, profileId, attributeId });
        added.set(profileId, (added.get(profileId) ?? 0) - deleted);
      }
      await insert(tenantId, values);
      await addItems(tenantId, added);
    },
  };
}

/** The number of items of each profile. */
function itemsOf(values: readonly ProfileValue[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { profileId, items } of values) {
    counts.set(profileId, (counts.get(profileId) ?? 0) + items.length);
  }
  return counts;
}

function* rowsOf(tenantId: string, { profileId, attributeId, items }: ProfileValue): Iterable<Row> {
  for (const [position, { value, day, refId }] of items.entries()) {
    const folded = value === null || day !== null ? null : foldText(value);
    yield {
      tenant_id: tenantId,
      profile_id: profileId,
      attribute_id: attributeId,
      position,
      value,
      folded,
      reversed: folded === null ? null : [...folded].reverse().join(''),
      number: folded === null ? null : readDecimal(folded),
      day,
      ref_id: refId,
    };
  }
}

/** A whole row as parameters of a statement. */
type Row = { [K in keyof ProfileValueTable]: ProfileValueTable[K] };

type ValueRow = Pick<ProfileValueTable, 'profile_id' | 'attribute_id' | 'value' | 'day' | 'ref_id'>;

/** A row of `valuesOf`; one of a profile without values has no attribute. */
type ReadRow = Readonly<{
  id: string;
  items: number;
  written: string | null;
  attribute_id: string | null;
}>;
type Stored = ReadRow & ValueRow;

/**
 * The profiles of which a row is damaged or missing: a value without one of its items would be another
 * one, and a profile without a value another profile.
 */
function damagedProfiles(rows: readonly ReadRow[]): ReadonlySet<string> {
  const damaged = new Set<string>();
  const missing = new Map<string, number>();
  for (const row of rows) {
    const { id, written } = row;
    const isRow = row.attribute_id !== null;
    missing.set(id, (missing.get(id) ?? Number(row.items)) - (isRow ? 1 : 0));
    if (!isRow || written === null) continue;
    // Without a copy of the row, of which a page has thousands.
    const values = COVERED.map((name) => (row as Partial<ProfileValueTable>)[name]);
    if (rowChecksum(values) !== written) damaged.add(id);
  }
  for (const [id, number] of missing) if (number !== 0) damaged.add(id);
  return damaged;
}

function refuseProfile(id: string): never {
  throw new ServiceError(
    'unavailable',
    `A value of the profile "${id}" is damaged in the store: see cardea doctor, or restore a backup.`,
  );
}

/** Groups rows, which are in the order of their items, into values. */
function collect(values: ProfileValue[], rows: readonly ValueRow[]): void {
  let items: ValueItem[] = [];
  let before: ValueRow | undefined;
  for (const row of rows) {
    if (row.profile_id !== before?.profile_id || row.attribute_id !== before.attribute_id) {
      items = [];
      values.push({ profileId: row.profile_id, attributeId: row.attribute_id, items });
      before = row;
    }
    items.push({ value: row.value, day: row.day, refId: row.ref_id });
  }
}

/** From the profiles, so that one that lost all of its rows is read, too, and in one statement. */
const valuesOf = (tenantId: string, profileIds: string[]): Tree<ReadRow> =>
  tables
    .selectFrom('profile')
    .leftJoin('profile_value', (join) =>
      join
        .onRef('profile_value.tenant_id', '=', 'profile.tenant_id')
        .onRef('profile_value.profile_id', '=', 'profile.id'),
    )
    .select(VALUE_COLUMNS)
    .select(['profile.id', 'profile.items', 'profile_value.checksum as written'])
    .where('profile.tenant_id', '=', tenantId)
    .where('profile.id', 'in', profileIds)
    .orderBy('profile.id')
    .orderBy('profile_value.attribute_id')
    .orderBy('profile_value.position') as unknown as Tree<ReadRow>;

/** The columns that the checksum covers. */
const COVERED = CHECKED_TABLES.profile_value.columns as readonly (keyof ProfileValueTable)[];
const VALUE_COLUMNS = COVERED.map((name) => `profile_value.${name}` as const);

const optionsByLabel = (tenantId: string, attributeIds: string[], labels: string[]) =>
  tables
    .selectFrom('ne_attribute_option')
    .select(['ne_attribute_id as attributeId', 'option_folded as folded', 'id', 'option as label'])
    .where('tenant_id', '=', tenantId)
    .where('ne_attribute_id', 'in', attributeIds)
    .where('option_folded', 'in', labels);

const holdersOf = (tenantId: string, attributeId: string, by: ValueKey, keys: string[]) =>
  tables
    .selectFrom('profile_value')
    .select(['profile_id as profileId', `${KEY_COLUMN[by]} as key`])
    .where('tenant_id', '=', tenantId)
    .where('attribute_id', '=', attributeId)
    .where(KEY_COLUMN[by], 'in', keys.map((key) => comparable(by, key)) as string[]);

/**
 * The first key is looked up in its index. Of the profiles with it, those remain whose items are the
 * keys, no fewer and no more.
 */
function profilesWith(
  tenantId: string,
  profileTypeId: string,
  values: readonly DuplicateKeys[],
  limit: number,
): Tree<{ id: string }> {
  const itemsOf = (attributeId: string) =>
    tables
      .selectFrom('profile_value')
      .where('tenant_id', '=', tenantId)
      .where('attribute_id', '=', attributeId);
  const [first] = values;
  const [key] = first?.keys ?? [];
  if (first === undefined || key === undefined)
    throw new RangeError('A duplicate shares at least one value');
  const holders = itemsOf(first.attributeId)
    .select('profile_value.profile_id')
    .where(KEY_COLUMN[first.by], '=', comparable(first.by, key));
  let query = tables
    .selectFrom('profile')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('id', 'in', holders)
    .where((row) => row(row.fn.coalesce('profile_type_id', 'profile_type_id'), '=', profileTypeId));
  for (const { attributeId, by, keys } of values) {
    const column = KEY_COLUMN[by];
    query = query.where(({ and, eb, ref }) => {
      const items = itemsOf(attributeId)
        .select((row) => row.fn.countAll<number>().as('items'))
        .where('profile_value.profile_id', '=', ref('profile.id') as never);
      const wanted = items.where(column, 'in', keys.map((one) => comparable(by, one)) as string[]);
      return and([eb(items, '=', keys.length), eb(wanted, '=', keys.length)]);
    });
  }
  return query.orderBy('id').limit(limit);
}

function comparable(by: ValueKey, key: string): string | number {
  return by === 'day' ? Number(key) : key;
}

const DELETE_VALUE = statement((p: { tenantId: string; profileId: string; attributeId: string }) =>
  tables
    .deleteFrom('profile_value')
    .where('tenant_id', '=', p.tenantId)
    .where('profile_id', '=', p.profileId)
    .where('attribute_id', '=', p.attributeId),
);

const ADD_ITEMS = statement((p: { tenantId: string; profileId: string; items: number }) =>
  tables
    .updateTable('profile')
    .set((row) => ({ items: row('items', '+', p.items) }))
    .where('tenant_id', '=', p.tenantId)
    .where('id', '=', p.profileId),
);

/** Subtracts the items of values that refer to a record from the numbers of their profiles. */
export const UNCOUNT_REFERRING = statement((p: { tenantId: string; id: string }) =>
  uncount(p.tenantId, (item) => item.where('ref_id', '>=', p.id).where('ref_id', '<=', p.id)),
);

/** Subtracts the items of an attribute from the numbers of their profiles. */
export const UNCOUNT_ATTRIBUTE = statement((p: { tenantId: string; id: string }) =>
  uncount(p.tenantId, (item) => item.where('attribute_id', '=', p.id)),
);

type Items = SelectQueryBuilder<Schema, 'profile_value', unknown>;

/** Subtracts items that are about to be deleted from the numbers of their profiles. */
function uncount(tenantId: string, chosen: (items: Items) => Items): Tree<unknown> {
  const items = () =>
    chosen(tables.selectFrom('profile_value').where('profile_value.tenant_id', '=', tenantId));
  return tables
    .updateTable('profile')
    .set((row) => ({
      items: row(
        'items',
        '-',
        items()
          .select((item) => item.fn.countAll<number>().as('number'))
          .where('profile_value.profile_id', '=', row.ref('profile.id') as never),
      ),
    }))
    .where('tenant_id', '=', tenantId)
    .where('id', 'in', items().select('profile_value.profile_id'));
}

/**
 * Deletes the items of values that refer to a record. The condition is a range of one id, because
 * for an equality alone SQLite scans all values of the tenant.
 */
export const ITEMS_GONE = statement((p: { tenantId: string; id: string }) =>
  tables
    .deleteFrom('profile_value')
    .where('tenant_id', '=', p.tenantId)
    .where('ref_id', '>=', p.id)
    .where('ref_id', '<=', p.id),
);

const INSERT_VALUE = statement((row: Row & { checksum: string }) =>
  tables
    .insertInto('profile_value')
    .values(
      parametersOf(row, [
        ...(['tenant_id', 'profile_id', 'attribute_id', 'position', 'value', 'folded'] as const),
        ...(['reversed', 'number', 'day', 'ref_id', 'checksum'] as const),
      ]),
    ),
);
