// As test/faults/kill.test.ts, for as long as it takes to hit what is rarely open.
import { describe, test } from 'node:test';
import { killImports, killMigrations, killWriters } from '../faults/kill.ts';

describe('200 times kill -9 at random points loses nothing acknowledged, and the index equals the store afterwards', () => {
  test('of writes, refreshes, commits and merges', () => killWriters(120));
  test('of imports', () => killImports(40));
  test('of migrations', () => killMigrations(40));
});
