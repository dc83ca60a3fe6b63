// The naive evaluator of advanced searches: checks rule by rule over plain profiles in memory,
// without index, plan or SQL. It reads the rules of requests and follows contract/profiles.md,
// sections 5.4 and 5.5.
import { fold } from '../../src/query/analysis/fold.ts';
import { byCodePoints } from './naive.ts';
import type { Keys, PlainAttribute, PlainProfile, PlainRule, PlainWorld } from './plain-world.ts';

/** The ids of all matches, in order. */
export function naiveSearch(
  world: PlainWorld,
  rules: readonly PlainRule[],
  order: 'id' | 'uid' | 'name' | 'status' | 'profile_type_id' | 'created_at' | 'updated_at',
): string[] {
  return world.profiles
    .filter((profile) => !profile.archived && rules.every((rule) => meets(world, rule, profile)))
    .sort((a, b) => byCodePoints(plain(a[order]), plain(b[order])) || byCodePoints(a.id, b.id))
    .map(({ id }) => id);
}

const plain = (text: string) => fold(text.trim());
const DECIMAL = /^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)$/;

function meets(world: PlainWorld, rule: PlainRule, profile: PlainProfile): boolean {
  const { type, comparison_operator: operator, value = '' } = rule;
  if (type === 'ProfileStatusRule') {
    const word = plain(value) === 'leave of absence' ? 'on leave' : plain(value);
    return (plain(profile.status) === word) === (operator === '==');
  }
  if (type === 'ProfileTypeRule') {
    const named = world.types.find(({ id, uid }) => id === value || uid === value);
    return (profile.profile_type_id === named?.id) === (operator === '==');
  }
  if (type === 'RiskRule') {
    const order = (id: string | null) =>
      world.levels.find((one) => one.id === id)?.order ?? Number.NaN;
    const [own, other] = [order(profile.riskLevelId), order(value)];
    return operator === '>' ? own > other : operator === '<' ? own < other : own === other;
  }
  const key = rule['condition_object_id'];
  const attribute = world.attributes.find(({ id, uid }) => id === key || uid === key)!;
  const items = profile.values[attribute.id] ?? [];
  if (attribute.type === 'DateAttribute') return matchesDate(world, rule, attribute, profile);
  if (/^Text/.test(attribute.type)) return matchesText(operator!, plain(value), items.map(plain));
  return matchesReference(world, operator!, value.trim(), attribute, items);
}

function matchesText(operator: string, expected: string, items: readonly string[]): boolean {
  if (operator === '!=') return !matchesText('==', expected, items);
  if (/^excludes?\?$/.test(operator)) return !matchesText('include?', expected, items);
  const present = items.filter((item) => item !== '');
  if (operator === '==' && expected === '') return present.length === 0;
  return present.some((item) => {
    if (operator === '==') return item === expected;
    if (operator === 'start_with?') return item.startsWith(expected);
    if (operator === 'end_with?') return item.endsWith(expected);
    if (/^includes?\?$/.test(operator)) return item.includes(expected);
    const asNumbers = DECIMAL.test(item) && DECIMAL.test(expected);
    const difference = asNumbers ? Number(item) - Number(expected) : byCodePoints(item, expected);
    return operator === '>' ? difference > 0 : difference < 0;
  });
}

function matchesReference(
  world: PlainWorld,
  operator: string,
  expected: string,
  attribute: PlainAttribute,
  items: readonly string[],
): boolean {
  if (operator === '!=') return !matchesReference(world, '==', expected, attribute, items);
  if (/^excludes?\?$/.test(operator))
    return !matchesReference(world, 'include?', expected, attribute, items);
  if (operator === '==' && expected === '') return items.length === 0;
  const byKey = ({ id, uid }: Keys) => id === expected || uid === expected;
  const named = /^(Profile)/.test(attribute.type)
    ? world.profiles.find(byKey)
    : /^(Owner|Contributor)/.test(attribute.type)
      ? world.users.find(byKey)
      : world.options
          .filter(({ attributeId }) => attributeId === attribute.id)
          .find((option) => byKey(option) || plain(option.label) === plain(expected));
  return named !== undefined && items.includes(named.id);
}

const dayOf = (iso: string) => Date.parse(`${iso}T00:00:00Z`) / 86_400_000;

function matchesDate(
  { attributes, today }: PlainWorld,
  rule: PlainRule,
  attribute: PlainAttribute,
  profile: PlainProfile,
): boolean {
  const { comparison_operator: operator, value = '', secondary_attribute_id: second } = rule;
  const dateOf = (key: string | undefined) => {
    const named = attributes.find(({ id, uid }) => id === key || uid === key);
    const [iso] = profile.values[named?.id ?? ''] ?? [];
    return iso === undefined ? null : dayOf(iso);
  };
  const date = dateOf(attribute.id);
  const { tertiary_value: spelled } = rule;
  if (operator === '==' && value.trim() === '' && second === undefined && spelled === undefined)
    return date === null;
  const isoOf = (text: string) => {
    const format = attribute.dateFormat ?? 'mm/dd/yyyy';
    if (/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text)) return text;
    const part = (name: string) => text.substr(format.indexOf(name), name.length);
    return `${part('yyyy')}-${part('mm')}-${part('dd')}`;
  };
  if (operator === 'before' || operator === 'after') {
    let anchor: number | null;
    if (second !== undefined) anchor = dateOf(second);
    else if (value.toLowerCase() === 'today') anchor = dayOf(today);
    else anchor = /^[0-9]/.test(value) ? dayOf(isoOf(value)) : dateOf(value);
    if (date === null || anchor === null) return false;
    return operator === 'before' ? date < anchor : date > anchor;
  }
  const anchor = second === undefined ? dayOf(today) : dateOf(second);
  if (date === null || anchor === null) return false;
  const words = value.split(' ');
  const days = Number(spelled ?? words[0]);
  const side = spelled === undefined ? words[1] : rule['secondary_value'];
  const distance = side === 'after' ? date - anchor : anchor - date;
  return operator === '>'
    ? distance > days
    : operator === '<'
      ? distance >= 0 && distance < days
      : distance === days;
}
