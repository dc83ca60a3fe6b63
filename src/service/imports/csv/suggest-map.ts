// Suggests a map from the heads and the first rows of a file, as YAML with example values in comments. It
// imports nothing: a person reads, corrects and keeps the map.
// Invariant: a suggested map is valid for its file, except for what its comments say is missing.
import { plainText } from '../../../query/csv-row.ts';
import { CellFault, type CellFormat, cellReader, type ValueType } from './cell-value.ts';
import { csvRows } from './csv-rows.ts';
import type { CsvForm } from './csv-source.ts';
import { AUTH_USER_TARGET, type CsvTarget } from './csv-target.ts';
import { CsvFault, EndOfSample, utf8Text } from './csv-text.ts';
import { memberOfHead, plainHead } from './known-heads.ts';

const ROWS_READ = 1_000;
const EXAMPLES = 3;
const EXAMPLE_CHARACTERS = 24;
/** The forms of dates that are recognised; of two that fit, the first. */
const DATE_FORMATS = [
  'dd.MM.yyyy',
  'd.M.yyyy',
  'dd.MM.yy',
  'dd.MM.yyyy HH:mm',
  'dd.MM.yyyy HH:mm:ss',
  'dd/MM/yyyy',
  'MM/dd/yyyy',
  'd/M/yyyy',
  'M/d/yyyy',
  'yyyy/MM/dd',
  'dd-MM-yyyy',
];
const ACCOUNTS = 'accounts';
/** The members that tell accounts apart, of those that a file has. */
const ACCOUNT_KEY = ['source.name', 'accountId', 'name'];
/** Texts of a column that would be booleans; 0 and 1 may be anything. */
const BOOLEAN_WORD = /^(?:true|false|yes|no|ja|nein|wahr|falsch)$/i;

/** Words of a status by which somebody has left. */
const LEFT_WORD =
  /^(?:ausgetreten|ausgeschieden|ehemalig|inaktiv|former|inactive|left|terminated)$/i;
const STATUS = 'attributes.status';
const INACTIVE = 'inactive';

interface ColumnSuggestion {
  readonly head: string;
  readonly to: string;
  readonly type: ValueType | null;
  readonly format: CellFormat;
  readonly examples: readonly string[];
  /** Words of a status that make its person inactive; empty: none. */
  readonly left: readonly string[];
}

/** The heads and the first rows of a file. */
export interface CsvSample {
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A suggested map, as `parseCsvMap` takes it, and what a person should know of it. */
export interface SuggestedMap {
  readonly map: Readonly<Record<string, unknown>>;
  /** What the columns lack. */
  readonly missing: readonly string[];
}

/**
 * The text of a map. Rows of identities that repeat an id are taken for their accounts.
 * @throws CsvFault if the file cannot be read
 */
export async function suggestMap(
  source: AsyncIterable<Uint8Array>,
  form: Omit<CsvForm, 'map'>,
  target: CsvTarget,
): Promise<string> {
  return mapText(suggestionOf(await readSample(source, form), target), form, target);
}

/** The same as an object, of rows that have been read. */
export function suggestedMap(
  sample: CsvSample,
  form: Omit<CsvForm, 'map'>,
  target: CsvTarget,
): SuggestedMap {
  const suggestion = suggestionOf(sample, target);
  const { columns, match, key, set } = suggestion;
  return {
    map: {
      ...(isIndex(target) && { index: target.name }),
      ...(form.separator !== null && { separator: form.separator }),
      ...(form.encoding !== null && { encoding: form.encoding }),
      ...(match !== null && { elements: ACCOUNTS, match: { [match]: 'id' } }),
      ...(key.length > 0 && { key }),
      columns: Object.fromEntries(
        columns.map(({ head, to, type, format, left }) => {
          const rule = type === null ? to : { to, type, ...withoutBlank(format) };
          if (left.length > 0) return [head, [rule, { to: INACTIVE, type: 'boolean', true: left }]];
          return [head, to === '' ? null : rule];
        }),
      ),
      ...(set.length > 0 && { set: Object.fromEntries(set) }),
    },
    missing: suggestion.missing,
  };
}

/**
 * Reads heads and first rows.
 * @throws CsvFault if the file cannot be read
 */
export async function readSample(
  source: AsyncIterable<Uint8Array>,
  form: Omit<CsvForm, 'map'>,
): Promise<CsvSample> {
  const rows: (readonly string[])[] = [];
  const text = utf8Text(source, form.encoding);
  try {
    for await (const { line, cells, fault } of csvRows(text, form)) {
      if (fault !== undefined) throw new CsvFault(line, fault);
      rows.push(cells);
      if (rows.length > ROWS_READ) break;
    }
  } catch (error) {
    if (!(error instanceof EndOfSample)) throw error;
  }
  const [heads, ...others] = rows;
  if (heads === undefined) {
    throw new CsvFault(1, 'the file is empty; its first line must have the heads of the columns');
  }
  return { heads, rows: others };
}

/** The first different values of a column, those that are not blank. */
export function examplesOf({ rows }: CsvSample, column: number): readonly string[] {
  const examples = new Set<string>();
  for (const row of rows) {
    const value = row[column] ?? '';
    if (value !== '') examples.add(value);
    if (examples.size === EXAMPLES) break;
  }
  return [...examples];
}

interface Suggestion {
  readonly columns: readonly ColumnSuggestion[];
  /** The column that names the record of an element; null: rows are records. */
  readonly match: string | null;
  readonly key: readonly string[];
  readonly set: readonly (readonly [member: string, text: string])[];
  readonly missing: readonly string[];
}

function suggestionOf(sample: CsvSample, target: CsvTarget): Suggestion {
  const { heads, rows } = sample;
  const columns = suggestColumns(sample, target);
  const id = columns.find(({ to }) => to === 'id');
  const ids = rows.map((row) => row[heads.indexOf(id?.head ?? '')] ?? '');
  const isRepeated = id !== undefined && new Set(ids).size < ids.length;
  if (!isRepeated || !target.nestedPaths.includes(ACCOUNTS)) {
    return {
      columns,
      match: null,
      key: [],
      set: setOf(columns),
      missing: missing(columns, target),
    };
  }
  const others = heads.map((head) => (head === id.head ? '' : head));
  const ofElements = suggestColumns({ heads: others, rows }, elementsOf(target));
  const has = (to: string) => ofElements.some((column) => column.to === to);
  const key = has('id') ? [] : ACCOUNT_KEY.filter(has);
  return { columns: ofElements, match: id.head, key, set: [], missing: [] };
}

/** The members of an account as those of a target. */
function elementsOf(target: CsvTarget): CsvTarget {
  const prefix = `${ACCOUNTS}.`;
  return {
    name: ACCOUNTS,
    nestedPaths: [],
    names: target.names.flatMap((name) =>
      name.startsWith(prefix) ? [name.slice(prefix.length)] : [],
    ),
    member: (name) => target.member(prefix + name),
  };
}

function suggestColumns(sample: CsvSample, target: CsvTarget): readonly ColumnSuggestion[] {
  const { heads, rows } = sample;
  const taken = new Set<string>();
  // Of names that read the same, the first.
  const byHead = new Map(target.names.toReversed().map((name) => [plainHead(name), name]));
  return heads.flatMap((cell, at) => {
    const head = plainText(cell);
    if (head === '' || heads.indexOf(cell) !== at) return [];
    const values = rows.map((row) => row[at] ?? '').filter((value) => value !== '');
    const wanted = memberName(head, byHead, target);
    const to = taken.has(wanted) ? attributeName(head, target) : wanted;
    taken.add(to);
    const examples = examplesOf(sample, at);
    const mayBeInactive = target.member(INACTIVE) !== null && !taken.has(INACTIVE);
    const opposite = mayBeInactive ? oppositeOf(head, values) : null;
    if (opposite !== null) {
      taken.delete(to);
      taken.add(INACTIVE);
      return [{ head, to: INACTIVE, type: 'boolean', format: opposite, examples, left: [] }];
    }
    const [type, format] = typeOf(to, values, target);
    const left = mayBeInactive && to === STATUS ? leftWords(values) : [];
    if (left.length > 0) taken.add(INACTIVE);
    return [{ head, to, type, format, examples, left }];
  });
}

/** The member for a head: of that name, a known one, else an attribute. */
function memberName(head: string, byHead: ReadonlyMap<string, string>, target: CsvTarget): string {
  if (target.member(head) !== null) return head;
  return (
    memberOfHead(head, target.name) ?? byHead.get(plainHead(head)) ?? attributeName(head, target)
  );
}

/** `Letzter Urlaub` becomes `attributes.letzterUrlaub`; '' where there are no attributes. */
function attributeName(head: string, target: CsvTarget): string {
  const words = head
    .normalize('NFD')
    .replaceAll('ß', 'ss')
    .replace(/\p{M}/gu, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
  const name = words
    .map((word, n) => (n === 0 ? word.toLowerCase() : word.charAt(0).toUpperCase() + word.slice(1)))
    .join('');
  const root = target.name === ACCOUNTS ? 'accountAttributes' : 'attributes';
  const path = `${root}.${name === '' ? 'unnamed' : name}`;
  return target.member(path) === null ? '' : path;
}

function typeOf(
  to: string,
  values: readonly string[],
  target: CsvTarget,
): readonly [ValueType | null, CellFormat] {
  if (values.length === 0 || to === '') return [null, {}];
  const read = target.member(to)?.reader({});
  const isRead = read !== undefined && fits(read, values);
  const isText = isRead && values.every((value) => read(value) === value);
  // A member of another type reads its values already.
  if (isRead && !isText) return [null, {}];
  const format = DATE_FORMATS.find((one) => fits(cellReader('date', { format: one }), values));
  if (format !== undefined) return ['date', { format }];
  if (values.every((value) => BOOLEAN_WORD.test(value))) return ['boolean', {}];
  return [null, {}];
}

/** The words of a column that says who is active, for the member `inactive`. */
function oppositeOf(head: string, values: readonly string[]): CellFormat | null {
  if (!['active', 'aktiv'].includes(plainHead(head))) return null;
  const words = [...new Set(values.map((value) => value.toLowerCase()))];
  if (words.length === 0 || !words.every((word) => BOOLEAN_WORD.test(word))) return null;
  const yes = words.filter((word) => /^[tyjw]/.test(word));
  return { true: words.filter((word) => !yes.includes(word)), false: yes };
}

/** The words of a status that say that somebody has left. */
function leftWords(values: readonly string[]): readonly string[] {
  return [...new Set(values)].filter((value) => LEFT_WORD.test(value));
}

function fits(read: (cell: string) => unknown, values: readonly string[]): boolean {
  try {
    for (const value of values) read(value);
    return true;
  } catch (error) {
    if (error instanceof CellFault) return false;
    throw error;
  }
}

function mapText(
  { columns, match, key, set, missing: lacks }: Suggestion,
  { separator, encoding }: Omit<CsvForm, 'map'>,
  target: CsvTarget,
): string {
  const lines = [
    '# Suggested by the heads and the first rows. Check it, and import with --map.',
    ...(isIndex(target) ? [`index: ${target.name}`] : []),
    ...(separator === null ? [] : [`separator: ${yaml(separator)}`]),
    ...(encoding === null ? [] : [`encoding: ${yaml(encoding)}`]),
    ...(match === null ? [] : [`elements: ${ACCOUNTS}`, `match: { ${yaml(match)}: id }`]),
    ...(key.length === 0 ? [] : [`key: [${key.join(', ')}]`]),
    'columns:',
    ...columns.map(columnLine),
    ...lacks.map((one) => `# Missing: ${one}`),
    ...(set.length === 0 ? [] : ['set:']),
    ...set.map(([member, text]) => `  ${member}: ${yaml(text)}`),
  ];
  return `${lines.join('\n')}\n`;
}

function isIndex({ name }: CsvTarget): boolean {
  return name !== AUTH_USER_TARGET.name;
}

function columnLine({ head, to, type, format, examples, left }: ColumnSuggestion): string {
  const words = (name: 'true' | 'false') =>
    (format[name] ?? []).length === 0 ? '' : `, ${name}: [${(format[name] ?? []).map(yaml)}]`;
  const form = format.format === undefined ? '' : `, format: ${yaml(format.format)}`;
  const own =
    type === null ? to : `{ to: ${to}, type: ${type}${form}${words('true')}${words('false')} }`;
  const also = `{ to: ${INACTIVE}, type: boolean, true: [${left.map(yaml)}] }`;
  const rule = left.length === 0 ? own : `[${own}, ${also}]`;
  const shown = examples.map((one) => one.replace(/\s+/g, ' ').slice(0, EXAMPLE_CHARACTERS));
  const comment = shown.length === 0 ? 'blank in the first rows' : shown.join(' | ');
  return `  ${yaml(head)}: ${to === '' ? 'null' : rule}  # ${to === '' ? 'left out; ' : ''}${comment}`;
}

/** A format without words that it has none of. */
function withoutBlank(format: CellFormat): CellFormat {
  return Object.fromEntries(Object.entries(format).filter(([, value]) => value.length > 0));
}

/** What can be made of the columns. */
function setOf(columns: readonly ColumnSuggestion[]): Suggestion['set'] {
  const by = (to: string) => columns.find((column) => column.to === to);
  const [first, last] = [by('firstName') ?? by('firstname'), by('lastName') ?? by('lastname')];
  if (by('displayName') !== undefined || first === undefined || last === undefined) return [];
  return [['displayName', `{${first.head}} {${last.head}}`]];
}

/** What the columns do not have. */
function missing(columns: readonly ColumnSuggestion[], target: CsvTarget): readonly string[] {
  const has = (to: string) => columns.some((column) => column.to === to);
  return [
    ...(has('id') ? [] : ['a column mapped to id, which names the record of a row.']),
    ...(has('uid') || isIndex(target)
      ? []
      : ['a column mapped to uid, the name with which somebody signs in.']),
  ];
}

/** A text as YAML: as it is if YAML reads it as the same text. */
function yaml(text: string): string {
  return /^[\p{L}_][\p{L}\p{N}_ .-]*$/u.test(text) &&
    !/^(?:true|false|null|yes|no|on|off|y|n)$|\s$/i.test(text)
    ? text
    : JSON.stringify(text);
}
