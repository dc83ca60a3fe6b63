import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accountStates, accountsByConcern, distanceText, risksOf, stateCounts } from './summary.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const texts = (remarks: readonly { text: string }[]) => remarks.map(({ text }) => text);
const login = (date: string) => ({ accountAttributes: { lastLogin: date } });

test('finds no risk in an ordinary person', () => {
  const person = {
    inactive: false,
    identityProfile: { id: 'p' },
    accounts: [{ disabled: false, ...login('2026-11-01') }, { disabled: true }],
    access: [{ privileged: false }],
    attributes: { endDate: '2027-06-01' },
  };
  assert.deepEqual(risksOf(person, NOW), []);
});

test('lists what a reviewer looks for, the most severe first', () => {
  const person = {
    inactive: true,
    accounts: [login('2026-01-01'), { disabled: true, manuallyCorrelated: true }],
    access: [{ privileged: true }, { privileged: true }],
    attributes: { endDate: '2026-11-30' },
  };
  assert.deepEqual(texts(risksOf(person, NOW)), [
    ...['Inactive, with 1 open account', '2 privileged entitlements', '1 dormant account'],
    ...['1 manually correlated account', 'Without an identity profile', 'Leaves in 10 days'],
  ]);
});

test('says of an account that it is open, or why not', () => {
  assert.deepEqual(texts(accountStates({ disabled: false }, NOW)), ['Open']);
  assert.deepEqual(texts(accountStates({ disabled: true, locked: true }, NOW)), [
    ...['Disabled', 'Locked'],
  ]);
  assert.deepEqual(texts(accountStates({ privileged: true, ...login('2025-01-01') }, NOW)), [
    ...['Open', 'Privileged', 'Dormant'],
  ]);
});

test('orders open accounts with remarks before others, and disabled ones last', () => {
  const [disabled, plain, dormant] = [
    { id: 'disabled', disabled: true, privileged: true },
    { id: 'plain' },
    { id: 'dormant', ...login('2025-01-01') },
  ];
  const ordered = accountsByConcern([disabled, plain, dormant], NOW);
  assert.deepEqual(ordered, [dormant, plain, disabled]);
  assert.deepEqual(
    stateCounts(ordered, NOW).map(({ text, count }) => `${count} ${text}`),
    ['2 Open', '1 Dormant', '1 Disabled', '1 Privileged'],
  );
});

const DISTANCES: readonly [date: string, text: string][] = [
  ['2026-11-20', 'today'],
  ['2026-11-21', 'in 1 day'],
  ['2026-11-10T23:00:00Z', '10 days ago'],
  ['2027-05-20', 'in 6 months'],
  ['2020-01-01', '6 years ago'],
  ['soon', ''],
];

for (const [date, text] of DISTANCES) {
  test(`calls ${date} "${text}"`, () => assert.equal(distanceText(date, NOW), text));
}
