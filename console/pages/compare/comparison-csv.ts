// A comparison of two people as CSV: a row for each attribute, element of access, account and owned
// object.
import { csvRow } from '../../../src/query/csv-row.ts';
import { BYTE_ORDER_MARK } from '../../model/csv.ts';
import { firstText } from '../../model/document-value.ts';
import { labelOf } from '../../model/kinds.ts';
import { accountStates } from '../document/summary.ts';
import type { AccountRow, Comparison, Presence } from './comparison.ts';

/** The names of the two people, as the heads of their columns. */
export interface Names {
  readonly first: string;
  readonly second: string;
}

/** The file, with a header line. @param nowMs decides which accounts are dormant */
export function comparisonCsv(comparison: Comparison, names: Names, nowMs: number): string {
  const heads = ['section', 'type', 'source', 'name', 'privileged', 'difference'];
  const presence = (of: Presence) =>
    of === 'both' ? 'both' : `only ${of === 'first' ? names.first : names.second}`;
  const has = (of: Presence) => [of !== 'second', of !== 'first'];
  const rows: unknown[][] = [
    [...heads, names.first, names.second],
    ...comparison.attributes.map(({ label, first, second, differs }) => [
      ...['attribute', '', '', label, '', differs ? 'differs' : 'same'],
      ...[cell(first), cell(second)],
    ]),
    ...comparison.access.map((row) => [
      ...['access', row.type, row.source, row.name, row.privileged, presence(row.presence)],
      ...has(row.presence),
    ]),
    ...comparison.accounts.map((row) => [
      ...['accounts', '', row.source, '', '', row.differs ? 'differs' : 'same'],
      ...[accounts(row, 'first', nowMs), accounts(row, 'second', nowMs)],
    ]),
    ...comparison.owned.map((row) => [
      ...['owns', labelOf(row.kind), '', row.name, '', presence(row.presence)],
      ...has(row.presence),
    ]),
  ];
  return BYTE_ORDER_MARK + rows.map(csvRow).join('');
}

/** A reference by its name. */
function cell(value: unknown): unknown {
  return firstText(value, 'displayName', 'name', 'id') || value;
}

function accounts(row: AccountRow, side: 'first' | 'second', nowMs: number): string[] {
  return row[side].map((account) => {
    const states = accountStates(account, nowMs).map(({ text }) => text.toLowerCase());
    return `${firstText(account, 'name', 'accountId', 'id')} (${states.join(', ')})`;
  });
}
