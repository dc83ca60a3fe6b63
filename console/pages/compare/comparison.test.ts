import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Comparison, compareIdentities, differencesOf, type Presence } from './comparison.ts';
import { comparisonCsv } from './comparison-csv.ts';
import { throughText } from './through-text.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const element = (id: string, more: object = {}) => ({
  ...{ id, name: `Name ${id}`, type: 'ENTITLEMENT', source: { id: 's', name: 'Payroll' }, ...more },
});
const account = (id: string, source: string, more: object = {}) => ({
  ...{ id, name: id, source: { name: source }, ...more },
});

const ada = {
  ...{ id: 'a', name: 'ada', status: 'ACTIVE', inactive: false, manager: { id: 'm', name: 'Max' } },
  attributes: { department: 'Finance', city: 'Bonn', uid: 'ada', costCenter: '' },
  access: [
    element('both', { privileged: true }),
    element('mine'),
    element('secret', { privileged: true }),
    { id: 'r', name: '=Clerk', type: 'ROLE' },
  ],
  accounts: [
    account('ada', 'HR'),
    account('ada-ad', 'AD'),
    account('adm', 'AD', { disabled: true }),
  ],
  owns: [{ roles: [{ id: 'r', name: '=Clerk' }], sources: [] }],
};
const bob = {
  ...{ id: 'b', name: 'bob', status: 'ACTIVE', inactive: false, manager: { id: 'm', name: 'max' } },
  attributes: { department: 'Sales', city: 'Bonn', uid: 'bob' },
  access: [element('both'), element('his', { source: { id: 'x', name: 'AD' } })],
  accounts: [account('bob', 'HR'), account('bob-ad', 'AD')],
  owns: [{ roles: [{ id: 'r', name: '=Clerk' }], apps: [{ id: 'app', name: 'Mail' }] }],
};

test('compares attributes, those of a reviewer first and personal ones last', () => {
  const rows = compareIdentities(ada, bob, NOW).attributes;
  assert.deepEqual(
    rows.map(({ name, differs }) => `${name} ${differs ? 'differs' : 'same'}`),
    [
      ...['manager same', 'department differs', 'city same', 'inactive same', 'status same'],
      'uid differs',
    ],
  );
});

test('orders access by type and source, privileged access first, with who has it', () => {
  const rows = compareIdentities(ada, bob, NOW).access;
  assert.deepEqual(
    rows.map(({ id, source, privileged, presence }) => [id, source, privileged, presence]),
    [
      ['r', '', false, 'first'],
      ['his', 'AD', false, 'second'],
      ['both', 'Payroll', true, 'both'],
      ['secret', 'Payroll', true, 'first'],
      ['mine', 'Payroll', false, 'first'],
    ],
  );
});

test('compares accounts by source and state', () => {
  const rows = compareIdentities(ada, bob, NOW).accounts;
  assert.deepEqual(
    rows.map(({ source, first, second, differs }) => [
      source,
      first.length,
      second.length,
      differs,
    ]),
    [
      ['AD', 2, 1, true],
      ['HR', 1, 1, false],
    ],
  );
});

test('keeps the differences only', () => {
  const { attributes, access, accounts, owned } = differencesOf(compareIdentities(ada, bob, NOW));
  assert.deepEqual(
    attributes.map(({ name }) => name),
    ['department', 'uid'],
  );
  assert.equal(access.length, 4);
  assert.deepEqual(
    accounts.map(({ source }) => source),
    ['AD'],
  );
  assert.deepEqual(
    owned.map(({ name, presence }) => [name, presence]),
    [['Mail', 'second']],
  );
});

test('swaps sides when the people are swapped, and changes nothing else', () => {
  const swappedPresence = { first: 'second', both: 'both', second: 'first' } as const;
  const swap = <T extends { presence: Presence }>(row: T) => ({
    ...row,
    presence: swappedPresence[row.presence],
  });
  const swapSides = <T extends { first: unknown; second: unknown }>(row: T) => ({
    ...row,
    ...{ first: row.second, second: row.first },
  });
  const swapped = ({ attributes, access, accounts, owned }: Comparison) => ({
    attributes: attributes.map(swapSides),
    access: access.map(swap),
    accounts: accounts.map(swapSides),
    owned: owned.map(swap),
  });
  assert.deepEqual(swapped(compareIdentities(bob, ada, NOW)), compareIdentities(ada, bob, NOW));
});

test('finds no difference between a person and the same person', () => {
  const same = differencesOf(compareIdentities(ada, ada, NOW));
  assert.deepEqual(Object.values(same).flat(), []);
});

test('compares people without any members', () => {
  const nothing = compareIdentities({ id: 'a' }, { id: 'b' }, NOW);
  assert.deepEqual(Object.values(nothing).flat(), []);
});

test('writes a row for each difference as CSV, without formulas', () => {
  const comparison = differencesOf(compareIdentities(ada, bob, NOW));
  const csv = comparisonCsv(comparison, { first: 'Ada', second: 'Bob' }, NOW);
  assert.deepEqual(csv.replace('\uFEFF', '').split('\r\n'), [
    'section,type,source,name,privileged,difference,Ada,Bob',
    'attribute,,,Department,,differs,Finance,Sales',
    'attribute,,,Uid,,differs,ada,bob',
    "access,ROLE,,'=Clerk,false,only Ada,true,false",
    'access,ENTITLEMENT,AD,Name his,false,only Bob,false,true',
    'access,ENTITLEMENT,Payroll,Name secret,true,only Ada,true,false',
    'access,ENTITLEMENT,Payroll,Name mine,false,only Ada,true,false',
    'accounts,,AD,,,differs,"ada-ad (open); adm (disabled)",bob-ad (open)',
    'owns,Apps,,Mail,,only Bob,false,true',
    '',
  ]);
});

test('says how access is held', () => {
  const [role, profile] = [
    { type: 'ROLE', id: 'r', name: 'Clerk' },
    { type: 'ACCESS_PROFILE', id: 'p', name: null },
  ] as const;
  assert.equal(throughText([]), 'granted directly');
  assert.equal(throughText([[role, profile]]), 'through Clerk → p');
  assert.equal(throughText([[role], [profile], [role, profile]]), 'through Clerk and 2 more');
});
