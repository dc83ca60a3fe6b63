import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { editDistance, isMisspelt, nearestName, nearNames } from './nearest-name.ts';

const KNOWN = [
  'name',
  'displayName',
  'firstName',
  'lastName',
  'isManager',
  'manager.id',
  'manager.displayName',
  'manager.name',
  'created',
  'attributes.department',
  'attributes.Department',
  'attributes.uid',
  'attributes.jobTitle',
  'accounts.source.name',
  'source.id',
];

describe('the nearest known name', () => {
  const table: readonly (readonly [name: string, nearest: string | null])[] = [
    ['NAME', 'name'],
    ['displayname', 'displayName'],
    ['nmae', 'name'],
    ['dispalyName', 'displayName'],
    ['fristname', 'firstName'],
    ['manager', 'manager.name'],
    ['Source', 'source.id'],
    ['department', 'attributes.Department'],
    ['accounts.sourcename', 'accounts.source.name'],
    ['attributes.department', 'attributes.Department'],
    ['creatd', 'created'],
    ['departmnt', 'attributes.Department'],
    ['attributes.dept', null],
    ['attributes.deprtment', 'attributes.Department'],
    ['dept', null],
    ['jobtitel', 'attributes.jobTitle'],
    ['attributes.title', null],
    ['attributes.usid', 'attributes.uid'],
    ['job_title', 'attributes.jobTitle'],
    ['attributes.job_title', 'attributes.jobTitle'],
    ['first-name', 'firstName'],
    ['is_manger', 'isManager'],
    ['correlated', null],
    ['sourceId', 'source.id'],
    ['sourceCount', null],
    ['i', null],
    ['attribtes.uid', 'attributes.uid'],
    ['zzz', null],
    ['', null],
    ['n'.repeat(101), null],
  ];
  for (const [name, nearest] of table) {
    test(`of ${name.slice(0, 40)} is ${nearest}`, () =>
      assert.equal(nearestName(name, KNOWN), nearest));
  }
});

const PAIRS: readonly (readonly [name: string, known: readonly string[], near: string | null])[] = [
  ['created', ['correlated', 'protected'], null],
  ['uid', ['id', 'name', 'alias'], null],
  ['sourceCount', ['roleCount', 'accountCount'], null],
  ['status', ['cloudStatus', 'processingState'], null],
  ['disabled', ['name', 'id'], null],
  ['nam', ['name'], 'name'],
  ['roleCuont', ['roleCount'], 'roleCount'],
  ['capability', ['capabilities', 'id'], 'capabilities'],
  ['ids', ['id', 'name'], 'id'],
  ['startIndex', ['limit', 'offset'], null],
  ['PROT', ['PORT', 'HOST'], 'PORT'],
];
for (const [name, known, near] of PAIRS) {
  test(`${name} is ${near === null ? 'none' : 'near one'} of ${known.join(', ')}`, () => {
    assert.equal(nearestName(name, known), near);
  });
}

test('all near names come in the order of their nearness', () => {
  const known = ['attributes.names', 'nams', 'name', 'x.name', 'other'];
  assert.deepEqual(nearNames('name', known), ['name', 'nams', 'x.name', 'attributes.names']);
});

const MISSPELT: readonly (readonly [name: string, other: string, isMisspelling: boolean])[] = [
  ['dispalyName', 'displayName', true],
  ['attributes.Pin', 'attributes.pin', true],
  ['displayName', 'displayName', false],
  ['department', 'attributes.department', false],
  ['attributes.x1', 'attributes.x2', false],
];
for (const [name, other, expected] of MISSPELT) {
  test(`${name} is ${expected ? 'a' : 'no'} misspelt ${other}`, () => {
    assert.equal(isMisspelt(name, other), expected);
  });
}

describe('the edit distance', () => {
  const table: readonly (readonly [left: string, right: string, edits: number])[] = [
    ['', '', 0],
    ['', 'abc', 3],
    ['abc', '', 3],
    ['abc', 'abc', 0],
    ['abc', 'acb', 1],
    ['abc', 'abd', 1],
    ['kitten', 'sitting', 3],
    ['ca', 'abc', 3],
  ];
  for (const [left, right, edits] of table) {
    test(`from ${left} to ${right} is ${edits}`, () =>
      assert.equal(editDistance(left, right), edits));
  }
  test('stops above the limit', () => {
    assert.ok(editDistance('a'.repeat(50), 'b'.repeat(50), 3) > 3);
  });
});
