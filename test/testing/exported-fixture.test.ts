// suite: slow
// A tenant as a fixture: the lines that docs/testing.md shows make a tenant from an anonymised export,
// which answers as the original.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { demoDocuments } from '../../src/demo/documents.ts';
import { startTenant, type TestTenant } from '../../src/testing/index.ts';
import { COMPANY, companyTenant, json } from '../support/exported-company.ts';
import { TestClient } from './client.ts';

const directory = mkdtempSync(join(tmpdir(), 'cardea-exported-fixture-'));
after(() => rmSync(directory, { recursive: true, force: true }));

/** Runs the example of the page on the files of a directory. */
function runExample(fixture: string): Promise<TestTenant> {
  const page = readFileSync('docs/testing.md', 'utf8');
  const [, code = ''] = /## A tenant as a fixture\n.*?```ts\n(.*?)```/s.exec(page) ?? [];
  const body = `${code.replace("'fixture/", `'${fixture}/`)}\nreturn tenant;`;
  const run = Function('readFile', 'startTenant', `return (async () => { ${body} })();`);
  return run(readFile, startTenant);
}

test('a tenant starts from an anonymised export, and answers as the original', async () => {
  const dataDir = join(directory, 'data');
  const fixture = join(directory, 'fixture');
  await companyTenant(dataDir);
  await json(dataDir, 'export', '--to', fixture, '--anonymise');
  const tenant = await runExample(fixture);
  try {
    const expected = [...demoDocuments(COMPANY)].filter(
      ({ inactive, accounts }) =>
        inactive === true &&
        (accounts as { disabled: boolean }[]).some(({ disabled }) => !disabled),
    );
    const query = 'inactive:true AND @accounts(disabled:false)';
    const ids = await new TestClient(tenant).ids('identities', query);
    assert.ok(ids.length > 0);
    assert.equal(ids.length, expected.length);
    for (const { id } of expected) assert.ok(!ids.includes(String(id)));
  } finally {
    await tenant.close();
  }
});
