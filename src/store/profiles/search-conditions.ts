// Conditions of an advanced search as SQL. Each can be checked on a given profile, and most can
// also lead: list the matching profiles from an index. profile-search.ts decides which one leads.
// Invariant: a check reads only the values of that profile. Written plainly, a range that the
// database estimates as rare would be searched over all profiles again for each one.
import {
  type Expression,
  type ExpressionBuilder,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
} from 'kysely';
import type { Condition, Span, ValueTest } from '../../service/ports/profile-search.ts';
import type { Schema } from '../sql/schema.ts';
import { tables } from '../sql/statement.ts';
import { escapeLike } from './like-pattern.ts';
import { narrowProfiles, passesFilters } from './profile-page.ts';

/** Lists profiles from an index, one a row; a profile may occur twice. */
export type Lead = SelectQueryBuilder<Schema, 'profile_value', { profile_id: string }>;

/** The profiles that are searched: of a tenant, those that are archived, or the others. */
export interface Scope {
  readonly tenantId: string;
  readonly archived: boolean;
}

/** The queries that together list exactly the matching profiles; null if no index does. */
export function leadsOf(scope: Scope, condition: Condition): readonly Lead[] | null {
  const { tenantId, archived } = scope;
  switch (condition.kind) {
    case 'never':
      return [];
    case 'record': {
      const lead = narrowProfiles(tenantId, { archived, ...condition.filters });
      return lead === null ? null : [lead as unknown as Lead];
    }
    case 'status':
      return condition.statuses.map((status) => profilesWhere(scope, 'status', status));
    case 'profileType':
      if (condition.negated) return null;
      return [profilesWhere(scope, 'profile_type_id', condition.id)];
    case 'value': {
      const { attributeId, test, negated } = condition;
      return negated
        ? null
        : rangesOf(test).map((range) => itemsInRange(tenantId, attributeId, range));
    }
    case 'daysBetween':
      return null;
    case 'risk':
      return condition.levelIds.map((levelId) => profilesAtLevel(tenantId, levelId));
  }
}

/** Whether the lead reads every value of the attribute and not only the matching ones. */
export function scansAttribute(condition: Condition): boolean {
  return condition.kind === 'value' && condition.test.kind === 'contains';
}

type Profiles = ExpressionBuilder<Schema, 'profile'>;

/** SQL that is true if the current row of `profile` matches the condition. */
export function matchesCondition(
  row: Profiles,
  tenantId: string,
  condition: Condition,
): Expression<SqlBool> {
  switch (condition.kind) {
    case 'never':
      return row.lit(false);
    case 'record':
      return passesFilters(row, condition.filters);
    case 'status':
      return row(withoutIndex(row, 'profile.status'), 'in', [...condition.statuses]);
    case 'profileType':
      return row(
        withoutIndex(row, 'profile.profile_type_id'),
        condition.negated ? '!=' : '=',
        condition.id,
      );
    case 'value': {
      const matching = exists(row, itemOf(row, tenantId, condition.attributeId, condition.test));
      return condition.negated ? row.not(matching) : matching;
    }
    case 'daysBetween':
      return exists(row, daysBetween(row, tenantId, condition));
    case 'risk':
      return exists(row, scoreOf(row, tenantId, condition.levelIds));
  }
}

/**
 * True if the subquery has a row for the current profile. The offset changes nothing, but keeps
 * both databases from making a join of it, in an order that depends on their estimates: PostgreSQL,
 * before it has counted a table, read all values of an attribute again for each profile.
 */
function exists(row: Profiles, subquery: Subquery): Expression<SqlBool> {
  return row.exists(subquery.limit(1).offset(0));
}

type Subquery = SelectQueryBuilder<Schema, never, object>;

/** Values of one column in a range; every test is one or more of these. */
interface Range {
  readonly column: 'folded' | 'reversed' | 'number' | 'day' | 'ref_id';
  readonly comparisons: readonly Comparison[];
  /** Only texts that are not a number. */
  readonly wordsOnly?: true;
}

type Comparison = readonly ['=' | '<' | '<=' | '>' | '>=' | 'like' | 'is', string | number | null];

function rangesOf(test: ValueTest): readonly Range[] {
  switch (test.kind) {
    case 'present':
      return [PRESENT[test.of]];
    case 'equals':
      return [{ column: 'folded', comparisons: [['=', test.text]] }];
    case 'startsWith':
      return [{ column: 'folded', comparisons: prefixRange(test.text) }];
    case 'endsWith':
      return [{ column: 'reversed', comparisons: prefixRange([...test.text].reverse().join('')) }];
    case 'contains':
      return [
        {
          column: 'folded',
          // With the pattern alone SQLite does not use the index of texts, which is partial.
          comparisons: [
            ['>', ''],
            ['like', `%${escapeLike(test.text)}%`],
          ],
        },
      ];
    case 'greater':
    case 'less':
      return inequalityRanges(test.kind, test.text, test.number);
    case 'refersTo':
      return [{ column: 'ref_id', comparisons: [['=', test.id]] }];
    case 'day':
      return [{ column: 'day', comparisons: spanComparisons(test.span) }];
  }
}

/** The first day that dates can name (ECMA-262, time values). */
const FIRST_DAY = -100_000_000;

/** A range even for "present": SQLite does not use an index for `is not null`. */
const PRESENT = {
  text: { column: 'folded', comparisons: [['>', '']] },
  day: { column: 'day', comparisons: [['>=', FIRST_DAY]] },
  reference: { column: 'ref_id', comparisons: [['>', '']] },
} as const satisfies Readonly<Record<string, Range>>;

/** An empty text is no value, so it is not less than anything. */
function inequalityRanges(
  kind: 'greater' | 'less',
  text: string,
  number: number | null,
): readonly Range[] {
  const texts: readonly Comparison[] =
    kind === 'greater'
      ? [['>', text]]
      : [
          ['>', ''],
          ['<', text],
        ];
  if (number === null) return [{ column: 'folded', comparisons: texts }];
  return [
    { column: 'number', comparisons: [[kind === 'greater' ? '>' : '<', number]] },
    { column: 'folded', comparisons: texts, wordsOnly: true },
  ];
}

function spanComparisons({ min, max }: Span): readonly Comparison[] {
  const comparisons: Comparison[] = [];
  if (min !== null) comparisons.push(['>=', min]);
  if (max !== null) comparisons.push(['<=', max]);
  return comparisons;
}

/** Texts with this prefix are one range of the index. */
function prefixRange(prefix: string): readonly Comparison[] {
  const end = pastPrefix(prefix);
  return end === null
    ? [['>=', prefix]]
    : [
        ['>=', prefix],
        ['<', end],
      ];
}

/** The least text above all texts with the prefix, by code points; null if there is none. */
function pastPrefix(prefix: string): string | null {
  const letters = [...prefix];
  for (let last = letters.pop(); last !== undefined; last = letters.pop()) {
    const next = (last.codePointAt(0) ?? 0) + 1;
    if (next > 0x10ffff) continue;
    // Surrogates are no code points of text.
    return letters.join('') + String.fromCodePoint(next === 0xd800 ? 0xe000 : next);
  }
  return null;
}

function profilesWhere(
  { tenantId, archived }: Scope,
  column: 'status' | 'profile_type_id',
  value: string,
): Lead {
  return tables
    .selectFrom('profile')
    .select('id as profile_id')
    .where('tenant_id', '=', tenantId)
    .where('archived', '=', Number(archived))
    .where(column, '=', value) as unknown as Lead;
}

function profilesAtLevel(tenantId: string, levelId: string): Lead {
  return tables
    .selectFrom('risk_score')
    .select('object_id as profile_id')
    .where('tenant_id', '=', tenantId)
    .where('object_type', '=', 'Profile')
    .where('overall_risk_level_id', '=', levelId) as unknown as Lead;
}

function itemsInRange(tenantId: string, attributeId: string, range: Range): Lead {
  const { column, comparisons, wordsOnly } = range;
  let lead: Lead = tables
    .selectFrom('profile_value')
    .select('profile_id')
    .where('tenant_id', '=', tenantId)
    .where('attribute_id', '=', attributeId);
  for (const [operator, value] of comparisons) {
    lead = lead.where((item) => compared(item, item.ref(column), operator, value));
  }
  return wordsOnly === true ? lead.where('number', 'is', null) : lead;
}

function itemOf(row: Profiles, tenantId: string, attributeId: string, test: ValueTest): Subquery {
  return row
    .selectFrom('profile_value as item')
    .select((item) => item.lit(1).as('one'))
    .where('item.tenant_id', '=', tenantId)
    .whereRef('item.profile_id', '=', 'profile.id')
    .where('item.attribute_id', '=', attributeId)
    .where((item) => item.or(rangesOf(test).map((range) => inRange(item, range)))) as Subquery;
}

function inRange(item: unknown, { column, comparisons, wordsOnly }: Range): Expression<SqlBool> {
  const row = item as Builder;
  const all = comparisons.map(([operator, value]) =>
    // A search for an equal value is bounded by the profile, the last column of the index.
    compared(
      row,
      operator === '=' ? row.ref(`item.${column}` as never) : withoutIndex(row, `item.${column}`),
      operator,
      value,
    ),
  );
  if (wordsOnly === true) all.push(compared(row, withoutIndex(row, 'item.number'), 'is', null));
  return row.and(all);
}

function daysBetween(
  row: Profiles,
  tenantId: string,
  { attributeId, anchorId, span }: Condition & { kind: 'daysBetween' },
): Subquery {
  return row
    .selectFrom(['profile_value as item', 'profile_value as anchor'])
    .select((item) => item.lit(1).as('one'))
    .where('item.tenant_id', '=', tenantId)
    .whereRef('item.profile_id', '=', 'profile.id')
    .where('item.attribute_id', '=', attributeId)
    .where('anchor.tenant_id', '=', tenantId)
    .whereRef('anchor.profile_id', '=', 'profile.id')
    .where('anchor.attribute_id', '=', anchorId)
    .where((item) =>
      item.and(
        spanComparisons(span).map(([operator, days]) =>
          compared(item, item('item.day', '-', item.ref('anchor.day')), operator, days),
        ),
      ),
    ) as Subquery;
}

function scoreOf(row: Profiles, tenantId: string, levelIds: readonly string[]): Subquery {
  return row
    .selectFrom('risk_score')
    .select((score) => score.lit(1).as('one'))
    .where('risk_score.tenant_id', '=', tenantId)
    .whereRef('risk_score.object_id', '=', 'profile.id')
    .where('risk_score.object_type', '=', 'Profile')
    .where((score) =>
      score(withoutIndex(score, 'risk_score.overall_risk_level_id') as Expression<string>, 'in', [
        ...levelIds,
      ]),
    ) as Subquery;
}

type Builder = ExpressionBuilder<Schema, never>;

function compared(
  row: unknown,
  left: Expression<unknown>,
  operator: Comparison[0],
  value: Comparison[1],
): Expression<SqlBool> {
  if (operator === 'like') return sql<SqlBool>`${left} like ${value} escape ${sql.lit('\\')}`;
  return (row as Builder)(left as never, operator, value as never);
}

/** The column as an expression for which no database uses an index. */
export function withoutIndex(row: unknown, column: string): Expression<unknown> {
  const { fn } = row as Builder;
  return fn.coalesce(column as never, column as never);
}
