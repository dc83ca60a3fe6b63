// A company in a data directory, filled by the command line: documents, auth users and profile
// management of the demo, as files that cardea import reads.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { demoAuthUsers } from '../../src/demo/auth-users.ts';
import { demoDocuments } from '../../src/demo/documents.ts';
import { DemoProfiles, type DemoResources } from '../../src/demo/profiles.ts';
import { descriptors } from '../../src/service/profiles/resources/descriptors.ts';
import { commandLine } from './command-line.ts';

export const COMPANY = { seed: 3, identities: 60, now: Date.UTC(2025, 5, 30) };
export const PROFILES = 90;

/** The lines of a file. */
export const lines = (values: Iterable<unknown>): string =>
  [...values].map((value) => `${JSON.stringify(value)}\n`).join('');

/** The profile management of the demo as lines of an import. */
export function* profileLines(): Generator<object> {
  const demo = new DemoProfiles({ ...COMPANY, profiles: PROFILES });
  function* wrapped(groups: Iterable<DemoResources>) {
    for (const { kind, records } of groups) {
      for (const record of records) yield { [descriptors[kind].singular]: record };
    }
  }
  yield* wrapped(demo.definitions());
  yield* demo.profiles();
  yield* wrapped(demo.dependents());
  for (const search of demo.searches()) yield { advanced_search: search };
}

/** Runs a command on a data directory; its output is JSON. */
export async function json(dataDir: string, ...args: readonly string[]) {
  const line = commandLine([...args, '--data-dir', dataDir, '--json']);
  const code = await line.ended;
  assert.equal(code, 0, line.err() + line.out());
  return JSON.parse(line.out());
}

/** Creates a tenant `acme` without data, but with an administrator. */
export async function emptyTenant(dataDir: string, admin = 'empty.admin'): Promise<void> {
  await json(dataDir, 'tenant', 'create', 'acme', '--admin', admin);
}

/** Creates a tenant with the company. @param more further documents */
export async function companyTenant(dataDir: string, more: readonly object[] = []): Promise<void> {
  mkdirSync(dataDir, { recursive: true });
  const file = (name: string, values: Iterable<unknown>) => {
    const path = join(dataDir, name);
    writeFileSync(path, lines(values));
    return path;
  };
  await emptyTenant(dataDir, 'company.admin');
  const documents = file('documents', [...demoDocuments(COMPANY), ...more]);
  const users = file('users', demoAuthUsers({ ...COMPANY, tenant: 'acme' }));
  const profiles = file('profiles', profileLines());
  for (const args of [[documents], ['--auth-users', users], ['--profiles', profiles]]) {
    const { failed, faults } = await json(dataDir, 'import', ...args);
    assert.deepEqual([failed, faults], [0, []]);
  }
}
