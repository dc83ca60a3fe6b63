// The table of contract/auth-users.md section 4, row by row: the effect of a patch on a list of
// capabilities.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../errors.ts';
import { readPatch, refuseOtherMembers } from '../../json/json-patch.ts';
import { checkCapabilities, PATCHABLE, patchCapabilities } from './capability-patch.ts';

const A = 'HELPDESK';
const B = 'CERT_ADMIN';
const C = 'ROLE_ADMIN';

type Outcome = readonly string[] | 'illegal_value' | 'illegal_update' | 'request_invalid';

function outcome(current: readonly string[], patch: unknown): Outcome {
  try {
    const operations = readPatch(patch);
    refuseOtherMembers(operations, PATCHABLE);
    const after = patchCapabilities(current, operations);
    checkCapabilities(current, after, { refuseExclusivePairs: false });
    return after;
  } catch (error) {
    assert.ok(error instanceof ServiceError, String(error));
    assert.ok((error.details.causes?.[0] ?? '').length > 0, 'a cause says what and where');
    return error.code as Outcome;
  }
}

const add = (path: string, value?: unknown) => ({ op: 'add', path, value });
const replace = (path: string, value?: unknown) => ({ op: 'replace', path, value });
const remove = (path: string) => ({ op: 'remove', path });
const equals = (path: string, value?: unknown) => ({ op: 'test', path, value });
const move = (from: string, path: string) => ({ op: 'move', from, path });
const copy = (from: string, path: string) => ({ op: 'copy', from, path });

const L = '/capabilities';
const CASES: readonly (readonly [current: string[], patch: object[], expected: Outcome])[] = [
  [[A], [], [A]],
  // add
  [[A], [add(L, [B, C])], [B, C]],
  [[A], [add(L, [])], []],
  [[A], [add(L, null)], 'illegal_value'],
  [[A], [add(L, B)], 'illegal_value'],
  [[A], [add(L, { 0: B })], 'illegal_value'],
  [[A], [add(L, [B, null])], 'illegal_value'],
  [[A], [add(L, [[B]])], 'illegal_value'],
  [[A, B], [add(`${L}/0`, C)], [C, A, B]],
  [[A, B], [add(`${L}/2`, C)], [A, B, C]],
  [[A, B], [add(`${L}/3`, C)], 'illegal_value'],
  [[A, B], [add(`${L}/99`, C)], 'illegal_value'],
  [[A, B], [add(`${L}/01`, C)], 'illegal_value'],
  [[A, B], [add(`${L}/1e0`, C)], 'illegal_value'],
  [[A, B], [add(`${L}/+1`, C)], 'illegal_value'],
  [[A, B], [add(`${L}/99999999999999999999999`, C)], 'illegal_value'],
  [[A], [add(`${L}/-`, B)], [A, B]],
  [[], [add(`${L}/-`, B)], [B]],
  [[A], [add(`${L}/-`, [B])], 'illegal_value'],
  [[A], [add(`${L}/-`, null)], 'illegal_value'],
  [[A], [add(`${L}/-`, 5)], 'illegal_value'],
  [[A], [add(`${L}/-`, 'helpdesk')], 'illegal_value'],
  [[A], [add(`${L}/-`, 'NOT_A_LEVEL')], 'illegal_value'],
  [[A], [add(`${L}/-`, '__proto__')], 'illegal_value'],
  [[A], [add(`${L}/-`, '')], 'illegal_value'],
  [[A], [add(`${L}/-`, 'POLICY_ADMIN')], [A, 'POLICY_ADMIN']],
  [[A], [add(`${L}/-`, 'INTERNAL')], 'illegal_value'],
  // replace
  [[A], [replace(L, [C, B])], [C, B]],
  [[A], [replace(L, null)], []],
  [[A], [replace(L, 'X')], 'illegal_value'],
  [[A, B], [replace(`${L}/1`, C)], [A, C]],
  [[A, B], [replace(`${L}/2`, C)], 'illegal_value'],
  [[A, B], [replace(`${L}/0`, null)], 'illegal_value'],
  [[A], [replace(`${L}/-`, B)], 'illegal_value'],
  // remove
  [[A, B], [remove(L)], []],
  [[A, B], [remove(L), remove(L)], []],
  [[A, B], [remove(L), add(`${L}/-`, C)], [C]],
  [[A, B], [remove(`${L}/0`)], [B]],
  [[A, B], [remove(`${L}/2`)], 'illegal_value'],
  [[A, B], [{ ...remove(L), value: [A, B] }], []],
  [[A, B], [{ ...remove(L), value: [B] }], 'illegal_value'],
  [[A, B], [{ ...remove(L), value: null }], []],
  [[A, B], [{ ...remove(`${L}/1`), value: B }], [A]],
  [[A, B], [{ ...remove(`${L}/0`), value: B }], 'illegal_value'],
  [[], [remove(`${L}/0`)], 'illegal_value'],
  [[A], [remove(`${L}/-`)], 'illegal_value'],
  // test
  [[A, B], [equals(L, [A, B])], [A, B]],
  [[A, B], [equals(L, [B, A])], 'illegal_value'],
  [[A, B], [equals(L, [A])], 'illegal_value'],
  [[], [equals(L, null)], 'illegal_value'],
  [[A, B], [equals(`${L}/1`, B)], [A, B]],
  [[A, B], [equals(`${L}/1`, A)], 'illegal_value'],
  [[A, B], [equals(`${L}/2`, A)], 'illegal_value'],
  [[A, B], [equals(`${L}/-`, A)], 'illegal_value'],
  [[A, B], [add(`${L}/-`, C), equals(`${L}/0`, B)], 'illegal_value'],
  // move and copy
  [[A, B, C], [move(`${L}/0`, `${L}/2`)], [B, C, A]],
  [[A, B, C], [move(`${L}/0`, `${L}/-`)], [B, C, A]],
  [[A, B, C], [move(`${L}/0`, `${L}/3`)], 'illegal_value'],
  [[A, B, C], [move(`${L}/2`, `${L}/0`)], [C, A, B]],
  [[A, B], [move(`${L}/1`, `${L}/1`)], [A, B]],
  [[A, B], [move(`${L}/9`, `${L}/9`)], 'illegal_value'],
  [[A, B], [move(L, L)], [A, B]],
  [[A, B], [copy(L, L)], [A, B]],
  [[A, B], [copy(`${L}/0`, `${L}/0`), remove(`${L}/1`)], [A]],
  [[A, B], [move(L, `${L}/0`)], 'illegal_value'],
  [[A, B], [copy(L, `${L}/-`)], 'illegal_value'],
  [[A, B], [move(`${L}/0`, L)], 'illegal_value'],
  [[A, B], [copy(`${L}/0`, L)], 'illegal_value'],
  [[A, B], [move(`${L}/-`, `${L}/0`)], 'illegal_value'],
  [[A, B], [copy(`${L}/1`, `${L}/0`)], [B, A]],
  [[A, B], [copy(`${L}/0`, `${L}/-`)], [A, B]],
  // Duplicates are removed at the end only, so indices within a patch refer to the raw list
  [[A], [add(`${L}/-`, A)], [A]],
  [[A], [add(`${L}/-`, A), add(`${L}/-`, B), remove(`${L}/2`)], [A]],
  [[A], [add(L, [B, A, B, A])], [B, A]],
  // An unknown level that is removed again by the end is legal
  [[A], [add(`${L}/-`, 'NOPE'), remove(`${L}/1`)], [A]],
  // Existing levels stay, even those that could not be granted
  [['INTERNAL', 'OLD_LEVEL'], [add(`${L}/-`, A)], ['INTERNAL', 'OLD_LEVEL', A]],
  // Pointers below the list that do not name an element
  [[A], [add(`${L}/`, B)], 'illegal_value'],
  [[A], [add(`${L}/0/x`, B)], 'illegal_value'],
  [[A], [remove(`${L}/length`)], 'illegal_value'],
  [[A], [remove(`${L}/__proto__`)], 'illegal_value'],
  [[A], [remove(`${L}/~01`)], 'illegal_value'],
  // Other members cannot be changed or read
  [[A], [replace('', [B])], 'illegal_update'],
  [[A], [replace('/', [B])], 'illegal_update'],
  [[A], [replace('/id', 'x')], 'illegal_update'],
  [[A], [replace('/email', 'x')], 'illegal_update'],
  [[A], [add('/unknown', 'x')], 'illegal_update'],
  [[A], [add('/__proto__/x', 1)], 'illegal_update'],
  [[A], [add('/constructor/prototype/x', 1)], 'illegal_update'],
  [[A], [equals('/email', null)], 'illegal_update'],
  [[A], [copy('/uid', `${L}/-`)], 'illegal_update'],
  [[A], [move('/uid', `${L}/-`)], 'illegal_update'],
  [[A], [move(`${L}/0`, '/uid')], 'illegal_update'],
  [[A], [copy('', `${L}/-`)], 'illegal_update'],
  [[A], [remove('/Capabilities')], 'illegal_update'],
  [[A], [remove('/capabilitiesX')], 'illegal_update'],
  [[A], [remove('//capabilities')], 'illegal_update'],
  [[A], [add(`${L}/-`, B), replace('/id', 'x')], 'illegal_update'],
  // Invalid pointers
  [[A], [remove('capabilities')], 'request_invalid'],
  [[A], [remove(`${L}/~2`)], 'request_invalid'],
  [[A], [add(`${L}/-`)], 'request_invalid'],
];

for (const [current, patch, expected] of CASES) {
  test(`${JSON.stringify(patch)} on ${JSON.stringify(current)} gives ${JSON.stringify(expected)}`, () => {
    const before = [...current];
    assert.deepEqual(outcome(current, patch), expected);
    assert.deepEqual(current, before);
  });
}

test('removes another level of a user who already holds a forbidden pair, and adds no second pair', () => {
  const rules = { refuseExclusivePairs: true };
  const pair = ['ROLE_ADMIN', 'ROLE_SUBADMIN'];
  checkCapabilities(['ORG_ADMIN', ...pair], pair, rules);
  assert.throws(() => checkCapabilities(pair, [...pair, 'SOURCE_ADMIN'], rules), {
    details: { causes: ['ROLE_SUBADMIN and SOURCE_ADMIN cannot be assigned together'] },
  });
});

test('rejects forbidden pairs only when the setting is on', () => {
  const after = ['ROLE_ADMIN', 'SOURCE_SUBADMIN'];
  checkCapabilities([], after, { refuseExclusivePairs: false });
  assert.throws(() => checkCapabilities([], after, { refuseExclusivePairs: true }), /valid list/);
});
