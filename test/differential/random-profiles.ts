// Random worlds of profiles and random rules: small enough that rules have common matches, with
// texts, numbers and dates at every boundary. All worlds have the same ids, to find queries without
// a tenant.
import type { AttributeClass } from '../../src/service/ports/resources.ts';
import type { PlainAttribute, PlainProfile, PlainRule, PlainWorld } from './plain-world.ts';
import type { Random } from './random.ts';

const TEXTS = [
  ...['Ada', ' ada ', 'ADA', 'adam', 'Ada Byron', 'Byron', 'nada', 'ÄDA', 'äda', 'İx', 'ix', 'ΣΑΣ'],
  ...['10', '9', '9.0', '9.5', '-3', '+4', '.5', '1e3', '0x10', '10a', '007', '99999', '٣'],
  ...[
    '10%',
    '%',
    'a_b',
    'aab',
    '\\',
    'a\\b',
    "o'b",
    '"',
    '😀',
    'a😀',
    '\uffee',
    '\u{10ffff}',
    'z\u{10ffff}',
  ],
  ...['', '  ', 'a', 'a\nb'],
];
const STATUSES = ['Active', 'Inactive', 'On Leave', 'Terminated'];
const STATUS_WORDS = [
  ...STATUSES,
  'Leave of absence',
  'leave of ABSENCE',
  ' active ',
  'TERMINATED',
];
const TODAY = '2026-03-01';
const ORDERS = [
  ...['id', 'uid', 'name', 'status', 'profile_type_id', 'created_at', 'updated_at'],
] as const;

const CLASSES: readonly AttributeClass[] = [
  ...(['TextFieldAttribute', 'TextAreaAttribute', 'DropDownAttribute'] as const),
  ...(['CheckBoxesAttribute', 'TagsAttribute', 'DateAttribute', 'DateAttribute'] as const),
  ...(['ProfileSelectAttribute', 'OwnerSearchAttribute', 'ContributorSelectAttribute'] as const),
];

/** A well-formed id. */
export const idOf = (kind: number, number: number) =>
  `${String(kind).repeat(8)}-0000-4000-8000-${String(number).padStart(12, '0')}`;
const keys = (kind: number, name: string, count: number) =>
  Array.from({ length: count }, (_, at) => ({ id: idOf(kind, at), uid: `${name}_${at}` }));

/** A world with the given number of profiles. */
export function randomWorld(random: Random, size: number): PlainWorld {
  const attributes = CLASSES.map((type, at) => ({
    ...{ id: idOf(1, at), uid: `attribute_${at}`, type },
    dateFormat: type === 'DateAttribute' ? random.pick([null, 'dd-mm-yyyy', 'yyyy/mm/dd']) : null,
  }));
  const types = keys(2, 'type', 3);
  const users = keys(3, 'user', 3);
  const levels = keys(4, 'level', 4).map((level, at) => ({
    ...level,
    order: [3, 1, 3, 2][at] ?? 0,
  }));
  const options = attributes.flatMap(({ id, type }, at) =>
    /^(DropDown|CheckBoxes|Tags)/.test(type)
      ? ['Red', 'Dark Blue', 'ÉTÉ', `o_${at}`].map((label, place) => ({
          ...{ id: idOf(5, at * 10 + place), uid: `option_${at}_${place}`, attributeId: id, label },
        }))
      : [],
  );
  const world = { attributes, types, users, levels, options, today: TODAY, profiles: [] };
  // Frequent and rare values take different paths; in a large world, frequent ones exceed the
  // limit.
  const common = size > 1000 ? 0.97 : random.next();
  const profiles = Array.from({ length: size }, (_, at): PlainProfile => {
    const usual = random.chance(common);
    return {
      ...{ id: idOf(6, at), uid: `${random.pick(['P', 'p', 'Q'])}${at}` },
      name: random.pick(TEXTS) || 'Nameless',
      status: usual ? 'Active' : random.pick(STATUSES),
      profile_type_id: (usual ? types[0]! : random.pick(types)).id,
      created_at: `2026-01-0${1 + random.int(4)}T00:00:00.000Z`,
      updated_at: `2026-02-0${1 + random.int(4)}T00:00:00.000Z`,
      archived: random.chance(0.05),
      values: Object.fromEntries(
        attributes
          .filter(() => usual || random.chance(0.7))
          .map((attribute) => [attribute.id, randomValue(random, world, attribute, size, usual)]),
      ),
      riskLevelId: random.chance(0.6) ? random.pick(levels).id : null,
    };
  });
  return { ...world, profiles };
}

function randomValue(
  random: Random,
  { options, users }: PlainWorld,
  { id, type }: PlainAttribute,
  size: number,
  usual: boolean,
): readonly string[] {
  const some = (all: readonly string[]) =>
    usual ? all.slice(0, 1) : [...new Set(random.list(1, 3, () => random.pick(all)))];
  if (/^Text/.test(type)) return [usual ? '9.5' : random.pick(TEXTS)];
  if (type === 'DateAttribute') return [isoAt(random.int(13) - 6)];
  if (/^Profile/.test(type)) return some(Array.from({ length: size }, (_, at) => idOf(6, at)));
  if (/^(Owner|Contributor)/.test(type)) return some(users.map((user) => user.id));
  return some(options.filter(({ attributeId }) => attributeId === id).map((option) => option.id));
}

/** The date `days` from today. */
const isoAt = (days: number) =>
  new Date(Date.parse(TODAY) + days * 86_400_000).toISOString().slice(0, 10);

/** A request: rules, and a page in an order. */
export function randomRequest(random: Random, world: PlainWorld) {
  return {
    rules: random.list(0, 4, () => randomRule(random, world)),
    order: random.pick(ORDERS),
    offset: random.chance(0.7) ? 0 : random.int(30),
    limit: random.pick([1, 5, 50, 500]),
    total: random.chance(0.7),
  };
}

function randomRule(random: Random, world: PlainWorld): PlainRule {
  const kind = random.int(10);
  const keyOf = (named: { id: string; uid: string }) => (random.chance(0.5) ? named.id : named.uid);
  if (kind === 0) {
    const [comparison_operator, value] = [random.pick(['==', '!=']), random.pick(STATUS_WORDS)];
    return { type: 'ProfileStatusRule', comparison_operator, value };
  }
  if (kind === 1) {
    const value = random.chance(0.1) ? idOf(9, 9) : keyOf(random.pick(world.types));
    return { type: 'ProfileTypeRule', comparison_operator: random.pick(['==', '!=']), value };
  }
  if (kind === 2) {
    const value = random.chance(0.1) ? idOf(9, 9) : random.pick(world.levels).id;
    return { type: 'RiskRule', comparison_operator: random.pick(['==', '<', '>']), value };
  }
  const attribute = random.pick(world.attributes);
  const about = {
    ...{ type: 'ProfileAttributeRule', condition_object_id: keyOf(attribute) },
    ...(random.chance(0.5)
      ? { object_type: 'NeAttribute' }
      : { condition_object_type: attribute.type }),
  };
  if (attribute.type === 'DateAttribute')
    return { ...about, ...randomDateRule(random, world, attribute) };
  if (/^Text/.test(attribute.type)) {
    const operators = ['==', '!=', '>', '<', 'start_with?', 'end_with?', 'include?', 'includes?'];
    const comparison_operator = random.pick([...operators, 'exclude?', 'excludes?']);
    const text = random.pick(TEXTS);
    const part = [...text].slice(random.int(2), 1 + random.int(3)).join('');
    return { ...about, comparison_operator, value: random.chance(0.5) ? text : part };
  }
  const comparison_operator = random.pick(['==', '!=', 'include?', 'exclude?', 'includes?']);
  return { ...about, comparison_operator, value: randomReference(random, world, attribute) };
}

function randomReference(random: Random, world: PlainWorld, { id, type }: PlainAttribute): string {
  if (random.chance(0.15)) return random.pick(['', '  ', 'nobody', idOf(9, 9)]);
  const named = /^Profile/.test(type)
    ? random.pick(world.profiles.slice(0, 8))
    : /^(Owner|Contributor)/.test(type)
      ? random.pick(world.users)
      : random.pick(world.options.filter(({ attributeId }) => attributeId === id));
  if ('label' in named && random.chance(0.4)) return ` ${String(named.label).toUpperCase()}`;
  return random.chance(0.5) ? named.id : named.uid;
}

function randomDateRule(
  random: Random,
  { attributes }: PlainWorld,
  { dateFormat }: PlainAttribute,
): PlainRule {
  const other = random.pick(attributes.filter(({ type }) => type === 'DateAttribute'));
  const key = random.chance(0.5) ? other.id : other.uid;
  const second: PlainRule = random.chance(0.3)
    ? { secondary_attribute_type: 'NeAttribute', secondary_attribute_id: key }
    : {};
  if (random.chance(0.5)) {
    const iso = isoAt(random.int(13) - 6);
    const [year, month, day] = iso.split('-') as [string, string, string];
    const written = (dateFormat ?? 'mm/dd/yyyy')
      .replace('yyyy', year)
      .replace('mm', month)
      .replace('dd', day);
    const value = random.pick([iso, written, 'Today', 'today', other.uid]);
    const comparison_operator = random.pick(['before', 'after']);
    if (second['secondary_attribute_id'] === undefined) return { comparison_operator, value };
    return { comparison_operator, ...second, ...(random.chance(0.5) ? { value } : {}) };
  }
  const comparison_operator = random.pick(['>', '<', '==']);
  if (random.chance(0.1)) return { comparison_operator: '==', value: '' };
  const [days, side] = [String(random.int(5)), random.pick(['before', 'after'])];
  if (random.chance(0.5)) return { comparison_operator, value: `${days} ${side}`, ...second };
  const spelled = { tertiary_value: days, secondary_value: side };
  return { comparison_operator, value: 'Today', ...second, ...spelled };
}
