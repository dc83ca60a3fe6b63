// Reads cells as values: text, numbers, booleans, dates and lists. A cell that is no such value is
// a fault, so nothing is stored as something else than what the map says.
import { daysInMonth, strictIsoDate } from '../../../query/analysis/values.ts';

export const VALUE_TYPES = ['text', 'number', 'boolean', 'date', 'list'] as const;
export type ValueType = (typeof VALUE_TYPES)[number];

/** How cells are written. */
export interface CellFormat {
  /** Of a date, such as `dd.MM.yyyy`. */
  readonly format?: string;
  /** The decimal character of a number. */
  readonly decimal?: string;
  /** Words for true and false, instead of the usual ones. */
  readonly true?: readonly string[];
  readonly false?: readonly string[];
  /** What separates the values of a list. */
  readonly separator?: string;
}

/** Why a cell has no value; the message quotes it. */
export class CellFault extends Error {
  override readonly name = 'CellFault';
}

/** Reads a cell that is not blank. @throws CellFault */
export type ReadCell = (cell: string) => unknown;

const TRUE = ['true', 'yes', 'y', '1', 'ja', 'j', 'wahr', 'x'];
const FALSE = ['false', 'no', 'n', '0', 'nein', 'falsch'];
/** Writes and reads several values of a cell, as `query/csv-row.ts` does. */
export const LIST_SEPARATOR = ';';
const SHOWN_CHARACTERS = 60;

/** The function that reads cells as values of a type. */
export function cellReader(type: ValueType, rule: CellFormat): ReadCell {
  switch (type) {
    case 'text':
      return (cell) => cell;
    case 'number':
      return numberReader(rule.decimal ?? '.');
    case 'boolean':
      return booleanReader(rule);
    case 'date':
      return rule.format === undefined ? isoDate : dateReader(rule.format);
    case 'list':
      return listReader(rule.separator ?? LIST_SEPARATOR);
  }
}

/** As the field of an attribute has it so far: values that do not fit stay text. */
export function attributeReader(type: 'number' | 'boolean'): ReadCell {
  if (type === 'boolean')
    return (cell) => (cell === 'true' ? true : cell === 'false' ? false : cell);
  return (cell) =>
    String(Number(cell)) === cell && Number.isFinite(Number(cell)) ? Number(cell) : cell;
}

function numberReader(decimal: string): ReadCell {
  const pattern =
    decimal === ','
      ? /^[+-]?(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d+)?$/
      : /^[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[+-]?\d+)?$/i;
  const group = decimal === ',' ? '.' : ',';
  return (cell) => {
    const text = cell.trim();
    const number = Number(text.replaceAll(group, '').replace(decimal, '.'));
    if (pattern.test(text) && Number.isFinite(number) && digitsOf(text) <= 15) return number;
    throw new CellFault(
      `${quoted(cell)} is no number of at most 15 digits with ${quoted(decimal)} as the decimal character`,
    );
  };
}

/** A double has 15 digits; more would be rounded. */
function digitsOf(text: string): number {
  return text.replace(/e.*$/i, '').replace(/\D/g, '').replace(/^0+/, '').length;
}

function booleanReader(words: Pick<CellFormat, 'true' | 'false'>): ReadCell {
  const lower = (list: readonly string[] = []) => list.map((word) => word.toLowerCase());
  const isOwn = words.true !== undefined || words.false !== undefined;
  const yes = new Set(isOwn ? lower(words.true) : TRUE);
  const no = new Set(isOwn ? lower(words.false) : FALSE);
  return (cell) => {
    const word = cell.trim().toLowerCase();
    if (yes.has(word)) return true;
    if (no.has(word)) return false;
    // With words for one of the two, every other word is the other.
    if (isOwn && yes.size === 0) return true;
    if (isOwn && no.size === 0) return false;
    throw new CellFault(`${quoted(cell)} is neither true (${[...yes]}) nor false (${[...no]})`);
  };
}

function isoDate(cell: string): string {
  const text = cell.trim();
  if (strictIsoDate(text) !== undefined) return text;
  throw new CellFault(
    `${quoted(cell)} is no ISO 8601 date such as 2026-01-31; say its format in the map, such as { type: date, format: dd.MM.yyyy }`,
  );
}

function listReader(separator: string): ReadCell {
  return (cell) =>
    cell
      .split(separator)
      .map((one) => one.trim())
      .filter((one) => one !== '');
}

/** The parts of a format, with what they match. */
const PARTS: Readonly<Record<string, string>> = {
  yyyy: '(?<year>\\d{4})',
  yy: '(?<short>\\d{2})',
  MM: '(?<month>\\d{2})',
  M: '(?<month>\\d{1,2})',
  dd: '(?<day>\\d{2})',
  d: '(?<day>\\d{1,2})',
  HH: '(?<hour>\\d{2})',
  H: '(?<hour>\\d{1,2})',
  mm: '(?<minute>\\d{2})',
  ss: '(?<second>\\d{2})',
};
const PART = /yyyy|yy|MM|M|dd|d|HH|H|mm|ss/g;

/** The pattern of a format of dates; a sentence if it is none. */
export function datePattern(format: string): RegExp | string {
  const help = 'use yyyy or yy, MM or M, dd or d, and for times HH or H, mm, ss';
  const rest = format.replace(PART, '');
  const letters = /\p{L}/u.exec(rest.replaceAll('T', ''));
  if (letters !== null) return `${quoted(format)} has ${quoted(letters[0])}; ${help}`;
  const source = format
    .split(/(yyyy|yy|MM|M|dd|d|HH|H|mm|ss)/)
    .map((part) => PARTS[part] ?? part.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'))
    .join('');
  const has = (name: string) => source.split(`<${name}>`).length - 1;
  const isDate = has('year') + has('short') === 1 && has('month') === 1 && has('day') === 1;
  const isTime = has('hour') <= 1 && has('minute') === has('hour') && has('second') <= has('hour');
  if (!isDate || !isTime) {
    return `${quoted(format)} must have a year, a month and a day, and each part once; ${help}`;
  }
  return new RegExp(`^${source}$`);
}

/** Years of two digits up to this one are of this century. */
const SHORT_YEAR_MAX = 69;

/** Days as `2026-01-31`; times are UTC. */
function dateReader(format: string): ReadCell {
  const pattern = datePattern(format);
  if (typeof pattern === 'string') throw new Error(pattern);
  return (cell) => {
    const text = dateOf(pattern.exec(cell.trim())?.groups ?? {});
    if (text !== null) return text;
    throw new CellFault(`${quoted(cell)} is no date of the form ${format}`);
  };
}

function dateOf(parts: Readonly<Record<string, string>>): string | null {
  const { year, short, month = '', day = '', hour, minute, second = '00' } = parts;
  const century = Number(short) > SHORT_YEAR_MAX ? '19' : '20';
  const years = year ?? `${century}${short}`;
  const days = daysInMonth(Number(years), Number(month));
  if (Number(day) < 1 || !(Number(day) <= days)) return null;
  const date = `${years}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  if (hour === undefined) return date;
  const time = `${date}T${hour.padStart(2, '0')}:${minute}:${second}.000Z`;
  return strictIsoDate(time) === undefined ? null : time;
}

/** A cell, shortened, as it is named in messages. */
export function quoted(text: string): string {
  return JSON.stringify(
    text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text,
  );
}
