// The rounds of `npm test`; test/backends/kill.test.ts has many more.
import { describe, test } from 'node:test';
import { caseCount } from '../support/case-count.ts';
import { killImports, killMigrations, killWriters } from './kill.ts';

describe('kill -9 at random points loses nothing acknowledged, and the index equals the store afterwards', () => {
  test('of writes, refreshes, commits and merges', () => killWriters(caseCount(4, 12)));
  test('of imports', () => killImports(caseCount(2, 6)));
  test('of migrations', () => killMigrations(caseCount(2, 6)));
});
