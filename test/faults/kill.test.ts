// suite: slow
// A few rounds for every run; test/backends/kill.test.ts has many more.
import { describe, test } from 'node:test';
import { caseCount } from '../support/case-count.ts';
import { killImports, killMigrations, killWriters } from './kill.ts';

describe('kill -9 at random points loses no acknowledged change, and the index equals the store', () => {
  test('during writes, refreshes, commits and merges', () => killWriters(caseCount(4, 12)));
  test('during imports', () => killImports(caseCount(2, 6)));
  test('during migrations', () => killMigrations(caseCount(2, 6)));
});
