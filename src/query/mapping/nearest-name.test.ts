import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { editDistance, nearestName } from './nearest-name.ts';

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
    ['attributes.dept', 'attributes.Department'],
    ['attributes.deprtment', 'attributes.Department'],
    ['dept', 'attributes.Department'],
    ['jobtitel', 'attributes.jobTitle'],
    ['attributes.title', null],
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
