// Hints about bodies of profile management: records outside of the member that holds them, and
// members with another spelling or the name that programs guess. Unknown members are ignored
// (contract/profiles.md), so a program may write or find something else than it expects.
// Invariant: a hint changes no answer but its sentences, and shows a bounded part of the body.
import { membersOf } from './members-of.ts';
import { wireName } from './wire-names.ts';

/** What a body holds: its wrapping member, and the members that each record in it may have. */
export interface BodyForm {
  readonly wrapper: string;
  /** Wire names. */
  readonly members: readonly string[];
  /** What to send instead of other names, by name without case and `_`. */
  readonly otherNames?: Readonly<Record<string, string>>;
}

/** What is wrong with the places of members. */
export interface Misplaced {
  readonly hints: readonly string[];
  /** Names in records that nothing is known of. */
  readonly unknown: readonly string[];
}

const NAMED_MAX = 5;
const RECORDS_MAX = 20;
const SHOWN_CHARACTERS = 60;
/** Parameters of the URL that programs send in the body of a run. */
const PAGING: Readonly<Record<string, string>> = {
  limit: inUrl('limit=100'),
  offset: inUrl('offset=100'),
  order: inUrl('order=name'),
  metadata: inUrl('metadata=true'),
};
const RULES = '"condition_rules_attributes": [...]';

/** The form of advanced searches, created, changed or run. */
export const ADVANCED_SEARCH_FORM: BodyForm = {
  wrapper: 'advanced_search',
  members: ['id', 'uid', 'label', 'condition_rules_attributes', 'created_at', 'updated_at'],
  otherNames: {
    ...PAGING,
    ...{ rules: RULES, conditions: RULES, conditionrules: RULES, filters: RULES, query: RULES },
    ...{ conditionruleattributes: RULES, name: '"label"', title: '"label"' },
  },
};

/** The form of the body of one record of a kind, or many. */
export function formOf(wrapper: string, members: readonly string[]): BodyForm {
  const all = ['id', 'uid', ...members.map(wireName), 'created_at', 'updated_at'];
  return { wrapper, members: [...new Set(all)] };
}

/** Why a body has no `wrapper`, for its error; empty if nothing is known. */
export function missingWrapperHints(body: unknown, wrapper: string): readonly string[] {
  const form = isPlural(wrapper) ? '[{...}]' : '{...}';
  const send = `send {"${wrapper}": ${form}}`;
  if (Array.isArray(body))
    return body.length === 0 ? [] : [`is not there, as the body is an array: ${send}`];
  const names = [...(membersOf(body)?.keys() ?? [])].filter((name) => name !== wrapper);
  const [name] = names;
  if (name === undefined) return [];
  const other = names.find((one) => singular(folded(one)) === singular(folded(wrapper)));
  if (other !== undefined) return [`is what this path takes, not ${quoted(other)}: ${send}`];
  const inner = names.slice(0, NAMED_MAX).map(quoted);
  return [`is not there, and nothing outside of it is read, such as ${inner.join(', ')}: ${send}`];
}

/** What a body that has its wrapper holds in the wrong place. */
export function misplacedMembers(body: unknown, form: BodyForm): Misplaced {
  const { wrapper, members } = form;
  const all = membersOf(body);
  const hints: string[] = [];
  for (const name of all?.keys() ?? []) {
    if (name === wrapper) continue;
    const url = Object.hasOwn(PAGING, name) ? PAGING[name] : undefined;
    const send = url ?? `it inside of "${wrapper}"`;
    hints.push(`${quoted(name)} beside "${wrapper}" is not read; send ${send}`);
  }
  const value = all?.get(wrapper);
  const records = Array.isArray(value) ? value.slice(0, RECORDS_MAX) : [value];
  const names = new Set(records.flatMap((record) => [...(membersOf(record)?.keys() ?? [])]));
  const unknown: string[] = [];
  for (const name of names) {
    if (members.includes(name)) continue;
    const send = sendInstead(name, form);
    if (send === undefined) unknown.push(name);
    else hints.push(`${quoted(name)} in "${wrapper}" is not read; send ${send}`);
  }
  return { hints: hints.slice(0, NAMED_MAX), unknown };
}

/** The hint about the uid of an attribute that is a member of a profile. */
export function attributeHint(uid: string, wrapper: string): string {
  return `${quoted(uid)} in "${wrapper}" is not read; send it in "attributes"`;
}

function inUrl(example: string): string {
  return `it in the URL, such as ?${example}`;
}

function sendInstead(name: string, { members, otherNames = {} }: BodyForm): string | undefined {
  const member = members.find((one) => folded(one) === folded(name));
  if (member !== undefined) return `"${member}"`;
  return Object.hasOwn(otherNames, folded(name)) ? otherNames[folded(name)] : undefined;
}

function isPlural(wrapper: string): boolean {
  return wrapper.endsWith('s');
}

function singular(name: string): string {
  return name.replace(/s$/, '');
}

function folded(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, '');
}

function quoted(name: string): string {
  return `"${name.slice(0, SHOWN_CHARACTERS)}"`;
}
