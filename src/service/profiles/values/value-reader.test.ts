import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attributeOf } from '../../../../test/support/attributes.ts';
import { turnsDuring } from '../../../../test/support/turns-during.ts';
import type { ProfileFilters, ProfileRecords } from '../../ports/profile-records.ts';
import type { Attribute } from '../../ports/resources.ts';
import type { Records } from '../../ports/store.ts';
import { foldText } from './fold-text.ts';
import { ShownNames } from './shown-names.ts';
import { ValueReader } from './value-reader.ts';

const OPTIONS = new Map([
  ['rome', { id: 'o1', label: 'Rome' }],
  ['oslo', { id: 'o2', label: 'Oslo' }],
  ['york, new', { id: 'o3', label: 'York, New' }],
  ['cork', { id: 'o4', label: 'Cork' }],
  ['ulm', { id: 'o5', label: 'Ulm' }],
  ['cork,ulm', { id: 'o6', label: 'Cork,Ulm' }],
]);
const PROFILES = [
  { id: 'p1', uid: 'ada', name: 'Ada Lovelace' },
  { id: 'ada', uid: 'other', name: 'Named like a uid' },
  { id: 'p3', uid: 'bob', name: 'Bob' },
  { id: 'p4', uid: 'moura', name: 'Moura, Ines' },
];

/** Records with the options of every attribute, and profiles. */
const records = {
  optionsByLabel: async (_tenant: string, ids: readonly string[], labels: readonly string[]) =>
    ids.flatMap((attributeId) =>
      labels.flatMap((folded) => {
        const option = OPTIONS.get(folded);
        return option === undefined ? [] : [{ attributeId, folded, ...option }];
      }),
    ),
  profilesByKey: async (_tenant: string, keys: readonly string[]) =>
    PROFILES.filter(({ id, uid }) => keys.includes(id) || keys.includes(uid)),
  profilePage: async (_tenant: string, { name }: ProfileFilters) =>
    PROFILES.filter((profile) => foldText(profile.name) === name),
  usersByKey: async () => [],
} as unknown as ProfileRecords;
const names = new ShownNames(records as Records, 'acme');

async function read(changes: Partial<Attribute>, value: unknown, restores = false) {
  const reader = new ValueReader(records, 'acme', names);
  const sent = { attribute: attributeOf(changes), value, restores };
  await reader.load([sent]);
  return reader.read(sent);
}

const numeric = { validations: [{ validationMethod: 'numericality' as const, value: null }] };
const email = { validations: [{ validationMethod: 'email_format' as const, value: null }] };
const drop = { type: 'DropDownAttribute' as const };
const tags = { type: 'TagsAttribute' as const };
const date = { type: 'DateAttribute' as const };
const profile = { type: 'ProfileSelectAttribute' as const };
const several = { ...profile, allowMultipleSelections: true };

type Case = readonly [name: string, changes: Partial<Attribute>, value: unknown, expected: unknown];

const READ: readonly Case[] = [
  ['a text as it was sent', {}, ' Rome ', [' Rome ']],
  ['a number as text', {}, 7, ['7']],
  ['a boolean as text', {}, false, ['false']],
  ['several texts as one', {}, ['a', '', 'b'], ['a, b']],
  ['null as no value', {}, null, []],
  ['a blank text as no value', {}, ' \t', []],
  ['a decimal number where one is needed', numeric, ' -1.5 ', [' -1.5 ']],
  ['an email address where one is needed', email, 'ada@acme.test', ['ada@acme.test']],
  ['a label in any case', drop, ' ROME ', ['o1']],
  ['labels by commas', tags, 'rome, Oslo', ['o1', 'o2']],
  ['1,000 labels', tags, 'Oslo,'.repeat(999), ['o2']],
  ['a label twice as one item', tags, 'rome,Rome', ['o1']],
  ['a label that contains a comma', drop, 'York, New', ['o3']],
  ['a list of labels', tags, ['Oslo', 'York, New'], ['o2', 'o3']],
  [
    'a label with a comma in a list of 100 parts',
    tags,
    ['York, New, Oslo', ...Array(97).fill('Oslo')],
    ['o3', 'o2'],
  ],
  ['labels of which the first contains a comma', tags, 'York, New, Oslo', ['o3', 'o2']],
  ['labels of which the last contains a comma', tags, 'Oslo, rome,york, new', ['o2', 'o1', 'o3']],
  ['parts that are labels before a longer label', tags, 'Cork,Ulm,Oslo', ['o4', 'o5', 'o2']],
  ['profiles by names of which one contains a comma', several, 'Moura, Ines, Bob', ['p4', 'p3']],
  ['a profile by its uid', profile, 'bob', ['p3']],
  ['an id before an equal uid', profile, 'ada', ['ada']],
  [
    'a date by the format of the attribute',
    { ...date, dateFormat: 'yyyy-mm-dd' },
    '1970-01-03',
    [2],
  ],
  ['a date by the usual format', date, '01/03/1970', [2]],
];
for (const [name, changes, value, expected] of READ) {
  test(`reads ${name}`, async () => {
    const result = await read(changes, value);
    assert.ok('items' in result, JSON.stringify(result));
    const items = result.items.map(({ value: text, day, refId }) => refId ?? day ?? text);
    assert.deepEqual(items, expected);
  });
}

const REFUSED: readonly Case[] = [
  ['an object', {}, {}, 'must be a string or an array of strings'],
  ['a list with null', {}, ['a', null], 'must be a string or an array of strings'],
  ['a long text', {}, 'x'.repeat(10_001), 'is too long (maximum is 10000 characters)'],
  ['a text for a number', numeric, '1e3', 'is not a number'],
  ['an address without a dot', email, 'ada@acme', 'is not an email address'],
  ['an address with a blank', email, 'a da@acme.test', 'is not an email address'],
  ['an unknown label', drop, 'Bergen', '"Bergen" is not included in the list'],
  [
    'one unknown label of several',
    tags,
    'York, New, Bergen',
    '"Bergen" is not included in the list',
  ],
  [
    'a label with a comma among more than 100 parts',
    tags,
    ['York, New', ...Array(100).fill('Oslo')].join(', '),
    '"York" is not included in the list',
  ],
  [
    'a label with a comma in a list of more than 100 parts',
    tags,
    ['York, New, Oslo', ...Array(98).fill('Oslo')],
    '"York" is not included in the list',
  ],
  ['1,001 labels in a text', tags, 'Rome,'.repeat(1000), 'must hold at most 1000 items'],
  ['1,001 ids in a list', several, Array(1001).fill('p1'), 'must hold at most 1000 items'],
  ['an unknown profile', profile, 'nobody', '"nobody" was not found'],
  ['two labels for one', drop, 'rome,oslo', 'takes one selection only'],
  ['two dates', date, ['01/03/1970', '01/04/1970'], 'must be one date'],
  ['a date in another form', date, '1970-01-03', 'must be a date in the form mm/dd/yyyy'],
  ['an attachment', { type: 'AttachmentAttribute' }, 'x', 'cannot be written as JSON'],
];
for (const [name, changes, value, fault] of REFUSED) {
  test(`refuses ${name}`, async () => assert.deepEqual(await read(changes, value), { fault }));
}

const RESTORED: readonly Case[] = [
  ['a text for a number', numeric, '1e3', ['1e3']],
  ['an address without a dot', email, 'ada@acme', ['ada@acme']],
  ['two labels for one', drop, 'rome,oslo', ['o1', 'o2']],
  ['1,001 labels', tags, 'Rome,'.repeat(1000), ['o1']],
];
for (const [name, changes, value, expected] of RESTORED) {
  test(`reads ${name} of a restored profile`, async () => {
    const result = await read(changes, value, true);
    assert.ok('items' in result, JSON.stringify(result));
    assert.deepEqual(
      result.items.map(({ value: text, refId }) => refId ?? text),
      expected,
    );
  });
}

test('shows references by their names, in the order sent', async () => {
  const result = await read(several, 'bob, p1');
  assert.ok('shown' in result);
  assert.equal(result.shown, 'Bob, Ada Lovelace');
});

test('looks up few names for a text of many parts of which one is unknown, and in turns', async () => {
  const people = Array.from({ length: 100 }, (_, n) => ({
    id: `i${n}`,
    uid: `u${n}`,
    name: `N ${n}`,
  }));
  const text = people.map(({ name }, n) => (n === 50 ? 'Nobody' : name)).join(', ');
  let lookups = 0;
  const many = {
    ...records,
    profilesByKey: async () => [],
    profilePage: async (_tenant: string, { name }: ProfileFilters) => {
      lookups += 1;
      return people.filter((one) => foldText(one.name) === name);
    },
  } as unknown as Records;
  const reader = new ValueReader(many, 'acme', new ShownNames(many, 'acme'));
  const sent = { attribute: attributeOf(several), value: text };
  let hasTurned = false;
  setImmediate(() => {
    hasTurned = true;
  });
  await reader.load([sent, sent]);
  assert.deepEqual(reader.read(sent), { fault: '"Nobody" was not found' });
  // The text, its parts, and the runs of up to eight parts with the unknown one.
  assert.equal(lookups, 1 + 100 + (2 + 3 + 4 + 5 + 6 + 7 + 8));
  assert.ok(hasTurned);
});

const texts = Array.from({ length: 200 }, (_, n) =>
  Array.from({ length: 100 }, (__, m) => `${n}-${m}`).join(','),
);
const LARGE: readonly (readonly [name: string, values: readonly unknown[], runs: number])[] = [
  ['one large value, none of several parts', [texts], 0],
  ['many values', texts, 200 * (93 * 7 + (6 + 5 + 4 + 3 + 2 + 1))],
];
for (const [name, values, runs] of LARGE) {
  test(`looks up the unknown labels of ${name}, some at a time and in turns`, async () => {
    const looked: number[] = [];
    const none = {
      ...records,
      async optionsByLabel(_tenant: string, _ids: unknown, labels: readonly string[]) {
        looked.push(labels.length);
        return [];
      },
    } as unknown as ProfileRecords;
    // Only restored values may have that many parts.
    const sent = values.map((value) => ({ attribute: attributeOf(tags), value, restores: true }));
    const turns = await turnsDuring(() => new ValueReader(none, 'acme').load(sent));
    assert.equal(
      looked.reduce((sum, labels) => sum + labels, 0),
      200 * (1 + 100) + runs,
    );
    assert.ok(Math.max(...looked) < 11_000, String(looked));
    assert.ok(turns >= 50, `${turns} turns`);
  });
}
