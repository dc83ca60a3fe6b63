// Lists of auth users: a filter as SQL, on both databases. Text compares and sorts without case, by the
// folded columns: both databases then do the same, whatever their locale. Other members without a
// column are read out of the JSON of the row.
// Invariant: every query has the tenant; values are parameters.
import {
  type Expression,
  type ExpressionBuilder,
  type RawBuilder,
  type SqlBool,
  sql,
} from 'kysely';
import { fold } from '../../query/analysis/fold.ts';
import type { CollectionFilter, FilterValue } from '../../query/collections/collection-filter.ts';
import {
  AUTH_USER_FIELDS,
  type AuthUserField,
  type AuthUserPage,
  type AuthUserQuery,
} from '../../service/ports/auth-user-list.ts';
import type { AuthUser } from '../../service/ports/store.ts';
import type { AuthUserTable, Schema } from '../sql/schema.ts';
import { type Dialect, type Executor, tables } from '../sql/statement.ts';
import { AUTH_USER_FOLDED, type AuthUserFoldedColumn } from './folded-columns.ts';

type Row = ExpressionBuilder<Schema, 'auth_user'>;
type Comparison = Extract<CollectionFilter, { readonly kind: 'compare' }>;

/** @param toUser converts the stored columns */
export async function listAuthUsers(
  executor: Executor,
  tenantId: string,
  query: AuthUserQuery,
  toUser: (row: Pick<AuthUserTable, 'id' | 'uid' | 'details' | 'capabilities'>) => AuthUser,
): Promise<AuthUserPage> {
  const sqlOf = new FilterSql(executor.dialect, tenantId);
  let matching = tables.selectFrom('auth_user').where('tenant_id', '=', tenantId);
  const { filter, sorters, limit, offset, after = null, count } = query;
  if (after !== null) matching = matching.where('id', '>', after);
  if (filter !== null) matching = matching.where((row) => sqlOf.filter(row, filter));
  let page = matching.selectAll();
  for (const { field, order } of sorters) {
    const value = sqlOf.value(field as AuthUserField);
    // PostgreSQL sorts missing values last, SQLite first.
    page = page.orderBy(sql`${value} is null`).orderBy(value, order);
    if (AUTH_USER_FIELDS[field as AuthUserField] === 'text') {
      page = page.orderBy(sqlOf.stored(field as AuthUserField), order);
    }
  }
  const rows = await executor.scan(page.orderBy('id').limit(limit).offset(offset));
  const users = rows.map((row) => ({
    user: toUser(row),
    status: {
      enabled: Number(row.enabled) === 1,
      tokensValidFrom: Number(row.tokens_valid_from),
      view: row.view_name,
    },
  }));
  if (!count) return { users, total: null };
  const [counted] = await executor.scan(matching.select((row) => row.fn.countAll().as('total')));
  return { users, total: Number(counted?.total ?? 0) };
}

class FilterSql {
  private readonly dialect: Dialect;
  private readonly tenantId: string;

  constructor(dialect: Dialect, tenantId: string) {
    this.dialect = dialect;
    this.tenantId = tenantId;
  }

  filter(row: Row, filter: CollectionFilter): Expression<SqlBool> {
    switch (filter.kind) {
      case 'and':
        return row.and(filter.parts.map((part) => this.filter(row, part)));
      case 'or':
        return row.or(filter.parts.map((part) => this.filter(row, part)));
      case 'not':
        return row.not(this.filter(row, filter.part));
      case 'compare':
        return filter.field === 'capabilities'
          ? this.held(row, filter)
          : this.comparison(row, filter);
    }
  }

  /** The value of a field as it is compared and sorted first. */
  value(field: AuthUserField): RawBuilder<unknown> {
    const column = FOLDED_COLUMNS[field];
    if (column !== undefined) return sql.ref(`auth_user.${column}`);
    const stored = this.stored(field);
    // The names of views are ASCII (views/view-request.ts).
    if (field === 'view') return sql`lower(${stored})`;
    // The operand may have a fraction.
    return AUTH_USER_FIELDS[field] === 'number' ? sql`cast(${stored} as double precision)` : stored;
  }

  /** The value of a field as it is. */
  stored(field: AuthUserField): RawBuilder<unknown> {
    switch (field) {
      case 'id':
      case 'uid':
      case 'enabled':
      case 'capabilities':
        return sql.ref(`auth_user.${field}`);
      case 'view':
        return sql.ref('auth_user.view_name');
      default: {
        const member = sql.lit(field === 'name' ? 'displayName' : field);
        return this.dialect === 'sqlite'
          ? sql`json_extract(auth_user.details, '$.' || ${member})`
          : sql`((auth_user.details::json ->> ${member}) collate "C")`;
      }
    }
  }

  /** A missing value is false for every operator but `ne` and `isnull`, and never null. */
  private comparison(row: Row, { field, operator, values }: Comparison): Expression<SqlBool> {
    const value = this.value(field as AuthUserField);
    const operands = values.map((operand) => comparable(operand, field as AuthUserField));
    const [operand = ''] = operands;
    const present = (condition: RawBuilder<SqlBool>) =>
      sql<SqlBool>`(${value} is not null and ${condition})`;
    switch (operator) {
      case 'eq':
        return present(sql`${value} = ${operand}`);
      case 'ne':
        return row.not(present(sql`${value} = ${operand}`));
      case 'gt':
        return present(sql`${value} > ${operand}`);
      case 'ge':
        return present(sql`${value} >= ${operand}`);
      case 'lt':
        return present(sql`${value} < ${operand}`);
      case 'le':
        return present(sql`${value} <= ${operand}`);
      case 'co':
        return present(this.position(value, operand, 'anywhere'));
      case 'sw':
        return present(this.position(value, operand, 'start'));
      case 'in':
        return present(sql`${value} in (${sql.join(operands)})`);
      case 'pr':
        return present(sql`${value} <> ''`);
      case 'isnull':
        return row.not(present(sql`${value} <> ''`));
      case 'ca':
        throw new Error(`${field} is not a list`);
    }
  }

  /** Not `like`, which has wildcards, and ignores case in SQLite alone. */
  private position(
    value: RawBuilder<unknown>,
    operand: string | number,
    where: 'anywhere' | 'start',
  ): RawBuilder<SqlBool> {
    const at =
      this.dialect === 'sqlite'
        ? sql`instr(${value}, ${operand})`
        : sql`strpos(${value}, ${operand})`;
    return where === 'start' ? sql`${at} = 1` : sql`${at} > 0`;
  }

  private held(row: Row, { operator, values }: Comparison): Expression<SqlBool> {
    const holding = row
      .selectFrom('capability_holder')
      .select('auth_user_id')
      .where('capability_holder.tenant_id', '=', this.tenantId);
    const names = values.map(String);
    const holdingAny = holding.where('capability', 'in', names.flatMap(spellings));
    const folded = sql`lower(capability)`;
    switch (operator) {
      case 'ca':
        return row(
          'auth_user.id',
          'in',
          holdingAny
            .groupBy('auth_user_id')
            .having(
              (group) => group.fn.count(folded).distinct(),
              '=',
              new Set(names.map(fold)).size,
            ),
        );
      case 'in':
        return row('auth_user.id', 'in', holdingAny);
      case 'pr':
        return row('auth_user.id', 'in', holding);
      case 'isnull':
        return row('auth_user.id', 'not in', holding);
      default:
        throw new Error(`capabilities has no operator ${operator}`);
    }
  }
}

/** The column of each field of text; `view` has none. */
const FOLDED_COLUMNS: Readonly<Partial<Record<AuthUserField, AuthUserFoldedColumn>>> = {
  ...Object.fromEntries(
    Object.entries(AUTH_USER_FOLDED).map(([column, member]) => [member, column]),
  ),
  name: 'display_name_folded',
};

/** How a capability may be written: all that the service knows have letters of one case. */
function spellings(name: string): string[] {
  return [...new Set([name, name.toUpperCase(), fold(name)])];
}

/** The operand in the form of `value`. */
function comparable(operand: FilterValue, field: AuthUserField): string | number {
  if (typeof operand === 'boolean') return Number(operand);
  if (typeof operand === 'number') return operand;
  return AUTH_USER_FIELDS[field] === 'text' ? fold(operand) : operand;
}
