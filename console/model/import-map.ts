// The map of an import of CSV as the console edits it: which column is which member, and how its cells
// are read. The service suggests it and checks it (docs/spreadsheets.md); members that the console
// does not edit stay as they are.
import { textOf, valuesAt } from './document-value.ts';

/** How the cells of a column become values of a member. */
export interface ColumnRule {
  readonly to: string;
  readonly type?: string;
  readonly format?: string;
  readonly decimal?: string;
  readonly separator?: string;
  readonly true?: readonly string[];
  readonly false?: readonly string[];
  readonly blank?: string;
}

export interface ImportMap {
  readonly index?: string;
  readonly elements?: string;
  readonly match?: Readonly<Record<string, string>>;
  readonly key?: string | readonly string[];
  readonly columns: Readonly<Record<string, Rule>>;
  readonly set?: Readonly<Record<string, string | number | boolean>>;
}

type Rule = string | ColumnRule | readonly (string | ColumnRule)[] | null;

/** The types of values, and what is chosen for each besides. */
export const TYPES: Readonly<Record<string, readonly FormatName[]>> = {
  text: [],
  number: ['decimal'],
  boolean: ['true', 'false'],
  date: ['format'],
  list: ['separator'],
};

export type FormatName = 'decimal' | 'true' | 'false' | 'format' | 'separator';

/** The rule of a column; null: it is left out, or has several rules, which are edited in a file. */
export function ruleOf(map: ImportMap, head: string): ColumnRule | 'several' | null {
  const rule = map.columns[head] ?? null;
  if (Array.isArray(rule)) return 'several';
  return typeof rule === 'string' ? { to: rule } : (rule as ColumnRule | null);
}

/** The members of a column that has several rules, each with the words that set it, as texts. */
export function membersOf(
  map: ImportMap,
  head: string,
): readonly { readonly to: string; readonly text: string }[] {
  const rules = map.columns[head] ?? null;
  if (!Array.isArray(rules)) return [];
  return (rules as readonly (string | ColumnRule)[]).map((rule) => {
    if (typeof rule === 'string') return { to: rule, text: rule };
    const words = formatText(rule, 'true');
    return { to: rule.to, text: words === '' ? rule.to : `${rule.to} (${words})` };
  });
}

/** The map with another member for a column; '' leaves it out. */
export function withMember(map: ImportMap, head: string, to: string): ImportMap {
  const rule = ruleOf(map, head);
  const others = rule === null || rule === 'several' ? {} : rule;
  return withRule(map, head, to === '' ? null : { ...others, to });
}

/** The map with another type for a column; '' for that of the member. */
export function withType(map: ImportMap, head: string, type: string): ImportMap {
  const rule = ruleOf(map, head);
  if (rule === null || rule === 'several') return map;
  const { to, blank } = rule;
  const kept = blank === undefined ? { to } : { to, blank };
  return withRule(map, head, type === '' ? kept : { ...kept, type });
}

/** The map with another format for a column; '' for the usual one. */
export function withFormat(
  map: ImportMap,
  head: string,
  name: FormatName,
  text: string,
): ImportMap {
  const rule = ruleOf(map, head);
  if (rule === null || rule === 'several') return map;
  const { [name]: _, ...others } = rule;
  if (text.trim() === '') return withRule(map, head, others as ColumnRule);
  const value = name === 'true' || name === 'false' ? wordsOf(text) : text;
  return withRule(map, head, { ...(others as ColumnRule), [name]: value });
}

/** A format as text. */
export function formatText(rule: ColumnRule, name: FormatName): string {
  const value = rule[name] ?? '';
  return typeof value === 'string' ? value : value.join(', ');
}

/**
 * The map with rows that are elements of a record, or records.
 * @param elements the array; '' for records
 */
export function withElements(map: ImportMap, elements: string): ImportMap {
  const { elements: _, match, key: __, columns, ...others } = map;
  const [named] = Object.keys(match ?? {});
  if (elements === '') {
    const withId = named === undefined ? columns : { ...columns, [named]: 'id' };
    return { ...others, columns: withId };
  }
  const id = named ?? Object.keys(columns).find((head) => columns[head] === 'id');
  const first = id ?? Object.keys(columns)[0] ?? '';
  const rest = Object.entries(columns).filter(([head]) => head !== first);
  return {
    ...others,
    elements,
    match: match ?? { [first]: 'id' },
    ...(map.key !== undefined && { key: map.key }),
    columns: Object.fromEntries(rest),
  };
}

/** The column and the member that name the record of an element. */
export function matchOf({ match }: ImportMap): {
  readonly column: string;
  readonly member: string;
} {
  const [[column, member] = ['', 'id']] = Object.entries(match ?? {});
  return { column, member };
}

/** The map with another column, or member, that names the record. */
export function withMatch(
  map: ImportMap,
  change: { readonly column?: string; readonly member?: string },
): ImportMap {
  const { column, member } = { ...matchOf(map), ...change };
  return { ...map, match: { [column]: member || 'id' } };
}

/** The map with other members that tell elements apart. */
export function withKey(map: ImportMap, text: string): ImportMap {
  const { key: _, ...others } = map;
  const key = wordsOf(text);
  return key.length === 0 ? others : { ...others, key };
}

export function keyText({ key = [] }: ImportMap): string {
  return typeof key === 'string' ? key : key.join(', ');
}

/** The map with another text for a member; '' removes it. */
export function withSet(map: ImportMap, member: string, text: string): ImportMap {
  const { [member]: _, ...others } = map.set ?? {};
  const set = text === '' ? others : { ...map.set, [member]: text };
  const { set: __, ...rest } = map;
  return Object.keys(set).length === 0 ? rest : { ...rest, set };
}

/** The members of some records with their values, as columns of a table, in their order. */
export function memberColumns(records: readonly object[]): readonly string[] {
  const names = new Set<string>();
  for (const record of records) collect(record, '', names);
  return [...names];
}

/** The value of a member in a table: `–` for one that is removed, '' for one that stays. */
export function memberText(record: object, path: string): string {
  const values = valuesAt(record, path);
  if (values.length > 0) return values.map(textOf).join('; ');
  return hasMember(record, path) ? '–' : '';
}

/** True if a record has a member, which may be null. */
function hasMember(record: unknown, path: string): boolean {
  if (Array.isArray(record)) return record.some((one) => hasMember(one, path));
  if (!isObject(record)) return false;
  if (Object.hasOwn(record, path)) return true;
  for (let dot = path.indexOf('.'); dot !== -1; dot = path.indexOf('.', dot + 1)) {
    const inner = (record as Readonly<Record<string, unknown>>)[path.slice(0, dot)];
    if (inner !== undefined && hasMember(inner, path.slice(dot + 1))) return true;
  }
  return false;
}

function collect(value: unknown, at: string, names: Set<string>): void {
  if (Array.isArray(value) && value.some(isObject)) {
    for (const one of value) collect(one, at, names);
  } else if (isObject(value)) {
    for (const [name, one] of Object.entries(value)) {
      collect(one, at === '' ? name : `${at}.${name}`, names);
    }
  } else if (at !== '') names.add(at);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withRule(map: ImportMap, head: string, rule: ColumnRule | null): ImportMap {
  const isPlain = rule !== null && Object.keys(rule).length === 1;
  return { ...map, columns: { ...map.columns, [head]: isPlain ? rule.to : rule } };
}

function wordsOf(text: string): readonly string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}
