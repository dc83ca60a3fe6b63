import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attributeOf } from '../../../../test/support/attributes.ts';
import type { ProfileRecords } from '../../ports/profile-records.ts';
import type { Attribute } from '../resources/resources.ts';
import { ValueReader } from './value-reader.ts';

const OPTIONS = new Map([
  ['rome', { id: 'o1', label: 'Rome' }],
  ['oslo', { id: 'o2', label: 'Oslo' }],
  ['york, new', { id: 'o3', label: 'York, New' }],
]);
const PROFILES = [
  { id: 'p1', uid: 'ada', name: 'Ada Lovelace' },
  { id: 'ada', uid: 'other', name: 'Named like a uid' },
  { id: 'p3', uid: 'bob', name: 'Bob' },
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
  usersByKey: async () => [],
} as unknown as ProfileRecords;

async function read(changes: Partial<Attribute>, value: unknown) {
  const reader = new ValueReader(records, 'acme');
  const sent = { attribute: attributeOf(changes), value };
  await reader.load([sent]);
  return reader.read(sent);
}

const numeric = { validations: [{ validationMethod: 'numericality' as const, value: null }] };
const email = { validations: [{ validationMethod: 'email_format' as const, value: null }] };
const drop = { type: 'DropDownAttribute' as const };
const tags = { type: 'TagsAttribute' as const };
const date = { type: 'DateAttribute' as const };
const profile = { type: 'ProfileSelectAttribute' as const };

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
  ['a label twice as one item', tags, 'rome,Rome', ['o1']],
  ['a label that contains a comma', drop, 'York, New', ['o3']],
  ['a list of labels', tags, ['Oslo', 'York, New'], ['o2', 'o3']],
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
  ['an unknown profile', profile, 'nobody', '"nobody" was not found'],
  ['two labels for one', drop, 'rome,oslo', 'takes one selection only'],
  ['two dates', date, ['01/03/1970', '01/04/1970'], 'must be one date'],
  ['a date in another form', date, '1970-01-03', 'must be a date in the form mm/dd/yyyy'],
  ['an attachment', { type: 'AttachmentAttribute' }, 'x', 'cannot be written as JSON'],
];
for (const [name, changes, value, fault] of REFUSED) {
  test(`refuses ${name}`, async () => assert.deepEqual(await read(changes, value), { fault }));
}

test('shows references by their names, in the order sent', async () => {
  const result = await read({ ...profile, allowMultipleSelections: true }, 'bob, p1');
  assert.ok('shown' in result);
  assert.equal(result.shown, 'Bob, Ada Lovelace');
});
