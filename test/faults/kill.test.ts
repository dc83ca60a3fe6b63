// The rounds of every run; test/backends/kill.test.ts has many more.
import { describe, test } from 'node:test';
import { killImports, killMigrations, killWriters } from './kill.ts';

describe('kill -9 at random points loses nothing acknowledged, and the index equals the store afterwards', () => {
  test('of writes, refreshes, commits and merges', () => killWriters(12));
  test('of imports', () => killImports(6));
  test('of migrations', () => killMigrations(6));
});
